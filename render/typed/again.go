package typed

import (
	"encoding/base64"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// With gives the object with fields set otherwise, decoded again, at the same place; its ID follows the namespace.
// Errors: a path that leads nowhere; what the API server's types do not take.
func With(o *object.Object, settings []object.Setting) (*object.Object, error) {
	out := *o
	out.Content, _ = fieldpath.DeepCopy(o.Content).(map[string]any)
	for _, s := range o.Atoms(settings) {
		if !s.Path.Put(out.Content, s.Value) {
			return nil, fmt.Errorf("%s: there is no %s", o.ID, s.Path)
		}
	}
	read, err := Decode(out.Content)
	if err == nil {
		err = read.cannotBe(o.Refused)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.ID, err)
	}
	out.Typed, out.Refused = read.Typed, read.Refused
	was, _ := o.Content["metadata"].(map[string]any)
	is, _ := out.Content["metadata"].(map[string]any)
	if ns, set := is["namespace"].(string); set && ns != was["namespace"] {
		out.ID.Namespace = ns
	}
	return &out, nil
}

// Companion is another object of the same release, which stands where this one does.
// Errors: what the API server's types do not take.
func Companion(o *object.Object, content map[string]any) (*object.Object, error) {
	gvk := document.GVK(content)
	meta, _ := content["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	read, err := Decode(content)
	if err == nil {
		err = read.cannotBe(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", gvk.Kind, name, err)
	}
	id := object.ID{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: o.ID.Namespace, Name: name}
	return &object.Object{ID: id, Release: o.Release, Content: content, Typed: read.Typed, Refused: read.Refused,
		Source: o.Source, Known: o.Known}, nil
}

// Rerendered is the object as another render of the same input would have it: every
// volatile field has another value than in Typed. It is nil where all renders are alike, where they
// are of objects of different names, and for kinds without a model.
func Rerendered(o *object.Object) runtime.Object {
	if len(o.Volatile) == 0 || o.Typed == nil {
		return nil
	}
	content := fieldpath.DeepCopy(o.Content).(map[string]any)
	for _, path := range o.Volatile {
		p := fieldpath.Parse(path)
		if len(p) == 0 || path == "metadata" || path == "metadata.name" || path == "metadata.namespace" {
			return nil
		}
		if was, ok := p.Get(content); ok {
			p.Set(content, otherValue(was, document.IsBytes(content, p)))
		}
	}
	read, err := Decode(content)
	if err != nil || read.cannotBe(o.Refused) != nil {
		return nil
	}
	return read.Typed
}

// otherValue is a value of the same form as v that differs from it.
func otherValue(v any, data bool) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			x[k] = otherValue(e, data)
		}
	case []any:
		for i, e := range x {
			x[i] = otherValue(e, data)
		}
	case string:
		if data {
			return base64.StdEncoding.EncodeToString([]byte(x))
		}
		return x + "2"
	case bool:
		return !x
	case int64:
		return x + 1
	case float64:
		return x + 1
	}
	return v
}
