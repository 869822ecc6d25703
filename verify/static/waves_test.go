package static

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// TestWaves: objects come with their wave; those that leave go in the reversed order of theirs, or after everything else.
func TestWaves(t *testing.T) {
	made := func(name string, annotations map[string]any) *object.Object {
		return &object.Object{
			ID:      object.ID{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "default", Name: name},
			Content: map[string]any{"metadata": map[string]any{"annotations": annotations}},
		}
	}
	wave := func(name, n string) *object.Object {
		return made(name, map[string]any{"argocd.argoproj.io/sync-wave": n})
	}
	old := []*object.Object{wave("low", "-1"), wave("mid", "2"), wave("high", "5"), wave("stays", "1"),
		made("last", map[string]any{"argocd.argoproj.io/sync-options": "PruneLast=true"})}
	now := []*object.Object{wave("stays", "1"), wave("new", "3"), made("plain", nil),
		made("migrate", map[string]any{"argocd.argoproj.io/hook": "PreSync", "argocd.argoproj.io/sync-wave": "9"})}
	release := func(objects []*object.Object, last bool) *object.Rendered {
		r := &object.Rendered{Objects: objects}
		r.Delivery = object.Delivery{Tool: object.ArgoCD, Prunes: true, Last: last}
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
			var head *object.Object
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
	helm.Delivery.Tool = object.FluxHelmRelease
	if _, ok := NewWaves(slice.Pair{ID: "shop", Head: helm}); ok {
		t.Error("Helm applies objects that are no hooks in several steps")
	}
}

// TestStages: Flux applies what others are made of first, then classes, then all else, and deletes at the end; waves
// and hooks are nothing to it.
func TestStages(t *testing.T) {
	made := func(group, version, kind string) *object.Object {
		return &object.Object{ID: object.ID{Group: group, Version: version, Kind: kind, Name: "a"},
			Content: map[string]any{"metadata": map[string]any{"annotations": map[string]any{
				"argocd.argoproj.io/sync-wave": "-7"}}}}
	}
	r := &object.Rendered{}
	r.Delivery = object.Delivery{Tool: object.Flux, Prunes: true}
	w, ok := NewWaves(slice.Pair{ID: "shop", Base: r, Head: r})
	if !ok || w.Waits() {
		t.Fatal("Flux applies everything at once, or waits until it is healthy")
	}
	order := [][]*object.Object{
		{made("apiextensions.k8s.io", "v1", "CustomResourceDefinition"), made("", "v1", "Namespace"),
			made("rbac.authorization.k8s.io", "v1", "ClusterRole")},
		{made("scheduling.k8s.io", "v1", "PriorityClass"), made("networking.k8s.io", "v1", "IngressClass"),
			made("storage.k8s.io", "v1", "StorageClass")},
		{made("", "v1", "ResourceQuota"), made("apps", "v1", "Deployment"), made("example.com", "v1", "Namespace"),
			made("rbac.authorization.k8s.io", "v1", "Role"), made("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding")},
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
