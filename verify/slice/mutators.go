package slice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
	"github.com/kubesettle/kubesettle/verify/kyverno"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Mutators are policies that mutate what is sent to the API server.
type Mutators struct {
	policies map[string]*object.Object // by ID, with their bindings
	read     []*celpolicy.Mutator
	kyverno  []*kyverno.Policy
}

// None reports whether no policy is in force.
func (m *Mutators) None() bool { return len(m.read)+len(m.kyverno) == 0 }

// NewMutators are those among objects, in the order of the list.
func NewMutators(objects []*object.Object) *Mutators {
	out := &Mutators{}
	for _, o := range objects {
		out.enter(o)
	}
	out.bind()
	return out
}

// Mutated is what policies make of an object.
type Mutated struct {
	Object  runtime.Object
	Refused *state.Refusal
	By      []string // IDs of the policies and bindings that changed it, or made it fail
	Open    []open
}

// open is a policy that matches an object, or may, and cannot be run.
type open struct{ id, why string }

// Mutate is what the policies make of an object on its way to the API server.
func (m *Mutators) Mutate(r celpolicy.Request) Mutated {
	return m.settled(r, func(runtime.Object) *state.Refusal { return nil })
}

// run has the policies mutate an object, in the order of the API server. After a patch, the plugins that come before
// them run again.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/options: AllOrderedPlugins; apiserver, pkg/admission:
// (*reinvoker).Admit.
func (m *Mutators) run(r celpolicy.Request, again func(runtime.Object) *state.Refusal) Mutated {
	x := celpolicy.Mutate(m.read, r)
	out := Mutated{Object: x.Object}
	var k kyverno.Mutation
	if x.Failed == nil {
		k = kyverno.Mutate(m.kyverno, webhookRequest(r, out.Object))
		out.Object = k.Object
	}
	if (x.Changed() || len(k.By) > 0) && x.Failed == nil {
		if out.Refused = again(out.Object); out.Refused == nil {
			r.Object = out.Object
			x.Again(m.read, r)
			if out.Object = x.Object; x.Failed == nil && !equality.Semantic.DeepEqual(out.Object, k.Object) {
				out.Object = kyverno.Mutate(m.kyverno, webhookRequest(r, out.Object)).Object
			}
		}
	}
	out.By = append(out.By, k.By...)
	for _, y := range k.Open {
		out.Open = append(out.Open, open{y[0], y[1]})
	}
	const kind = "MutatingAdmissionPolicy"
	for _, y := range x.By {
		out.By = append(out.By, PolicyID(kind, y[0]), PolicyID(kind+"Binding", y[1]))
	}
	for _, y := range x.Open {
		out.Open = append(out.Open, open{PolicyID(kind, y[0]), y[1]})
	}
	if f := x.Failed; f != nil {
		out.Refused = &state.Refusal{Text: fmt.Sprintf("%s %s with binding %s denied request: %s", kind, f.Policy,
			f.Binding, f.Message), Object: PolicyID(kind, f.Policy), Field: f.Field, With: PolicyID(kind+"Binding", f.Binding)}
	}
	slices.Sort(out.By)
	out.By = slices.Compact(out.By)
	return out
}

// webhookRequest is a request as it comes to webhooks, with an object as the API server has it by then.
func webhookRequest(r celpolicy.Request, o runtime.Object) kyverno.Request {
	out := kyverno.Request{Kind: r.Kind, Namespace: r.Namespace, Object: o, Name: r.Name,
		NamespaceLabels: map[string]string{corev1.LabelMetadataName: r.Namespace}}
	if r.Home != nil {
		maps.Copy(out.NamespaceLabels, r.Home.Labels)
	}
	if m, ok := o.(metav1.Object); ok {
		out.GeneratedFrom = m.GetGenerateName()
	}
	return out
}

// settled is what policies make of an object if it does not depend on their order, which upstream does not define.
func (m *Mutators) settled(r celpolicy.Request, again func(runtime.Object) *state.Refusal) Mutated {
	out := m.run(r, again)
	if len(m.read)+len(m.kyverno) < 2 || len(out.By) == 0 { // each saw the object as it is
		return out
	}
	turned := Mutators{read: slices.Clone(m.read), kyverno: slices.Clone(m.kyverno)}
	slices.Reverse(turned.read)
	slices.Reverse(turned.kyverno)
	other := turned.run(r, again)
	ran := slices.DeleteFunc(slices.Concat(out.By, other.By), isBinding)
	slices.Sort(ran)
	ran = slices.Compact(ran)
	switch {
	case other.Refused != nil && out.Refused != nil: // whatever was patched before
	case other.Refused != nil || out.Refused != nil || !equality.Semantic.DeepEqual(other.Object, out.Object):
		out.Open = append(out.Open, open{ran[0], "the order in which the API server runs it and " +
			strings.Join(ran[1:], ", ") + " is not defined, and matters"})
	}
	return out
}

func isBinding(id string) bool { return strings.Contains(id, "Binding ") }

// declared are a policy and its bindings.
func (m *Mutators) declared(id string) []*object.Object {
	p := m.policies[id]
	if p == nil {
		return nil
	}
	out := []*object.Object{p}
	for _, key := range sortedIDs(m.policies) {
		o := m.policies[key]
		if b := celpolicy.MutatingBinding(o.Typed, o.ID.Kind); b != nil && b.Spec.PolicyName == p.ID.Name {
			out = append(out, o)
		}
	}
	return out
}

