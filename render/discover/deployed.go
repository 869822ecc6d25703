package discover

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/deploys"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// What scripts and pipelines deploy is discovered like anything else: releases of it are roots of base that head keeps,
// and what an Application renders covers them. They say more than a folder does: a name, a namespace, settings. A set
// of values that is deployed is no further release.

// deployed adds what scripts deploy of charts, and of kustomizations that others include.
func (d *Found) deployed() {
	var list []release.Release
	for i := range d.calls {
		if d.over() {
			return
		}
		switch c := &d.calls[i]; c.Tool {
		case deploys.Helm:
			if r, ok := d.deployedChart(c); ok {
				list = append(list, r)
			}
		case deploys.Kustomize:
			d.builtBy(c)
		}
	}
	nameApart(list)
	for _, r := range list {
		if r.Fetch != nil && !d.src.CanFetch() {
			d.fail(r, helm.RemoteChart(*r.Fetch, "a repository that the file does not name", r.At))
			continue
		}
		d.add(r)
	}
}

// deployedChart is the release that a call of helm makes; false: it is none, or found elsewhere.
func (d *Found) deployedChart(c *deploys.Deploy) (release.Release, bool) {
	at := object.LineOf(c.File, c.Line, "release")
	r := release.Release{Release: object.Release{Kind: object.Helm, Path: c.Path}}
	if c.Remote {
		ref := fetch.ChartRef{Name: path.Base(c.Path), Repository: c.Repository, Version: c.Version}
		if strings.HasPrefix(c.Path, "oci://") {
			ref.Repository = "oci://" + path.Dir(strings.TrimPrefix(c.Path, "oci://"))
		}
		r.Name = installable(ref.Name)
		if r.Fetch = &ref; ref.Repository != "" {
			r.Path = source.ChartFolder(ref)
			r.Values = []string{path.Join(r.Path, "values.yaml")}
		}
		r.Files = slices.Clone(c.Values)
	} else {
		m, f := helm.ReadMetadata(d.src, c.Path)
		declared := slices.ContainsFunc(d.opt.Releases, func(o release.Release) bool { return path.Clean(o.Path) == c.Path })
		if declared || TestFolder(c.Path+"/x") != "" || f != nil || m.Type == "library" {
			return r, false
		}
		r = d.bare(c.Path)
	}
	if c.Name != "" && deploys.Known(c.Name) && installable(c.Name) == c.Name {
		r.Name = c.Name
	}
	if deploys.Known(c.Namespace) {
		r.Namespace = c.Namespace
	}
	found := func(o release.Release) bool {
		return o.By.File != "" && o.Kind == object.Helm && o.Path == r.Path && o.Name == r.Name
	}
	if slices.ContainsFunc(d.Releases, found) { // in a helmfile
		return r, false
	}
	r.Values = append(slices.Clone(r.Values), c.Values...)
	r.SkipSchema, r.Delivery.Adopts = c.AnyValues, c.Adopts
	d.settings(&r, c, at)
	for _, v := range c.Missing {
		r.Remarks = append(r.Remarks, object.Say(object.ValuesElsewhere, deploys.Starred(v)).At(at))
	}
	r.Deployed, r.At, r.Selected = true, at, "deployed in "+c.At()
	r.ID = "deploy:" + c.Path + ":" + deploys.Starred(cmp.Or(c.Namespace, "default")+"/"+cmp.Or(c.Name, r.Name))
	return r, true
}

