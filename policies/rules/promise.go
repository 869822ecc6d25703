package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/state"
)

// promised is the number of ready pods of workload w that every declaration of version
// v keeps, at the least number of replicas that either version asks for; 0 promises
// nothing.
func promised(c *state.Config, w int, v state.Version) int {
	ms := &c.Spec.Workloads[w].Manifests
	if !ms[v].Exists() {
		return 0
	}
	if ms[v].Kind().Bare() {
		return 0 // there is no promise to keep one pod up; an eviction that its budget forbids is not granted
	}
	desired := leastOfBoth(ms)
	// A rollout replaces pods only where there are two templates.
	floor := desired
	pace := ms[v].Pace()
	if ms[v].ReplicasField() != nil && (c.Revisions(w) > 1 || ms[v].Kind() == state.Deployment && !pace.AtOnce) {
		floor = desired - pace.UnavailableOf(desired)
	}
	for _, pdb := range ms[v].PDBs {
		others, owned := desiredBeside(c, w, v, pdb)
		floor = min(floor, healthy(pdb, desired+owned)-others-unminded(c, w, v))
	}
	return max(floor, 0)
}

// desiredBeside is the least number of replicas of the other workloads whose pods a budget counts as well, in pods: the
// pods that it keeps can be theirs. Those that a controller owns are of its expected pods, too.
func desiredBeside(c *state.Config, w int, v state.Version, pdb *policyv1.PodDisruptionBudget) (total, owned int) {
	for o := range c.Spec.Workloads {
		m := &c.Spec.Workloads[o].Manifests[v]
		same := func(b *policyv1.PodDisruptionBudget) bool { return b.Namespace == pdb.Namespace && b.Name == pdb.Name }
		if o != w && m.Exists() && slices.ContainsFunc(m.PDBs, same) {
			total += leastDesired(m)
			owned += scaled(m)
		}
	}
	return total, owned
}

// scaled is the least number of replicas that a manifest asks for, as a budget knows it: it asks the owners of pods.
func scaled(m *state.Manifest) int {
	if m.Kind().Bare() {
		return 0
	}
	return leastDesired(m)
}

// unminded is how many pods the update of a StatefulSet takes whatever else lacks: with
// Parallel it looks at no pod below the one that it has come to, so that a budget is kept
// by evictions alone.
func unminded(c *state.Config, w int, v state.Version) int {
	s := c.Spec.Workloads[w].Manifests[v].StatefulSet
	if s == nil || s.Spec.PodManagementPolicy != appsv1.ParallelPodManagement || c.Revisions(w) < 2 {
		return 0
	}
	return 1
}

// keptFromEvictions is the number of ready pods that version v promises to keep while pods
// are evicted. A rollout's limits bind no eviction, so without a budget it is all desired
// pods but one: more replicas than one are there to lose one, and one replica without a
// budget tolerates "occasional downtime", as Kubernetes' page on budgets has it.
func keptFromEvictions(c *state.Config, w int, v state.Version) int {
	floor := promised(c, w, v)
	if ms := &c.Spec.Workloads[w].Manifests; ms[v].Exists() && len(ms[v].PDBs) == 0 {
		floor = min(floor, leastOfBoth(ms)-1)
	}
	return floor
}

// leastOfBoth is the least number of replicas that either version asks for, in pods; -1
// where there is none.
func leastOfBoth(ms *[2]state.Manifest) int {
	desired := -1
	for i := range ms {
		if !ms[i].Exists() {
			continue
		}
		if n := leastDesired(&ms[i]); desired < 0 || n < desired {
			desired = n
		}
	}
	return desired
}

// leastDesired is the least number of replicas that a manifest asks for, in pods.
func leastDesired(m *state.Manifest) int {
	declared := m.Replicas()
	if m.KEDA != nil && m.KEDA.ToZero {
		return 0
	}
	if m.Bounds.Max > 0 && declared > 0 {
		declared = min(declared, m.Bounds.Min)
	}
	if m.HPA == nil || declared == 0 { // 0 switches an autoscaler off
		return declared
	}
	return MinReplicas(m.HPA)
}

// MinReplicas is an autoscaler's lower limit, which the API server defaults to 1.
func MinReplicas(h *autoscalingv2.HorizontalPodAutoscaler) int {
	if h.Spec.MinReplicas == nil {
		return 1
	}
	return int(*h.Spec.MinReplicas)
}

// healthy is how many of expected pods a PodDisruptionBudget keeps. Upstream v1.36.3:
// (*DisruptionController).getExpectedPodCount.
func healthy(pdb *policyv1.PodDisruptionBudget, expected int) int {
	switch {
	case pdb.Spec.MaxUnavailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(pdb.Spec.MaxUnavailable, expected, true)
		if err != nil {
			return 0
		}
		return max(expected-n, 0)
	case pdb.Spec.MinAvailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(pdb.Spec.MinAvailable, expected, true)
		if err != nil {
			return 0
		}
		return n
	}
	return 0
}
