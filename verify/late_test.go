package verify

import (
	"context"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestNothingIsSearchedAfterTheTime: whatever asks for a search once the time has run out, for a finding, its blame or
// its conditions, gets none, not even a small one: there may be thousands who ask.
func TestNothingIsSearchedAfterTheTime(t *testing.T) {
	for _, file := range reducibles {
		sl := reducible(t, file)
		classes := policies.Default().NodeClasses(sl.Relevant)
		v := scenario.VariantOf(sl, classes, state.ClientSide, state.Events{Apply: 1})
		c := scenario.Checker{Policy: policies.Default(), Rules: rules.All(),
			Budget: scenario.Budget{States: 1_000, Deadline: time.Now().Add(-time.Second)}}
		largest := scale.Largest(classes)
		o := c.Both(context.Background(), scenario.Task{Variant: v, Topology: largest})
		if o.Err != nil || o.Cov.States > 0 || o.Cov.Bound != search.TimeBound {
			t.Errorf("%s: %d states, bound %v, %v", file, o.Cov.States, o.Cov.Bound, o.Err)
		}
		c.Budget.Deadline = time.Time{}
		if o := c.Both(context.Background(), scenario.Task{Variant: v, Topology: largest}); o.Cov.States == 0 {
			t.Errorf("%s: nothing is searched in time", file)
		}
	}
}
