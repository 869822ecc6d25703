package verify

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestStatus: what stands on base already is no news, be it that base was seen to break
// the rule as easily, or that it was not looked at to the end and the change is not among
// the events of the run.
func TestStatus(t *testing.T) {
	at := func(nodes int, scenario string, inevitable bool, events ...string) violation {
		v := violation{scenario: scenario, bound: boundRule{rule: rules.Rule{ID: "unschedulable"}}}
		spec := &state.Spec{Workloads: []state.Workload{{ID: "web", Manifests: [2]state.Manifest{{Deployment: &appsv1.Deployment{}}}}}, Classes: []state.NodeClass{{Min: 1, Max: 6}}}
		v.problem = &problem{cfg: &state.Config{Spec: spec, Topology: []int{nodes}}}
		v.variant = variant{slice: &slice{}, spec: *spec}
		v.happened, v.Events, v.Inevitable = events, len(events), inevitable
		return v
	}
	on := func(scenario string, inevitable bool, events ...string) violation {
		return at(3, scenario, inevitable, events...)
	}
	for _, tt := range []struct {
		name   string
		head   violation
		base   []violation
		closed int // of base's search at three nodes
		alike  bool
		want   Status
		unsure bool
	}{
		{"base has none", on(scenarioChange, true, "apply"), nil, allClosed, true, New, false},
		{"base is as bad", on(scenarioChange, true, "apply"), []violation{on(scenarioChange, true, "apply")}, allClosed, true, Existing, false},
		{"base needs more", on(scenarioChange, true, "apply"), []violation{on(scenarioChange, true, "apply", "drain")}, allClosed, true, Worsened, false},
		{"base needs as many others", on(scenarioChange, true, "drain", "drain"), []violation{on(scenarioChange, true, "drain", "pod-crash")}, allClosed, true, Worsened, false},
		{"base needs fewer", on(scenarioChange, true, "apply", "drain"), []violation{on(scenarioChange, true, "drain")}, allClosed, true, Existing, false},
		{"base is less certain", on(scenarioChange, true, "apply"), []violation{on(scenarioChange, false, "apply")}, allClosed, true, Worsened, false},
		{"base breaks it on fewer nodes", on(scenarioChange, true, "apply"), []violation{at(2, scenarioChange, true, "apply")}, allClosed, true, Worsened, false},
		{"base breaks it on a size that nobody declared", on(scenarioChange, true, "apply"), []violation{at(7, scenarioChange, true, "apply")}, allClosed, true, New, false},
		{"cut, and base rests in it", on(scenarioChange, true), nil, noneClosed, true, Existing, false},
		{"cut, and base meets a drain", on(scenarioChange, false, "drain"), nil, 0, true, Existing, false},
		{"cut, and the change is applied", on(scenarioChange, false, "apply"), nil, 0, true, New, true},
		{"cut after the events that it takes", on(scenarioChange, false, "apply"), nil, 1, true, New, false},
		{"cut, and base has no descheduler", on(scenarioChange, true), nil, noneClosed, false, New, true},
		{"base, searched, does not rest in it", on(scenarioChange, true), nil, allClosed, true, New, false},
		{"head is all there is", on("steady", true), nil, allClosed, true, New, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sr := sliceResult{base: tt.base, variant: tt.head.variant, baseClosed: map[place]int{tt.head.place(): tt.closed}}
			if got := sr.judge(tt.head, tt.alike); got.status != tt.want || got.unsure != tt.unsure {
				t.Errorf("got %s, unsure %t; want %s, %t", got.status, got.unsure, tt.want, tt.unsure)
			}
		})
	}
}
