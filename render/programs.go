package render

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/object"
)

// makers are programs that give manifests, by their extension, with the file that a folder above them has; "": none.
var makers = map[string]string{".jsonnet": "", ".libsonnet": "", ".k": "kcl.mod", ".cue": "module.cue"}

// workloadText is what a program that gives a workload says of it somewhere.
var workloadText = regexp.MustCompile(`(?i)\b(deployment|stateful_?set|daemon_?set|cron_?job|containers?)\b`)

// Programs lists the changed programs that give manifests, where any of their kind in the repository speaks of a
// workload: they are not run. Those that a release is made of, such as the Jsonnet of an Application's folder, are not
// among them.
func Programs(c *object.Changes) []string {
	if c.Base == nil {
		return nil
	}
	var out []string
	for _, f := range c.Files {
		if isProgram(c, f) {
			out = append(out, f)
		}
	}
	if len(out) == 0 || !slices.ContainsFunc([]*object.Revision{c.Head, c.Base}, givesWorkloads) {
		return nil
	}
	return out
}

func isProgram(c *object.Changes, f string) bool {
	above, is := makers[path.Ext(f)]
	if !is || apart(f) || c.Head.Narrowed && !rendererOf(c.Head).opt.Paths.Within(f) {
		return false
	}
	for _, rev := range []*object.Revision{c.Base, c.Head} {
		for _, r := range rev.Releases {
			if slices.Contains(r.Reads, f) || r.Err != nil && r.Err.Where.File == f {
				return false
			}
		}
	}
	for dir := path.Dir(f); above != ""; dir = path.Dir(dir) {
		for _, rev := range []*object.Revision{c.Base, c.Head} {
			for _, name := range []string{above, path.Join("cue.mod", above)} {
				if _, err := fs.Stat(rev.Tree, path.Join(dir, name)); err == nil {
					return true
				}
			}
		}
		if dir == "." {
			return false
		}
	}
	return true
}

// apart reports whether a program is of others, or a test's.
func apart(f string) bool {
	return strings.HasPrefix(f, ".") || strings.Contains("/"+f, "/vendor/") || strings.Contains("/"+f, "/test") ||
		strings.Contains(f, "/cue.mod/") || discover.TestFolder(f) != ""
}

func givesWorkloads(rev *object.Revision) bool {
	src, err := listed(rev)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(src.Files, func(f string) bool {
		if _, is := makers[path.Ext(f)]; !is || apart(f) {
			return false
		}
		b, err := src.Read(f)
		return err != nil || workloadText.Match(b)
	})
}
