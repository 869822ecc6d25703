package validation

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// TestMergeKeys: elements that are the same for a list of upstream's have one of [mergeKeys] in common.
func TestMergeKeys(t *testing.T) {
	pod, err := applySchema().ObjectToTyped(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod"}})
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	var visit func(at string, a schema.Atom)
	visit = func(at string, a schema.Atom) {
		switch {
		case a.List != nil:
			if a.List.ElementRelationship == schema.Associative && len(a.List.Keys) > 0 {
				lists++
				if !slices.ContainsFunc(a.List.Keys, func(k string) bool { return slices.Contains(mergeKeys, k) }) {
					t.Errorf("%s: elements of this list are told apart by %q", at, a.List.Keys)
				}
			}
			visit(at+"[]", a.List.ElementType.Inlined)
		case a.Map != nil:
			for _, f := range a.Map.Fields {
				visit(at+"."+f.Name, f.Type.Inlined)
			}
			visit(at+".*", a.Map.ElementType.Inlined)
		}
	}
	for _, def := range pod.Schema().Types {
		visit(def.Name, def.Atom)
	}
	if lists < 30 {
		t.Errorf("only %d lists were seen", lists)
	}
}
