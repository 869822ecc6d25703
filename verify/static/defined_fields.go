package static

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/definition"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var definedFields = Analyzer{Name: "custom-fields", Rule: rules.ApplyRejected, Run: refusedByDefinition,
	Doc: "a custom resource that its definition refuses: a field, a value, or a rule in CEL"}

// refusedByDefinition says which new and changed custom resources their definition refuses, if the repository has it.
// Where several are in the cluster or may be, all of them have to refuse one.
func refusedByDefinition(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if o.Typed != nil || o.Hook || o.ID.Group == "" {
			continue
		}
		b := p.before().counterpart(o)
		if b != nil && reflect.DeepEqual(b.Content, o.Content) {
			continue
		}
		found, def := p.refused(o, b, state.Head)
		if len(found) == 0 {
			if b != nil && def != nil && groupKind(b) == groupKind(o) {
				out = append(out, p.repaired(o, b)...)
			}
			continue
		}
		sure := p.ties == nil || def.Release == o.Release || p.ties.Tie(def.Release, o.Release) == slice.Sure
		// The values of a chart that nobody installs here are only a start.
		sure = sure && (p.Head.Kind != object.Helm || p.Head.Declared || p.Head.By.File != "")
		r := refusal(o, b, found, def, finding.New, sure)
		if onlyUnknown(found) && dropsUnknown(p.Head) {
			r.Conditional = true
			lost := r.paths
			if n := len(lost); n > 3 {
				lost = append(lost[:3:3], fmt.Sprintf("%d more", n-3))
			}
			r.text = fmt.Sprintf("the API server drops %s of %s, which %s does not have", english.WordSeries(lost, "and"),
				o.ID, def.ID.Name)
		}
		out = append(out, r)
	}
	return out
}

// dropsUnknown reports whether a release is applied without asking the API server to refuse unknown fields.
//
// Upstream: helm v3.21, pkg/kube: (*Client).Build validates by the OpenAPI schema; what it does not know is dropped.
func dropsUnknown(r *object.Rendered) bool {
	return r.Kind == object.Helm && !r.Delivery.ServerSide &&
		(r.Delivery.Tool == "" || r.Delivery.Tool == object.FluxHelmRelease)
}

func onlyUnknown(list field.ErrorList) bool {
	return !slices.ContainsFunc(list, func(e *field.Error) bool { return e.Detail != definition.UnknownField })
}

// repaired is the remark on a resource of base that its definition refused.
func (p *Pass) repaired(o, b *object.Object) []Remark {
	was, def := p.refused(b, nil, state.Base)
	if still, _ := p.refused(o, nil, state.Head); len(was) == 0 || len(still) > 0 {
		return nil
	}
	return []Remark{refusal(b, b, was, def, finding.Fixed, def.Release == o.Release)}
}

// refused are the errors of a resource, as the one of the definitions of its kind that may be in its cluster and has
// the fewest says, and that definition; none: one takes it, or there is none.
func (f *facts) refused(o, was *object.Object, v state.Version) (field.ErrorList, *object.Object) {
	version := writtenAs(o).Version
	old := map[string]any(nil)
	if was != nil && writtenAs(was) == writtenAs(o) {
		old = was.Content
	}
	var least field.ErrorList
	var by *object.Object
	for _, def := range f.definitions(v)[groupKind(o)] {
		if def.Release != o.Release && f.ties != nil && f.ties.Tie(def.Release, o.Release) == slice.Apart {
			continue
		}
		d := f.read(def, version)
		if d == nil {
			return nil, nil // it is not known what it takes
		}
		list := slices.DeleteFunc(d.Refused(o.Content, old), func(e *field.Error) bool {
			return o.IsVolatile(e.Field) || unknownAt(o, e.Field)
		})
		if by == nil || len(list) < len(least) {
			least, by = list, def
		}
	}
	return least, by
}

// read is a definition for a version, made ready once; nil: it says nothing of it.
func (f *facts) read(def *object.Object, version string) *definition.Definition {
	key := definedVersion{def, version}
	if f.readAs == nil {
		f.readAs = map[definedVersion]*definition.Definition{}
	}
	if _, known := f.readAs[key]; !known {
		d, err := definition.Read(def.Content, version)
		if err != nil {
			d = nil // the API server refuses the definition
		}
		f.readAs[key] = d
	}
	return f.readAs[key]
}

// definedVersion is a version of a CustomResourceDefinition.
type definedVersion struct {
	def     *object.Object
	version string
}

// refusal is the remark on a resource that a definition refuses.
func refusal(o, was *object.Object, list field.ErrorList, def *object.Object, status finding.Status, sure bool) Remark {
	slices.SortStableFunc(list, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	r := Remark{Object: o, status: status, causes: []cause{{def, []string{"spec.versions"}}}, Conditional: !sure}
	for _, e := range list {
		r.paths = append(r.paths, e.Field)
	}
	what := o.ID.String()
	if was != nil {
		what = "the change of " + what
	}
	r.text = fmt.Sprintf("the API server refuses %s: %s", what, says(list[0]))
	if n := len(list) - 1; n > 0 {
		r.text += ", and " + english.Plural(n, "more", "more")
	}
	r.text += fmt.Sprintf(" (as %s has it)", def.ID.Name)
	return r
}

// says words an error of a field, without the value.
func says(e *field.Error) string {
	detail := e.Detail
	if _, rest, ok := strings.Cut(detail, " in body "); ok {
		detail = rest
	}
	switch e.Type {
	case field.ErrorTypeRequired:
		detail = "required value"
	case field.ErrorTypeDuplicate:
		detail = "duplicate value"
	}
	return e.Field + ": " + detail
}

// definedKinds are the definitions of a side, by the kind that they define.
func definedKinds(objects []*object.Object) map[schema.GroupKind][]*object.Object {
	out := map[schema.GroupKind][]*object.Object{}
	for _, o := range objects {
		if o.ID.Kind != "CustomResourceDefinition" || o.ID.Group != "apiextensions.k8s.io" {
			continue
		}
		group, _ := slice.ValueAt(o.Content, "spec", "group").(string)
		kind, _ := slice.ValueAt(o.Content, "spec", "names", "kind").(string)
		k := schema.GroupKind{Group: group, Kind: kind}
		out[k] = append(out[k], o)
	}
	return out
}
