package validation

import (
	"encoding/json"
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// A Manifest is an object as it is written, and as the API server decodes and defaults it.
type Manifest struct {
	Content map[string]any
	Typed   runtime.Object
}

// Merged is the result of applying now over the object that an apply of was left: fields that are not written keep the
// defaults that they got. It is now.Typed where the two are not merged: other versions, a kind without a schema, fields
// that are not declared.
//
// Upstream: client-side (kubectl, Helm 3, Argo CD) apimachinery v0.36.3, pkg/util/strategicpatch:
// CreateThreeWayMergePatch; server-side (Flux, Argo CD's ServerSideApply) managedfields: (*FieldManager).Apply.
func Merged(now, was Manifest, serverSide bool) runtime.Object {
	gvk := schema.FromAPIVersionAndKind(text(now.Content["apiVersion"]), text(now.Content["kind"]))
	typed, err := scheme.Scheme.New(gvk)
	if _, secret := now.Typed.(*corev1.Secret); secret { // stringData is written, and never there
		return now.Typed
	}
	if err != nil || now.Content["apiVersion"] != was.Content["apiVersion"] ||
		reflect.TypeOf(typed) != reflect.TypeOf(now.Typed) || reflect.TypeOf(typed) != reflect.TypeOf(was.Typed) {
		return now.Typed
	}
	merge := patched
	if serverSide {
		merge = ownedByFields
	}
	out, err := merge(gvk, now.Content, was)
	if err != nil {
		return now.Typed
	}
	defaults.Set(out)
	return out
}

func text(v any) string { s, _ := v.(string); return s }

// patched is the three-way strategic merge of a client.
func patched(gvk schema.GroupVersionKind, now map[string]any, was Manifest) (runtime.Object, error) {
	out, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	kind, err := strategicpatch.NewPatchMetaFromStruct(out)
	if err != nil {
		return nil, err
	}
	var docs [3][]byte
	for i, v := range []any{was.Content, now, was.Typed} {
		if docs[i], err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	patch, err := strategicpatch.CreateThreeWayMergePatch(docs[0], docs[1], docs[2], kind, true)
	if err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergePatchUsingLookupPatchMeta(docs[2], patch, kind)
	if err != nil {
		return nil, err
	}
	return out, json.Unmarshal(merged, out)
}

// applySchema knows of each field how it is merged.
var applySchema = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
})

// ownedByFields is the merge of a server: fields that the applier owns and drops go, fields without an owner stay.
func ownedByFields(gvk schema.GroupVersionKind, now map[string]any, was Manifest) (runtime.Object, error) {
	convert := runtime.UnsafeObjectConvertor(scheme.Scheme)
	fields, err := managedfields.NewDefaultFieldManager(applySchema(), convert, scheme.Scheme, scheme.Scheme, gvk,
		gvk.GroupVersion(), "", nil)
	if err != nil {
		return nil, err
	}
	live, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	for i, content := range []map[string]any{was.Content, now} {
		applied, err := plain(content)
		if err != nil {
			return nil, err
		}
		if live, err = fields.Apply(live, applied, "applier", true); err != nil {
			return nil, err
		}
		if i == 0 {
			defaults.Set(live)
		}
	}
	if meta, ok := live.(metav1.ObjectMetaAccessor); ok {
		meta.GetObjectMeta().SetManagedFields(nil)
	}
	return live, nil
}

// plain is a manifest as a client sends it.
func plain(content map[string]any) (*unstructured.Unstructured, error) {
	b, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(b)
}
