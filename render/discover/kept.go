package discover

import (
	"path"
	"slices"

	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// keptOf says why a release is a root that discovery would make none.
const keptOf = "a root on base, whose files are here"

// claim notes a root that something else renders: it is one all the same where base has it, or where it was moved.
func (d *Found) claim(r release.Release, why string) {
	d.ignore(r.Path, why)
	d.claimed = append(d.claimed, r)
}

// keep makes roots of base's roots that are here, and of what may be one in another place, which render/pair decides.
func (d *Found) keep() {
	gone := map[object.ReleaseKind]bool{}
	for _, r := range d.base {
		if r.Declared || r.By.File != "" {
			continue
		}
		at := slices.IndexFunc(d.Releases, func(x release.Release) bool { return x.ID == r.ID })
		var here *release.Release
		if at >= 0 {
			here = &d.Releases[at]
		}
		now, there := d.remains(r, here)
		switch why := d.hidden(r.Path); {
		case !there && here == nil && why != "":
			d.fail(r, &object.Failure{Reason: "the folder " + r.Path + ": " + why, Where: object.FileStart(r.Path),
				Remedy: "keep its files in this repository"})
		case !there:
			gone[r.Kind] = true
		case here == nil:
			if r.Deployed {
				now.Left = true
				d.dropBare(r.Path)
			}
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
			if !d.ids[one.ID] {
				d.keepRoot(one)
			}
		}
	}
}

// hidden says why a path that was a folder cannot be looked into; "" if it is simply not there.
func (d *Found) hidden(dir string) string {
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

func (d *Found) keepRoot(r release.Release) {
	r.Selected, r.APIVersions = keptOf, nil
	d.unignore(r)
	d.add(r)
}

// dropBare takes out the charts of a folder as they lie there, where base has them as they are deployed alone.
func (d *Found) dropBare(dir string) {
	onBase := map[string]bool{}
	for _, r := range d.base {
		onBase[r.ID] = true
	}
	d.Releases = slices.DeleteFunc(d.Releases, func(r release.Release) bool {
		bare := r.Kind == object.Helm && r.Path == dir && !r.Deployed && !r.Declared && r.By.File == "" && !onBase[r.ID]
		if bare {
			delete(d.ids, r.ID)
		}
		return bare
	})
}

func (d *Found) unignore(r release.Release) {
	d.Ignored = slices.DeleteFunc(d.Ignored,
		func(g object.Ignored) bool { return g.Path == r.Path || slices.Contains(r.Files, g.Path) })
}

// remains is a root of base with the files of it that are here, those of the release that discovery made here included;
// false: there are none.
func (d *Found) remains(r release.Release, here *release.Release) (release.Release, bool) {
	switch r.Kind {
	case object.Kustomize:
		return r, kustomize.FileOf(d.src, r.Path) != ""
	case object.Helm:
		if r.Deployed {
			gone := func(v string) bool {
				return r.Fetch == nil && !d.src.HasFile(v) && v != path.Join(r.Path, "values.yaml")
			}
			there := r.Fetch != nil || d.src.HasFile(path.Join(r.Path, "Chart.yaml"))
			return r, there && !slices.ContainsFunc(r.Values, gone)
		}
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
	if r.Jsonnet != nil {
		return r, d.src.HasFile(r.Files[0])
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
func (d *Found) readOnBase(file string) bool {
	return slices.ContainsFunc(d.base, func(r release.Release) bool { return r.By.File == file && r.Parent != "" })
}
