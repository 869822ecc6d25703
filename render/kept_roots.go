package render

import (
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// Scope is monotone: what base has as a root stays one on head while its files are there, whatever includes, inflates,
// covers or hides them now. A change can add releases; it takes none away by adding files.

// keptOf says why a release is a root that discovery would make none.
const keptOf = "a root on base, whose files are here"

// claim notes a root that something else renders: it is one all the same where base has it, or where it was moved.
func (d *discovery) claim(r release.Release, why string) {
	d.ignore(r.Path, why)
	d.claimed = append(d.claimed, r)
}

// keep makes roots of base's roots that are here, and of what may be one in another place; see [keepMoved].
func (d *discovery) keep() {
	gone := map[object.ReleaseKind]bool{}
	for _, r := range d.base {
		if r.Declared || r.By.File != "" {
			continue
		}
		at := slices.IndexFunc(d.releases, func(x release.Release) bool { return x.ID == r.ID })
		var here *release.Release
		if at >= 0 {
			here = &d.releases[at]
		}
		now, there := d.remains(r, here)
		switch why := d.hidden(r.Path); {
		case !there && here == nil && why != "":
			d.fail(r, &object.Failure{Reason: r.Path + ": " + why, Where: object.FileStart(r.Path),
				Remedy: "keep its files in this repository"})
		case !there:
			gone[r.Kind] = true
		case here == nil:
			d.keepRoot(now)
		case here.Kind == r.Kind && len(here.Files) == len(now.Files):
		case here.Kind == r.Kind:
			here.Files = now.Files
			d.unignore(now)
		case r.Kind != object.Manifests || here.Kind != object.Kustomize: // which builds what lies in the folder
			delete(d.ids, here.ID)
			here.ID += ":" + string(here.Kind)
			d.ids[here.ID] = true
			d.keepRoot(now)
		}
	}
	for _, r := range d.claimed {
		if !gone[r.Kind] || d.ids[r.ID] || d.src.Twin.HasDir(r.Path) {
			continue
		}
		if r.Kept = true; r.Kind != object.Helm {
			d.keepRoot(r)
			continue
		}
		for _, one := range d.withSets(r) {
			d.keepRoot(one)
		}
	}
}

// hidden says why what was a folder cannot be looked into; "" where it is simply not there.
func (d *discovery) hidden(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if i := slices.IndexFunc(d.src.Lost, func(g object.Ignored) bool { return g.Path == dir }); i >= 0 {
			return d.src.Lost[i].Reason
		}
		if d.src.Links[dir] {
			return "a link that leads to no folder of this repository"
		}
	}
	return ""
}

func (d *discovery) keepRoot(r release.Release) {
	r.Selected, r.APIVersions = keptOf, nil
	d.unignore(r)
	d.add(r)
}

func (d *discovery) unignore(r release.Release) {
	d.ignored = slices.DeleteFunc(d.ignored,
		func(g object.Ignored) bool { return g.Path == r.Path || slices.Contains(r.Files, g.Path) })
}

// remains is a root of base with what is here of it, that of the release that discovery made here included; false:
// nothing is.
func (d *discovery) remains(r release.Release, here *release.Release) (release.Release, bool) {
	switch r.Kind {
	case object.Kustomize:
		return r, kustomize.FileOf(d.src, r.Path) != ""
	case object.Helm:
		now := d.bare(r.Path)
		now.ID = r.ID
		for _, v := range r.Values {
			if v == path.Join(r.Path, "values.yaml") {
				continue
			}
			if !d.src.HasFile(v) {
				return r, false
			}
			now.Values = append(now.Values, v)
		}
		return now, d.src.HasFile(path.Join(r.Path, "Chart.yaml"))
	}
	has := func(f string) bool { return here != nil && here.Kind == r.Kind && slices.Contains(here.Files, f) }
	files := slices.DeleteFunc(slices.Clone(r.Files), func(f string) bool {
		is, _ := d.holdsObjects(f)
		return !has(f) && !(is && d.src.HasFile(f))
	})
	if here != nil && here.Kind == r.Kind {
		files = append(files, here.Files...)
	}
	slices.Sort(files)
	r.Files = slices.Compact(files)
	return r, len(files) > 0
}

// readOnBase reports whether base reads a helmfile as it stands.
func (d *discovery) readOnBase(file string) bool {
	return slices.ContainsFunc(d.base, func(r release.Release) bool { return r.By.File == file && r.Parent != "" })
}

// keepUncovered leaves what base has uncovered out of what is covered here, where it changes and is not covered as it
// is; and what may be a root of base's in another place.
func (s *side) keepUncovered(covered map[int]int, base *side) {
	gone := map[object.ReleaseKind]bool{}
	for _, k := range base.only(s) {
		gone[base.releases[k].Kind] = true
	}
	for i, by := range covered {
		r := &s.releases[i]
		k, had := base.byID[r.ID]
		switch as := likeDocs(named(s.outputs[i].Docs), named(s.outputs[by].Docs)) == 1000 && s.outputs[i].Err == nil; {
		case as && !s.outputs[i].Untouched:
		case had && alike(sidePlace{base, k}, sidePlace{s, i}):
		case had:
			delete(covered, i)
		case gone[r.Kind] && !s.src.Twin.HasDir(r.Path):
			r.Kept = true
			delete(covered, i)
		}
	}
}

// keepMoved compares a root that something else renders on head with the root of base that it was, where that is gone
// and is like it. One that is like none is what discovery takes it for.
func keepMoved(base, head *side) {
	at := map[docName][]int{}
	for i, r := range head.releases {
		if r.Kept && head.outputs[i].Err == nil {
			for name := range named(head.outputs[i].Docs) {
				at[name] = append(at[name], i)
			}
		}
	}
	values := func(r release.Release) string { return strings.TrimPrefix(r.ID, r.Path) }
	was := map[int]move{}
	for _, k := range base.only(head) {
		for _, m := range movesOf(base, head, k, at) {
			base.releases[k].Kept = true
			o, ok := was[m.to]
			if !ok || m.like > o.like || m.like == o.like && values(base.releases[k]) == values(head.releases[m.to]) {
				was[m.to] = m
			}
		}
	}
	kept := head.without()
	kept.ignored, kept.covered = head.ignored, head.covered
	for i, r := range head.releases {
		if m, moved := was[i]; moved {
			base.repeat(m.from, r.ID)
		} else if r.Kept {
			continue
		}
		kept.take(head, i)
	}
	*head = *kept
}

// dropRepeated drops what stands under other IDs as well, and has none that head knows.
func (s *side) dropRepeated(head *side) {
	for i := len(s.releases) - 1; i >= 0; i-- {
		if _, known := head.byID[s.releases[i].ID]; s.releases[i].Kept && !known {
			s.drop(i)
		}
	}
}

// repeat adds release i once more, under another ID.
func (s *side) repeat(i int, id string) {
	r := s.releases[i]
	r.ID, r.Kept = id, false
	s.byID[id] = len(s.releases)
	s.releases, s.recipes = append(s.releases, r), append(s.recipes, s.recipes[i].As(r))
	s.failed, s.outputs = append(s.failed, s.failed[i]), append(s.outputs, s.outputs[i])
}
