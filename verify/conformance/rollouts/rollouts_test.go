// Package rollouts compares the arithmetic of the actor of Rollouts with upstream's own code.
package rollouts

import (
	"math/rand/v2"
	"testing"

	"github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
	"github.com/argoproj/argo-rollouts/utils/conditions"
	"github.com/argoproj/argo-rollouts/utils/defaults"
	"github.com/argoproj/argo-rollouts/utils/replicaset"
	"github.com/argoproj/argo-rollouts/utils/rollout"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
)

const rounds = 200000

// TestCanaryCounts holds sizes of the canary and the stable ReplicaSet, and whether a step has come to its end, against
// utils/replicaset: CalculateReplicaCountsForBasicCanary, CalculateReplicaCountsForTrafficRoutedCanary,
// AtDesiredReplicaCountsForCanary, GetDesiredCanaryWeight and what they call, on Rollouts in any state.
func TestCanaryCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[[2]bool]int{}
	for range rounds {
		ro, ours := draw(r)
		newRS, stableRS, others := sets(ro, ours)
		weights := weightsOf(ours)
		var upNew, upStable, new, stable int32
		if ours.Routed {
			upNew, upStable = replicaset.CalculateReplicaCountsForTrafficRoutedCanary(ro, newRS, stableRS, weights)
			new, stable = ours.RoutedCounts(ours.Weighed, ours.CanaryWeight)
		} else {
			upNew, upStable = replicaset.CalculateReplicaCountsForBasicCanary(ro, newRS, stableRS, others)
			new, stable = ours.BasicCounts()
		}
		if new != upNew || stable != upStable {
			t.Fatalf("canary %d and stable %d, upstream has %d and %d:\n%+v\nnew %+v stable %+v", new, stable, upNew, upStable, ours, ours.New, ours.Stable)
		}
		at := replicaset.AtDesiredReplicaCountsForCanary(ro, newRS, stableRS, others, weights)
		if got := ours.AtDesired(ours.Weighed, ours.CanaryWeight); got != at {
			t.Fatalf("at the desired counts: %v, upstream says %v:\n%+v", got, at, ours)
		}
		seen[[2]bool{ours.Routed, at}]++
	}
	for _, routed := range []bool{false, true} {
		for _, at := range []bool{false, true} {
			if seen[[2]bool{routed, at}] < rounds/1000 {
				t.Errorf("routed %v, at the desired counts %v: %d of %d, too few to show anything", routed, at, seen[[2]bool{routed, at}], rounds)
			}
		}
	}
}

func pick(r *rand.Rand, of int) bool { return r.IntN(of) == 0 }

