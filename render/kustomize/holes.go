package kustomize

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// An entry that cannot be had and only adds objects (a resource, a generator, a chart) is left out, and the rest is
// built without it. If it can change any object, like a component or a transformer, nothing is known.

// entry notes what became of an entry of a list: one that cannot be had is left out.
func (g *gatherer) entry(k *File, field, ref string, f *object.Failure) {
	if f == nil {
		return
	}
	kind := object.Remote
	switch {
	case f.Missing, field == "resources" && g.withheld(k, ref):
		kind = object.Missing
	case field == "generators" && f.Skipped, field == "validators" && f.Skipped:
		kind = object.Program
	case f.Skipped:
	default:
		g.fails(f)
		return
	}
	if g.recipe.Left == nil {
		g.recipe.Left = map[string]map[string][]string{}
	}
	left := g.recipe.Left[k.Path]
	if left == nil {
		left = map[string][]string{}
		g.recipe.Left[k.Path] = left
	}
	left[field] = append(left[field], ref)
	if field == "validators" {
		return // it changes nothing
	}
	what := redact.URL(ref)
	if IsInline(ref) {
		what = "a generator"
	}
	g.recipe.Holes = append(g.recipe.Holes, object.Hole{Kind: kind, What: what, Where: f.Where, Reason: f.Reason,
		Remedy: f.Remedy, Refused: f.Refused, Own: g.own(k, ref)})
}

// madeElsewhere reports whether an entry names a file that neither side has, and base names it as well: then something
// else provides it, such as a job that writes the file before the build.
func (g *gatherer) madeElsewhere(k *File, ref string) bool {
	p, in := source.Inside(path.Dir(k.Path), ref)
	if !in || !g.src.Compared || g.src.HasFile(p) || g.src.HasDir(p) {
		return false
	}
	twin := g.src.Twin
	if twin == nil {
		return true // this is base
	}
	if twin.HasFile(p) || twin.HasDir(p) || !twin.HasFile(k.Path) {
		return false
	}
	b, err := twin.Read(k.Path)
	if err != nil {
		return false
	}
	was := &File{Path: k.Path, Text: b}
	return was.has(func(s string) bool { return s == ref || strings.HasSuffix(s, "="+ref) })
}

// withheld reports whether an entry names a file whose content is not in the repository's own objects.
func (g *gatherer) withheld(k *File, ref string) bool {
	p, in := source.Inside(path.Dir(k.Path), ref)
	if !in || !g.src.HasFile(p) {
		return false
	}
	_, err := g.src.Read(p)
	return errors.Is(err, tree.ErrNotInTree)
}

