package report

import (
	"bytes"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// Every surface on the list writes every kind of result, without a marker, a change set
// or an address; names are distinct.
func TestSurfaces(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Surfaces() {
		if seen[s.Name] {
			t.Errorf("two surfaces are called %s", s.Name)
		}
		seen[s.Name] = true
		for title, r := range goldenResults() {
			opt := Options{Rules: testRules}
			if s.Compares {
				opt.Changes = &object.Changes{Head: &object.Revision{}}
			}
			var b bytes.Buffer
			if err := s.Write(&b, r, opt); err != nil || b.Len() == 0 {
				t.Errorf("%s of %s: %d bytes, %v", s.Name, title, b.Len(), err)
			}
		}
		if one, ok := SurfaceOf(s.Name); !ok || one.Name != s.Name {
			t.Errorf("%s is not found by its name", s.Name)
		}
	}
	if _, ok := SurfaceOf("nonsense"); ok || len(SurfaceNames(true)) <= len(SurfaceNames(false)) {
		t.Errorf("%v, %v", SurfaceNames(true), SurfaceNames(false))
	}
}