// settings takes what helm is given by --set and its like. An unknown value is a placeholder if the chart expects a
// text, and left at the chart's default if that is a number or a switch.
func (d *Found) settings(r *release.Release, c *deploys.Deploy, at object.Location) {
	var own map[string]any
	for _, s := range c.Settings {
		if !deploys.Known(s.Name) || s.Name == "" {
			continue
		}
		if s.Flag != "set-file" && !deploys.Known(s.Value) {
			if own == nil {
				own = d.valuesOf(r.Values)
			}
			was, _ := fieldpath.Parse(s.Name).Get(own)
			if _, text := was.(string); was != nil && !text {
				r.Remarks = append(r.Remarks, object.Say(object.SettingElsewhere, s.Name).At(at))
				continue
			}
		}
		into := map[string]*map[string]string{"set": &r.Set, "set-string": &r.SetString, "set-file": &r.SetFile}[s.Flag]
		if into == nil {
			continue
		}
		if *into == nil {
			*into = map[string]string{}
		}
		if (*into)[s.Name] = s.Value; s.Flag != "set-file" {
			(*into)[s.Name] = deploys.Escaped(s.Value)
		}
	}
	r.SettingAt = func(string) object.Location { return at }
}

// valuesOf merges values files as far as they can be read.
func (d *Found) valuesOf(files []string) map[string]any {
	out := map[string]any{}
	for _, f := range files {
		b, err := d.src.Read(f)
		if err != nil {
			continue
		}
		if v, err := document.DecodeYAML(b); err == nil {
			m, _ := v.(map[string]any)
			out = helm.MergeValues(out, m)
		}
	}
	return out
}

// nameApart gives releases of one name the files of values that tell them apart, or else a number.
func nameApart(list []release.Release) {
	by := map[string][]int{}
	for i, r := range list {
		by[r.ID] = append(by[r.ID], i)
	}
	for _, same := range by {
		if len(same) < 2 {
			continue
		}
		shared := func(v string) bool {
			return !slices.ContainsFunc(same, func(i int) bool { return !slices.Contains(list[i].Values, v) })
		}
		taken := map[string]bool{}
		for n, i := range same {
			var own []string
			for _, v := range list[i].Values {
				if !shared(v) {
					own = append(own, v)
				}
			}
			suffix := strings.Join(own, "+")
			if suffix == "" && n > 0 || taken[suffix] {
				suffix = fmt.Sprint(n + 1)
			}
			if taken[suffix] = true; suffix != "" {
				list[i].ID += ":" + suffix
			}
		}
	}
}

// isDeployed reports whether a script deploys a chart with these values, and all of it is known.
func (d *Found) isDeployed(set release.Release) bool {
	return slices.ContainsFunc(d.Releases, func(r release.Release) bool {
		return r.Deployed && r.Path == set.Path && slices.Equal(r.Values, set.Values) &&
			!slices.ContainsFunc(r.Remarks, func(n object.Note) bool { return n.Kind == object.ValuesElsewhere })
	})
}

// builtBy makes a root of a kustomization that a script builds, or says of a root where it is built.
func (d *Found) builtBy(c *deploys.Deploy) {
	file := kustomize.FileOf(d.src, c.Path)
	if file == "" || TestFolder(file) != "" {
		return
	}
	if d.says(c, func(r *release.Release) bool { return r.Kind == object.Kustomize && r.Path == c.Path }) {
		return
	}
	if k, f := kustomize.Read(d.src, file); f == nil && k.Kind == "Component" {
		return
	}
	r := release.Release{Release: object.Release{ID: c.Path, Kind: object.Kustomize, Path: c.Path,
		At: object.LineOf(c.File, c.Line, "release"), Selected: "deployed in " + c.At()}, Deployed: true}
	d.unignore(r)
	d.add(r)
	d.says(c, func(o *release.Release) bool { return o.ID == r.ID })
}

// says notes of releases that are found already where they are deployed; false: none is.
func (d *Found) says(c *deploys.Deploy, is func(*release.Release) bool) bool {
	found := false
	for i := range d.Releases {
		r := &d.Releases[i]
		if r.Declared || !is(r) {
			continue
		}
		if found = true; !strings.Contains(r.Selected, "deployed in ") {
			r.Selected += ", deployed in " + c.At()
		}
		if r.Namespace == "" && deploys.Known(c.Namespace) && d.oneNamespace(c, r) {
			r.Namespace = d.baseNamespace(r.ID, c.Namespace)
		}
	}
	return found
}

