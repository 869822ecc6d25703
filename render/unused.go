package render

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/ignore"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// Unused lists the files of charts, kustomizations and manifests that the change touches and
// that no release of either side is made of, with the reason where discovery gave one.
// Prose and programs are no such files.
func (c *Changes) Unused() []source.Ignored {
	if c.Base == nil {
		return nil
	}
	used := map[string]bool{}
	for _, rev := range []*Revision{c.Base, c.Head} {
		for _, r := range rev.Releases {
			for _, f := range r.Reads {
				used[f] = true
			}
		}
	}
	for _, rev := range []*Revision{c.Base, c.Head} {
		for _, s := range rev.ConfigFiles(rev.opt.Concerns) {
			used[s.File] = true
		}
	}
	var out []source.Ignored
	for _, f := range c.Files {
		if used[f] || !mayBeUsed(f) || c.linksTo(f, used) || c.Narrowed() && !c.Head.opt.within(f) {
			continue
		}
		if why, ok := c.leftOut(f); ok {
			out = append(out, source.Ignored{Path: f, Reason: why})
		}
	}
	return out
}

// linksTo reports whether a file is a link to one of some files.
func (c *Changes) linksTo(f string, files map[string]bool) bool {
	return slices.ContainsFunc([]*Revision{c.Base, c.Head}, func(rev *Revision) bool {
		return rev.src != nil && rev.src.Links[f] && files[rev.src.Real(f)]
	})
}

// Narrowed reports whether paths limit what was looked at.
func (c *Changes) Narrowed() bool { return len(c.Head.opt.Paths) > 0 }

// mayBeUsed reports whether a release may be made of a file, by its name.
func mayBeUsed(f string) bool {
	if strings.HasPrefix(f, ".") || strings.Contains(f, "/.") || testFolder(f) != "" {
		return false
	}
	return source.IsManifestName(f) || path.Ext(f) == ".tpl" || source.IsKustomizationName(f)
}

// leftOut reports whether a file would have been one of a release's, and why it is not: it
// lies in the folder of one, discovery left it out, or it reads as a manifest. What a chart's
// .helmignore names, as the tests of its templates, its owner has left out; and where a
// kustomization was not read to its end, nobody knows what it is made of.
func (c *Changes) leftOut(f string) (why string, yes bool) {
	for _, rev := range []*Revision{c.Head, c.Base} {
		for _, g := range rev.Ignored {
			if g.Path == f {
				return g.Reason, true
			}
		}
		in := func(r *Rendered) bool { return r.Kind != release.Manifests && r.Path != "." && source.Under(f, r.Path) }
		if i := slices.IndexFunc(rev.Releases, in); i >= 0 {
			return "", !partlyRead(rev.Releases) && !rev.helmIgnores(rev.Releases[i], f)
		}
		switch src, err := fsRead(rev, f); {
		case err != nil:
		case source.IsObject(src) && notAnObject(src) == "":
			return "", true
		case isValues(f):
			return NoChartTakesThem, true
		}
	}
	return "", false
}

// NoChartTakesThem is said of values that change where no release is known to be made with them: the
// chart may be elsewhere, and nothing is broken.
const NoChartTakesThem = "values that no release takes"

// partlyRead reports whether a kustomization among some releases was not read to its end.
func partlyRead(list []*Rendered) bool {
	return slices.ContainsFunc(list, func(r *Rendered) bool { return r.Kind == release.Kustomize && r.partly })
}

// helmIgnores reports whether a chart's own .helmignore leaves a file out.
func (v *Revision) helmIgnores(r *Rendered, f string) bool {
	if r.Kind != release.Helm {
		return false
	}
	text, err := fsRead(v, path.Join(r.Path, ".helmignore"))
	if err != nil {
		return false
	}
	rules, err := ignore.Parse(bytes.NewReader(text))
	return err == nil && helm.Ignored(rules, strings.TrimPrefix(f, r.Path+"/"))
}

// fsRead reads a file of a revision.
func fsRead(rev *Revision, f string) ([]byte, error) {
	s := source.Source{Tree: rev.Tree}
	return s.Load(f)
}
