package verify

import (
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestStatus: what stands on base already is no news, be it that base was seen to break
// the rule as easily, or that it was not looked at to the end and the change is not among
// the events of the run.
func TestStatus(t *testing.T) {
	broken := func(scenario string, events int, inevitable bool) violation {
		v := violation{scenario: scenario, bound: boundRule{rule: policies.Rule{ID: "unschedulable"}}}
		v.problem = &problem{cfg: &state.Config{Spec: &state.Spec{Workloads: []state.Workload{{ID: "web"}}}}}
		v.Events, v.Inevitable = events, inevitable
		return v
	}
	for _, tt := range []struct {
		name   string
		head   violation
		events []string
		base   []violation
		bound  search.Bound // of the whole, baseline included
		alike  bool
		want   Status
	}{
		{"base has none", broken(scenarioChange, 1, true), []string{"apply"}, nil, search.Complete, true, New},
		{"base is as bad", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 1, true)}, search.Complete, true, Existing},
		{"base needs more", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 2, true)}, search.Complete, true, New},
		{"base is less certain", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 1, false)}, search.Complete, true, New},
		{"cut, and base rests in it", broken(scenarioChange, 0, true), nil, nil, search.TimeBound, true, Existing},
		{"cut, and base meets a drain", broken(scenarioChange, 1, false), []string{"drain"}, nil, search.TimeBound, true, Existing},
		{"cut, and the change is applied", broken(scenarioChange, 1, false), []string{"apply"}, nil, search.TimeBound, true, New},
		{"cut, and base has no descheduler", broken(scenarioChange, 0, true), nil, nil, search.TimeBound, false, New},
		{"base, searched, does not rest in it", broken(scenarioChange, 0, true), nil, nil, search.Complete, true, New},
		{"head is all there is", broken("steady", 0, true), nil, nil, search.Complete, true, New},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sr := sliceResult{base: tt.base, cov: coverage{bound: tt.bound}}
			if got := sr.status(tt.head, tt.events, tt.alike); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
