package slice

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// assumeClaims enters claims that a Deployment of one replica names and that are not among the objects: a claim for a
// single pod can mostly be attached by one node only, and its mode cannot be looked up here. It counts if the change
// makes the pod name the claim, or roll in another way beside it, and not with every later image.
func (sl *Slice) assumeClaims(sides [2]side) {
	for i := range sl.Workloads {
		w := &sl.Workloads[i]
		head, base := &w.Manifests[state.Head], &w.Manifests[state.Base]
		if !head.Exists() || head.Kind() != state.Deployment || head.Replicas() > 1 || head.HPA != nil || head.KEDA != nil {
			continue
		}
		for _, name := range claimNames(head.Pod()) {
			if base.Exists() && slices.Contains(claimNames(base.Pod()), name) && sameRollout(head, base) ||
				named(name, w, sides) {
				continue
			}
			sl.Spec.Claims = append(sl.Spec.Claims,
				state.Claim{Namespace: w.Namespace, Name: name, Version: state.Head, Exclusive: true, Assumed: true})
			sl.Notes = append(sl.Notes, assumedClaim(w.Namespace, name))
		}
	}
}

// claimNames are the claims that a pod writes to.
func claimNames(pod *corev1.PodSpec) []string {
	var out []string
	for _, v := range pod.Volumes {
		if c := v.PersistentVolumeClaim; c != nil && !c.ReadOnly && !slices.Contains(out, c.ClaimName) {
			out = append(out, c.ClaimName)
		}
	}
	return out
}

// sameRollout reports whether two manifests ask for the same rollout of the same replicas.
func sameRollout(a, b *state.Manifest) bool {
	return a.Replicas() == b.Replicas() && reflect.DeepEqual(a.Deployment.Spec.Strategy, b.Deployment.Spec.Strategy)
}

// named reports whether a claim of a workload's namespace is among the objects of a version, or
// other workloads name it, too, which one that a single node attaches would not be made for.
func named(claim string, w *state.Workload, sides [2]side) bool {
	id := object.ID{Kind: "PersistentVolumeClaim", Namespace: w.Namespace, Name: claim}.String()
	for _, s := range sides {
		if s.storage.claims[id] != nil {
			return true
		}
		for other, o := range s.Workloads { // any of them will do
			if other != w.ID && o.ID.Namespace == w.Namespace && slices.Contains(claimNames(&templateOf(o).Spec), claim) {
				return true
			}
		}
	}
	return false
}
