package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"
)

// appliedAnnotation holds what kubectl applied last.
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

// applier applies manifests as kubectl does, on the client's side or on the server's.
type applier struct {
	dyn        dynamic.Interface
	mapper     meta.RESTMapper
	serverSide bool
}

func newApplier(dyn dynamic.Interface, d discovery.DiscoveryInterface, serverSide bool) *applier {
	return &applier{dyn: dyn, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d)), serverSide: serverSide}
}

// apply applies one object; namespaces are made as they are needed.
func (a *applier) apply(ctx context.Context, o map[string]any) error {
	u := &unstructured.Unstructured{Object: o}
	gvk := u.GroupVersionKind()
	m, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", gvk.Kind, u.GetName(), err)
	}
	var r dynamic.ResourceInterface = a.dyn.Resource(m.Resource)
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		if u.GetNamespace() == "" {
			u.SetNamespace(metav1.NamespaceDefault)
		}
		if err := a.namespace(ctx, u.GetNamespace()); err != nil {
			return err
		}
		r = a.dyn.Resource(m.Resource).Namespace(u.GetNamespace())
	}
	if a.serverSide {
		_, err = r.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: "replay", Force: true})
	} else {
		err = threeWay(ctx, r, u)
	}
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", gvk.Kind, u.GetName(), err)
	}
	return nil
}

func (a *applier) namespace(ctx context.Context, name string) error {
	ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
	_, err := a.dyn.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, ns, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s: %w", name, err)
	}
	return nil
}

// threeWay is `kubectl apply`: the patch from the last applied manifest and the live
// object to the new manifest.
func threeWay(ctx context.Context, r dynamic.ResourceInterface, u *unstructured.Unstructured) error {
	bare, err := json.Marshal(u.Object)
	if err != nil {
		return err
	}
	u = u.DeepCopy()
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[appliedAnnotation] = string(bare)
	u.SetAnnotations(annotations)
	live, err := r.Get(ctx, u.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = r.Create(ctx, u, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	var original map[string]any
	if err := json.Unmarshal([]byte(live.GetAnnotations()[appliedAnnotation]), &original); err != nil {
		return err
	}
	kind, patch, err := threeWayPatch(u.GroupVersionKind(), original, u.Object, live.Object)
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(patch)) == "{}" {
		return nil
	}
	_, err = r.Patch(ctx, u.GetName(), kind, patch, metav1.PatchOptions{FieldManager: "kubectl-client-side-apply"})
	return err
}

// threeWayPatch is the patch that a client makes of what it applied last, what it applies, and what is there.
func threeWayPatch(gvk schema.GroupVersionKind, was, now, live map[string]any) (types.PatchType, []byte, error) {
	var docs [3][]byte
	for i, v := range []map[string]any{was, now, live} {
		var err error
		if docs[i], err = json.Marshal(v); err != nil {
			return "", nil, err
		}
	}
	typed, err := scheme.Scheme.New(gvk)
	if err != nil {
		patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(docs[0], docs[1], docs[2])
		return types.MergePatchType, patch, err
	}
	lookup, err := strategicpatch.NewPatchMetaFromStruct(typed)
	if err != nil {
		return "", nil, err
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(docs[0], docs[1], docs[2], lookup, true)
	return types.StrategicMergePatchType, patch, err
}

// prune deletes an object that the new manifests do not have.
func (a *applier) prune(ctx context.Context, o map[string]any) error {
	u := &unstructured.Unstructured{Object: o}
	gvk := u.GroupVersionKind()
	m, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	var r dynamic.ResourceInterface = a.dyn.Resource(m.Resource)
	if m.Scope.Name() == meta.RESTScopeNameNamespace {
		r = a.dyn.Resource(m.Resource).Namespace(u.GetNamespace())
	}
	if err := r.Delete(ctx, u.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s %s: %w", gvk.Kind, u.GetName(), err)
	}
	return nil
}
