package static

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var denies = Analyzer{Name: "policies", Rule: rules.ApplyRejected, Run: denied,
	Doc: "an object that an admission policy in CEL refuses"}

// denied says which objects of a release the ValidatingAdmissionPolicies of its cluster refuse, in whatever release
// these are. What base's policies refuse of base's object is no news. An object that the change leaves alone is sent
// again by Flux, which asks the API server at each reconciliation; others send it when it changes. Pods of templates
// are the search's.
func denied(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if o.Hook || o.Undecodable() {
			continue
		}
		b := p.before().counterpart(o)
		d, x := p.refuses(state.Head, o, b)
		if d.Policy == nil {
			continue
		}
		if b != nil {
			if was, _ := p.refuses(state.Base, b, nil); was.Policy != nil {
				continue
			}
		}
		out = append(out, p.denial(o, b, d, x))
	}
	return out
}

// denial is a remark on one.
func (p *Pass) denial(o, b *object.Object, d celpolicy.Denial, x [2]*object.Object) Remark {
	r := Remark{Object: o, paths: d.Paths,
		text: fmt.Sprintf("%s is refused: ValidatingAdmissionPolicy %s with binding %s denied request: %s", o.ID,
			d.Policy.Name, d.Binding.Name, d.Message)}
	if len(r.paths) == 0 {
		r.paths = []string{"spec"}
	}
	r.causes = []cause{{x[0], []string{d.Field, "spec"}}, {x[1], []string{"spec"}}}
	same := b != nil && object.Same([]*object.Object{b}, []*object.Object{o})
	if same && p.Head.Delivery.Tool != object.Flux {
		r.next, r.Conditional = true, true
		r.text = strings.Replace(r.text, "is refused", "is refused when it is next changed", 1)
	}
	for _, by := range x {
		if p.where().tie(by, o) != slice.Sure {
			r.with = by.Release
		}
	}
	return r
}

// refuses is why a version refuses an object in the place of another, nil for none, with the policy and the binding.
func (p *Pass) refuses(v state.Version, o, was *object.Object) (celpolicy.Denial, [2]*object.Object) {
	var none [2]*object.Object
	all := p.policies(v)
	if len(all.policies) == 0 || len(all.bindings) == 0 {
		return celpolicy.Denial{}, none
	}
	release := p.ID
	bound := all.bound[release]
	if bound == nil {
		here := func(list []*object.Object) []*object.Object {
			return slices.DeleteFunc(slices.Clone(list), func(x *object.Object) bool {
				return x.Release != release && p.ties != nil && p.ties.Tie(x.Release, release) == slice.Apart
			})
		}
		bound = &boundPolicies{policies: here(all.policies), bindings: here(all.bindings)}
		bound.list = celpolicy.Bind(typedOf[*admissionv1.ValidatingAdmissionPolicy](bound.policies),
			typedOf[*admissionv1.ValidatingAdmissionPolicyBinding](bound.bindings))
		all.bound[release] = bound
	}
	if len(bound.list) == 0 {
		return celpolicy.Denial{}, none
	}
	version, _ := o.Content["apiVersion"].(string)
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		return celpolicy.Denial{}, none
	}
	r := celpolicy.Request{Kind: gv.WithKind(o.ID.Kind), Namespace: o.ID.Namespace, Name: o.ID.Name,
		Object: slice.Runtime(o)}
	if was != nil {
		r.Old = slice.Runtime(was)
	}
	find := func(id string) *object.Object { return p.find(v, id) }
	if ns := find(object.ID{Kind: "Namespace", Name: o.ID.Namespace}.String()); ns != nil {
		r.Home, _ = ns.Typed.(*corev1.Namespace)
	}
	r.Param = func(kind schema.GroupKind, namespace, name string) runtime.Object {
		return slice.Param(find, kind, namespace, name)
	}
	answer, d := celpolicy.Ask(bound.list, r)
	if answer != celpolicy.Denies {
		return celpolicy.Denial{}, none
	}
	by := [2]*object.Object{}
	for _, x := range bound.policies {
		if x.Typed == runtime.Object(d.Policy.ValidatingAdmissionPolicy) {
			by[0] = x
		}
	}
	for _, x := range bound.bindings {
		if x.Typed == runtime.Object(d.Binding) {
			by[1] = x
		}
	}
	return d, by
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
}

func (f *facts) policies(v state.Version) *knownPolicies {
	if f.admission[v] == nil {
		known := &knownPolicies{bound: map[string]*boundPolicies{}}
		for _, o := range f.where().objects[v] {
			switch o.Typed.(type) {
			case *admissionv1.ValidatingAdmissionPolicy:
				known.policies = append(known.policies, o)
			case *admissionv1.ValidatingAdmissionPolicyBinding:
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
		out = append(out, o.Typed.(T))
	}
	return out
}
