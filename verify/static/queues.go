package static

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// queueless is what a ClusterQueue of Kueue can never let in of the declared pods, whatever else runs: what a Job, or a
// StatefulSet, asks for as a whole, and a Deployment for each pod.
//
// Upstream: kueue v0.19.2, pkg/scheduler/flavorassigner: fitsResourceQuota (maximum capacity), findFlavorForPodSets.
func queueless(sl *slice.Slice, q *state.Quota, v state.Version) []Shortage {
	var out []Shortage
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		m := &w.Manifests[v]
		if m.Queue != q.Name || len(w.Sizes) > 0 || m.Suspended() && m.Kind() != state.Job {
			continue
		}
		rule, asked, fields, together := rules.RolloutStuck, int64(0), []actor.Ref(nil), true
		switch m.Kind() {
		case state.Job:
			rule = rules.Unschedulable
			asked, fields = int64(m.LeastParallelism()), []actor.Ref{{Object: w.ID, Version: v, Field: "spec.parallelism"}}
		case state.Deployment, state.StatefulSet:
			asked, fields = replicasAsked(w, v, false)
			together = m.Kind() == state.StatefulSet
		default:
			continue
		}
		if s, ok := beyond(sl, q, v, m.Pod(), asked); ok {
			if s.Rule, s.Workload, s.fields = rule, i, append(fields, s.fields...); together && s.none == "" {
				s.none = fmt.Sprintf("its %d pods are admitted together, and %s at most %d", asked, s.what, s.Fit)
			}
			out = append(out, s)
		}
	}
	return out
}

// beyond is the part of so many pods' requests that a queue never has.
func beyond(sl *slice.Slice, q *state.Quota, v state.Version, spec *corev1.PodSpec, asked int64) (Shortage, bool) {
	pod := &corev1.Pod{Spec: *spec.DeepCopy()}
	objects.DefaultRequests(&pod.Spec)
	use, queue := admission.QueueUse(pod), q.Queues[v]
	s := Shortage{Queued: true, Asked: asked}
	s.fields = []actor.Ref{{Object: queue.Object, Version: v, Field: "spec.resourceGroups"}}
	for _, name := range slices.Sorted(maps.Keys(use)) {
		each := use[name]
		if queue.Limit(name) == nil {
			if name == corev1.ResourcePods {
				continue
			}
			if scenario.Translated(name) {
				s.uncovered = string(name)
			}
			s.none = fmt.Sprintf("resource %s unavailable in ClusterQueue %s", name, q.Name)
			return s, asked > 0
		}
		most := capacity(sl.Spec.Quotas, queue, v, name)
		if each.MilliValue() > 0 && asked > most/each.MilliValue() {
			s.Fit, s.what = most/each.MilliValue(), fmt.Sprintf("%s of ClusterQueue %s", name, q.Name)
			if queue.Cohort != "" {
				s.what += " and its cohort"
			}
			if lent := *queue; queue.Borrows() {
				if lent.Endless = true; asked <= capacity(sl.Spec.Quotas, &lent, v, name)/each.MilliValue() {
					s.Cohort = queue.Cohort
				}
			}
			s.what += " ever allows"
			s.name, s.each, s.most, s.queue = name, each.MilliValue(), most, queue
			return s, true
		}
	}
	return Shortage{}, false
}

// capacity is the most of a resource that a queue can ever have, in thousandths.
//
// Upstream: pkg/cache/scheduler: potentialAvailable.
func capacity(quotas []state.Quota, queue *state.Queue, v state.Version, name corev1.ResourceName) int64 {
	own := queue.Limit(name)
	if queue.Cohort == "" {
		return own.Nominal
	}
	cohort := int64(1 << 60)
	if !queue.Endless {
		cohort = 0
		for i := range quotas {
			if other := quotas[i].Queues[v]; other != nil && other.Cohort == queue.Cohort {
				if l := other.Limit(name); l != nil {
					cohort += l.Lent(0)
				}
			}
		}
	}
	return own.Unused(0, cohort)
}
