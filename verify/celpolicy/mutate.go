package celpolicy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	celtypes "github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kubesettle/kubesettle/render/defaults"
)

// Mutator is a mutating policy with the bindings by which it is in force, in the order of their names.
//
// Upstream: mutating: compilePolicy, (*dispatcher).dispatchInvocations; patch: the patchers, as they are.
type Mutator struct {
	*admissionv1.MutatingAdmissionPolicy
	Bindings []*admissionv1.MutatingAdmissionPolicyBinding

	once     sync.Once
	wrong    error
	matcher  cel.ConditionEvaluator
	patchers []patch.Patcher
	compiler *cel.CompositedCompiler
}

// Mutating is a MutatingAdmissionPolicy of any version that the API server has, whose fields are alike; nil: an object
// is none.
func Mutating(o runtime.Object, kind string) *admissionv1.MutatingAdmissionPolicy {
	return asV1[admissionv1.MutatingAdmissionPolicy](o, kind, "MutatingAdmissionPolicy")
}

// MutatingBinding is a MutatingAdmissionPolicyBinding of any version, as [Mutating] is.
func MutatingBinding(o runtime.Object, kind string) *admissionv1.MutatingAdmissionPolicyBinding {
	return asV1[admissionv1.MutatingAdmissionPolicyBinding](o, kind, "MutatingAdmissionPolicyBinding")
}

func asV1[T any](o runtime.Object, kind, want string) *T {
	if kind != want || o == nil {
		return nil
	}
	if v1, ok := any(o).(*T); ok {
		return v1
	}
	out := new(T)
	if text, err := json.Marshal(o); err != nil || json.Unmarshal(text, out) != nil {
		return nil
	}
	return out
}

