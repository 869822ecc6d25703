package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// readAs maps versions that Kubernetes 1.36 no longer serves to the version whose
// fields they share, but for autoscaling/v2beta1, whose metrics are converted.
var readAs = map[schema.GroupVersionKind]schema.GroupVersion{
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
	{Group: "scheduling.k8s.io", Version: "v1beta1", Kind: "PriorityClass"}:     {Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1alpha1", Kind: "PriorityClass"}:    {Group: "scheduling.k8s.io", Version: "v1"},
}

// gvkOf reads apiVersion and kind.
func gvkOf(content map[string]any) schema.GroupVersionKind {
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{Version: apiVersion, Kind: kind}
	}
	return gv.WithKind(kind)
}

// typeError is a value that the API server would refuse.
type typeError struct {
	path string // "" where unknown
	text string
}

func (e *typeError) Error() string { return e.text }

// decoded is an object in upstream's type, and what decoding says about it.
type decoded struct {
	typed   runtime.Object // defaulted; nil for a kind that client-go does not know
	notes   []string       // versions that are not served
	refused []Refusal      // what strict decoding refuses, sorted
}

// decodeTyped decodes an object into upstream's type and defaults it. Errors: a *typeError.
func decodeTyped(content map[string]any) (decoded, error) {
	var d decoded
	gvk := gvkOf(content)
	gv, old := readAs[gvk]
	if old {
		d.notes = append(d.notes, fmt.Sprintf("%s %s is not served by Kubernetes %s; read as %s",
			gvk.GroupVersion(), gvk.Kind, DefaultKubeVersion, gv))
		if gvk.Group == "autoscaling" && gvk.Version == "v2beta1" {
			content = hpaFromV2beta1(content)
		}
		gvk = gv.WithKind(gvk.Kind)
	}
	obj, err := scheme.Scheme.New(gvk)
	if err != nil || gvk.Group == "apiextensions.k8s.io" {
		return d, nil // an unknown kind stays opaque; definitions are large, and no model
	}
	if err := quantitiesOf(gvk, content); err != nil {
		return d, err
	}
	if gvk.Group == "" && gvk.Kind == "Secret" {
		content, d.refused = readableSecret(content)
	}
	strict, err := decodeInto(content, gvk, obj)
	if err != nil {
		return d, locateTypeError(content, gvk, err)
	}
	if !old { // else the fields of the old version are not known
		d.refused = append(d.refused, unknownFields(obj, content, strict)...)
	}
	sort.Slice(d.refused, func(i, j int) bool { return d.refused[i].Path < d.refused[j].Path })
	if v1, ok := obj.(*autoscalingv1.HorizontalPodAutoscaler); ok {
		obj = defaults.HPAFromV1(v1)
	}
	defaults.Set(obj)
	d.typed = obj
	return d, nil
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
	p := blameLeaf(content, fails)
	var te *json.UnmarshalTypeError
	if errors.As(cause, &te) {
		text = fmt.Sprintf("a %s where %s wants a %s", te.Value, gvk.Kind, te.Type)
	} else if strings.Contains(text, "quantities must match") {
		text = "not a quantity such as 500m or 1Gi"
	}
	return &typeError{path: p.String(), text: text}
}

// blameLeaf descends to the smallest part of content whose removal makes it pass.
func blameLeaf(content map[string]any, fails func(map[string]any) bool) fieldPath {
	var at fieldPath
	for {
		v, _ := at.get(content)
		found := false
		for _, step := range stepsOf(v) {
			next := append(append(fieldPath(nil), at...), step)
			c := deepCopy(content).(map[string]any)
			next.blank(c)
			if !fails(c) {
				at, found = next, true
				break
			}
		}
		if !found {
			return at
		}
	}
}

// knownKind reports whether client-go knows an object's kind.
func knownKind(content map[string]any) bool {
	return scheme.Scheme.Recognizes(gvkOf(content))
}