// draw makes a Rollout in any state, for upstream and for the actor.
func draw(r *rand.Rand) (*v1alpha1.Rollout, *workloads.Canary) {
	replicas := int32(r.IntN(12))
	c := &v1alpha1.CanaryStrategy{}
	ours := &workloads.Canary{Replicas: replicas, MaxWeight: 100}
	if !pick(r, 4) {
		surge, unavailable := intstr.FromInt32(int32(r.IntN(4))), intstr.FromInt32(int32(r.IntN(4)))
		if pick(r, 2) {
			surge, unavailable = intstr.FromString([]string{"0%", "10%", "25%", "50%", "100%"}[r.IntN(5)]), intstr.FromString([]string{"0%", "20%", "34%", "75%"}[r.IntN(4)])
		}
		c.MaxSurge, c.MaxUnavailable = &surge, &unavailable
	}
	if ours.Routed = pick(r, 2); ours.Routed {
		c.TrafficRouting = &v1alpha1.RolloutTrafficRouting{}
		if pick(r, 5) {
			ours.MaxWeight = 1000
			c.TrafficRouting.MaxTrafficWeight = &ours.MaxWeight
		}
		if c.DynamicStableScale = pick(r, 2); c.DynamicStableScale {
			ours.Dynamic = true
		}
		if pick(r, 4) {
			ours.MinPods = int32(1 + r.IntN(4))
			c.MinPodsPerReplicaSet = &ours.MinPods
		}
		if pick(r, 4) {
			seconds := int32(r.IntN(2) * 30)
			c.AbortScaleDownDelaySeconds = &seconds
			ours.AbortKeeps = seconds == 0
		}
	}
	for range r.IntN(5) {
		up, own := step(r, ours.MaxWeight)
		c.Steps, ours.Steps = append(c.Steps, up), append(ours.Steps, own)
	}
	ours.Step = r.IntN(len(ours.Steps) + 1)
	ours.Abort = pick(r, 4)
	index := int32(ours.Step)
	ro := &v1alpha1.Rollout{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       v1alpha1.RolloutSpec{Replicas: &replicas, Strategy: v1alpha1.RolloutStrategy{Canary: c}},
		Status:     v1alpha1.RolloutStatus{Abort: ours.Abort, CurrentStepIndex: &index, CurrentPodHash: "new"},
	}
	ours.Surge, ours.Unavailable = replicaset.MaxSurge(ro), replicaset.MaxUnavailable(ro)
	some := func() workloads.CanarySet {
		size := int32(r.IntN(8))
		set := workloads.CanarySet{Size: size, Pods: size, Available: int32(r.IntN(int(size) + 1))}
		if pick(r, 2) {
			set.Available = size
		}
		if pick(r, 5) {
			set.Pods, set.Available = int32(r.IntN(9)), int32(r.IntN(9))
		}
		return set
	}
	new := some()
	ours.New = &new
	switch r.IntN(6) {
	case 0: // the first revision
		ours.Promoted = true
	case 1:
		ours.Promoted, ours.Same, ours.Stable = true, true, ours.New
		ro.Status.StableRS = "new"
	default:
		stable := some()
		if pick(r, 2) {
			stable = workloads.CanarySet{Size: replicas, Pods: replicas, Available: replicas}
		}
		ours.Stable = &stable
		ro.Status.StableRS = "stable"
	}
	if pick(r, 3) {
		ours.Others = some()
	}
	if ours.Weighed = ours.Routed && pick(r, 2); ours.Weighed {
		ours.CanaryWeight = int32(r.IntN(int(ours.MaxWeight) + 1))
	}
	if pick(r, 2) { // as it comes to be wanted
		new, stable := ours.BasicCounts()
		if ours.Routed {
			new, stable = ours.RoutedCounts(ours.Weighed, ours.CanaryWeight)
		}
		*ours.New = workloads.CanarySet{Size: new, Pods: new, Available: new}
		if ours.Stable != nil && !ours.Same {
			*ours.Stable = workloads.CanarySet{Size: stable, Pods: stable, Available: stable}
		}
	}
	return ro, ours
}

func step(r *rand.Rand, most int32) (v1alpha1.CanaryStep, workloads.CanaryStep) {
	own := workloads.CanaryStep{SetWeight: -1, ScaleWeight: -1, ScaleReplicas: -1}
	n := int32(r.IntN(int(most) + 1))
	switch r.IntN(6) {
	case 0:
		own.Pause = true
		return v1alpha1.CanaryStep{Pause: &v1alpha1.RolloutPause{}}, own
	case 1:
		own.SetsScale, own.ScaleWeight = true, n
		return v1alpha1.CanaryStep{SetCanaryScale: &v1alpha1.SetCanaryScale{Weight: &n}}, own
	case 2:
		n %= 6
		own.SetsScale, own.ScaleReplicas = true, n
		return v1alpha1.CanaryStep{SetCanaryScale: &v1alpha1.SetCanaryScale{Replicas: &n}}, own
	case 3:
		own.SetsScale, own.MatchesWeight = true, true
		return v1alpha1.CanaryStep{SetCanaryScale: &v1alpha1.SetCanaryScale{MatchTrafficWeight: true}}, own
	}
	own.SetWeight = n
	return v1alpha1.CanaryStep{SetWeight: &n}, own
}

// sets makes upstream's ReplicaSets.
func sets(ro *v1alpha1.Rollout, c *workloads.Canary) (newRS, stableRS *appsv1.ReplicaSet, others []*appsv1.ReplicaSet) {
	newRS, stableRS = set("new", c.New), set("stable", c.Stable)
	if c.Same {
		stableRS = newRS
	}
	if c.Others != (workloads.CanarySet{}) {
		others = append(others, set("older", &c.Others))
	}
	return newRS, stableRS, others
}

