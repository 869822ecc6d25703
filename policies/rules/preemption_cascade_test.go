package rules

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// preempting is the problem with pods of its new revision that may preempt others.
func (p problem) preempting(t *testing.T) *state.Config {
	t.Helper()
	b := p.builder(t, nil)
	b.Nominate(len(b.Config().Pods) - 1)
	c, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ranked(class string) func(*state.Manifest) {
	return func(m *state.Manifest) { m.Deployment.Spec.Template.Spec.PriorityClassName = class }
}

// TestPreemptionCascade: what preemption takes is one rule's to judge, not two.
func TestPreemptionCascade(t *testing.T) {
	for _, x := range []struct {
		name string
		head state.Manifest
		want int // the floor; 0: the rule says nothing
	}{
		{"no class", deployment(3, "b"), 2},
		{"no class, four replicas", deployment(4, "b"), 3},
		{"no class, one replica", deployment(1, "b"), 0},
		{"no class, a laxer budget", deployment(3, "b", budget("1", "")), 1},
		{"no class, a stricter budget", deployment(4, "b", budget("4", "")), 4},
		{"agreed to its rank", deployment(3, "b", ranked("low")), 0},
		{"agreed to its rank, and has a budget", deployment(3, "b", ranked("low"), budget("", "1")), 2},
		{"an autoscaler's minimum", deployment(9, "b", ranked("low"), hpa(4, 9), budget("50%", "")), 2},
	} {
		p := problem{state.Manifest{}, x.head}
		c := p.preempting(t)
		if got := withstood(c, 0, state.Head); got != x.want {
			t.Errorf("%s: the floor is %d, want %d", x.name, got, x.want)
		}
		if got := preemptionCascade.New(c, 0).IsZero(); got != (x.want == 0) {
			t.Errorf("%s: the rule says nothing: %t", x.name, got)
		}
		if !preemptionCascade.New(p.config(t), 0).IsZero() {
			t.Errorf("%s: the rule speaks where nobody preempts", x.name)
		}
	}
	c := problem{deployment(3, "a"), deployment(3, "b")}.preempting(t)
	two := at(c, state.Head, 3, pods{size: 3, ready: 2, starting: 1}, pods{size: 1, pending: 1})
	one := at(c, state.Head, 3, pods{size: 3, ready: 1, starting: 1, terminating: 1}, pods{size: 1, pending: 1})
	taken := state.State{C: c, B: slices.Clone(one.B)}
	taken.Nominate(0, 1, 1)
	cascade, floor := preemptionCascade.New(c, 0), belowFloor.New(c, 0)
	if cascade.BadStep(two, one) || !floor.BadStep(two, one) {
		t.Error("a pod that is deleted otherwise is below-floor's to judge")
	}
	if !cascade.BadStep(two, taken) || floor.BadStep(two, taken) {
		t.Error("a pod that is preempted is preemption-cascade's to judge")
	}
	if !BelowFloorAt(3).New(c, 0).BadStep(two, taken) {
		t.Error("preemption breaks no minReady")
	}
	if got, want := cascade.Message(taken), "preemption by pods of higher priority can leave default/web with 1 ready replica, below the floor of 2"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
