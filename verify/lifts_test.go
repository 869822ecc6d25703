package verify

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A finding that has to show at the largest topology is looked up in the search of it that
// there was; only one that was not searched to the end is searched, and once.
func TestLiftsAreShared(t *testing.T) {
	rules, err := policies.Select(policies.Default(), nil)
	if err != nil {
		t.Fatal(err)
	}
	sl := reducible(t, "hpa_meets_conflicting_spread")
	v := sl.with(policies.Default().NodeClasses(sl.relevant), state.ClientSide, state.Events{LoadChange: 1})
	for i := range v.spec.Classes {
		v.spec.Classes[i].Max = 1
	}
	largest := scale.Largest(v.spec.Classes)
	c := checker{rules: rules, lifts: lifts{}, budget: budget{states: searchStates}}
	j := job{variant: v, topology: largest}
	o := c.both(context.Background(), j)
	if o.err != nil || len(o.head) == 0 {
		t.Fatalf("%v, %d violations: nothing to lift", o.err, len(o.head))
	}
	k := o.head[0].key()
	cut := o
	cut.cov.bound = search.TimeBound
	c.lifts.keep([]job{j}, []outcome{cut})
	if len(c.lifts) > 0 {
		t.Error("a search that was cut off was kept")
	}
	found, shows, decided := c.lift(context.Background(), v, k, largest)
	if !shows || !decided || found.Events != o.head[0].Events || len(c.lifts) != 1 {
		t.Errorf("shows %t, decided %t, %d kept", shows, decided, len(c.lifts))
	}
	over, cancel := context.WithCancel(context.Background())
	cancel() // nothing can be searched any more
	if _, shows, decided = c.lift(over, v, k, largest); !shows || !decided {
		t.Error("it was searched again")
	}
	if _, shows, decided = c.lift(over, v, key{"no-rule", k.workload}, largest); shows || !decided {
		t.Error("a rule that holds at the largest topology shows there, or is undecided")
	}
}
