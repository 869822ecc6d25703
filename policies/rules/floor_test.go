package rules

import (
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestFloor: the floor is what every declaration keeps to, so that a sane chart with
// defaults does not break it by itself.
func TestFloor(t *testing.T) {
	for _, x := range []struct {
		name string
		p    problem
		want int // of head; 0: the rule says nothing, or base's only
	}{
		{"3 replicas: 25% rounds down to 0", problem{deployment(3, "a"), deployment(3, "b")}, 3},
		{"4 replicas: 25% is one", problem{deployment(4, "a"), deployment(4, "b")}, 3},
		{"the smaller of both versions", problem{deployment(8, "a"), deployment(3, "b")}, 3},
		{"and of both, the other way", problem{deployment(3, "a"), deployment(8, "b")}, 3},
		{"an autoscaler's minimum", problem{deployment(9, "a", hpa(4, 9)), deployment(9, "b", hpa(4, 9))}, 3},
		{"replicas of 0 switch an autoscaler off", problem{deployment(0, "a", hpa(4, 9)), deployment(0, "b", hpa(4, 9))}, 0},
		{"surge and unavailable come to 0", problem{deployment(3, "a"), deployment(3, "b", paced("0", "25%"))}, 2},
		{"unavailable is more than there are", problem{deployment(3, "a"), deployment(3, "b", paced("1", "5"))}, 0},
		{"Recreate with a new template", problem{deployment(3, "a", recreate), deployment(3, "b", recreate)}, 0},
		{"Recreate that only scales", problem{deployment(3, "a", recreate), deployment(4, "a", recreate)}, 3},
		{"minAvailable below the rollout", problem{deployment(3, "a"), deployment(3, "b", budget("1", ""))}, 1},
		{"minAvailable above the rollout", problem{deployment(4, "a"), deployment(4, "b", budget("4", ""))}, 3},
		{"minAvailable in percent rounds up", problem{deployment(3, "a"), deployment(3, "b", budget("50%", ""))}, 2},
		{"maxUnavailable in percent rounds up", problem{deployment(3, "a"), deployment(3, "b", budget("", "50%"))}, 1},
		{"two budgets", problem{deployment(5, "a"), deployment(5, "b", budget("3", ""), budget("", "3"))}, 2},
		{"no base", problem{state.Manifest{}, deployment(3, "b")}, 3},
	} {
		c := x.p.config(t)
		if got := promised(c, 0, state.Head); got != x.want {
			t.Errorf("%s: the floor is %d, want %d", x.name, got, x.want)
		}
	}
}

func TestBelowFloor(t *testing.T) {
	c := problem{deployment(3, "a", hpa(3, 6)), deployment(1, "b", hpa(3, 6), undeclared)}.config(t)
	p := belowFloor.New(c, 0)
	full := at(c, state.Head, 1, pods{size: 3, ready: 3})
	less := at(c, state.Head, 1, pods{size: 1, ready: 2, terminating: 1})
	starts := at(c, state.Head, 1, pods{size: 1, ready: 1, starting: 1})
	if !p.BadStep(full, less) {
		t.Error("3 ready pods become 2 of a floor of 3, and it is no finding")
	}
	if p.BadStep(starts, less) {
		t.Error("1 ready pod becomes 2, and it is a finding")
	}
	if got, want := p.Message(less), "ready replicas of default/web can fall to 2, below the floor of 3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	own := BelowFloorAt(2).New(c, 0)
	if own.BadStep(full, less) || !own.BadStep(less, starts) {
		t.Error("minReady 2 does not take the place of the derived floor")
	}
	removed := problem{deployment(3, "a"), state.Manifest{}}.config(t)
	if belowFloor.New(removed, 0).BadStep(at(removed, state.Base, 3, pods{ready: 3}), at(removed, state.Head, 0)) {
		t.Error("a workload that was removed breaks its floor")
	}
	none := problem{deployment(3, "a", recreate), deployment(3, "b", recreate)}.config(t)
	if !belowFloor.New(none, 0).IsZero() {
		t.Error("the rule speaks of a workload that promises nothing")
	}
}

// TestBelowFloorOfEvictions: no declaration but a budget keeps pods from evictions, so that
// without one a single eviction breaks no derived floor; a second one at once does.
func TestBelowFloorOfEvictions(t *testing.T) {
	for _, x := range []struct {
		name     string
		p        problem
		own      int
		from, to pods
		want     bool
	}{
		{"the only replica", problem{deployment(1, "a"), deployment(1, "b")}, 0, pods{size: 1, ready: 1}, pods{size: 1, terminating: 1}, false},
		{"the only replica, and the user's own floor", problem{deployment(1, "a"), deployment(1, "b")}, 1, pods{size: 1, ready: 1}, pods{size: 1, terminating: 1}, true},
		{"the only replica, and a budget", problem{deployment(1, "a"), deployment(1, "b", budget("1", ""))}, 0, pods{size: 1, ready: 1}, pods{size: 1, terminating: 1}, true},
		{"one of two", problem{deployment(2, "a"), deployment(2, "b")}, 0, pods{size: 2, ready: 2}, pods{size: 2, ready: 1, terminating: 1}, false},
		{"both of two", problem{deployment(2, "a"), deployment(2, "b")}, 0, pods{size: 2, ready: 2}, pods{size: 2, terminating: 2}, true},
		{"the only replica, scaled away", problem{deployment(1, "a"), deployment(1, "b")}, 0, pods{ready: 1}, pods{terminating: 1}, true},
	} {
		c := x.p.config(t)
		from, to := at(c, state.Head, 1, pods{}, x.from), at(c, state.Head, 1, pods{}, x.to)
		if got := BelowFloorAt(x.own).New(c, 0).BadStep(from, to); got != x.want {
			t.Errorf("%s: a finding is %v, want %v", x.name, got, x.want)
		}
	}
}