// BindMutating gives the policies that some bindings put in force, in the order of their names, in which the API server
// runs them.
func BindMutating(policies []*admissionv1.MutatingAdmissionPolicy,
	bindings []*admissionv1.MutatingAdmissionPolicyBinding) []*Mutator {
	var out []*Mutator
	for _, p := range policies {
		one := &Mutator{MutatingAdmissionPolicy: p}
		for _, b := range bindings {
			if b.Spec.PolicyName == p.Name {
				one.Bindings = append(one.Bindings, b)
			}
		}
		if len(one.Bindings) > 0 && p.Spec.MatchConstraints != nil {
			slices.SortStableFunc(one.Bindings, func(a, b *admissionv1.MutatingAdmissionPolicyBinding) int {
				return strings.Compare(a.Name, b.Name)
			})
			out = append(out, one)
		}
	}
	slices.SortStableFunc(out, func(a, b *Mutator) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Mutation is what becomes of a request under policies that mutate.
type Mutation struct {
	Object runtime.Object // as patched; never the request's own
	// Failed is why it is refused; nil: it is not.
	Failed *Failure
	// By are the policies and bindings that changed it, or made it fail, by name.
	By [][2]string
	// Open are the policies that match, or may, and cannot be run, by name, with the reason.
	Open [][2]string
	// reinvoke are the invocations that another round has again.
	reinvoke map[[2]string]bool
}

// Failure is an expression that cannot be evaluated, or a patch that cannot be applied, under failurePolicy Fail; or a
// patch that makes another thing of the object than its kind, under any.
type Failure struct{ Policy, Binding, Field, Message string }

// Changed reports whether a policy ran. If so, the API server runs the mutating plugins once more.
func (m *Mutation) Changed() bool { return len(m.By) > 0 }

// Mutate runs policies on a request.
func Mutate(list []*Mutator, r Request) *Mutation {
	m := &Mutation{Object: typedCopy(r)}
	m.round(list, r, false)
	return m
}

// Again runs once more, on an object that other plugins have changed, the policies that have run and allow it.
func (m *Mutation) Again(list []*Mutator, r Request) {
	m.Object = typedCopy(r)
	if m.Failed == nil {
		m.round(list, r, true)
	}
}

func typedCopy(r Request) runtime.Object {
	out := r.Object.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(r.Kind)
	return out
}

func (m *Mutation) round(list []*Mutator, r Request, again bool) {
	for _, p := range list {
		now, constraints := r, p.Spec.MatchConstraints
		now.Object = m.Object
		if !matches(constraints, r) || !matchesRules(constraints, r) {
			if !again && r.Old == nil && r.Kind != PodKind && matchesUpdate(constraints, r) {
				m.Open = append(m.Open, [2]string{p.Name, "whether it runs depends on whether the object is new"})
			}
			continue
		}
		if !again && r.Kind != PodKind && !matchesUpdate(constraints, r) {
			m.Open = append(m.Open, [2]string{p.Name, "whether it runs depends on whether the object is new"})
			continue
		}
		for _, b := range p.Bindings {
			if !matches(b.Spec.MatchResources, r) {
				continue
			}
			now.Object = m.Object
			if why := p.invoke(b, now, m, again); why != "" {
				m.Open = append(m.Open, [2]string{p.Name, why})
			}
			if m.Failed != nil {
				return
			}
		}
	}
}

func matchesUpdate(c *admissionv1.MatchResources, r Request) bool {
	r.Old = r.Object
	return matches(c, r) && matchesRules(c, r)
}

// invoke runs a policy under one of its bindings, or says why that cannot be done.
func (p *Mutator) invoke(b *admissionv1.MutatingAdmissionPolicyBinding, r Request, m *Mutation, again bool) string {
	given, why := p.ready(b, r)
	if why != "" {
		return why
	}
	of := r.attributes()
	request := cel.CreateAdmissionRequest(of.Attributes, metav1.GroupVersionResource(resourceOf(r.Kind)),
		metav1.GroupVersionKind(r.Kind))
	ctx := p.compiler.CreateContext(context.Background())
	binds := cel.OptionalVariableBindings{VersionedParams: given}
	fail := func(at string, err error) {
		var status *apierrors.StatusError // which is none of the policy's: no failurePolicy ignores it
		of := p.Spec.FailurePolicy
		if m.Failed == nil && (of == nil || *of == admissionv1.Fail || errors.As(err, &status)) {
			text, _, _ := strings.Cut(err.Error(), "\n")
			m.Failed = &Failure{Policy: p.Name, Binding: b.Name, Field: at, Message: text}
			m.By = append(m.By, [2]string{p.Name, b.Name})
		}
	}
	conditions, _, err := p.matcher.ForInput(ctx, of, request, binds, nil, celconfig.RuntimeCELCostBudgetMatchConditions)
	wrong := err
	for _, c := range conditions {
		if c.Error == nil && c.EvalResult == celtypes.False {
			return ""
		}
		if c.Error != nil && wrong == nil {
			wrong = c.Error
		}
	}
	if wrong != nil {
		fail("spec.matchConditions", wrong)
		return ""
	}
	key := [2]string{p.Name, b.Name}
	if again && !m.reinvoke[key] { // upstream asks its conditions all the same
		return ""
	}
	ran := false
	for i, x := range p.patchers {
		patched, err := x.Patch(ctx, patch.Request{MatchedResource: resourceOf(r.Kind), VersionedAttributes: of,
			ObjectInterfaces: interfaces(), OptionalVariables: binds, Namespace: r.Home, TypeConverter: converter()},
			celconfig.RuntimeCELCostBudget)
		if err == nil {
			patched, err = defaults.Scheme().ConvertToVersion(patched, r.Kind.GroupVersion())
		}
		if err != nil {
			fail(p.field(i), err)
			continue
		}
		defaults.Set(patched)
		patched.GetObjectKind().SetGroupVersionKind(r.Kind)
		ran = ran || !equality.Semantic.DeepEqual(m.Object, patched)
		of.VersionedObject, of.Dirty, m.Object = patched, true, patched
	}
	if ran {
		m.By = append(m.By, key)
	}
	if p.Spec.ReinvocationPolicy == admissionv1.IfNeededReinvocationPolicy {
		if m.reinvoke == nil {
			m.reinvoke = map[[2]string]bool{}
		}
		m.reinvoke[key] = true
	}
	return ""
}

// ready makes a policy's evaluators, and gives its parameters. It says why it cannot be run.
func (p *Mutator) ready(b *admissionv1.MutatingAdmissionPolicyBinding, r Request) (runtime.Object, string) {
	for _, text := range p.expressions() {
		switch {
		case whoAsks.MatchString(text):
			return nil, "it asks who sends the request"
		case r.Home == nil && homely.MatchString(text):
			return nil, fmt.Sprintf("it reads Namespace %s, which is not in the repository", r.Namespace)
		case r.Kind != PodKind && versions.MatchString(text):
			return nil, "it compares the object with the one before"
		}
	}
	if !defaults.Scheme().Recognizes(r.Kind) {
		return nil, "the schema of " + r.Kind.Kind + " is not known"
	}
	given, known := paramOf(p.Spec.ParamKind, b.Spec.ParamRef, r)
	if !known {
		return nil, "its parameters are not in the repository"
	}
	if p.once.Do(p.compile); p.wrong != nil {
		text, _, _ := strings.Cut(p.wrong.Error(), "\n")
		return nil, "it does not compile: " + text
	}
	return given, ""
}

func (p *Mutator) compile() {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err) // upstream's own environment
	}
	given := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler.CompileAndStoreVariables(each(p.Spec.Variables, func(v admissionv1.Variable) cel.NamedExpressionAccessor {
		return &expression{name: v.Name, text: v.Expression}
	}), given, environment.StoredExpressions)
	p.matcher = compiler.CompileCondition(each(p.Spec.MatchConditions,
		func(c admissionv1.MatchCondition) cel.ExpressionAccessor {
			return &expression{text: c.Expression, is: isBool}
		}), given, environment.StoredExpressions)
	errs := p.matcher.CompilationErrors()
	given.HasPatchTypes = true
	for _, m := range p.Spec.Mutations {
		var made cel.MutatingEvaluator
		switch {
		case m.JSONPatch != nil:
			made = compiler.CompileMutatingEvaluator(&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, given,
				environment.StoredExpressions)
			p.patchers = append(p.patchers, patch.NewJSONPatcher(made))
		case m.ApplyConfiguration != nil:
			made = compiler.CompileMutatingEvaluator(
				&patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}, given,
				environment.StoredExpressions)
			p.patchers = append(p.patchers, patch.NewApplyConfigurationPatcher(made))
		default:
			errs = append(errs, fmt.Errorf("patchType %s", m.PatchType))
			continue
		}
		errs = append(errs, made.CompilationErrors()...)
	}
	if p.compiler = compiler; len(errs) > 0 {
		p.wrong = errs[0]
	}
}

// field is where the expression of a mutation stands.
func (p *Mutator) field(i int) string {
	if p.Spec.Mutations[i].JSONPatch != nil {
		return fmt.Sprintf("spec.mutations[%d].jsonPatch.expression", i)
	}
	return fmt.Sprintf("spec.mutations[%d].applyConfiguration.expression", i)
}

func (p *Mutator) expressions() []string {
	var out []string
	for _, v := range p.Spec.Variables {
		out = append(out, v.Expression)
	}
	for _, c := range p.Spec.MatchConditions {
		out = append(out, c.Expression)
	}
	for _, m := range p.Spec.Mutations {
		if m.JSONPatch != nil {
			out = append(out, m.JSONPatch.Expression)
		}
		if m.ApplyConfiguration != nil {
			out = append(out, m.ApplyConfiguration.Expression)
		}
	}
	return out
}

// interfaces are those by which the API server makes, defaults and converts objects.
var interfaces = sync.OnceValue(func() admission.ObjectInterfaces {
	return admission.NewObjectInterfacesFromScheme(defaults.Scheme())
})

// converter knows the schemas of the API server's own kinds.
var converter = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(scheme.Scheme)
})
