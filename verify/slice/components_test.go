package slice

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// TestComponentsOfWhatIsWanted wants the groups that a grouping of everything has, in its
// order, and the relation asked for no more than that takes.
func TestComponentsOfWhatIsWanted(t *testing.T) {
	var ids []string
	for i := range 300 {
		ids = append(ids, fmt.Sprintf("%03d", i))
	}
	asked := 0
	related := func(a, b string) bool { asked++; return a[1:] == b[1:] } // groups of three
	near := func(string) []*bucket { return []*bucket{{slices.Clone(ids)}} }
	all := components(ids, func(string) bool { return true }, near, related)
	if len(all) != 100 {
		t.Fatalf("%d groups", len(all))
	}
	for _, wanted := range [][]string{nil, {"299"}, {"205", "104", "005"}, {"250", "001"}} {
		is := func(id string) bool { return slices.Contains(wanted, id) }
		asked = 0
		got := components(ids, is, near, related)
		want := slices.DeleteFunc(slices.Clone(all), func(g []string) bool { return !slices.ContainsFunc(g, is) })
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got %v, want %v", wanted, got, want)
		}
		if most := 3 * len(ids) * len(want); asked > most {
			t.Errorf("%v: asked %d times, want %d at most", wanted, asked, most)
		}
	}
}
