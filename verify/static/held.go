package static

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
)

// Held lists the releases which the change touches and Flux does not apply as long as one is not ready: those that
// depend on it, or on another one that waits for it. It is not ready while an object of it, "apps/Deployment shop/web",
// does not get healthy, if it waits for that; or if the API server refuses the object.
//
// Upstream: kustomize-controller v1.9, (*KustomizationReconciler).reconcile (an apply that fails, or health that does
// not come, leaves it not ready) and checkDependencies; helm-controller, (*HelmReleaseReconciler).checkDependencies.
func Held(ch *object.Changes, release, object string, refused bool) []string {
	w := newWaiting(ch.Head)
	r := w.byID[release]
	if r == nil || r.Delivery.Suspended || !r.Delivery.Tool.OfFlux() || !refused && !waitsFor(r, object) || !w.known(r) {
		return nil
	}
	touched := map[string]bool{}
	for i := range ch.Changes {
		touched[ch.Changes[i].Release] = true
	}
	late := map[string]bool{deliverer(r, r.Delivery.Name): true}
	keys := slices.Sorted(maps.Keys(w.by))
	for grown := true; grown; {
		grown = false
		for _, key := range keys {
			if !late[key] && slices.ContainsFunc(w.hops(key), func(h hop) bool { return late[h.to] }) {
				late[key], grown = true, true
			}
		}
	}
	var out []string
	for _, key := range keys {
		if x := w.by[key][0]; x != r && x.Cluster == r.Cluster && touched[x.ID] && w.known(x) &&
			slices.ContainsFunc(w.hops(key), func(h hop) bool { return h.field == "" && late[h.to] }) {
			out = append(out, x.Delivery.Tool.Kind()+" "+x.Delivery.Name)
		}
	}
	return out
}

// known reports whether one object alone is named as what delivers a release.
func (w *waiting) known(r *object.Rendered) bool {
	return len(w.by[deliverer(r, r.Delivery.Name)]) == 1
}

// waitsFor reports whether a release is not ready before an object of it is healthy.
func waitsFor(r *object.Rendered, id string) bool {
	if r.Delivery.Tool == object.FluxHelmRelease {
		return r.Delivery.Upgrade.Patience > 0
	}
	for _, h := range r.Delivery.Health {
		if id == (object.ID{Group: h.Group, Kind: h.Kind, Namespace: h.Namespace, Name: h.Name}).String() {
			return true
		}
	}
	return r.Delivery.All
}