// own is a digest of the repository's part of an entry: the entry's file, and a chart's values.
func (g *gatherer) own(k *File, ref string) string {
	h := sha256.New()
	if p, in := source.Inside(path.Dir(k.Path), ref); in {
		fmt.Fprintf(h, "%q", g.recipe.Files[p])
	}
	for _, c := range k.HelmCharts {
		if c.Name != ref {
			continue
		}
		b, err := yaml.Marshal(c)
		if err != nil {
			return err.Error()
		}
		h.Write(b)
		for _, v := range append([]string{c.ValuesFile}, c.AdditionalValuesFiles...) {
			fmt.Fprintf(h, "%q", g.recipe.Files[path.Join(path.Dir(k.Path), v)])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// leaveOut takes entries out of a kustomization. The library must not find the rest empty.
func leaveOut(m map[string]any, left map[string][]string) {
	for field, refs := range left {
		for _, field := range []string{field, "bases"} { // the older name of resources
			list, ok := m[field].([]any)
			if !ok || field == "bases" && left["resources"] == nil {
				continue
			}
			m[field] = slices.DeleteFunc(list, func(v any) bool {
				ref, ok := v.(string)
				return ok && slices.Contains(refs, ref)
			})
		}
	}
	if meta, _ := m["metadata"].(map[string]any); meta == nil {
		m["metadata"] = map[string]any{"name": "rest"}
	}
}

// dependent is an entry of a kustomization that may be about an entry that was left out.
type dependent struct {
	file, field string
	at          int // in its list, or [all] of the field
}

// all is the place of a field that is one setting.
const all = -1

// dependents lists what fails where an object is not there: patches, replacements, variables and merging generators.
func dependents(files map[string][]byte) []dependent {
	var out []dependent
	names := make([]string, 0, len(files))
	for p := range files {
		if source.IsKustomizationName(p) {
			names = append(names, p)
		}
	}
	sort.Strings(names)
	for _, p := range names {
		v, err := document.DecodeYAML(files[p])
		m, ok := v.(map[string]any)
		if err != nil || !ok {
			continue
		}
		for _, field := range []string{"patchesStrategicMerge", "patches", "patchesJson6902", "replacements", "vars",
			"replicas", "configMapGenerator", "secretGenerator"} {
			list, _ := m[field].([]any)
			for i, e := range list {
				one, _ := e.(map[string]any)
				behavior, _ := one["behavior"].(string)
				if strings.HasSuffix(field, "Generator") && behavior != "merge" && behavior != "replace" {
					continue
				}
				out = append(out, dependent{p, field, i})
			}
		}
	}
	return out
}

// without gives the files with entries left out.
func without(files map[string][]byte, drop []dependent) (map[string][]byte, error) {
	byFile := map[string][]dependent{}
	for _, d := range drop {
		byFile[d.file] = append(byFile[d.file], d)
	}
	out := make(map[string][]byte, len(files))
	for p, b := range files {
		out[p] = b
	}
	for p, list := range byFile {
		v, err := document.DecodeYAML(files[p])
		if err != nil {
			return nil, err
		}
		m, _ := v.(map[string]any)
		kept := map[string][]any{}
		for _, d := range list {
			if kept[d.field] == nil {
				all, _ := m[d.field].([]any)
				kept[d.field] = slices.Clone(all)
			}
			kept[d.field][d.at] = nil
		}
		for field, all := range kept {
			m[field] = slices.DeleteFunc(all, func(e any) bool { return e == nil })
		}
		leaveOut(m, nil)
		if out[p], err = yaml.Marshal(m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// buildRest builds the rest of a kustomization without the entries that may be about a missing part, and returns those.
// If it fails without all of them too, the missing part is not the reason, as it only adds objects.
func buildRest(j *release.Recipe, files map[string][]byte,
	run func(map[string][]byte) (resmap.ResMap, error)) (resmap.ResMap, []object.Hole, error) {
	every := dependents(files)
	tried := func(drop []dependent) (resmap.ResMap, error) {
		f, err := without(files, drop)
		if err != nil {
			return nil, err
		}
		return run(f)
	}
	m, err := tried(every)
	if err != nil {
		return nil, nil, err
	}
	// The failing entries are found by halving: mostly there are one or two of many.
	dropped := every
	var broken error // an entry that cannot be read, whatever it is about
	var keep func(list []dependent)
	keep = func(list []dependent) {
		rest := slices.DeleteFunc(slices.Clone(dropped), func(d dependent) bool { return slices.Contains(list, d) })
		if with, err := tried(rest); err == nil {
			m, dropped = with, rest
		} else if n := len(list); n > 1 {
			keep(list[:n/2])
			keep(list[n/2:])
		} else if strings.Contains(err.Error(), "unable to parse") {
			broken = err
		}
	}
	if n := len(every); n > 1 {
		keep(every[:n/2])
		keep(every[n/2:])
	} else if n == 1 {
		keep(every)
	}
	if broken != nil {
		return nil, nil, broken
	}
	var holes []object.Hole
	for _, d := range dropped {
		holes = append(holes, d.hole(j, files))
	}
	return m, holes, nil
}

// hole is the description of an entry that is unknown.
func (d dependent) hole(j *release.Recipe, files map[string][]byte) object.Hole {
	v, _ := document.DecodeYAML(files[d.file])
	m, _ := v.(map[string]any)
	list, _ := m[d.field].([]any)
	of, name := m[d.field], d.field
	if d.at != all {
		of, name = list[d.at], fmt.Sprintf("%s[%d]", d.field, d.at)
		list = list[d.at : d.at+1]
	}
	h := sha256.New()
	b, _ := yaml.Marshal(of)
	h.Write(b)
	for _, e := range list {
		ref, _ := e.(string)
		if one, _ := e.(map[string]any); one != nil {
			ref, _ = one["path"].(string)
		}
		for i, p := range filesUnder(j.Files, d.file, ref) {
			if fmt.Fprintf(h, "%q%q", p, j.Files[p]); i == 0 && d.at != all {
				name = ref
			}
		}
	}
	line := document.EntryLine(j.Files[d.file], d.field, d.at)
	return object.Hole{Kind: object.Dependent, What: name, Where: object.LineOf(d.file, line, "file"),
		Reason: fmt.Sprintf("%s:%d: %s is about an object that is unknown", d.file, line, name),
		Remedy: j.Holes[0].Remedy, Own: hex.EncodeToString(h.Sum(nil))}
}
