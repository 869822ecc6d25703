package static

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

// rehomed are ways out of fields that the API does not have: each under its own name or in the place where it is known;
// and where some are known nowhere, without those, which asks for less than the author did.
func rehomed(o *object.Object, errs field.ErrorList) []Remedy {
	if newer := asNewer(o); newer != nil {
		return []Remedy{{Say: "write it as the newest version of its API has it", Object: o, Set: newer}}
	}
	var set, drops []object.Setting
	var ways, gone []string
	hand := false
	for _, e := range errs {
		dot := strings.LastIndexByte(e.Field, '.')
		value, there := o.At(e.Field)
		if dot < 0 || !there || o.Typed == nil || strings.HasSuffix(e.Field, "]") || typeAt(o, e.Field[:dot]) == nil {
			return nil
		}
		if _, known := typed.FieldsOf(typeAt(o, e.Field[:dot]))[e.Field[dot+1:]]; known {
			return nil // its value is refused
		}
		_, place, named := strings.Cut(e.Detail, "it belongs at ")
		if s, name := respelt(o, e.Field); s != nil && !named {
			set, ways = append(set, s...), append(ways, "write "+name)
			continue
		}
		to := home(o, e.Field, value)
		if len(to) == 0 && named {
			hand, ways = true, append(ways, fmt.Sprintf("move %s to %s", e.Field, place))
			continue
		}
		if len(to) == 0 {
			drops, gone = append(drops, object.Setting{Path: e.Field}), append(gone, e.Field)
			continue
		}
		set = append(set, emptied(o, e.Field))
		for _, path := range to {
			set = append(set, nested(o, path, value))
		}
		ways = append(ways, fmt.Sprintf("move %s to %s", e.Field, strings.Join(to, " and ")))
	}
	if hand {
		return byHand(strings.Join(ways, ", "))
	}
	if len(gone) == 0 {
		return []Remedy{{Say: strings.Join(ways, ", "), Cost: "it takes effect then", Object: o, Set: joined(set)}}
	}
	ways = append(ways, "remove "+strings.Join(gone, ", ")+", which the API does not have and would drop")
	return []Remedy{{Say: strings.Join(ways, ", "), Cost: "what was meant by it is lost", Object: o,
		Set: joined(append(set, drops...)), Drops: true}}
}

// deepest bounds how far below its parent the place of a field is looked for, as the words of [typed.Decode] do.
const deepest = 4

// home is where a field that stands in the wrong place is known, can have its value and has none yet: the nearest place
// below what it stands within, the innermost of these first, with at most one map that is new. A list's place is that
// of each of its entries. It is nil where that is nowhere, or several places are as near.
func home(o *object.Object, path string, value any) []string {
	dot := strings.LastIndexByte(path, '.')
	name, up := path[dot+1:], path[:dot]
	for {
		if found, near := nearest(o, up, name, value); near {
			return found
		}
		dot := strings.LastIndexByte(up, '.')
		if dot < 0 {
			return nil
		}
		up = up[:dot]
	}
}

// nearest looks for the place of a field below a path, level by level; near says that there is one or several, of which
// none is chosen.
func nearest(o *object.Object, up, name string, value any) (found []string, near bool) {
	type place struct {
		t  reflect.Type
		at []string // of each entry of the lists on the way
	}
	level := []place{{typeAt(o, up), []string{up}}}
	for range deepest {
		var next []place
		places := 0
		for _, l := range level {
			fields := typed.FieldsOf(l.t)
			if f := fields[name]; f != nil && fits(f, value) && !slices.ContainsFunc(l.at, func(at string) bool {
				_, there := o.At(at + "." + name)
				return there
			}) {
				if places++; places == 1 {
					for _, at := range l.at {
						found = append(found, at+"."+name)
					}
				}
			}
			for _, k := range slices.Sorted(maps.Keys(fields)) {
				if n := (place{t: fields[k]}); n.t.Kind() == reflect.Struct || n.t.Kind() == reflect.Slice {
					for _, at := range l.at {
						if v, _ := o.At(at); v != nil { // one map may be new on the way
							n.at = append(n.at, at+"."+k)
						}
					}
					if n.t.Kind() == reflect.Slice {
						n.t, n.at = n.t.Elem(), entriesOf(o, n.at)
					}
					if len(n.at) > 0 {
						next = append(next, n)
					}
				}
			}
		}
		if places > 0 {
			if places > 1 {
				found = nil
			}
			return found, true
		}
		level = next
	}
	return nil, false
}

// entriesOf are the paths of the entries of lists.
func entriesOf(o *object.Object, lists []string) []string {
	var out []string
	for _, at := range lists {
		entries, _ := o.At(at)
		each, _ := entries.([]any)
		for i := range each {
			out = append(out, fmt.Sprintf("%s[%d]", at, i))
		}
	}
	return out
}

// emptied removes a field, and the map that it stands in if it stands there alone.
func emptied(o *object.Object, path string) object.Setting {
	parent := path[:strings.LastIndexByte(path, '.')]
	if v, _ := o.At(parent); v != nil && strings.Contains(parent, ".") {
		if m, ok := v.(map[string]any); ok && len(m) == 1 {
			return object.Setting{Path: parent}
		}
	}
	return object.Setting{Path: path}
}

// nested sets a field, with the maps that it stands in where the object has none.
func nested(o *object.Object, path string, value any) object.Setting {
	for {
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 || strings.HasSuffix(path[:dot], "]") {
			return object.Setting{Path: path, Value: value}
		}
		if at, _ := o.At(path[:dot]); at != nil {
			return object.Setting{Path: path, Value: value}
		}
		path, value = path[:dot], map[string]any{path[dot+1:]: value}
	}
}

// joined are settings of which those of one map that is new are one.
func joined(set []object.Setting) []object.Setting {
	var out []object.Setting
	for _, s := range set {
		i := slices.IndexFunc(out, func(o object.Setting) bool { return o.Path == s.Path })
		if i < 0 {
			out = append(out, s)
			continue
		}
		out[i].Value = merged(out[i].Value, s.Value)
	}
	return out
}

// merged is a value with the fields of another one, map by map.
func merged(a, b any) any {
	x, isMap := a.(map[string]any)
	y, both := b.(map[string]any)
	if !isMap || !both {
		return b
	}
	out := maps.Clone(x)
	for k, v := range y {
		if was, there := out[k]; there {
			v = merged(was, v)
		}
		out[k] = v
	}
	return out
}

// fits reports whether a value may be one of a type: a map of a struct, a list of a slice, a plain one of the rest.
func fits(t reflect.Type, value any) bool {
	switch value.(type) {
	case map[string]any:
		return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
	case []any:
		return t.Kind() == reflect.Slice
	}
	return t.Kind() != reflect.Slice && t.Kind() != reflect.Map &&
		(t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()))
}

// typeAt is the type of the value at a path of an object; nil if the API has none.
func typeAt(o *object.Object, path string) reflect.Type {
	at := reflect.TypeOf(o.Typed)
	for _, part := range strings.Split(path, ".") {
		part, _, indexed := strings.Cut(part, "[")
		if at = typed.FieldsOf(at)[part]; at == nil {
			return nil
		}
		if indexed {
			if at.Kind() != reflect.Slice {
				return nil
			}
			at = at.Elem()
		}
	}
	return at
}
