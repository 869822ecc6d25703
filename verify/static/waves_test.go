package static

import (
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// TestWaves: objects come with their wave; those that leave go in the reversed order of theirs, or after everything else.
func TestWaves(t *testing.T) {
	object := func(name string, annotations map[string]any) *render.Object {
		return &render.Object{
			ID:      render.ObjectID{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "default", Name: name},
			Content: map[string]any{"metadata": map[string]any{"annotations": annotations}},
		}
	}
	wave := func(name, n string) *render.Object {
		return object(name, map[string]any{"argocd.argoproj.io/sync-wave": n})
	}
	old := []*render.Object{wave("low", "-1"), wave("mid", "2"), wave("high", "5"), wave("stays", "1"),
		object("last", map[string]any{"argocd.argoproj.io/sync-options": "PruneLast=true"})}
	now := []*render.Object{wave("stays", "1"), wave("new", "3"), object("plain", nil),
		object("migrate", map[string]any{"argocd.argoproj.io/hook": "PreSync", "argocd.argoproj.io/sync-wave": "9"})}
	release := func(objects []*render.Object, last bool) *render.Rendered {
		r := &render.Rendered{Objects: objects}
		r.Delivery = render.Delivery{Tool: render.ArgoCD, Prunes: true, Last: last}
		return r
	}
	for _, last := range []bool{false, true} {
		w, ok := NewWaves(slice.Pair{ID: "shop", Base: release(old, last), Head: release(now, last)})
		if !ok {
			t.Fatal("no waves")
		}
		// of -1, 0 (last), 2 and 5 the first changes places with the last, and the second with the third
		want := []int{5, 0, -1, 1, 6}
		if last {
			want = []int{6, 6, 6, 1, 6}
		}
		for i, o := range old {
			var head *render.Object
			if i == 3 {
				head = now[0]
			}
			if got := w.Of(o, head); got != want[i] {
				t.Errorf("PruneLast %t: %s comes at %d, want %d", last, o.ID.Name, got, want[i])
			}
		}
		for i, want := range []int{1, 3, 0, -phaseApart + 9} {
			if got := w.Of(nil, now[i]); got != want {
				t.Errorf("%s comes at %d, want %d", now[i].ID.Name, got, want)
			}
		}
	}
	helm := release(now[:1], false)
	helm.Delivery.Tool = render.FluxHelmRelease
	if _, ok := NewWaves(slice.Pair{ID: "shop", Head: helm}); ok {
		t.Error("Helm applies objects that are no hooks in several steps")
	}
}

// TestStages: Flux applies what others are made of first, then classes, then all else, and deletes at the end; waves
// and hooks are nothing to it.
func TestStages(t *testing.T) {
	object := func(group, version, kind string) *render.Object {
		return &render.Object{ID: render.ObjectID{Group: group, Version: version, Kind: kind, Name: "a"},
			Content: map[string]any{"metadata": map[string]any{"annotations": map[string]any{
				"argocd.argoproj.io/sync-wave": "-7"}}}}
	}
	r := &render.Rendered{}
	r.Delivery = render.Delivery{Tool: render.Flux, Prunes: true}
	w, ok := NewWaves(slice.Pair{ID: "shop", Base: r, Head: r})
	if !ok || w.Waits() {
		t.Fatal("Flux applies everything at once, or waits until it is healthy")
	}
	order := [][]*render.Object{
		{object("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), object("", "v1", "Namespace"),
			object("rbac.authorization.k8s.io", "v1", "ClusterRole")},
		{object("scheduling.k8s.io", "v1", "PriorityClass"), object("networking.k8s.io", "v1", "IngressClass"),
			object("storage.k8s.io", "v1", "StorageClass")},
		{object("", "v1", "ResourceQuota"), object("apps", "v1", "Deployment"), object("example.com", "v1", "Namespace"),
			object("rbac.authorization.k8s.io", "v1", "Role"), object("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding")},
	}
	for stage, list := range order {
		for _, o := range list {
			if got := w.Of(nil, o); got != stage {
				t.Errorf("%s comes at stage %d, want %d", o.ID.Kind, got, stage)
			}
			if got := w.Of(o, nil); got != len(order) {
				t.Errorf("%s is deleted at %d, want %d", o.ID.Kind, got, len(order))
			}
		}
	}
}
