package diff

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/mask"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

// fieldDiff walks two versions of an object side by side.
type fieldDiff struct {
	base, head *object.Object
	fields     []object.FieldChange
}

// walk compares two values; bp and hp are their paths on the two sides, which differ
// where list elements moved.
func (w *fieldDiff) walk(bp, hp fieldpath.Path, b, h any) {
	bm, bok := b.(map[string]any)
	hm, hok := h.(map[string]any)
	if bok && hok {
		for _, s := range unionKeys(bm, hm) {
			bv, inBase := bm[s.Key]
			hv, inHead := hm[s.Key]
			switch {
			case len(hp) == 0 && (s.Key == "status" || s.Key == "apiVersion"):
			case !inHead:
				w.only(bp.With(s), bv, true)
			case !inBase:
				w.only(hp.With(s), hv, false)
			default:
				w.walk(bp.With(s), hp.With(s), bv, hv)
			}
		}
		return
	}
	bl, bok := b.([]any)
	hl, hok := h.([]any)
	if bok && hok {
		w.list(bp, hp, bl, hl)
		return
	}
	if !equalScalar(hp, b, h) {
		w.note(bp, hp, b, h)
	}
}

// list compares lists: by key where their elements have one, else place by place.
func (w *fieldDiff) list(bp, hp fieldpath.Path, b, h []any) {
	keyOf := mergeKey(hp, b, h)
	if keyOf == nil {
		for i := 0; i < max(len(b), len(h)); i++ {
			switch {
			case i >= len(h):
				w.only(bp.With(fieldpath.At(i)), b[i], true)
			case i >= len(b):
				w.only(hp.With(fieldpath.At(i)), h[i], false)
			default:
				w.walk(bp.With(fieldpath.At(i)), hp.With(fieldpath.At(i)), b[i], h[i])
			}
		}
		return
	}
	place := map[string]int{}
	for i, e := range b {
		place[keyOf(e)] = i
	}
	for i, e := range h {
		k := keyOf(e)
		if was, ok := place[k]; ok {
			delete(place, k)
			w.walk(bp.With(fieldpath.At(was)), hp.With(fieldpath.At(i)), b[was], e)
			continue
		}
		w.only(hp.With(fieldpath.At(i)), e, false)
	}
	for i, e := range b {
		if _, left := place[keyOf(e)]; left {
			w.only(bp.With(fieldpath.At(i)), e, true)
		}
	}
}

// only notes a value that one side alone has, leaf by leaf where it is a map.
func (w *fieldDiff) only(p fieldpath.Path, v any, onBase bool) {
	if m, ok := v.(map[string]any); ok && len(m) > 0 {
		for _, s := range fieldpath.Steps(m) {
			w.only(p.With(s), m[s.Key], onBase)
		}
		return
	}
	if onBase {
		w.note(p, nil, v, nil)
	} else {
		w.note(nil, p, nil, v)
	}
}

// note enters one change; the path of a side that has no such field is nil.
func (w *fieldDiff) note(bp, hp fieldpath.Path, b, h any) {
	p, o := hp, w.head
	if hp == nil {
		p, o = bp, w.base
	}
	text := p.String()
	if w.base.IsVolatile(text) && w.head.IsVolatile(text) {
		return
	}
	f := object.FieldChange{Path: text, OnBase: hp == nil, Of: o}
	f.Secret = mask.Hidden(w.base, bp, b) || mask.Hidden(w.head, hp, h)
	f.Old, f.New = mask.Value(w.base, bp, b), mask.Value(w.head, hp, h)
	if bp != nil && hp != nil && document.SameJSON(f.Old, f.New) {
		f.Secret = true // the difference is masked
	}
	w.fields = append(w.fields, f)
}

func unionKeys(a, b map[string]any) []fieldpath.Step {
	m := make(map[string]any, len(a)+len(b))
	for k := range a {
		m[k] = nil
	}
	for k := range b {
		m[k] = nil
	}
	return fieldpath.Steps(m)
}