// add enters an object if it is a policy that mutates workloads or pods, or a binding of one.
func (m *Mutators) add(o *object.Object) {
	if Mutates(o) {
		m.enter(o)
	}
}

func (m *Mutators) enter(o *object.Object) {
	if m.policies == nil {
		m.policies = map[string]*object.Object{}
	}
	m.policies[o.ID.String()] = o
}

// bind makes the policies ready that are in force.
func (m *Mutators) bind() {
	var policies []*admissionv1.MutatingAdmissionPolicy
	var bindings []*admissionv1.MutatingAdmissionPolicyBinding
	for _, id := range sortedIDs(m.policies) {
		o := m.policies[id]
		if p := celpolicy.Mutating(o.Typed, o.ID.Kind); p != nil {
			policies = append(policies, p)
		}
		if b := celpolicy.MutatingBinding(o.Typed, o.ID.Kind); b != nil {
			bindings = append(bindings, b)
		}
	}
	m.read = celpolicy.BindMutating(policies, bindings)
	var excepted []string
	for _, o := range m.policies {
		excepted = append(excepted, kyverno.Excepted(kindOfObject(o), o.Content)...)
	}
	for _, id := range sortedIDs(m.policies) {
		if p := kyvernoPolicy(m.policies[id]); p != nil {
			if slices.Contains(excepted, m.policies[id].ID.Name) {
				p.Doubt("it has exceptions")
			}
			m.kyverno = append(m.kyverno, p)
		}
	}
}

// params are the objects that policies take as their parameters: the kinds that policies name, and the names that
// bindings have.
type params struct{ kinds, names map[string]bool }

func paramsIn(rev *object.Revision) params {
	out := params{map[string]bool{}, map[string]bool{}}
	kind := func(k *admissionv1.ParamKind) {
		if k != nil {
			gv, _ := schema.ParseGroupVersion(k.APIVersion)
			out.kinds[gv.Group+"/"+k.Kind] = true
		}
	}
	name := func(r *admissionv1.ParamRef) {
		if r != nil && r.Name != "" {
			out.names[r.Name] = true
		}
	}
	if rev == nil {
		return out
	}
	for _, rel := range rev.Releases {
		for _, o := range rel.Objects {
			if p := celpolicy.Mutating(o.Typed, o.ID.Kind); p != nil {
				kind(p.Spec.ParamKind)
			} else if b := celpolicy.MutatingBinding(o.Typed, o.ID.Kind); b != nil {
				name(b.Spec.ParamRef)
			}
			switch t := o.Typed.(type) {
			case *admissionv1.ValidatingAdmissionPolicy:
				kind(t.Spec.ParamKind)
			case *admissionv1.ValidatingAdmissionPolicyBinding:
				name(t.Spec.ParamRef)
			}
		}
	}
	return out
}

func (p params) has(o *object.Object) bool {
	return len(p.kinds) > 0 && p.kinds[o.ID.Group+"/"+o.ID.Kind] && p.names[o.ID.Name]
}

// Mutates reports whether an object is a policy that may mutate pods, or what makes them, or a binding of one.
func Mutates(o *object.Object) bool {
	if p := celpolicy.Mutating(o.Typed, o.ID.Kind); p != nil {
		return slices.ContainsFunc(mutable, func(k schema.GroupVersionKind) bool { return celpolicy.SeesMutating(p, k) })
	}
	if p := kyvernoPolicy(o); p != nil {
		return slices.ContainsFunc(mutable, p.Sees)
	}
	return celpolicy.MutatingBinding(o.Typed, o.ID.Kind) != nil ||
		len(kyverno.Excepted(kindOfObject(o), o.Content)) > 0
}

// Unbound reports whether an object is a MutatingAdmissionPolicy that no binding of either version puts in force.
func Unbound(o *object.Object, ch *object.Changes) bool {
	if celpolicy.Mutating(o.Typed, o.ID.Kind) == nil {
		return false
	}
	for _, rev := range []*object.Revision{ch.Base, ch.Head} {
		if rev == nil {
			continue
		}
		for _, rel := range rev.Releases {
			if slices.ContainsFunc(rel.Objects, func(x *object.Object) bool {
				b := celpolicy.MutatingBinding(x.Typed, x.ID.Kind)
				return b != nil && b.Spec.PolicyName == o.ID.Name
			}) {
				return false
			}
		}
	}
	return true
}

func kyvernoPolicy(o *object.Object) *kyverno.Policy {
	return kyverno.Read(o.ID.String(), kindOfObject(o), o.ID.Namespace, o.Content)
}

func kindOfObject(o *object.Object) schema.GroupKind {
	return schema.GroupKind{Group: o.ID.Group, Kind: o.ID.Kind}
}

// mutable are the kinds that run pods.
var mutable = []schema.GroupVersionKind{celpolicy.PodKind, appsv1.SchemeGroupVersion.WithKind("Deployment"),
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"), appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
	appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), batchv1.SchemeGroupVersion.WithKind("Job"),
	batchv1.SchemeGroupVersion.WithKind("CronJob"),
	rolloutKind}

var rolloutKind = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1alpha1", Kind: "Rollout"}
