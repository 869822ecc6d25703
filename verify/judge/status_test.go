package judge

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestStatus: what stands on base already is no news, be it that base was seen to break
// the rule as easily, or that it was not looked at to the end and the change is not among
// the events of the run.
func TestStatus(t *testing.T) {
	at := func(nodes int, in string, inevitable bool, events ...string) scenario.Violation {
		v := scenario.Violation{Scenario: in, Bound: scenario.BoundRule{Rule: rules.Rule{ID: "unschedulable"}}}
		spec := &state.Spec{Workloads: []state.Workload{{ID: "web", Manifests: [2]state.Manifest{{Deployment: &appsv1.Deployment{}}}}}, Classes: []state.NodeClass{{Min: 1, Max: 6}}}
		v.Problem = &scenario.Problem{Cfg: &state.Config{Spec: spec, Topology: []int{nodes}}}
		v.Variant = scenario.Variant{Slice: &slice.Slice{}, Spec: *spec}
		v.Happened, v.Events, v.Inevitable = events, len(events), inevitable
		return v
	}
	on := func(in string, inevitable bool, events ...string) scenario.Violation {
		return at(3, in, inevitable, events...)
	}
	inRuns := func(v scenario.Violation) scenario.Violation {
		v.Swarmed, v.ByRun = true, true
		return v
	}
	// own is what runs show in which the change is never applied.
	own := map[string][]scenario.Violation{
		"cut, and base rests in it":                 {on(scenario.ScenarioChange, true)},
		"cut, and base meets a drain":               {on(scenario.ScenarioChange, false, "drain")},
		"cut, and base has no descheduler":          {on(scenario.ScenarioChange, true)},
		"base, searched, does not rest in it":       {on(scenario.ScenarioChange, true)},
		"cut, and by itself base is less certain":   {on(scenario.ScenarioChange, false)},
		"cut, and by itself base needs what is not": {on(scenario.ScenarioChange, true, "pod-crash")},
	}
	for _, tt := range []struct {
		name   string
		head   scenario.Violation
		base   []scenario.Violation
		closed int // of base's search at three nodes
		alike  bool
		want   finding.Status
		unsure bool
	}{
		{"base has none", on(scenario.ScenarioChange, true, "apply"), nil, scenario.AllClosed, true, finding.New, false},
		{"base is as bad", on(scenario.ScenarioChange, true, "apply"), []scenario.Violation{on(scenario.ScenarioChange, true, "apply")}, scenario.AllClosed, true, finding.Existing, false},
		{"base needs more", on(scenario.ScenarioChange, true, "apply"), []scenario.Violation{on(scenario.ScenarioChange, true, "apply", "drain")}, scenario.AllClosed, true, finding.Worsened, false},
		{"base needs as many others", on(scenario.ScenarioChange, true, "drain", "drain"), []scenario.Violation{on(scenario.ScenarioChange, true, "drain", "pod-crash")}, scenario.AllClosed, true, finding.Worsened, false},
		{"base needs fewer", on(scenario.ScenarioChange, true, "apply", "drain"), []scenario.Violation{on(scenario.ScenarioChange, true, "drain")}, scenario.AllClosed, true, finding.Existing, false},
		{"base is less certain", on(scenario.ScenarioChange, true, "apply"), []scenario.Violation{on(scenario.ScenarioChange, false, "apply")}, scenario.AllClosed, true, finding.Worsened, false},
		{"base breaks it on fewer nodes", on(scenario.ScenarioChange, true, "apply"), []scenario.Violation{at(2, scenario.ScenarioChange, true, "apply")}, scenario.AllClosed, true, finding.Worsened, false},
		{"base breaks it on a size that nobody declared", on(scenario.ScenarioChange, true, "apply"), []scenario.Violation{at(7, scenario.ScenarioChange, true, "apply")}, scenario.AllClosed, true, finding.New, false},
		{"cut, and base rests in it", on(scenario.ScenarioChange, true, "apply"), nil, scenario.NoneClosed, true, finding.Existing, false},
		{"cut, and base meets a drain", on(scenario.ScenarioChange, false, "apply", "drain"), nil, 0, true, finding.Existing, false},
		{"cut, and the change is applied", on(scenario.ScenarioChange, false, "apply"), nil, 0, true, finding.New, true},
		{"cut after the events that it takes", on(scenario.ScenarioChange, false, "apply"), nil, 1, true, finding.New, false},
		{"cut, and base has no descheduler", on(scenario.ScenarioChange, true, "apply"), nil, scenario.NoneClosed, false, finding.New, true},
		{"base, searched, does not rest in it", on(scenario.ScenarioChange, true, "apply"), nil, scenario.AllClosed, true, finding.New, false},
		{"cut, and by itself base is less certain", on(scenario.ScenarioChange, true, "apply"), nil, scenario.NoneClosed, true, finding.New, true},
		{"cut, and by itself base needs what is not", on(scenario.ScenarioChange, true, "apply", "drain"), nil, scenario.NoneClosed, true, finding.New, true},
		{"cut, and base breaks it otherwise", on(scenario.ScenarioChange, false, "apply"), []scenario.Violation{on(scenario.ScenarioChange, false, "apply", "drain")}, 0, true, finding.Worsened, true},
		{"cut, and runs break it on base otherwise", inRuns(on(scenario.ScenarioChange, false, "apply")), []scenario.Violation{inRuns(on(scenario.ScenarioChange, false, "apply", "drain"))}, 0, true, finding.Existing, false},
		{"cut, and runs break nothing on base", inRuns(on(scenario.ScenarioChange, false, "apply")), nil, 0, true, finding.New, true},
		{"runs break it on base, which was searched as far, after more", inRuns(on(scenario.ScenarioChange, false, "apply")), []scenario.Violation{inRuns(on(scenario.ScenarioChange, false, "apply", "drain"))}, 1, true, finding.Worsened, false},
		{"head is all there is", on("steady", true), nil, scenario.AllClosed, true, finding.New, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sr := scenario.SliceResult{Base: tt.base, Own: own[tt.name], Variant: tt.head.Variant, BaseClosed: map[scenario.Place]int{tt.head.Place(): tt.closed}}
			if got := compare(&sr, tt.head, tt.alike); got.status != tt.want || got.unsure != tt.unsure {
				t.Errorf("got %s, unsure %t; want %s, %t", got.status, got.unsure, tt.want, tt.unsure)
			}
		})
	}
}