// mergeKey gives the function that names list elements, or nil where they have no names
// that are unique on both sides.
func mergeKey(p fieldpath.Path, b, h []any) func(any) string {
	if len(p) == 0 {
		return nil
	}
	name := p[len(p)-1].Key
	candidates := [][]string{fieldpath.MergeKeys[name]}
	if name == "ports" {
		candidates = [][]string{{"containerPort", "protocol"}, {"port", "protocol"}}
	}
	candidates = append(candidates, []string{"name"})
	for _, fields := range candidates {
		if len(fields) == 0 {
			continue
		}
		f := func(e any) string { return elementKey(e, fields) }
		if uniqueKeys(b, f) && uniqueKeys(h, f) {
			return f
		}
	}
	if allScalars(b) && allScalars(h) && setLike[name] {
		f := func(e any) string { return fmt.Sprint(e) }
		if uniqueKeys(b, f) && uniqueKeys(h, f) {
			return f
		}
	}
	return nil
}

// setLike are lists of scalars whose order says nothing.
var setLike = map[string]bool{
	"finalizers": true, "verbs": true, "resources": true, "apiGroups": true, "accessModes": true,
	"matchLabelKeys": true, "values": true,
}

func elementKey(e any, fields []string) string {
	m, ok := e.(map[string]any)
	if !ok {
		return ""
	}
	var parts []string
	for i, f := range fields {
		v, ok := m[f]
		if f == "metadata" {
			meta, _ := v.(map[string]any)
			v, ok = meta["name"], meta["name"] != nil
		}
		if !ok {
			if i == 0 {
				return ""
			}
			v = ""
		}
		if f == "protocol" && v == "" {
			v = "TCP"
		}
		parts = append(parts, fmt.Sprintf("%v", v))
	}
	return strings.Join(parts, "\x00")
}

func uniqueKeys(list []any, f func(any) string) bool {
	seen := map[string]bool{}
	for _, e := range list {
		k := f(e)
		if k == "" || seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

func allScalars(list []any) bool {
	for _, e := range list {
		switch e.(type) {
		case map[string]any, []any:
			return false
		}
	}
	return true
}

// equalScalar reports whether the API server would find two values equal: 1 and 1.0, and quantities by value.
func equalScalar(p fieldpath.Path, b, h any) bool {
	if document.SameJSON(b, h) {
		return true
	}
	if (b == nil || isEmpty(b)) && (h == nil || isEmpty(h)) {
		return true
	}
	if !isQuantityField(p) {
		return false
	}
	x, err := resource.ParseQuantity(fmt.Sprint(b))
	if err != nil {
		return false
	}
	y, err := resource.ParseQuantity(fmt.Sprint(h))
	return err == nil && x.Cmp(y) == 0
}

func isEmpty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	}
	return false
}

// isQuantityField reports whether a path leads to a resource quantity.
func isQuantityField(p fieldpath.Path) bool {
	if len(p) < 2 {
		return false
	}
	switch p[len(p)-2].Key {
	case "requests", "limits", "hard", "capacity", "allocatable", "default", "defaultRequest", "max", "min", "overhead":
		return true
	}
	switch p[len(p)-1].Key {
	case "averageValue", "sizeLimit":
		return true
	}
	return false
}

// noiseKeys are labels and annotations that tools write at every release.
var noiseKeys = map[string]bool{
	"helm.sh/chart": true, "app.kubernetes.io/managed-by": true, "app.kubernetes.io/version": true,
	"chart": true, "heritage": true, "config.kubernetes.io/origin": true,
	"kubectl.kubernetes.io/last-applied-configuration": true,
}

// isNoise reports whether a changed field says nothing of what its author wants. In a pod
// template it still rolls the pods: see [Change.TemplateChanged].
func isNoise(path string) bool {
	p := fieldpath.Parse(path)
	if len(p) < 3 {
		return false
	}
	last, parent, meta := p[len(p)-1].Key, p[len(p)-2].Key, p[len(p)-3].Key
	if meta != "metadata" {
		return false
	}
	switch parent {
	case "labels":
		return noiseKeys[last]
	case "annotations":
		return noiseKeys[last] || strings.HasPrefix(last, "checksum/") || strings.HasPrefix(last, "checksum.")
	}
	return false
}

// templateChanged reports whether the pods of a workload are replaced: the defaulted pod
// templates differ, as upstream's EqualIgnoreHash compares them.
func templateChanged(base, head *object.Object) bool {
	b, h := typed.PodTemplate(base.Typed), typed.PodTemplate(head.Typed)
	if b == nil || h == nil {
		return false
	}
	return !equality.Semantic.DeepEqual(b, h)
}
