package discover

import (
	"path"
	"slices"
	"sort"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// kustomizations adds the roots: kustomizations that no other includes.
func (d *Found) kustomizations() {
	type found struct {
		k *kustomize.File
		f *object.Failure
	}
	all := map[string]found{}
	includers := map[string]string{}
	includes := map[string][]string{}
	for _, f := range d.src.Files {
		if d.over() {
			return
		}
		dir := path.Dir(f)
		if d.src.Links[f] || !source.IsKustomizationName(f) || kustomize.FileOf(d.src, dir) != f || d.inTemplates(f) {
			continue
		}
		if b, err := d.src.Read(f); err == nil && source.IsForeignKustomization(b) {
			continue
		}
		k, fail := kustomize.Read(d.src, f)
		all[dir] = found{k, fail}
		if fail != nil {
			continue
		}
		for _, ref := range append(append([]string(nil), k.Resources...), k.Components...) {
			if p, in := source.Inside(dir, ref); in && d.src.HasDir(p) {
				includers[d.src.Real(p)] = f
				includes[dir] = append(includes[dir], d.src.Real(p))
			}
		}
		d.markUsed(k, dir)
	}
	dirs := make([]string, 0, len(all))
	for dir := range all {
		dirs = append(dirs, dir)
	}
	sort.Strings(dirs)
	breakCycles(dirs, includes, includers)
	for _, dir := range dirs {
		e := all[dir]
		test := TestFolder(dir + "/x")
		root := release.Release{
			Release: object.Release{ID: dir, Kind: object.Kustomize, Path: dir,
				Selected: "a kustomization that is not included by another"},
		}
		switch {
		case d.used[dir] != "":
			d.claim(root, "rendered by "+d.used[dir])
		case includers[dir] != "":
			d.claim(root, "included by "+includers[dir])
		case e.k != nil && e.k.Kind == "Component" && !d.library(e.k, dir):
			d.claim(root, "a component, which is not a root")
		case test != "" && !d.opt.Paths.asked(dir):
			d.ignore(dir, "test data, in "+test)
		default:
			if e.k != nil && e.k.Kind == "Component" {
				root.Part, root.Selected = true, "a component that nothing here includes"
			}
			d.add(root)
		}
	}
}

// library reports whether a component is built alone: repositories elsewhere include it, it brings objects and nothing
// in it asks for those of others, or its path was given. A component that base includes is not built alone on head: it
// was taken out of a release.
func (d *Found) library(k *kustomize.File, dir string) bool {
	//lint:ignore SA1019 repositories still use the fields
	merges := len(k.PatchesStrategicMerge) + len(k.PatchesJson6902) + len(k.Replacements) + len(k.Vars)
	if d.opt.Paths.asked(dir) || d.opt.Paths.Inside(dir) {
		return true // it was asked for
	}
	if len(k.Resources) == 0 || merges > 0 ||
		slices.ContainsFunc(k.Patches, func(p types.Patch) bool { return p.Target == nil }) {
		return false
	}
	return d.src.Twin == nil || !d.src.Twin.HasDir(dir) ||
		slices.ContainsFunc(d.base, func(r release.Release) bool { return r.ID == dir })
}

// breakCycles makes a root of the first folder of every cycle that no root reaches: it
// fails, instead of vanishing with all that is in it.
func breakCycles(dirs []string, includes map[string][]string, includers map[string]string) {
	reached := map[string]bool{}
	var walk func(dir string)
	walk = func(dir string) {
		if reached[dir] {
			return
		}
		reached[dir] = true
		for _, to := range includes[dir] {
			walk(to)
		}
	}
	for _, dir := range dirs {
		if includers[dir] == "" {
			walk(dir)
		}
	}
	for _, dir := range dirs {
		if !reached[dir] {
			delete(includers, dir)
			walk(dir)
		}
	}
}

// markUsed notes the files and charts that a kustomization renders.
func (d *Found) markUsed(k *kustomize.File, dir string) {
	note := func(ref string) {
		if p, in := source.Inside(dir, ref); in && ref != "" {
			if _, taken := d.used[p]; !taken && d.src.HasFile(p) {
				d.used[p] = k.Path
			}
		}
	}
	for _, list := range [][]string{k.Resources, k.Crds, k.Configurations, k.Generators, k.Transformers, k.Validators} {
		for _, ref := range list {
			note(ref)
		}
	}
	for _, ref := range k.PatchFiles() {
		note(ref)
	}
	for _, r := range k.Replacements {
		note(r.Path)
	}
	for _, c := range k.ConfigMapGenerator {
		for _, ref := range kustomize.SourcesOf(c.KvPairSources) {
			note(ref)
		}
	}
	home := "charts"
	if k.HelmGlobals != nil && k.HelmGlobals.ChartHome != "" {
		home = k.HelmGlobals.ChartHome
	}
	for _, h := range k.HelmCharts {
		note(h.ValuesFile)
		for _, v := range h.AdditionalValuesFiles {
			note(v)
		}
		for _, sub := range []string{h.Name, path.Join(h.Name+"-"+h.Version, h.Name)} {
			if p, in := source.Inside(dir, path.Join(home, sub)); in && d.charts[p] {
				d.used[p] = k.Path
			}
		}
	}
}