func set(name string, s *workloads.CanarySet) *appsv1.ReplicaSet {
	if s == nil {
		return nil
	}
	size := s.Size
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.DefaultRolloutUniqueLabelKey: name}},
		Spec:       appsv1.ReplicaSetSpec{Replicas: &size},
		Status:     appsv1.ReplicaSetStatus{Replicas: s.Pods, AvailableReplicas: s.Available},
	}
}

func weightsOf(c *workloads.Canary) *v1alpha1.TrafficWeights {
	if !c.Weighed {
		return nil
	}
	return &v1alpha1.TrafficWeights{
		Canary: v1alpha1.WeightDestination{Weight: c.CanaryWeight}, Stable: v1alpha1.WeightDestination{Weight: c.MaxWeight - c.CanaryWeight},
	}
}

// TestDefaults holds what is taken for a field that is not there against utils/defaults.
func TestDefaults(t *testing.T) {
	ro := &v1alpha1.Rollout{Spec: v1alpha1.RolloutSpec{Strategy: v1alpha1.RolloutStrategy{Canary: &v1alpha1.CanaryStrategy{}}}}
	for n := range int32(30) {
		ro.Spec.Replicas = &n
		surge, unavailable := (n+3)/4, n/4
		if n > 0 && surge == 0 && unavailable == 0 {
			unavailable = 1
		}
		if n == 0 {
			unavailable = 0
		}
		if replicaset.MaxSurge(ro) != surge || replicaset.MaxUnavailable(ro) != unavailable {
			t.Errorf("%d replicas: surge %d and unavailable %d, a quarter is %d and %d", n, replicaset.MaxSurge(ro), replicaset.MaxUnavailable(ro), surge, unavailable)
		}
	}
	if defaults.GetReplicasOrDefault(nil) != 1 {
		t.Error("no replicas are not one")
	}
}

// TestRolloutHealth holds what a sync wave of Argo CD takes for healthy against utils/rollout: CalculateRolloutPhase, on
// statuses of any numbers.
func TestRolloutHealth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[bool]int{}
	for range rounds {
		few := func() int { return r.IntN(4) }
		h := gitops.RolloutHealth{
			Observed: true, Aborted: pick(r, 8), Paused: pick(r, 8), BlueGreen: pick(r, 2), Routed: pick(r, 2),
			Replicas: few(), Pods: few(), Updated: few(), Available: few(), Active: !pick(r, 4), Stable: !pick(r, 4),
		}
		if pick(r, 2) {
			h.Pods, h.Updated, h.Available = h.Replicas, h.Replicas, h.Replicas
		}
		h.Routed = h.Routed && !h.BlueGreen
		replicas := int32(h.Replicas)
		spec := v1alpha1.RolloutSpec{Replicas: &replicas}
		status := v1alpha1.RolloutStatus{
			CurrentPodHash: "new", StableRS: "stable", Replicas: int32(h.Pods), UpdatedReplicas: int32(h.Updated),
			AvailableReplicas: int32(h.Available),
		}
		status.BlueGreen.ActiveSelector = "stable"
		if h.Active {
			status.BlueGreen.ActiveSelector = "new"
		}
		if h.Stable {
			status.StableRS = "new"
		}
		if h.Paused {
			status.PauseConditions = []v1alpha1.PauseCondition{{Reason: v1alpha1.PauseReasonCanaryPauseStep}}
		}
		if h.Aborted {
			status.Conditions = []v1alpha1.RolloutCondition{{Type: v1alpha1.RolloutProgressing,
				Reason: conditions.RolloutAbortedReason}}
		}
		switch {
		case h.BlueGreen:
			spec.Strategy.BlueGreen = &v1alpha1.BlueGreenStrategy{}
		default:
			spec.Strategy.Canary = &v1alpha1.CanaryStrategy{}
			if h.Routed {
				spec.Strategy.Canary.TrafficRouting = &v1alpha1.RolloutTrafficRouting{}
			}
		}
		phase, why := rollout.CalculateRolloutPhase(spec, status)
		if want := phase == v1alpha1.RolloutPhaseHealthy; h.Healthy() != want {
			t.Fatalf("healthy: %v, upstream says %s, %s:\n%+v", h.Healthy(), phase, why, h)
		}
		seen[h.Healthy()]++
	}
	if min(seen[true], seen[false]) < rounds/100 {
		t.Errorf("too few to show anything: %v", seen)
	}
}
