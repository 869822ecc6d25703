package static

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A chart with its own values alone is one that no release is known of. What the API server refuses there for want of a
// value that nobody gives is unknown: who installs the chart gives it.

// Undeclared is a field of which the value is unknown, as nothing gives the chart's value that it has.
type Undeclared struct {
	Object *object.Object
	Path   string
	Value  string // ".Values.port"
	New    bool   // base does not have the object
}

// UndeclaredValues are the fields of a release's head that it would be refused for without such values.
func UndeclaredValues(p slice.Pair) []Undeclared {
	var out []Undeclared
	if p.Head == nil || p.Head.Err != nil || p.Head.Declared || p.Head.By.File != "" {
		return nil
	}
	base := p.Objects(state.Base)
	for _, o := range p.Objects(state.Head) {
		a := Applied{Head: o}
		if i := slices.IndexFunc(base, func(b *object.Object) bool { return b.ID == o.ID && !b.Hook }); i >= 0 {
			a.Base = base[i]
		}
		if o.Typed == nil || o.Hook || a.Base == o {
			continue
		}
		if a.Base != nil && a.Base.Typed != nil {
			a.Before = created(a.Base)
		}
		for _, e := range created(o) {
			if value := a.undeclared(e); value != "" {
				out = append(out, Undeclared{o, sourceField(e.Field), value, a.Base == nil})
			}
		}
	}
	return out
}

// undeclared is the value that nothing gives and that head is refused for, where base is refused for it too, or does
// not have the object: a change that makes a chart want a value is one that its own values do not stand any more.
func (a *Applied) undeclared(e *field.Error) string {
	was := func(b *field.Error) bool { return b.Field == e.Field && b.Type == e.Type }
	if a.Base != nil && !slices.ContainsFunc(a.Before, was) {
		return ""
	}
	return a.Head.Undeclared(sourceField(e.Field))
}

// leaveUndeclared leaves the errors of such values to what is unknown.
func (a *Applied) leaveUndeclared() {
	refused := slices.DeleteFunc(slices.Clone(a.Refused), func(e *field.Error) bool { return a.undeclared(e) != "" })
	a.Before = slices.DeleteFunc(a.Before, func(e *field.Error) bool {
		path := sourceField(e.Field)
		return a.Base != nil && (a.Base.Undeclared(path) != "" || a.Head.Undeclared(path) != "")
	})
	a.Refused = refused
}
