package typed

import (
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
)

// TestFieldsOfOldVersions: what a version that is not served any more knew is not refused, and what it did not know
// either is, of every one that client-go still has.
func TestFieldsOfOldVersions(t *testing.T) {
	asked := 0
	for gvk := range ReadAs {
		if _, err := scheme.Scheme.New(gvk); err != nil {
			continue
		}
		content := func(further string) map[string]any {
			m := map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": map[string]any{"name": "web"}}
			if further != "" {
				m[further] = map[string]any{}
			}
			return m
		}
		for further, want := range map[string][]string{"": nil, "tolerations": {"tolerations"}} {
			d, err := Decode(content(further))
			if err != nil {
				t.Fatal(gvk, err)
			}
			var got []string
			for _, r := range d.Refused {
				got = append(got, r.Path)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v with %q: refused %v, want %v", gvk, further, got, want)
			}
		}
		asked++
	}
	if asked < 8 {
		t.Fatalf("%d versions are known to client-go", asked)
	}
	rollback := map[string]any{"apiVersion": "extensions/v1beta1", "kind": "Deployment", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{"rollbackTo": map[string]any{"revision": int64(1)}}}
	if d, err := Decode(rollback); err != nil || len(d.Refused) > 0 {
		t.Errorf("a field of the old version alone is refused: %v %v", d.Refused, err)
	}
}
