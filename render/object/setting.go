package object

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// A Setting gives a field of an object another value. A map is merged into the one that
// is there, key by key.
type Setting struct {
	Path  string // as [Object.Locate] takes it
	Value any    // nil takes the field out
}

// An Atom is a setting of which no part is there already.
type Atom struct {
	Path  fieldpath.Path
	Value any
}

// Atoms splits settings into those that differ from the current values.
func (o *Object) Atoms(settings []Setting) []Atom {
	var out []Atom
	var walk func(p fieldpath.Path, v any)
	walk = func(p fieldpath.Path, v any) {
		now, exists := p.Get(o.Content)
		if m, ok := v.(map[string]any); ok && exists {
			if old, ok := now.(map[string]any); ok && len(old) > 0 {
				for _, k := range slices.Sorted(maps.Keys(m)) {
					walk(p.With(fieldpath.Key(k)), m[k])
				}
				return
			}
		}
		if exists && sameValue(now, v) || !exists && v == nil {
			return
		}
		out = append(out, Atom{Path: p, Value: v})
	}
	for _, s := range settings {
		walk(fieldpath.Parse(s.Path), s.Value)
	}
	return out
}

// A Part is one change of an object: settings of it, or an object that comes beside it.
type Part struct {
	Object *Object
	Set    []Setting
	Add    *Object // one of the same release; nil: none
}

// A Rewrite is another text of one file.
type Rewrite struct {
	File string
	Text string
}
