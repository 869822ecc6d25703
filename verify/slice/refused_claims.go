package slice

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/state"
)

// refuseClaims enters which ordinals of StatefulSets get no pod, as a LimitRange or a ResourceQuota refuses a claim of
// theirs: the controller makes the claims of a pod before the pod. Base's ordinals have theirs, up to what its
// autoscaler may ask for, and a claim is not asked about again.
//
// Upstream: kubernetes v1.36.3, pkg/controller/statefulset: (*StatefulPodControl).CreateStatefulPod,
// createPersistentVolumeClaims.
func (sl *Slice) refuseClaims(sides [2]side) {
	for v, s := range sides {
		refused, some := make([]map[int]*state.Refusal, len(sl.Workloads)), false
		for i := range sl.Workloads {
			w := &sl.Workloads[i]
			if w.Kind() != state.StatefulSet || !s.limitsClaims(w.Namespace) {
				continue
			}
			refused[i] = s.refusedOrdinals(w)
			for _, r := range refused[i] {
				some = true
				for of, declares := range sides {
					if o := declares.byID[r.Object]; o != nil {
						sl.keep(of, o)
					}
				}
			}
		}
		if some {
			sl.Spec.Admission.Claims[v] = refused
		}
	}
}

// limitsClaims reports whether something may refuse claims of a namespace.
func (s side) limitsClaims(namespace string) bool {
	return len(s.found.quotas[namespace]) > 0 ||
		slices.ContainsFunc(s.admission.ranges, func(r *object.Object) bool { return r.ID.Namespace == namespace })
}

// refusedOrdinals are those of a StatefulSet, with the refusal of the first of their claims.
func (s side) refusedOrdinals(w *state.Workload) map[int]*state.Refusal {
	live, head := &w.Manifests[state.Base], &w.Manifests[state.Head]
	made := map[int]bool{}
	for _, n := range (&state.Workload{Manifests: [2]state.Manifest{{}, *live}}).Ordinals() {
		made[n] = live.Exists()
	}
	if !live.Exists() {
		live = head // its templates cannot change in place
	}
	var ranges []*corev1.LimitRange
	for _, r := range s.admission.ranges {
		if r.ID.Namespace == w.Namespace {
			ranges = append(ranges, r.Typed.(*corev1.LimitRange))
		}
	}
	used, out := s.claimUse(w), map[int]*state.Refusal{}
	asked, over := corev1.ResourceList{}, map[*state.Refusal]corev1.ResourceName{}
	addTimes(asked, used, 1)
	for _, n := range w.Ordinals() {
		for k := range live.StatefulSet.Spec.VolumeClaimTemplates {
			c := claimOf(&live.StatefulSet.Spec.VolumeClaimTemplates[k], w.Name, n)
			if s.storage.claims[claimID(w.Namespace, c.Name)] != nil {
				continue // it is among the objects, and counted with them
			}
			var refusal *state.Refusal
			use := admission.ObjectUse(claimKind, c)
			if addTimes(asked, use, 1); !made[n] {
				if refusal = admission.ClaimRefusal(c.Spec.Resources.Requests, ranges); refusal == nil {
					var name corev1.ResourceName
					refusal, name = s.overQuota(w.Namespace, use, used)
					over[refusal] = name
				}
			}
			if refusal == nil {
				addTimes(used, use, 1)
			} else if out[n] == nil {
				refusal.Claim, refusal.Own = w.Namespace+"/"+c.Name, "spec.volumeClaimTemplates"
				out[n] = refusal
			}
		}
	}
	for _, r := range out {
		if name := over[r]; name != "" { // for all of them
			enough := asked[name]
			r.Enough = enough.String()
		}
	}
	return out
}

// RefusedClaims are why claims of a workload are refused on head, by ordinal.
func (sl *Slice) RefusedClaims(workload string) []*state.Refusal {
	list, w := sl.Spec.Admission.Claims[state.Head], slices.IndexFunc(sl.Spec.Workloads,
		func(w state.Workload) bool { return w.ID == workload })
	if list == nil || w < 0 {
		return nil
	}
	var out []*state.Refusal
	for _, n := range slices.Sorted(maps.Keys(list[w])) {
		out = append(out, list[w][n])
	}
	return out
}

var claimKind = schema.GroupKind{Kind: "PersistentVolumeClaim"}

func claimID(namespace, name string) string {
	return object.ID{Kind: claimKind.Kind, Namespace: namespace, Name: name}.String()
}

// claimUse is what the claims of a namespace take of quotas, as declared: those among the objects, and those of other
// StatefulSets than w.
func (s side) claimUse(w *state.Workload) corev1.ResourceList {
	sum := corev1.ResourceList{}
	for _, c := range s.storage.claims {
		if c.ID.Namespace == w.Namespace {
			addTimes(sum, admission.ObjectUse(claimKind, c.Typed), 1)
		}
	}
	for _, o := range slices.AppendSeq(slices.Clone(s.beside), maps.Values(s.Workloads)) { // a sum, in whatever order
		set, ok := o.Typed.(*appsv1.StatefulSet)
		if !ok || o.ID.Namespace != w.Namespace || o.ID.String() == w.ID {
			continue
		}
		m, _ := state.ManifestOf(set)
		for n := range m.Replicas() {
			for k := range set.Spec.VolumeClaimTemplates {
				c := claimOf(&set.Spec.VolumeClaimTemplates[k], set.Name, m.FirstOrdinal()+n)
				if s.storage.claims[claimID(w.Namespace, c.Name)] == nil {
					addTimes(sum, admission.ObjectUse(claimKind, c), 1)
				}
			}
		}
	}
	return sum
}

// overQuota is why a quota of a namespace refuses one more claim, and for which resource; nil: none does.
func (s side) overQuota(namespace string, use, used corev1.ResourceList) (*state.Refusal, corev1.ResourceName) {
	for _, o := range s.found.quotas[namespace] {
		if r, name := admission.OverQuota(o.Typed.(*corev1.ResourceQuota), use, used); r != nil {
			r.Object = o.ID.String()
			return r, name
		}
	}
	return nil, ""
}
