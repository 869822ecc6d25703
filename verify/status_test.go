package verify

import (
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestStatus: what stands on base already is no news, be it that base was seen to break
// the rule as easily, or that the change is not among the events of the run.
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
		want   Status
	}{
		{"base has none", broken(scenarioChange, 1, true), []string{"apply"}, nil, New},
		{"base is as bad", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 1, true)}, Existing},
		{"base needs more", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 2, true)}, New},
		{"base is less certain", broken(scenarioChange, 1, true), []string{"apply"}, []violation{broken(scenarioChange, 1, false)}, New},
		{"base rests in it", broken(scenarioChange, 0, true), nil, nil, Existing},
		{"base meets a drain", broken(scenarioChange, 1, false), []string{"drain"}, nil, Existing},
		{"head is all there is", broken("steady", 0, true), nil, nil, New},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sr := sliceResult{base: tt.base}
			if got := sr.status(tt.head, tt.events); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
