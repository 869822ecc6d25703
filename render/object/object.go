package object

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/redact"
)

// ID identifies an object within its release.
type ID struct {
	Group, Version, Kind, Namespace, Name string
}

// String is the ID as it stands in results: "apps/Deployment default/web",
// "Service default/web" (core group), without the version.
func (id ID) String() string {
	s := id.Kind + " "
	if id.Group != "" {
		s = id.Group + "/" + s
	}
	if id.Namespace != "" {
		s += id.Namespace + "/"
	}
	return s + id.Name
}

// Compare orders IDs as the objects of a release are: by group, kind, namespace and name.
func (id ID) Compare(o ID) int {
	return cmp.Or(cmp.Compare(id.Group, o.Group), cmp.Compare(id.Kind, o.Kind), cmp.Compare(id.Namespace, o.Namespace),
		cmp.Compare(id.Name, o.Name), cmp.Compare(id.Version, o.Version))
}

// Object is one rendered object.
type Object struct {
	ID      ID
	Release string
	// Content is the object as rendered. It may hold secrets: never print it, see render/mask.
	Content map[string]any
	// Typed is Content decoded into upstream's type and defaulted as the API server
	// does; nil for kinds without a model.
	Typed runtime.Object
	// Refused are the fields that strict decoding refuses, as the API server does for kubectl, Helm, Argo CD and Flux
	// unless their validation is switched off: misspelt and misplaced ones.
	Refused []Refusal
	// Hook says that it is a Helm hook or test: listed, not verified.
	Hook bool
	// Maker is the custom resource of which an operator makes the object; nil: it was rendered.
	Maker *Object
	// Presumed is the operator that is assumed to make the object because operators of its kind do, although none is
	// declared to; "" for all others.
	Presumed string
	// Twin is another object of the release with the same identity, which comes before this one and which this one stands
	// for; nil: there is none.
	Twin *Object
	// Source is where the object begins.
	Source Location
	// Unknown are the paths of fields whose values something fills in before the object is applied. In Content each is
	// a placeholder; in Typed it is the placeholder, or nothing.
	Unknown []string
	// Volatile are the paths of fields that every render gives another value, such as those from a random function or the
	// time of day. They are masked in Content and Typed.
	Volatile []string
	Known    *redact.Known // texts that Secrets hold, never to be printed
	Origin   Origin        // nil: it was not rendered
}

// Origin is how an object came to be, as the room that rendered it keeps it.
type Origin interface {
	// Locate gives the file and line that set a field.
	Locate(path string) Location
	// Undeclared is the value of a chart that the line of a field writes and that nothing gives; "": there is none.
	Undeclared(path string) string
}

// Refusal is a field that the API server does not decode, with the reason, which holds no value.
type Refusal struct {
	Path, Text string
	// Undecodable says that the value is not of the field's type, so that no setting of a tool lets the object pass.
	// Typed has another value there, or none.
	Undecodable bool
	// Surplus says that the type has no such field, so that the value may be anything: a misspelt password, say.
	Surplus bool
	// Twice says that the key stands twice, and that this is the value that does not count.
	Twice bool
	// Unknown says that it is a placeholder, of which the API server sees the value that is filled in.
	Unknown bool
	// Meant is the value that was evidently meant; nil: it is not known.
	Meant any
}

// Undecodable reports whether a field has a value that is not of its type: the object cannot be as it is written.
func (o *Object) Undecodable() bool {
	return slices.ContainsFunc(o.Refused, func(r Refusal) bool { return r.Undecodable && !r.Unknown })
}

// MistypedAt reports whether a field lies at or in one that has a value of another type.
func (o *Object) MistypedAt(path string) bool {
	return slices.ContainsFunc(o.Refused, func(r Refusal) bool {
		rest, ok := strings.CutPrefix(path, r.Path)
		return r.Undecodable && ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Locate gives the file and line
// ("spec.template.spec.containers[0].resources.requests[cpu]" or with dots), or the
// nearest enclosing one that is known; at worst the object's own.
func (o *Object) Locate(path string) Location {
	if o.Origin == nil {
		return o.Source
	}
	return o.Origin.Locate(path)
}

// Undeclared is the value of a chart that a field has, or would have, and that nothing gives; "": there is none.
func (o *Object) Undeclared(path string) string {
	if o.Origin == nil {
		return ""
	}
	return o.Origin.Undeclared(path)
}

// At is the value of a field; false where the object does not have it.
func (o *Object) At(path string) (any, bool) { return fieldpath.Parse(path).Get(o.Content) }

// IsVolatile reports whether a field lies at or in a volatile one.
func (o *Object) IsVolatile(path string) bool {
	return slices.ContainsFunc(o.Volatile, func(v string) bool {
		return path == v || strings.HasPrefix(path, v+".") || strings.HasPrefix(path, v+"[")
	})
}

// Beside enters an object into those of a release, in their order.
func Beside(objects []*Object, o *Object) []*Object {
	i := slices.IndexFunc(objects, func(x *Object) bool { return o.ID.Compare(x.ID) < 0 })
	if i < 0 {
		i = len(objects)
	}
	return slices.Insert(slices.Clone(objects), i, o)
}

// Same reports whether two renders of a release give the same objects, except for values that
// every render has again.
func Same(a, b []*Object) bool {
	return slices.EqualFunc(a, b, func(x, y *Object) bool {
		if x.ID != y.ID || x.Hook != y.Hook {
			return false
		}
		if len(x.Volatile)+len(y.Volatile) == 0 {
			return sameValue(x.Content, y.Content)
		}
		one, _ := fieldpath.DeepCopy(x.Content).(map[string]any)
		two, _ := fieldpath.DeepCopy(y.Content).(map[string]any)
		for _, path := range slices.Concat(x.Volatile, y.Volatile) {
			fieldpath.Parse(path).Blank(one)
			fieldpath.Parse(path).Blank(two)
		}
		return sameValue(one, two)
	})
}

func sameValue(a, b any) bool { return reflect.DeepEqual(plainValue(a), plainValue(b)) }

// plainValue is a value of JSON with one type for all numbers.
func plainValue(v any) any {
	switch x := v.(type) {
	case int:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			out[k] = plainValue(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = plainValue(e)
		}
		return out
	}
	return v
}
