package verify

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Exchanging classes of one shape is a symmetry: with and without it the same rules are
// violated, by counterexamples of the same events and steps, with the same certainty,
// and every topology that is not listed behaves like the one that stands for it.
func TestShapesLoseNothing(t *testing.T) {
	for _, file := range []string{"hpa_meets_conflicting_spread", "deployment_surges_against_anti_affinity", "apply_resets_what_the_hpa_owns"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile("testdata/" + file + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			sl := scriptSlice(t, ar)
			pol := policies.Default()
			pol.Events.LoadChange = 1
			rules, err := policies.Select(pol, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := scenario.Checker{Rules: rules, Budget: scenario.Budget{States: scenario.SearchStates}}
			plain := pol.NodeClasses(sl.Relevant)
			all, err := scale.Topologies(plain, 4)
			if err != nil {
				t.Fatal(err)
			}
			shaped := slices.Clone(plain)
			sl.Shapes(shaped)
			listed, err := scale.Topologies(shaped, 4)
			if err != nil {
				t.Fatal(err)
			}
			if len(listed) >= len(all) {
				t.Fatalf("%d topologies with shapes, %d without: nothing was reduced", len(listed), len(all))
			}
			for _, topology := range all {
				stand := slices.Clone(topology)
				slices.SortFunc(stand, func(a, b int) int { return b - a })
				if !slices.ContainsFunc(listed, func(x scale.Topology) bool { return slices.Equal(x, stand) }) {
					t.Errorf("nothing listed stands for %v", topology)
				}
				want, most := violated(t, c, sl, plain, topology)
				got, fewer := violated(t, c, sl, shaped, stand)
				if want != got {
					t.Errorf("topology %v:\nwithout shapes\n%s\nwith shapes, at %v\n%s", topology, want, stand, got)
				}
				if fewer > most {
					t.Errorf("topology %v: %d states with shapes, %d without", topology, fewer, most)
				}
			}
		})
	}
}

// violated sums up what a slice's change violates at a topology.
func violated(t testing.TB, c scenario.Checker, sl *slice.Slice, classes []state.NodeClass, topology scale.Topology) (string, uint64) {
	t.Helper()
	v := scenario.VariantOf(sl, classes, state.ClientSide, state.Events{LoadChange: 1}).Change()
	found, cov, err := c.Scenarios(context.Background(), v, topology)
	if err != nil {
		t.Fatal(err)
	}
	if cov.Bound != search.Complete {
		t.Fatal("not explored to the end")
	}
	out := ""
	for _, x := range found {
		out += fmt.Sprintf("%v %s: %d events, %d steps, inevitable %v\n", x.Key(), x.Scenario, x.Events, len(x.Steps), x.Inevitable)
	}
	return out, cov.States
}

// scriptSlice cuts the one slice out of a script.
func scriptSlice(t testing.TB, ar *txtar.Archive) *slice.Slice {
	t.Helper()
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	cut := cutOf(ch)
	if len(cut) != 1 {
		t.Fatalf("%d slices, want 1", len(cut))
	}
	return cut[0]
}
