package scenario

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// RestsOnCohort is the cohort of Kueue with whose members lending without end a violation is not seen, or the budget
// does not last to tell; "": it hangs on none.
func (c *Checker) RestsOnCohort(ctx context.Context, found Violation) (cohort string) {
	return c.restsOnQueue(ctx, found, func(q *state.Queue, own bool, _ *corev1.Pod) string {
		if !q.Borrows() {
			return ""
		}
		if q.Endless = true; own {
			return q.Cohort
		}
		return ""
	})
}

// RestsOnUncovered is the extended resource that a violation's ClusterQueue of Kueue does not cover and without which
// it is not seen, or the budget does not last to tell; "": it hangs on none.
func (c *Checker) RestsOnUncovered(ctx context.Context, found Violation) (name string) {
	return c.restsOnQueue(ctx, found, func(q *state.Queue, own bool, pod *corev1.Pod) (name string) {
		if !own {
			return ""
		}
		for _, r := range slices.Sorted(maps.Keys(admission.QueueUse(pod))) {
			if q.Limit(r) == nil && Translated(r) {
				name = string(r)
				q.Limits = append(slices.Clip(q.Limits), state.QueueLimit{Resource: r, Nominal: 1 << 60})
			}
		}
		return name
	})
}

// Translated reports whether Kueue's own configuration may make other resources of one, or leave it out, which it does
// to those of devices.
//
// Upstream: kueue v0.19.2, apis/config/v1beta2: Resources.Transformations and ExcludeResourcePrefixes.
func Translated(name corev1.ResourceName) bool { return strings.Contains(string(name), "/") }

// restsOnQueue is what eased says of the ClusterQueue that a violation's pods wait in, if the violation is not seen
// where the ClusterQueues are as eased leaves them; own says that a queue is this one, of which pod is one of the pods.
func (c *Checker) restsOnQueue(ctx context.Context, found Violation,
	eased func(q *state.Queue, own bool, pod *corev1.Pod) string) (what string) {
	v, w := found.Variant, &found.Problem.Cfg.Spec.Workloads[found.Bound.Workload]
	v.Spec.Quotas = slices.Clone(v.Spec.Quotas)
	for i := range v.Spec.Quotas {
		q := &v.Spec.Quotas[i]
		for version, queue := range q.Queues {
			if queue == nil {
				continue
			}
			m, own := &w.Manifests[version], *queue
			pod := &corev1.Pod{}
			if m.Exists() {
				pod.Spec = *m.Pod()
			}
			if say := eased(&own, m.Exists() && m.Queue == q.Name, pod); say != "" {
				what = say
			}
			q.Queues[version] = &own
		}
	}
	if what == "" {
		return ""
	}
	if _, ok := c.directedAt(ctx, v, found); ok {
		return ""
	}
	o := c.Within(premiseStates).Both(ctx, Task{Variant: v, Topology: found.Topology()})
	if o.Err == nil && slices.ContainsFunc(o.Head, func(x Violation) bool { return x.Key() == found.Key() }) {
		return ""
	}
	return what
}