// oneNamespace reports whether a call applies a release as a whole, and all calls apply it in one namespace.
func (d *Found) oneNamespace(c *deploys.Deploy, r *release.Release) bool {
	within := func(f string) bool { return source.Under(f, c.Path) }
	return !slices.ContainsFunc(r.Files, func(f string) bool { return !within(f) }) &&
		!slices.ContainsFunc(d.calls, func(o deploys.Deploy) bool {
			return o.Tool == c.Tool && o.Path == c.Path && o.Namespace != c.Namespace
		})
}

// baseNamespace is that of a root of base's: a script on head does not move a root of base.
func (d *Found) baseNamespace(id, own string) string {
	for _, r := range d.base {
		if r.ID == id && r.Namespace == "" {
			return ""
		}
	}
	return own
}

// deployedFiles adds the manifests and templates that scripts apply.
func (d *Found) deployedFiles() {
	for i := range d.calls {
		c := &d.calls[i]
		if d.over() {
			return
		}
		if c.Tool != deploys.Manifests && c.Tool != deploys.Template {
			continue
		}
		files := d.applied(c)
		if len(files) == 0 {
			continue
		}
		d.says(c, func(r *release.Release) bool {
			applied := func(f string) bool { return slices.Contains(files, f) }
			return r.Kind == object.Manifests && slices.ContainsFunc(r.Files, applied)
		})
		files = slices.DeleteFunc(files, func(f string) bool {
			return slices.ContainsFunc(d.Releases, func(r release.Release) bool { return slices.Contains(r.Files, f) })
		})
		if len(files) == 0 {
			continue
		}
		r := plainRelease(c.Path, files)
		if d.ids[r.ID] {
			r.ID += ":manifests"
		}
		r.Deployed, r.At, r.Selected = true, object.LineOf(c.File, c.Line, "release"), "deployed in "+c.At()
		if deploys.Known(c.Namespace) {
			r.Namespace = c.Namespace
		}
		d.unignore(r)
		d.add(r)
	}
	d.parametrize()
}

// parametrize gives templates the parameters in which all calls of oc process agree. A script on head gives none to a
// template that base has without parameters.
func (d *Found) parametrize() {
	given := map[string]map[string]string{}
	for i := range d.calls {
		c := &d.calls[i]
		if c.Tool != deploys.Template {
			continue
		}
		own := map[string]string{}
		for _, s := range c.Settings {
			if deploys.Known(s.Name) && deploys.Known(s.Value) {
				own[s.Name] = s.Value
			}
		}
		if before, again := given[c.Path]; again {
			maps.DeleteFunc(own, func(k, v string) bool { return before[k] != v })
		}
		given[c.Path] = own
	}
	for i := range d.Releases {
		r := &d.Releases[i]
		if r.Kind != object.Manifests || r.Declared {
			continue
		}
		for _, f := range r.Files {
			bare := func(b release.Release) bool {
				return b.ID == r.ID && b.Parameters[f] == nil && slices.Contains(b.Files, f)
			}
			if len(given[f]) == 0 || slices.ContainsFunc(d.base, bare) {
				continue
			}
			if r.Parameters == nil {
				r.Parameters = map[string]map[string]string{}
			}
			r.Parameters[f] = given[f]
		}
	}
}

// applied are the files with objects that kubectl or oc reads of a path.
func (d *Found) applied(c *deploys.Deploy) []string {
	list := []string{c.Path}
	if !d.src.HasFile(c.Path) {
		list = slices.DeleteFunc(d.src.Below(c.Path), func(f string) bool { return !c.Recursive && path.Dir(f) != c.Path })
	}
	return slices.DeleteFunc(slices.Clone(list), func(f string) bool {
		if !source.IsManifestName(f) || d.declaredAbove(f) || d.chartAbove(f) != "" || isKustomizationFile(d.src, f) {
			return true
		}
		is, _ := d.holdsObjects(f)
		return !is
	})
}
