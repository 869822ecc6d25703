package document

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// Placeholders for values that differ at every render.
const (
	VolatileText = "random"
	VolatileData = "cmFuZG9t" // "random" as a Secret's data has it
)

// VolatileLeaf is a value that differs at every render, and what stands for it.
type VolatileLeaf struct {
	Path string
	Mask any
}

// VolatilePaths are the paths of the values that differ at every render.
func (d Document) VolatilePaths() []string {
	var out []string
	for _, v := range d.Volatile {
		out = append(out, v.Path)
	}
	return out
}

// MarkVolatile compares two renders of the same input and notes on the first one which
// leaves differ. Templates may range over a map's keys, so that objects come in another order.
func MarkVolatile(first, second []Document) []Document {
	if len(first) != len(second) {
		return first // the number of objects is random: nothing to pair them by
	}
	for i, k := range counterparts(first, second) {
		if k < 0 {
			continue
		}
		a, b := first[i], second[k]
		for _, p := range Differing(a.Content, b.Content) {
			if slices.ContainsFunc(a.Volatile, func(v VolatileLeaf) bool { return v.Path == p }) {
				continue // known from an earlier render
			}
			path := fieldpath.Parse(p)
			was, _ := path.Get(a.Content)
			now, _ := path.Get(b.Content)
			first[i].Volatile = append(first[i].Volatile, VolatileLeaf{p, stableMask(was, now, IsBytes(a.Content, path))})
		}
	}
	return first
}

// MarkOpen notes on the documents of a render which of their leaves differ in another one, with other values where
// nobody gave any.
func MarkOpen(docs, other []Document) {
	for i, k := range counterparts(docs, other) {
		if k < 0 {
			docs[i].Open = append(docs[i].Open, "spec") // whether it is there
			continue
		}
		for _, p := range Differing(docs[i].Content, other[k].Content) {
			if !slices.Contains(docs[i].Open, p) {
				docs[i].Open = append(docs[i].Open, p)
			}
		}
	}
}

// sameness is what tells the documents of a render apart: names where they do not differ at every render.
type sameness struct{ file, version, kind, namespace, name string }

func samenessOf(d Document, named bool) sameness {
	s := sameness{file: d.File}
	s.version, _ = d.Content["apiVersion"].(string)
	s.kind, _ = d.Content["kind"].(string)
	if meta, ok := d.Content["metadata"].(map[string]any); ok && named {
		s.namespace, _ = meta["namespace"].(string)
		s.name, _ = meta["name"].(string)
	}
	return s
}

// counterparts gives for each document of one render its place in another one, or -1: the same object, and of the
// remaining ones the next one of its file and kind, as names may differ at every render.
func counterparts(first, second []Document) []int {
	out := make([]int, len(first))
	for i := range out {
		out[i] = -1
	}
	taken := make([]bool, len(second))
	for _, named := range []bool{true, false} {
		places := map[sameness][]int{}
		for k, d := range second {
			if !taken[k] {
				s := samenessOf(d, named)
				places[s] = append(places[s], k)
			}
		}
		for i, d := range first {
			if out[i] >= 0 {
				continue
			}
			if s := samenessOf(d, named); len(places[s]) > 0 {
				out[i], places[s] = places[s][0], places[s][1:]
				taken[out[i]] = true
			}
		}
	}
	return out
}

// IsBytes reports whether a field holds bytes in base64, as which the mask must read too.
func IsBytes(content map[string]any, p fieldpath.Path) bool {
	if len(p) == 0 {
		return false
	}
	return GVK(content).Kind == "Secret" && p[0].Key == "data" || p[0].Key == "binaryData" || p[len(p)-1].Key == "caBundle"
}

// stableMask is the same for every two renders: of texts what they begin with alike, up
// to a separator.
func stableMask(a, b any, data bool) any {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		if data {
			return VolatileData
		}
		if !ok {
			return VolatileText
		}
		n := 0
		for i := 0; i < len(x) && i < len(y) && x[i] == y[i]; i++ {
			if c := x[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') && c < 0x80 {
				n = i + 1
			}
		}
		if strings.ContainsAny(x[:n], "0123456789") {
			n = 0 // a time begins alike in two renders that follow one another, and not in a third
		}
		return x[:n] + VolatileText
	case bool:
		return false
	case int64, float64:
		return int64(1)
	}
	if data {
		return maskLeaves(fieldpath.DeepCopy(a), VolatileData)
	}
	return maskLeaves(fieldpath.DeepCopy(a), VolatileText)
}

// Differing lists the paths of leaves that are not equal, or the nearest enclosing
// value where the shape differs.
func Differing(a, b any) []string {
	var out []string
	var walk func(p fieldpath.Path, a, b any)
	walk = func(p fieldpath.Path, a, b any) {
		am, aok := a.(map[string]any)
		bm, bok := b.(map[string]any)
		if aok && bok && len(am) == len(bm) {
			for _, s := range fieldpath.Steps(am) {
				other, ok := bm[s.Key]
				if !ok {
					out = append(out, p.String())
					return
				}
				walk(p.With(s), am[s.Key], other)
			}
			return
		}
		al, aok := a.([]any)
		bl, bok := b.([]any)
		if aok && bok && len(al) == len(bl) {
			for i := range al {
				walk(p.With(fieldpath.At(i)), al[i], bl[i])
			}
			return
		}
		if !SameJSON(a, b) {
			out = append(out, p.String())
		}
	}
	walk(nil, a, b)
	return out
}

func SameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && string(x) == string(y)
}

// MaskVolatile replaces the values that differ at every render, so that two renders of
// one input are equal.
func MaskVolatile(d *Document) {
	for _, v := range d.Volatile {
		if p := fieldpath.Parse(v.Path); len(p) > 0 {
			p.Set(d.Content, v.Mask)
		}
	}
}

// maskLeaves masks every text below a value and keeps its shape.
func maskLeaves(v any, mask string) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = maskLeaves(e, mask)
		}
	case []any:
		for i, e := range x {
			x[i] = maskLeaves(e, mask)
		}
	case string:
		return mask
	}
	return v
}
