package render

import (
	"path"
	"slices"
	"strings"
)

// Unused lists the files of charts, kustomizations and manifests that the change touches and
// that no release of either side is made of, with the reason where discovery gave one.
// Prose and programs are no such files.
func (c *Changes) Unused() []Ignored {
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
	var out []Ignored
	for _, f := range c.Files {
		if used[f] || !mayBeUsed(f) || c.Narrowed() && !c.Head.opt.within(f) {
			continue
		}
		if why, ok := c.leftOut(f); ok {
			out = append(out, Ignored{f, why})
		}
	}
	return out
}

// Narrowed reports whether paths limit what was looked at.
func (c *Changes) Narrowed() bool { return len(c.Head.opt.Paths) > 0 }

// mayBeUsed reports whether a release may be made of a file, by its name.
func mayBeUsed(f string) bool {
	if strings.HasPrefix(f, ".") || strings.Contains(f, "/.") || testFolder(f) != "" {
		return false
	}
	return isManifestName(f) || path.Ext(f) == ".tpl" || isKustomizationName(f)
}

// leftOut reports whether a file would have been one of a release's, and why it is not: it
// lies in the folder of one, discovery left it out, or it reads as a manifest.
func (c *Changes) leftOut(f string) (why string, yes bool) {
	for _, rev := range []*Revision{c.Head, c.Base} {
		for _, g := range rev.Ignored {
			if g.Path == f {
				return g.Reason, true
			}
		}
		if slices.ContainsFunc(rev.Releases, func(r *Rendered) bool { return r.Kind != Manifests && r.Path != "." && under(f, r.Path) }) {
			return "", true
		}
		if src, err := fsRead(rev, f); err == nil && isObject(src) && notAnObject(src) == "" {
			return "", true
		}
	}
	return "", false
}

// fsRead reads a file of a revision.
func fsRead(rev *Revision, f string) ([]byte, error) {
	s := source{tree: rev.Tree}
	return s.load(f)
}
