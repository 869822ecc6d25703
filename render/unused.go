package render

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/ignore"

	"github.com/kubesettle/kubesettle/render/deploys"
	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/variants"
)

// Unused lists the files of charts, kustomizations and manifests that the change touches and
// that no release of either side is made of, with the reason where discovery gave one.
// Prose and programs are no such files.
func Unused(c *object.Changes) []object.Ignored {
	if c.Base == nil {
		return nil
	}
	used := usedFiles(c)
	for _, rev := range []*object.Revision{c.Base, c.Head} {
		for _, s := range rev.ConfigFiles(rendererOf(rev).opt.Concerns) {
			used[s.File] = true
		}
	}
	for _, o := range Opened(c) {
		used[o.File] = true
	}
	var out []object.Ignored
	for _, f := range c.Files {
		if used[f] || !mayBeUsed(f) || linksTo(c, f, used) || c.Head.Narrowed && !rendererOf(c.Head).opt.Paths.Within(f) {
			continue
		}
		if why, ok := leftOut(c, f); ok {
			out = append(out, object.Ignored{Path: f, Reason: why})
		}
	}
	return out
}

// Opened lists the changed files by which a program that is not run installs something beside all releases.
func Opened(c *object.Changes) []deploys.Open {
	if c.Base == nil || c.Head.Narrowed {
		return nil
	}
	base, err := listed(c.Base)
	if err != nil {
		return nil
	}
	head, err := listed(c.Head)
	if err != nil {
		return nil
	}
	used := usedFiles(c)
	return deploys.Opened(base, head, c.Files, func(f string) bool { return used[f] })
}

// usedFiles are those that a release of head is made of, and those of base that head has no more. What a release reads
// that does not render may not be known; one that is not rendered reads nothing that changes.
func usedFiles(c *object.Changes) map[string]bool {
	used, known := map[string]bool{}, true
	for _, r := range c.Head.Releases {
		known = known && (r.Err == nil || r.Whole)
		loads := loadsFiles(c, r)
		for _, f := range r.Reads {
			used[f] = used[f] || loads || !besideChart(r, f) || takes(r, f)
		}
	}
	for _, r := range c.Base.Releases {
		for _, f := range r.Reads {
			if _, err := fs.Stat(c.Head.Tree, f); err != nil || !known {
				used[f] = true
			}
		}
	}
	return used
}

// besideChart reports whether a file lies in the folder of a release's chart where Helm renders nothing of it.
//
// Upstream: helm.sh/helm/v3, pkg/chart/loader: LoadFiles.
func besideChart(r *object.Rendered, f string) bool {
	rel, in := strings.CutPrefix(f, r.Path+"/")
	if r.Path == "." {
		rel, in = f, true
	}
	top, _, deep := strings.Cut(rel, "/")
	return r.Kind == object.Helm && in &&
		(deep && !slices.Contains([]string{"templates", "crds", "charts"}, top) ||
			!deep && !slices.Contains(chartFiles, rel))
}

// takes reports whether the settings of a release name a file: values, the content of one, or part of a helmfile.
func takes(r *object.Rendered, f string) bool {
	m := side.MadeOf(r)
	_, says := m.Says[f]
	if says || slices.Contains(r.Values, f) || slices.Contains(m.OwnValues, f) {
		return true
	}
	for _, of := range m.SetFile {
		if of == f {
			return true
		}
	}
	return false
}

var chartFiles = []string{"Chart.yaml", "Chart.lock", "values.yaml", "values.schema.json", "requirements.yaml",
	"requirements.lock", ".helmignore"}

// loadsFiles reports whether a chart has, in a template, files that lie beside those, if one of these differs.
func loadsFiles(c *object.Changes, r *object.Rendered) bool {
	if !slices.ContainsFunc(c.Files, func(f string) bool { return besideChart(r, f) }) {
		return false
	}
	return slices.ContainsFunc(r.Reads, func(f string) bool {
		b, err := fs.ReadFile(c.Head.Tree, f)
		return err != nil || !besideChart(r, f) && (bytes.Contains(b, []byte(".Files")) || path.Ext(f) == ".tgz")
	})
}

