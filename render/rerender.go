package render

import (
	"encoding/base64"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/typed"
)

// Compare lists in which fields two versions of an object differ, with those that are
// noise apart.
func Compare(base, head *Object) Change {
	c, _ := compare(Modified, base, head)
	return c
}

// Volatile lists the fields that every render gives another value, such as those from a
// random function or the time of day. They are masked in Content and Typed.
func (o *Object) Volatile() []string {
	var out []string
	for _, v := range o.volatile {
		out = append(out, v.Path)
	}
	return out
}

// IsVolatile reports whether a field lies at or in a volatile one.
func (o *Object) IsVolatile(path string) bool { return o.isVolatile(path) }

// Rerendered is the object as another render of the same input would have it: every
// volatile field has another value than in Typed. It is nil where all renders are alike, where they
// are of objects of different names, and for kinds without a model.
func (o *Object) Rerendered() runtime.Object {
	if len(o.volatile) == 0 || o.Typed == nil {
		return nil
	}
	content := fieldpath.DeepCopy(o.Content).(map[string]any)
	for _, v := range o.volatile {
		p := fieldpath.Parse(v.Path)
		if len(p) == 0 || v.Path == "metadata" || v.Path == "metadata.name" || v.Path == "metadata.namespace" {
			return nil
		}
		if was, ok := p.Get(content); ok {
			p.Set(content, otherValue(was, document.IsBytes(content, p)))
		}
	}
	read, err := typed.Decode(content)
	if err != nil {
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
