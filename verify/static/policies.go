package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/validation"
)

var denies = Analyzer{Name: "policies", Rule: rules.ApplyRejected, Run: denied,
	Doc: "an object that an admission policy in CEL refuses, or makes invalid"}

// denied says which objects of a release the admission policies of its cluster refuse, in whatever release these are.
// Policies that mutate come first: they may fail, or make an object invalid. What base's policies refuse of base's
// object is no news. An object that the change leaves alone is sent again by Flux, which asks the API server at each
// reconciliation; others send it when it changes. Pods of templates are the search's.
func denied(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if o.Hook || o.Undecodable() {
			continue
		}
		b := p.before().counterpart(o)
		d := p.refuses(state.Head, o, b)
		if d == nil || b != nil && p.refuses(state.Base, b, nil) != nil {
			continue
		}
		out = append(out, p.denial(o, b, d))
	}
	return out
}

// denial is why policies refuse an object.
type denial struct {
	text   string
	field  string            // of the policy
	paths  []string          // of the object
	policy [2]*object.Object // and its binding
	before []*object.Object  // policies that mutated base's object
}

// denial is a remark on one.
func (p *Pass) denial(o, b *object.Object, d *denial) Remark {
	r := Remark{Object: o, paths: d.paths, text: fmt.Sprintf("%s is refused: %s", o.ID, d.text)}
	if len(r.paths) == 0 {
		r.paths = []string{"spec"}
	}
	for i, by := range d.policy {
		if fields := [][]string{{d.field, "spec"}, {"spec"}}; by != nil {
			r.causes = append(r.causes, cause{by, fields[i]})
		}
	}
	same := b != nil && object.Same([]*object.Object{b}, []*object.Object{o})
	if same && p.Head.Delivery.Tool != object.Flux {
		r.next, r.Conditional = true, true
		r.text = strings.Replace(r.text, "is refused", "is refused when it is next changed", 1)
	}
	for _, by := range d.before {
		is := p.find(state.Head, by.ID.String())
		if r.causes = append(r.causes, cause{cmp.Or(is, by), []string{"spec"}}); is == nil {
			r.causes[len(r.causes)-1].paths = nil
		}
	}
	for _, by := range d.policy {
		if by != nil && p.where().tie(by, o) != slice.Sure {
			r.with = by.Release
		}
	}
	return r
}

// inForce are the policies of a version that act on the release.
func (p *Pass) inForce(v state.Version) *boundPolicies {
	all := p.policies(v)
	bound := all.bound[p.ID]
	if bound == nil {
		here := func(list []*object.Object) []*object.Object {
			return slices.DeleteFunc(slices.Clone(list), func(x *object.Object) bool {
				return x.Release != p.ID && p.ties != nil && p.ties.Tie(x.Release, p.ID) == slice.Apart
			})
		}
		bound = bind(here(all.policies), here(all.bindings))
		all.bound[p.ID] = bound
	}
	return bound
}

// asks is the request by which a version sends an object.
func (p *Pass) asks(v state.Version, o *object.Object, version schema.GroupVersion) celpolicy.Request {
	r := celpolicy.Request{Kind: version.WithKind(o.ID.Kind), Namespace: o.ID.Namespace, Name: o.ID.Name,
		Object: slice.Runtime(o)}
	find := func(id string) *object.Object { return p.find(v, id) }
	if ns := find(object.ID{Kind: "Namespace", Name: o.ID.Namespace}.String()); ns != nil {
		r.Home, _ = ns.Typed.(*corev1.Namespace)
	}
	r.Param = func(kind schema.GroupKind, namespace, name string) runtime.Object {
		return slice.Param(find, kind, namespace, name)
	}
	return r
}

