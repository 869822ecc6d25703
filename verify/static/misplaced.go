package static

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
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
		if _, known := fieldsOf(typeAt(o, e.Field[:dot]))[e.Field[dot+1:]]; known {
			return nil // its value is refused
		}
		drops, gone = append(drops, object.Setting{Path: e.Field}), append(gone, e.Field)
		if to := home(o, e.Field, value); to != "" {
			moves = append(moves, object.Setting{Path: e.Field}, object.Setting{Path: to, Value: value})
			where = append(where, fmt.Sprintf("%s to %s", e.Field, to))
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
// first, or in one of the maps beside it; "" where that is nowhere, or in several of them.
func home(o *object.Object, path string, value any) string {
	dot := strings.LastIndexByte(path, '.')
	parent, name := path[:dot], path[dot+1:]
	takes := func(at string, t reflect.Type) bool {
		f := fieldsOf(t)[name]
		_, there := o.At(at)
		return f != nil && !there && fits(f, value)
	}
	var found []string
	beside := fieldsOf(typeAt(o, parent))
	for _, child := range slices.Sorted(maps.Keys(beside)) {
		if t := bare(beside[child]); t.Kind() == reflect.Struct && takes(parent+"."+child+"."+name, t) {
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
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// fits reports whether a value may be one of a type: a map of a struct, a list of a slice, a plain one of the rest.
func fits(t reflect.Type, value any) bool {
	t = bare(t)
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
		if at = fieldsOf(at)[part]; at == nil {
			return nil
		}
		if at = bare(at); indexed {
			if at.Kind() != reflect.Slice {
				return nil
			}
			at = bare(at.Elem())
		}
	}
	return at
}
