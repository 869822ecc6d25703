package static

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// overdrawn is the part of the declared replicas that ResourceQuotas do not allow.
func overdrawn(sl *slice.Slice, v state.Version) []Shortage {
	var out []Shortage
	for _, q := range sl.Spec.Quotas {
		if q.Queues[v] != nil {
			out = append(out, queueless(sl, &q, v)...)
		}
		hard := q.Objects[v]
		if hard == nil {
			continue
		}
		for i := range sl.Spec.Workloads {
			w := &sl.Spec.Workloads[i]
			if !drawsOn(sl, &q, i, v) {
				continue
			}
			s, ok := overdraft(w, v, hard, besides(sl, &q, i, v))
			if !ok && !q.Found {
				s, ok = unsaid(w, v, hard)
			}
			if ok {
				s.Workload = i
				out = append(out, s)
			}
		}
	}
	return out
}

// drawsOn reports whether a quota counts the pods of a workload, which are as many as it declares.
func drawsOn(sl *slice.Slice, q *state.Quota, i int, v state.Version) bool {
	w := &sl.Spec.Workloads[i]
	m := &w.Manifests[v]
	return q.Objects[v] != nil && w.Namespace == q.Namespace && counted(m) && len(w.Sizes) == 0 &&
		admission.Counts(q.Objects[v], &corev1.Pod{Spec: *m.Pod()}, sl.Spec.DefaultPriority[v])
}

// besides is what a quota has for others than workload i of a slice: those outside of it, and the other workloads of
// it. Where one of these comes to ask for more, and workload i does not, it is that one that gets too little.
func besides(sl *slice.Slice, q *state.Quota, i int, v state.Version) corev1.ResourceList {
	all := withMembers(sl, q, i, v)
	if v == state.Base || asksMore(sl, q, i) {
		return all
	}
	if drawsOn(sl, q, i, state.Base) {
		w := &sl.Spec.Workloads[i]
		if _, short := overdraft(w, state.Base, q.Objects[state.Base], withMembers(sl, q, i, state.Base)); short {
			return all
		}
	}
	for k := range sl.Spec.Workloads {
		if k != i && asksMore(sl, q, k) {
			return q.Others[v]
		}
	}
	return all
}

// withMembers is what others take of a quota, with the workloads of the slice but i.
func withMembers(sl *slice.Slice, q *state.Quota, i int, v state.Version) corev1.ResourceList {
	out := corev1.ResourceList{}
	addTo(out, q.Others[v])
	for k := range sl.Spec.Workloads {
		if k != i {
			addTo(out, demand(sl, q, k, v))
		}
	}
	return out
}

// demand is what the declared pods of a workload take of a quota.
func demand(sl *slice.Slice, q *state.Quota, i int, v state.Version) corev1.ResourceList {
	if !drawsOn(sl, q, i, v) {
		return nil
	}
	w := &sl.Spec.Workloads[i]
	n, _ := replicasAsked(w, v, false)
	use := admission.QuotaUse(&corev1.Pod{ObjectMeta: w.Manifests[v].Template().ObjectMeta, Spec: *w.Manifests[v].Pod()})
	for name, each := range use {
		each.Mul(n)
		use[name] = each
	}
	return use
}

// asksMore reports whether head has a workload take more of a quota than base.
func asksMore(sl *slice.Slice, q *state.Quota, i int) bool {
	was := demand(sl, q, i, state.Base)
	for name, now := range demand(sl, q, i, state.Head) {
		if before := was[name]; now.Cmp(before) > 0 {
			return true
		}
	}
	return false
}

// unsaid is that a quota lets no pod of a workload in that does not say what it takes.
func unsaid(w *state.Workload, v state.Version, quota *corev1.ResourceQuota) (Shortage, bool) {
	asked, fields := replicasAsked(w, v, false)
	pod := &corev1.Pod{Spec: *w.Manifests[v].Pod().DeepCopy()}
	objects.DefaultRequests(&pod.Spec)
	text := admission.Unsaid(pod, quota.Spec.Hard)
	if text == "" || asked == 0 {
		return Shortage{}, false
	}
	fields = append(fields,
		actor.Ref{Object: "ResourceQuota " + w.Namespace + "/" + quota.Name, Field: "spec.hard", Version: v})
	return Shortage{Rule: rules.RolloutStuck, Asked: asked,
		none: fmt.Sprintf("ResourceQuota %s: %s", quota.Name, text), fields: fields, quota: quota}, true
}

// overdraft is the part of a workload's requests that others' use of a quota does not leave.
func overdraft(
	w *state.Workload, v state.Version, quota *corev1.ResourceQuota, taken corev1.ResourceList,
) (Shortage, bool) {
	m := &w.Manifests[v]
	use := admission.QuotaUse(&corev1.Pod{ObjectMeta: m.Template().ObjectMeta, Spec: *m.Pod()})
	for _, loaded := range []bool{false, true} {
		asked, fields := replicasAsked(w, v, loaded)
		for _, name := range sortedResources(quota.Spec.Hard) {
			each, most, beside := use[name], quota.Spec.Hard[name], taken[name]
			left := max(most.MilliValue()-beside.MilliValue(), 0)
			if each.MilliValue() <= 0 || asked <= left/each.MilliValue() {
				continue
			}
			what := fmt.Sprintf("%s of ResourceQuota %s allows", name, quota.Name)
			if !beside.IsZero() {
				what = fmt.Sprintf("%s of ResourceQuota %s allows beside the namespace's other workloads", name, quota.Name)
			}
			fields = append(fields,
				actor.Ref{Object: "ResourceQuota " + w.Namespace + "/" + quota.Name,
					Field: "spec.hard[" + string(name) + "]", Version: v})
			return Shortage{
				Rule: rules.RolloutStuck, Loaded: loaded, Asked: asked, Fit: left / each.MilliValue(), what: what, fields: fields,
				name: name, each: each.MilliValue(), most: most.MilliValue(), taken: beside.MilliValue(), quota: quota,
			}, true
		}
	}
	return Shortage{}, false
}