// refuses is why a version refuses an object in the place of base's, nil for none; nil: it does not.
func (p *Pass) refuses(v state.Version, o, was *object.Object) *denial {
	bound := p.inForce(v)
	version, _ := o.Content["apiVersion"].(string)
	gv, err := schema.ParseGroupVersion(version)
	if err != nil || len(bound.list) == 0 && bound.mutators.None() {
		return nil
	}
	var before []*object.Object // that mutated base's object
	r := p.asks(v, o, gv)
	if was != nil {
		old := p.asks(state.Base, was, gv)
		_, before = p.inForce(state.Base).mutate(&old)
		r.Old = old.Object
	}
	d, _ := bound.mutate(&r)
	if d != nil {
		return d
	}
	answer, a := celpolicy.Ask(bound.list, r)
	if answer != celpolicy.Denies {
		return nil
	}
	return &denial{text: fmt.Sprintf("ValidatingAdmissionPolicy %s with binding %s denied request: %s", a.Policy.Name,
		a.Binding.Name, a.Message), field: a.Field, paths: a.Paths, before: before,
		policy: bound.named(slice.PolicyID("ValidatingAdmissionPolicy", a.Policy.Name),
			slice.PolicyID("ValidatingAdmissionPolicyBinding", a.Binding.Name))}
}

// mutate gives a request the object that policies make of its own, and these, or says why that cannot be.
func (b *boundPolicies) mutate(r *celpolicy.Request) (*denial, []*object.Object) {
	m := b.mutators.Mutate(*r)
	if x := m.Refused; x != nil {
		return &denial{text: x.Text, field: x.Field, policy: b.named(x.Object, x.With)}, nil
	}
	if len(m.By) == 0 || len(m.Open) > 0 {
		return nil, nil
	}
	var by []*object.Object
	for _, id := range m.By {
		pair := b.named(id, "")
		by = append(by, pair[0])
	}
	check := func(o runtime.Object) field.ErrorList {
		if r.Old != nil {
			return validation.Update(o, r.Old)
		}
		return validation.Create(o)
	}
	was := check(r.Object)
	for _, e := range check(m.Object) {
		if !slices.ContainsFunc(was, func(w *field.Error) bool { return w.Error() == e.Error() }) {
			return &denial{text: fmt.Sprintf("%s makes it invalid: %s", m.By[0], e), field: slice.PatchesOf(m.By[0]),
				policy: [2]*object.Object{by[0]}}, by
		}
	}
	r.Object = m.Object
	return nil, by
}

// named are two objects of some IDs among the policies and bindings.
func (b *boundPolicies) named(ids ...string) (by [2]*object.Object) {
	for _, x := range slices.Concat(b.policies, b.bindings) {
		if i := slices.Index(ids, x.ID.String()); i >= 0 {
			by[i] = x
		}
	}
	return by
}

// find is the object of an ID that the release sees.
func (p *Pass) find(v state.Version, id string) *object.Object {
	var open *object.Object
	for _, o := range p.where().byID(v)[id] {
		switch {
		case o.Release == p.ID:
			return o
		case p.ties == nil || p.ties.Tie(o.Release, p.ID) != slice.Apart:
			open = o
		}
	}
	return open
}

// knownPolicies are the policies and bindings of a version, and those that are in force for a release, by its ID.
type knownPolicies struct {
	policies, bindings []*object.Object
	bound              map[string]*boundPolicies
}

type boundPolicies struct {
	policies, bindings []*object.Object
	list               []*celpolicy.Policy
	mutators           *slice.Mutators
}

func bind(policies, bindings []*object.Object) *boundPolicies {
	out := &boundPolicies{policies: policies, bindings: bindings,
		list: celpolicy.Bind(typedOf[*admissionv1.ValidatingAdmissionPolicy](policies),
			typedOf[*admissionv1.ValidatingAdmissionPolicyBinding](bindings))}
	out.mutators = slice.NewMutators(slices.Concat(policies, bindings))
	return out
}

func (f *facts) policies(v state.Version) *knownPolicies {
	if f.admission[v] == nil {
		known := &knownPolicies{bound: map[string]*boundPolicies{}}
		for _, o := range f.where().objects[v] {
			switch o.ID.Kind {
			case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ClusterPolicy", "Policy", "PolicyException":
				known.policies = append(known.policies, o)
			case "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding":
				known.bindings = append(known.bindings, o)
			}
		}
		f.admission[v] = known
	}
	return f.admission[v]
}

func typedOf[T runtime.Object](list []*object.Object) []T {
	var out []T
	for _, o := range list {
		if t, ok := o.Typed.(T); ok {
			out = append(out, t)
		}
	}
	return out
}
