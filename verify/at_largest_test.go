package verify

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A finding that has to show at the largest topology is looked up in the search of it that
// there was; only one that was not searched to the end is searched, and once.
func TestLiftsAreShared(t *testing.T) {
	notUnderRace(t)
	rules, err := policies.Select(policies.Default(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sl := reducible(t, "hpa_meets_conflicting_spread")
	v := scenario.VariantOf(sl, policies.Default().NodeClasses(sl.Relevant), state.ClientSide, state.Events{LoadChange: 1})
	for i := range v.Spec.Classes {
		v.Spec.Classes[i].Max = 1
	}
	largest := scale.Largest(v.Spec.Classes)
	c := scenario.Checker{Rules: rules, Largest: scenario.Largest{}, Budget: scenario.Budget{States: scenario.SearchStates}}
	j := scenario.Task{Variant: v, Topology: largest}
	o := c.Both(context.Background(), j)
	if o.Err != nil || len(o.Head) == 0 {
		t.Fatalf("%v, %d violations: nothing to look for", o.Err, len(o.Head))
	}
	cut := o
	cut.Cov.Bound = search.TimeBound
	c.Largest.Keep([]scenario.Task{j}, []scenario.Outcome{cut})
	if len(c.Largest) > 0 {
		t.Error("a search that was cut off was kept")
	}
	cut.Cov.Bound = search.StateBound
	kept := scenario.Largest{}
	if kept.Keep([]scenario.Task{j}, []scenario.Outcome{cut}); len(kept) != 1 {
		t.Error("a search that ran out of states would be made again, and run out again")
	}
	found, shows := c.AtLargest(context.Background(), v, o.Head[0], largest)
	if shows != scenario.Yes || found.Events != o.Head[0].Events || len(c.Largest) != 1 {
		t.Errorf("shows: %d, %d kept", shows, len(c.Largest))
	}
	over, cancel := context.WithCancel(context.Background())
	cancel() // nothing can be searched any more
	if _, shows = c.AtLargest(over, v, o.Head[0], largest); shows != scenario.Yes {
		t.Error("it was searched again")
	}
	none := o.Head[0]
	none.Bound.Rule.ID = "no-rule"
	if _, shows = c.AtLargest(over, v, none, largest); shows != scenario.No {
		t.Error("a rule that holds at the largest topology shows there, or is undecided")
	}
}
