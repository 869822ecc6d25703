package slice

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostOrdinals bounds the ordinals of a StatefulSet whose volumes are followed.
const mostOrdinals = 6

// ordinalClaims enters the claims that StatefulSets make, one for each template and ordinal, as far as not every node
// can use their volumes. A live claim keeps base's content, so it matters if the change sends the pods elsewhere, or
// makes the set. One pod uses each, so no pod waits for another to release it.
//
// Upstream: kubernetes v1.36.3, pkg/controller/statefulset: getPersistentVolumeClaims, getPersistentVolumeClaimName.
func (sl *Slice) ordinalClaims(sides [2]side) {
	for i := range sl.Workloads {
		w := &sl.Workloads[i]
		base, head := &w.Manifests[state.Base], &w.Manifests[state.Head]
		if w.Kind() != state.StatefulSet || !head.Exists() || base.Exists() && goesAlike(base.Pod(), head.Pod()) {
			continue
		}
		v := state.Base
		if !base.Exists() {
			v = state.Head
		}
		s, set := sides[v], w.Manifests[v].StatefulSet
		for k := range set.Spec.VolumeClaimTemplates {
			for n, ordinal := range w.Ordinals() {
				if n == mostOrdinals {
					break
				}
				claim := s.storage.madeFor(&set.Spec.VolumeClaimTemplates[k], w, ordinal)
				if claim.Reach == state.Everywhere && claim.Affinity == nil || v == state.Head && !claim.elsewhere() {
					continue
				}
				claim.Version = v
				sl.Spec.Claims = append(sl.Spec.Claims, claim.Claim)
				sl.volumeKeys(&claim.Claim)
				sl.keepClass(int(v), s, &set.Spec.VolumeClaimTemplates[k])
			}
		}
	}
}

// keepClass keeps the StorageClass of a claim that another release lends.
func (sl *Slice) keepClass(v int, s side, c *corev1.PersistentVolumeClaim) {
	class := s.storage.classOf(c)
	if class == nil {
		return
	}
	id := object.ID{Group: "storage.k8s.io", Kind: "StorageClass", Name: class.Name}
	if o := s.byID[id.String()]; o != nil && o.Release != sl.Release {
		sl.keep(v, o)
	}
}

// goesAlike reports whether the pods of two versions ask for the same nodes.
func goesAlike(a, b *corev1.PodSpec) bool {
	return a.NodeName == b.NodeName && reflect.DeepEqual(a.NodeSelector, b.NodeSelector) &&
		reflect.DeepEqual(a.Affinity, b.Affinity) && reflect.DeepEqual(a.Tolerations, b.Tolerations) &&
		reflect.DeepEqual(a.TopologySpreadConstraints, b.TopologySpreadConstraints)
}

// madeClaim is a claim that a StatefulSet makes.
type madeClaim struct{ state.Claim }

// elsewhere reports whether its volume may be made where its pod cannot go.
func (c madeClaim) elsewhere() bool { return c.Immediate || len(c.Allowed) > 0 || c.Affinity != nil }

// madeFor is the claim of an ordinal: the one among the objects, or the one that the template makes.
func (st *storage) madeFor(template *corev1.PersistentVolumeClaim, w *state.Workload, ordinal int) madeClaim {
	made := claimOf(template, w.Name, ordinal)
	made.Namespace = w.Namespace
	id := object.ID{Kind: "PersistentVolumeClaim", Namespace: made.Namespace, Name: made.Name}
	o := st.claims[id.String()]
	if o == nil {
		o = &object.Object{ID: id, Typed: made}
	}
	out := madeClaim{st.claim(o)}
	out.Set, out.Ordinal, out.Exclusive, out.OncePod = w.ID, ordinal, false, false
	return out
}

// claimOf is the claim that a template of a StatefulSet makes for an ordinal.
func claimOf(template *corev1.PersistentVolumeClaim, set string, ordinal int) *corev1.PersistentVolumeClaim {
	out := template.DeepCopy()
	out.Name = fmt.Sprintf("%s-%s-%d", template.Name, set, ordinal)
	return out
}
