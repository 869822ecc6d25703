package diff

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestRenamesPairTheMostAlike compares with every pair looked at in the order of likeness, on random objects.
func TestRenamesPairTheMostAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	paired := 0
	for range 300 {
		side := func(prefix string) []*object.Object {
			var out []*object.Object
			for i := range r.IntN(8) {
				data := map[string]any{}
				for k := range r.IntN(5) {
					data[fmt.Sprint("k", k)] = fmt.Sprint(r.IntN(3))
				}
				out = append(out, &object.Object{ID: object.ID{Version: "v1", Kind: []string{"ConfigMap", "Secret"}[r.IntN(2)], Name: fmt.Sprint(prefix, i)}, Content: map[string]any{"kind": "x", "data": data}})
			}
			return out
		}
		removed, added := side("a"), side("b")
		got := map[string]string{}
		for _, c := range renames(removed, added) {
			if c.Kind == object.Renamed {
				got[c.Base.ID.Name] = c.Head.ID.Name
			}
		}
		if want := mostAlike(removed, added); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, the most alike are %v", got, want)
		}
		paired += len(got)
	}
	if paired < 100 {
		t.Errorf("%d pairs", paired)
	}
}

func mostAlike(removed, added []*object.Object) map[string]string {
	type pair struct {
		from, to *object.Object
		score    float64
	}
	var list []pair
	for _, a := range removed {
		for _, b := range added {
			if s := likeness(flatten(a.Content), flatten(b.Content)); a.ID.Kind == b.ID.Kind && s >= RenameThreshold {
				list = append(list, pair{a, b, s})
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	out, taken := map[string]string{}, map[*object.Object]bool{}
	for _, p := range list {
		if out[p.from.ID.Name] == "" && !taken[p.to] {
			out[p.from.ID.Name], taken[p.to] = p.to.ID.Name, true
		}
	}
	return out
}

// TestManyRenamesAreFound wants every object of a large release paired with itself under another prefix or
// suffix, though each differs, and looks at few of all pairs.
func TestManyRenamesAreFound(t *testing.T) {
	for _, form := range []string{"new-%s", "%s-new"} {
		var removed, added []*object.Object
		for i := range 3000 {
			name := fmt.Sprintf("app%dx", i)
			content := func(replicas string) map[string]any {
				return map[string]any{"spec": map[string]any{"a": name, "b": "same", "c": "same", "d": name, "replicas": replicas}}
			}
			removed = append(removed, &object.Object{ID: object.ID{Kind: "Job", Name: name}, Content: content("1")})
			added = append(added, &object.Object{ID: object.ID{Kind: "Job", Name: fmt.Sprintf(form, name)}, Content: content("2")})
		}
		n := 0
		for _, c := range renames(removed, added) {
			if c.Kind == object.Renamed && strings.Contains(c.Head.ID.Name, c.Base.ID.Name) {
				n++
			}
		}
		if n != len(removed) {
			t.Errorf("%s: %d of %d", form, n, len(removed))
		}
	}
}
