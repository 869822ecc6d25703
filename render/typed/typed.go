package typed

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/rollouts"
)

// ReadAs maps versions that Kubernetes 1.36 no longer serves to the version whose
// fields they share, except for autoscaling/v2beta1, whose metrics are converted.
var ReadAs = map[schema.GroupVersionKind]schema.GroupVersion{
	{Group: "apps", Version: "v1beta1", Kind: "Deployment"}:                     {Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta2", Kind: "Deployment"}:                     {Group: "apps", Version: "v1"},
	{Group: "extensions", Version: "v1beta1", Kind: "Deployment"}:               {Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta1", Kind: "StatefulSet"}:                    {Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta2", Kind: "StatefulSet"}:                    {Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta2", Kind: "DaemonSet"}:                      {Group: "apps", Version: "v1"},
	{Group: "extensions", Version: "v1beta1", Kind: "DaemonSet"}:                {Group: "apps", Version: "v1"},
	{Group: "apps", Version: "v1beta2", Kind: "ReplicaSet"}:                     {Group: "apps", Version: "v1"},
	{Group: "extensions", Version: "v1beta1", Kind: "ReplicaSet"}:               {Group: "apps", Version: "v1"},
	{Group: "autoscaling", Version: "v2beta1", Kind: "HorizontalPodAutoscaler"}: {Group: "autoscaling", Version: "v2"},
	{Group: "autoscaling", Version: "v2beta2", Kind: "HorizontalPodAutoscaler"}: {Group: "autoscaling", Version: "v2"},
	{Group: "batch", Version: "v1beta1", Kind: "CronJob"}:                       {Group: "batch", Version: "v1"},
	{Group: "policy", Version: "v1beta1", Kind: "PodDisruptionBudget"}:          {Group: "policy", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1beta1",
		Kind: "PriorityClass"}: {Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1alpha1",
		Kind: "PriorityClass"}: {Group: "scheduling.k8s.io", Version: "v1"},
}

// Object is an object in upstream's type, and what decoding says about it.
type Object struct {
	Typed   runtime.Object   // defaulted; nil for a kind that is not known: client-go's, and Rollouts
	Notes   []object.Note    // versions that are not served
	Refused []object.Refusal // what decoding refuses, sorted
}

// decode decodes an object whose values are all of their fields' types. Errors: a *typeError.
func decode(content map[string]any) (Object, error) {
	var d Object
	gvk := document.GVK(content)
	gv, old := ReadAs[gvk]
	if old {
		d.Refused = unknownOnce(gvk, content)
		d.Notes = append(d.Notes, object.Say(object.ReadAs, gvk.GroupVersion().String()+" "+gvk.Kind,
			DefaultKubeVersion, gv))
		if gvk.Group == "autoscaling" && gvk.Version == "v2beta1" {
			content = hpaFromV2beta1(content)
		}
		gvk = gv.WithKind(gvk.Kind)
	}
	if gvk == rollouts.Kind {
		if r := rollouts.Decode(content); r != nil {
			defaults.Set(r)
			d.Typed = r
		}
		return d, nil
	}
	obj, err := scheme.Scheme.New(gvk)
	if err != nil || gvk.Group == "apiextensions.k8s.io" {
		return d, nil // an unknown kind stays opaque; definitions are large, and no model
	}
	if err := quantitiesOf(gvk, content); err != nil {
		return d, err
	}
	if gvk.Group == "" && gvk.Kind == "Secret" {
		content, d.Refused = readableSecret(content)
	}
	strict, err := decodeInto(content, gvk, obj)
	if err != nil {
		return d, locateTypeError(content, gvk, err)
	}
	if !old {
		d.Refused = append(d.Refused, unknownFields(obj, content, strict)...)
	}
	sort.Slice(d.Refused, func(i, j int) bool { return d.Refused[i].Path < d.Refused[j].Path })
	if v1, ok := obj.(*autoscalingv1.HorizontalPodAutoscaler); ok {
		if obj, err = defaults.HPAFromV1(v1); err != nil {
			return d, &typeError{text: err.Error()}
		}
	}
	defaults.Set(obj)
	d.Typed = obj
	return d, nil
}

// unknownOnce are the fields that a version had not either, of those that are not served any more.
func unknownOnce(gvk schema.GroupVersionKind, content map[string]any) []object.Refusal {
	obj, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil
	}
	strict, err := decodeInto(content, gvk, obj)
	if err != nil {
		return nil
	}
	return unknownFields(obj, content, strict)
}

// decodeInto decodes as the API server does: case-sensitive, with strict errors apart.
func decodeInto(content map[string]any, gvk schema.GroupVersionKind, obj runtime.Object) ([]error, error) {
	b, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	strict, err := kjson.UnmarshalStrict(b, obj)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return strict, nil
}

// locateTypeError finds the field of a type error: where the error does not name it,
// the smallest part of the object without which it decodes.
func locateTypeError(content map[string]any, gvk schema.GroupVersionKind, cause error) *typeError {
	text := strings.TrimPrefix(cause.Error(), "json: ")
	fails := func(c map[string]any) bool {
		obj, err := scheme.Scheme.New(gvk)
		if err != nil {
			return false
		}
		_, err = decodeInto(c, gvk, obj)
		return err != nil
	}
	p, alone := blameLeaf(content, fails)
	if obj, err := scheme.Scheme.New(gvk); err == nil { // of several errors, that of the field
		if _, err := decodeInto(alone, gvk, obj); err != nil {
			cause, text = err, strings.TrimPrefix(err.Error(), "json: ")
		}
	}
	value, _ := p.Get(alone)
	out := &typeError{at: p, value: value, text: text}
	var te *json.UnmarshalTypeError
	var when *time.ParseError
	switch {
	case errors.As(cause, &te):
		out.wants = te.Type
		out.text = fmt.Sprintf("%s where %s wants %s", shapeWords[strings.Fields(te.Value)[0]], gvk.Kind, wanted(te.Type))
		if _, scalar := asText(value); scalar && te.Type.Kind() == reflect.String {
			out.text += ": put it in quotes"
		}
	case strings.Contains(text, "quantit"):
		out.wants, out.text = reflect.TypeFor[resource.Quantity](), "not a quantity such as 500m or 1Gi"
		if s, _ := value.(string); misspeltUnit.MatchString(s) && out.meant() == nil {
			out.text += ": units are k, M, G, Ki, Mi, Gi"
		}
	case errors.As(cause, &when):
		out.text = "not a time such as 2006-01-02T15:04:05Z"
	case strings.Contains(text, "time: "):
		out.text = "not a duration such as 1m30s"
	}
	return out
}

// shapeWords are YAML's words for what encoding/json calls a value.
var shapeWords = map[string]string{"string": "a string", "number": "a number", "bool": "a boolean", "array": "a list",
	"object": "a mapping", "null": "null"}

// wanted names in YAML's words the values that decode into a Go type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return shapeWords["bool"]
	case reflect.String:
		return shapeWords["string"]
	case reflect.Slice, reflect.Array:
		return shapeWords["array"]
	case reflect.Map, reflect.Struct:
		return shapeWords["object"]
	case reflect.Float32, reflect.Float64:
		return shapeWords["number"]
	}
	return "an integer"
}

