package slice

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// quotasAsTheyAre takes the ResourceQuotas of the slice's namespaces that the cluster has and the
// manifests do not, and for all of them what pods of others take in the cluster.
func (sl *Slice) quotasAsTheyAre(shot *snapshot.Snapshot) {
	for i := range shot.Quotas {
		live := &shot.Quotas[i]
		if len(live.Scopes) > 0 ||
			!slices.ContainsFunc(sl.Spec.Workloads, func(w state.Workload) bool { return w.Namespace == live.Namespace }) {
			continue
		}
		k := slices.IndexFunc(sl.Spec.Quotas,
			func(q state.Quota) bool { return q.Namespace == live.Namespace && q.Name == live.Name })
		if k < 0 {
			o := &corev1.ResourceQuota{}
			o.Namespace, o.Name, o.Spec.Hard = live.Namespace, live.Name, listOf(live.Hard)
			k = len(sl.Spec.Quotas)
			sl.Spec.Quotas = append(sl.Spec.Quotas,
				state.Quota{Namespace: live.Namespace, Name: live.Name, Found: true, Objects: [2]*corev1.ResourceQuota{o, o}})
		}
		if len(live.Used) > 0 { // else it was not counted yet
			others := sl.usedByOthers(shot, live)
			sl.Spec.Quotas[k].Others = [2]corev1.ResourceList{others, others}
		}
	}
	slices.SortStableFunc(sl.Spec.Quotas, func(a, b state.Quota) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// usedByOthers is the use of a quota in the cluster without the pods of the slice, whose use follows from base.
func (sl *Slice) usedByOthers(shot *snapshot.Snapshot, live *snapshot.Quota) corev1.ResourceList {
	out := listOf(live.Used)
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		have, m := liveOf(shot, w.ID), &w.Manifests[state.Base]
		if have == nil || !m.Exists() || w.Namespace != live.Namespace {
			continue
		}
		pods := 0
		for _, p := range have.Pods {
			pods += p.Pending
			for _, on := range p.On {
				pods += on.Total()
			}
		}
		for name, one := range admission.QuotaUse(&corev1.Pod{Spec: *m.Pod()}) {
			if used, counted := out[name]; counted {
				used.Sub(*resource.NewMilliQuantity(one.MilliValue()*int64(pods), one.Format))
				if used.Sign() < 0 {
					used = resource.Quantity{Format: one.Format}
				}
				out[name] = used
			}
		}
	}
	return out
}
