package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

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
	known, err := scheme.Scheme.New(gvk)
	if _, secret := now.Typed.(*corev1.Secret); secret { // stringData is written, and never there
		return now.Typed
	}
	if err != nil || now.Content["apiVersion"] != was.Content["apiVersion"] ||
		reflect.TypeOf(known) != reflect.TypeOf(now.Typed) || reflect.TypeOf(known) != reflect.TypeOf(was.Typed) {
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
	for i, v := range []any{was.Content, now, stored(was.Typed)} {
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
			live = stored(live)
		}
	}
	if meta, ok := live.(metav1.ObjectMetaAccessor); ok {
		meta.GetObjectMeta().SetManagedFields(nil)
	}
	return live, nil
}

// Twice are the elements of lists for which a server-side apply refuses an object, as it finds their keys twice.
//
// Upstream: structured-merge-diff v6, typed: (*validatingObjectWalker).visitListItems; managedfields: "failed to create
// typed patch object".
func Twice(content map[string]any) field.ErrorList {
	if !twiceIn(content) { // to know all schemas takes 50 ms
		return nil
	}
	obj, err := plain(content)
	if err != nil {
		return nil
	}
	_, err = applySchema().ObjectToTyped(obj)
	var wrong typed.ValidationErrors
	if !errors.As(err, &wrong) {
		return nil
	}
	var out field.ErrorList
	for _, e := range wrong {
		if strings.HasPrefix(e.ErrorMessage, "duplicate entries for key") {
			out = append(out, &field.Error{Type: field.ErrorTypeDuplicate, Field: indexed(e.Path, content),
				Detail: e.ErrorMessage})
		}
	}
	return sorted(out)
}

// mergeKeys are fields by which upstream's schemas tell elements of a list apart: of each list those without a default.
var mergeKeys = []string{"apiServerID", "containerPort", "device", "devicePath", "ip", "key", "mountPath", "name", "port",
	"resourceID", "topologyKey", "type", "uid"}

// twiceIn reports whether a list in a value may have an element twice.
func twiceIn(v any) bool {
	switch v := v.(type) {
	case []any:
		seen := map[any]bool{}
		again := func(key any) bool {
			was := seen[key]
			seen[key] = true
			return was
		}
		return slices.ContainsFunc(v, func(x any) bool {
			of, isMap := x.(map[string]any)
			if _, isList := x.([]any); !isMap && !isList {
				return again(x)
			}
			return twiceIn(x) || slices.ContainsFunc(mergeKeys, func(k string) bool {
				value, given := of[k]
				return given && again(k+"="+fmt.Sprint(value))
			})
		})
	case map[string]any:
		for _, x := range v {
			if twiceIn(x) {
				return true
			}
		}
	}
	return false
}

// byKey is an element of a list as upstream names it: [name="web"].
var byKey = regexp.MustCompile(`^\.?([A-Za-z0-9]+)(?:\[(\w+)="([^"]*)"[^]]*\])?`)

// indexed is a path of upstream with the numbers of elements in the place of their keys.
func indexed(path string, content map[string]any) string {
	var out []string
	var at any = content
	for m := byKey.FindStringSubmatch(path); m != nil; m = byKey.FindStringSubmatch(path) {
		path = path[len(m[0]):]
		of, _ := at.(map[string]any)
		at = of[m[1]]
		if m[2] == "" {
			out = append(out, m[1])
			continue
		}
		list, _ := at.([]any)
		i := slices.IndexFunc(list, func(x any) bool { return dig(asMap(x), m[2]) == m[3] })
		if i < 0 {
			return strings.Join(append(out, m[1]), ".")
		}
		at, out = list[i], append(out, fmt.Sprintf("%s[%d]", m[1], i))
	}
	return strings.Join(out, ".")
}

func asMap(v any) map[string]any { m, _ := v.(map[string]any); return m }

// plain is a manifest as a client sends it.
func plain(content map[string]any) (*unstructured.Unstructured, error) {
	b, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{}
	return out, out.UnmarshalJSON(b)
}
