package static

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
)

// rehomed are ways out of fields that stand where the API does not have them: each where it is known, and else without
// those that are known nowhere near, which the API server drops where it does not refuse them.
func rehomed(o *object.Object, errs field.ErrorList) []Remedy {
	var moves, drops []object.Setting
	var where, gone []string
	for _, e := range errs {
		dot := strings.LastIndexByte(e.Field, '.')
		value, there := o.At(e.Field)
		if dot < 0 || !there || o.Typed == nil || strings.HasSuffix(e.Field, "]") || typeAt(o, e.Field[:dot]) == nil {
			return nil
		}
		if _, known := typed.FieldsOf(typeAt(o, e.Field[:dot]))[e.Field[dot+1:]]; known {
			return nil // its value is refused
		}
		drops, gone = append(drops, object.Setting{Path: e.Field}), append(gone, e.Field)
		if to := home(o, e.Field, value); len(to) > 0 {
			moves = append(moves, emptied(o, e.Field))
			for _, path := range to {
				moves = append(moves, nested(o, path, value))
			}
			where = append(where, fmt.Sprintf("%s to %s", e.Field, strings.Join(to, " and ")))
		}
	}
	var out []Remedy
	if len(where) == len(errs) {
		out = append(out, Remedy{Say: "move " + strings.Join(where, ", "), Cost: "it takes effect then",
			Object: o, Set: moves})
	}
	return append(out, Remedy{Say: "remove " + strings.Join(gone, ", ") + ", which the API does not have and would drop",
		Object: o, Set: drops})
}

// home is where a field that stands in the wrong place is known, and not set yet: in what it stands within, the nearest
// first, in one of the maps beside it, or in every entry of a list (see [inEach]); nil where that is nowhere, or in
// several of them.
func home(o *object.Object, path string, value any) []string {
	dot := strings.LastIndexByte(path, '.')
	parent, name := path[:dot], path[dot+1:]
	takes := func(at string, t reflect.Type) bool {
		f := typed.FieldsOf(t)[name]
		_, there := o.At(at)
		return f != nil && !there && fits(f, value)
	}
	var found []string
	beside := typed.FieldsOf(typeAt(o, parent))
	for _, child := range slices.Sorted(maps.Keys(beside)) {
		if t := beside[child]; t.Kind() == reflect.Struct && takes(parent+"."+child+"."+name, t) {
			found = append(found, parent+"."+child+"."+name)
		}
	}
	for up := parent; len(found) == 0; {
		dot := strings.LastIndexByte(up, '.')
		if dot < 0 {
			break
		}
		if up = up[:dot]; takes(up+"."+name, typeAt(o, up)) {
			found = append(found, up+"."+name)
		}
	}
	if len(found) == 0 {
		return inEach(o, path, value)
	}
	if len(found) > 1 {
		return nil
	}
	return found
}

// inEach is where the entries of a list know a field that stands beside the list, alone or in a map that the entries
// have under the same name: of spec.securityContext.readOnlyRootFilesystem, the securityContext of each container. It
// is nil if one entry has the field already, or if several lists would take it.
func inEach(o *object.Object, path string, value any) []string {
	parts := strings.Split(path, ".")
	var found []string
	for up := len(parts) - 1; up > 0 && len(parts)-up <= 2 && len(found) == 0; up-- {
		at, below := strings.Join(parts[:up], "."), strings.Join(parts[up:], ".")
		fields := typed.FieldsOf(typeAt(o, at))
		for _, list := range slices.Sorted(maps.Keys(fields)) {
			entries, _ := o.At(at + "." + list)
			each, _ := entries.([]any)
			t := typeAt(o, at+"."+list+"[0]")
			for _, part := range parts[up : len(parts)-1] {
				t = typed.FieldsOf(t)[part]
			}
			if f := typed.FieldsOf(t)[parts[len(parts)-1]]; len(each) == 0 || f == nil || !fits(f, value) {
				continue
			}
			if len(found) > 0 {
				return nil
			}
			for i := range each {
				to := fmt.Sprintf("%s.%s[%d].%s", at, list, i, below)
				if _, there := o.At(to); there {
					return nil
				}
				found = append(found, to)
			}
		}
	}
	return found
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

// nested sets a field, with the map that it stands in where the object has none.
func nested(o *object.Object, path string, value any) object.Setting {
	dot := strings.LastIndexByte(path, '.')
	if _, there := o.At(path[:dot]); there || strings.HasSuffix(path[:dot], "]") {
		return object.Setting{Path: path, Value: value}
	}
	return object.Setting{Path: path[:dot], Value: map[string]any{path[dot+1:]: value}}
}

// fits reports whether a value may be one of a type: a map of a struct, a list of a slice, a plain one of the rest.
func fits(t reflect.Type, value any) bool {
	switch value.(type) {
	case map[string]any:
		return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
	case []any:
		return t.Kind() == reflect.Slice
	}
	return t.Kind() != reflect.Slice && t.Kind() != reflect.Map
}

// typeAt is the type of what stands at a path of an object; nil where the API has none.
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
