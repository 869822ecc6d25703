package render

import (
	"encoding/json"
	"strings"
)

// Placeholders for values that differ at every render.
const (
	volatileText = "random"
	volatileData = "cmFuZG9t" // "random" as a Secret's data has it
)

// markVolatile compares two renders of the same input and notes on the first one which
// leaves differ.
func markVolatile(first, second []document) []document {
	if len(first) != len(second) {
		return first // the number of objects is random: nothing to pair them by
	}
	for i := range first {
		a, b := first[i], second[i]
		if a.File != b.File || a.Doc != b.Doc {
			return first
		}
		first[i].Volatile = differing(a.Content, b.Content)
	}
	return first
}

// differing lists the paths of leaves that are not equal, or the nearest enclosing
// value where the shape differs.
func differing(a, b any) []string {
	var out []string
	var walk func(p fieldPath, a, b any)
	walk = func(p fieldPath, a, b any) {
		am, aok := a.(map[string]any)
		bm, bok := b.(map[string]any)
		if aok && bok && len(am) == len(bm) {
			for _, s := range stepsOf(am) {
				other, ok := bm[s.key]
				if !ok {
					out = append(out, p.String())
					return
				}
				walk(p.with(s), am[s.key], other)
			}
			return
		}
		al, aok := a.([]any)
		bl, bok := b.([]any)
		if aok && bok && len(al) == len(bl) {
			for i := range al {
				walk(p.with(at(i)), al[i], bl[i])
			}
			return
		}
		if !sameJSON(a, b) {
			out = append(out, p.String())
		}
	}
	walk(nil, a, b)
	return out
}

func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	return err == nil && string(x) == string(y)
}

// maskVolatile replaces the values that differ at every render, so that two renders of
// one input are equal.
func maskVolatile(d *document) {
	for _, text := range d.Volatile {
		p := parsePath(text)
		v, ok := p.get(d.Content)
		if !ok || len(p) == 0 {
			continue
		}
		var mask any = volatileText
		switch x := v.(type) {
		case string:
			if kind, _ := d.Content["kind"].(string); kind == "Secret" && p[0].key == "data" {
				mask = volatileData
			}
		case bool:
			mask = false
		case int64, float64:
			mask = int64(1)
		case map[string]any, []any:
			mask = maskLeaves(x)
		}
		p.set(d.Content, mask)
	}
}

// maskLeaves masks every text below a value and keeps its shape.
func maskLeaves(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = maskLeaves(e)
		}
	case []any:
		for i, e := range x {
			x[i] = maskLeaves(e)
		}
	case string:
		return volatileText
	}
	return v
}

// isVolatile says whether a path lies at or below a volatile one.
func (o *Object) isVolatile(path string) bool {
	for _, v := range o.volatile {
		if path == v || strings.HasPrefix(path, v+".") || strings.HasPrefix(path, v+"[") {
			return true
		}
	}
	return false
}
