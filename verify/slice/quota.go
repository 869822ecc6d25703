package slice

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/utils/ptr"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// limit enters the ResourceQuotas of the namespaces of the slice. Other workloads of such
// a namespace take of a quota what their declared replicas ask for, and stay as they are:
// they are not drawn into the slice, which would make it that of the namespace, unless the quota cannot hold them all.
func (sl *Slice) limit(sides [2]side) {
	namespaces, members := map[string]bool{}, map[string]bool{}
	for i := range sl.Workloads {
		namespaces[sl.Workloads[i].Namespace], members[sl.Workloads[i].ID] = true, true
	}
	ids := map[string]bool{}
	for ns := range namespaces {
		for _, s := range sides {
			for _, o := range s.found.quotas[ns] {
				ids[o.ID.String()] = true
			}
		}
	}
	for _, id := range sortedIDs(ids) {
		q := state.Quota{}
		for v, s := range sides {
			o := s.quotas[id]
			if o == nil || !namespaces[o.ID.Namespace] {
				continue
			}
			q.Namespace, q.Name = o.ID.Namespace, o.ID.Name
			q.Objects[v] = o.Typed.(*corev1.ResourceQuota)
			q.Others[v] = s.others(q.Objects[v], q.Namespace, members)
			sl.keep(v, o)
		}
		if q.Name != "" {
			sl.Spec.Quotas = append(sl.Spec.Quotas, q)
		}
	}
}

// others is what the workloads of a namespace that are no members take of one of its quotas.
func (s side) others(q *corev1.ResourceQuota, namespace string, members map[string]bool) corev1.ResourceList {
	out := corev1.ResourceList{}
	for _, o := range slices.AppendSeq(slices.Clone(s.beside), maps.Values(s.Workloads)) { // a sum, in whatever order
		if o.ID.Namespace != namespace || members[o.ID.String()] && s.Workloads[o.ID.String()] == o {
			continue
		}
		s.ask(q, o, out)
	}
	return out
}

// ask adds what the declared replicas of a workload ask of a quota, and reports whether the quota counts its pods.
func (s side) ask(q *corev1.ResourceQuota, o *object.Object, sum corev1.ResourceList) bool {
	var replicas *int32
	var template *corev1.PodTemplateSpec
	switch t := o.Typed.(type) {
	case *appsv1.Deployment:
		replicas, template = t.Spec.Replicas, &t.Spec.Template
	case *appsv1.StatefulSet:
		replicas, template = t.Spec.Replicas, &t.Spec.Template
	default:
		return false
	}
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	if !admission.Counts(q, pod, s.priorities.fallback) {
		return false
	}
	addTimes(sum, admission.QuotaUse(pod), int64(ptr.Deref(replicas, 1)))
	return true
}

// contend notes which workloads ask together for more than a quota has: which of them gets it is open, and what one
// takes is what the other lacks. More than mostTogether take what they declare, see limit.
func (s *side) contend() {
	for _, id := range sortedIDs(s.quotas) {
		q := s.quotas[id].Typed.(*corev1.ResourceQuota)
		sum := corev1.ResourceList{}
		var ids []string
		for _, w := range sortedIDs(s.Workloads) {
			if o := s.Workloads[w]; o.ID.Namespace == q.Namespace && s.ask(q, o, sum) {
				ids = append(ids, w)
			}
		}
		if within, _ := quota.LessThanOrEqual(quota.Mask(sum, quota.ResourceNames(q.Spec.Hard)), q.Spec.Hard); within ||
			len(ids) > mostTogether {
			continue
		}
		for _, w := range ids {
			s.common[w] = append(s.common[w], id)
		}
	}
}

// takeDeclared adds what the workloads that a policy declares beside the repository take of the quotas of their
// namespaces.
func (sl *Slice) takeDeclared(p *policies.Policy) {
	for i := range p.Cluster.Workloads {
		w := &p.Cluster.Workloads[i]
		for k := range sl.Spec.Quotas {
			q := &sl.Spec.Quotas[k]
			for v := range q.Others {
				if q.Namespace != w.Namespace || q.Objects[v] == nil ||
					!admission.Counts(q.Objects[v], w.Pod(), sl.Spec.DefaultPriority[v]) {
					continue
				}
				addTimes(q.Others[v], admission.QuotaUse(w.Pod()), int64(w.Count))
			}
		}
	}
}

// limits says which quotas apply to a workload.
func (s side) limits(o *object.Object) []*object.Object { return s.found.quotas[o.ID.Namespace] }