// RunsPods reports whether a file has a workload on a side, as it stands.
func RunsPods(c *object.Changes, f string) bool {
	return runsPods(c.Base, f) || runsPods(c.Head, f)
}

func runsPods(rev *object.Revision, f string) bool {
	b, err := fs.ReadFile(rev.Tree, f)
	if err != nil {
		return false
	}
	docs, fail := document.Decode(f, b)
	docs = slices.DeleteFunc(docs, func(d document.Document) bool { return d.Content["$patch"] != nil }) // it runs none
	return fail == nil && variants.RunsPods(document.Expand(docs))
}

// Parked reports whether base leaves a file, or another one with a workload beside it, out in the same way: its
// kustomization lists neither.
func Parked(c *object.Changes, f object.Ignored) bool {
	return strings.HasSuffix(f.Reason, discover.NotListed) &&
		slices.ContainsFunc(c.Base.Ignored, func(g object.Ignored) bool {
			return g.Reason == f.Reason && (g.Path == f.Path || runsPods(c.Base, g.Path))
		})
}

// linksTo reports whether a file is a link to one of some files.
func linksTo(c *object.Changes, f string, files map[string]bool) bool {
	return slices.ContainsFunc([]*object.Revision{c.Base, c.Head}, func(rev *object.Revision) bool {
		src := rendererOf(rev).src
		return src != nil && src.Links[f] && files[src.Real(f)]
	})
}

// mayBeUsed reports whether a release may be made of a file, by its name.
func mayBeUsed(f string) bool {
	if strings.HasPrefix(f, ".") || strings.Contains(f, "/.") || discover.TestFolder(f) != "" {
		return false
	}
	return source.IsManifestName(f) || path.Ext(f) == ".tpl" || source.IsKustomizationName(f)
}

// leftOut reports whether a file would have been one of a release's, and why it is not: it lies in the folder of one,
// discovery left it out, or it reads as a manifest. Files that a chart's .helmignore names, such as the tests of its
// templates, are left out on purpose; and if a kustomization was not read to its end, its files are unknown.
func leftOut(c *object.Changes, f string) (why string, yes bool) {
	for _, rev := range []*object.Revision{c.Head, c.Base} {
		for _, g := range rev.Ignored {
			switch {
			case g.Path != f:
			case g.Reason == object.IsConfigFile && isValues(f): // it names kinds, as the values of many charts do
				return object.NoChartTakesThem, true
			default:
				return g.Reason, true
			}
		}
		in := func(r *object.Rendered) bool {
			return r.Kind != object.Manifests && r.Path != "." && source.Under(f, r.Path)
		}
		if i := slices.IndexFunc(rev.Releases, in); i >= 0 {
			part := partlyRead(rev.Releases) || slices.ContainsFunc(rev.Releases,
				func(r *object.Rendered) bool { return in(r) && side.MadeOf(r).Partly })
			return "", !part && !helmIgnores(rev, rev.Releases[i], f)
		}
		switch src, err := fs.ReadFile(rev.Tree, f); {
		case err != nil:
		case source.IsObject(src) && discover.NotAnObject(src) == "", source.IsKustomizationName(path.Base(f)):
			return "", true // a component of patches that nothing here includes is such a kustomization
		case isValues(f):
			return object.NoChartTakesThem, true
		}
	}
	return "", false
}

// partlyRead reports whether a kustomization among some releases was not read to its end.
func partlyRead(list []*object.Rendered) bool {
	return slices.ContainsFunc(list,
		func(r *object.Rendered) bool { return r.Kind == object.Kustomize && side.MadeOf(r).Partly })
}

// helmIgnores reports whether a chart's own .helmignore leaves a file out.
func helmIgnores(v *object.Revision, r *object.Rendered, f string) bool {
	if r.Kind != object.Helm {
		return false
	}
	text, err := fs.ReadFile(v.Tree, path.Join(r.Path, ".helmignore"))
	if err != nil {
		return false
	}
	rules, err := ignore.Parse(bytes.NewReader(text))
	return err == nil && helm.Ignored(rules, strings.TrimPrefix(f, r.Path+"/"))
}