// blameLeaf descends to the smallest part of content whose removal makes it pass, the first one where
// several parts fail each by itself. alone is content without the other ones.
func blameLeaf(content map[string]any, fails func(map[string]any) bool) (at fieldpath.Path, alone map[string]any) {
	alone = content
	without := func(blank ...fieldpath.Path) map[string]any {
		c := fieldpath.DeepCopy(alone).(map[string]any)
		for _, p := range blank {
			p.Blank(c)
		}
		return c
	}
	for {
		v, _ := at.Get(alone)
		var parts []fieldpath.Path
		for _, step := range fieldpath.Steps(v) {
			parts = append(parts, at.With(step))
		}
		guilty := slices.IndexFunc(parts, func(p fieldpath.Path) bool { return !fails(without(p)) })
		if guilty < 0 && !fails(without(parts...)) { // several, and not their parent
			guilty = slices.IndexFunc(parts, func(p fieldpath.Path) bool {
				return fails(without(others(parts, p)...))
			})
			if guilty >= 0 {
				alone = without(others(parts, parts[guilty])...)
			}
		}
		if guilty < 0 {
			return at, alone
		}
		at = parts[guilty]
	}
}

func others(paths []fieldpath.Path, but fieldpath.Path) []fieldpath.Path {
	return slices.DeleteFunc(slices.Clone(paths), func(p fieldpath.Path) bool { return p.String() == but.String() })
}

// Known reports whether client-go knows an object's kind.
func Known(content map[string]any) bool {
	return scheme.Scheme.Recognizes(document.GVK(content))
}

// DefaultKubeVersion is the Kubernetes version that is rendered for where none is
// declared.
const DefaultKubeVersion = "1.36"
