// Package celpolicy asks the admission policies in CEL of a cluster about objects, and has them mutate objects, as the
// API server does: with its own compiler, costs, patches and conversion of values. It knows neither files nor searches.
//
// This package decides which policies are bound and match a request. The sender of a request is unknown, so a policy
// that asks for its user or an authorizer answers [Unknown].
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/apiserver/pkg/admission/plugin/policy:
// generic/policy_dispatcher.go, (*policyDispatcher).Dispatch; matching: (*Matcher).Matches; validating:
// compilePolicy, (*validator).Validate; plugin/webhook/matchconditions: (*matcher).Match.
package celpolicy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Answer is a policy's answer to a request.
type Answer int

const (
	Admits Answer = iota
	Denies
	Unknown // it depends on unknown facts: the sender of the request, or a missing object
)

// Request is a creation, or an update where Old is set.
type Request struct {
	Kind            schema.GroupVersionKind
	Namespace, Name string
	Object, Old     runtime.Object    // of that kind; Old is nil for a creation
	Home            *corev1.Namespace // that it is in; nil: it has none, or only its name is known
	// Param is an object that a binding names; nil: it is not known.
	Param func(kind schema.GroupKind, namespace, name string) runtime.Object
}

// Denial is why a policy refuses a request.
type Denial struct {
	Policy  *Policy
	Binding *admissionv1.ValidatingAdmissionPolicyBinding
	Field   string // of the policy: "spec.validations[0].expression"
	Message string
	Paths   []string // fields of the object that the expression looks at
}

// Policy is a validating policy with the bindings by which it is in force.
type Policy struct {
	*admissionv1.ValidatingAdmissionPolicy
	Bindings []*admissionv1.ValidatingAdmissionPolicyBinding

	once                  sync.Once
	matcher, tests, words cel.ConditionEvaluator
	compiler              *cel.CompositedCompiler
}

type (
	policy  = admissionv1.ValidatingAdmissionPolicy
	binding = admissionv1.ValidatingAdmissionPolicyBinding
)

// Bind gives the policies that some bindings put in force, in the order of the list.
func Bind(policies []*policy, bindings []*binding) []*Policy {
	var out []*Policy
	for _, p := range policies {
		one := &Policy{ValidatingAdmissionPolicy: p}
		for _, b := range bindings {
			if b.Spec.PolicyName == p.Name && slices.Contains(b.Spec.ValidationActions, admissionv1.Deny) {
				one.Bindings = append(one.Bindings, b)
			}
		}
		if len(one.Bindings) > 0 && p.Spec.MatchConstraints != nil {
			out = append(out, one)
		}
	}
	return out
}

// Sees reports whether the rules of a policy match requests to create objects of a kind.
func Sees(p *admissionv1.ValidatingAdmissionPolicy, kind schema.GroupVersionKind) bool {
	return p.Spec.MatchConstraints != nil && matchesRules(p.Spec.MatchConstraints, Request{Kind: kind})
}

// SeesMutating reports whether the rules of a policy that mutates match requests for objects of a kind, whatever their
// names.
func SeesMutating(p *admissionv1.MutatingAdmissionPolicy, kind schema.GroupVersionKind) bool {
	if p.Spec.MatchConstraints == nil {
		return false
	}
	for _, x := range p.Spec.MatchConstraints.ResourceRules {
		x.ResourceNames, x.Operations = nil, []admissionv1.OperationType{admissionv1.OperationAll}
		if ruled(x, Request{Kind: kind, Namespace: "any"}) {
			return true
		}
	}
	return false
}

// excluded are kinds that no policy is asked about.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/admission/exclusion: excluded.
var excluded = []string{"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
	"MutatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"}

// matches reports whether the constraints of a policy or binding match a request; nil matches everything.
func matches(m *admissionv1.MatchResources, r Request) bool {
	if m == nil {
		return true
	}
	return selects(m.NamespaceSelector, r.namespaceLabels()) &&
		(selects(m.ObjectSelector, labelsOf(r.Object)) || r.Old != nil && selects(m.ObjectSelector, labelsOf(r.Old))) &&
		(len(m.ResourceRules) == 0 || matchesRules(m, r)) &&
		!slices.ContainsFunc(m.ExcludeResourceRules, func(x admissionv1.NamedRuleWithOperations) bool { return ruled(x, r) })
}

func matchesRules(m *admissionv1.MatchResources, r Request) bool {
	return slices.ContainsFunc(m.ResourceRules, func(x admissionv1.NamedRuleWithOperations) bool { return ruled(x, r) })
}

// ruled reports whether a rule matches a request.
//
// Upstream: apiserver/pkg/admission/plugin/webhook/predicates/rules: (*Matcher).Matches.
func ruled(x admissionv1.NamedRuleWithOperations, r Request) bool {
	if r.Kind.Group == admissionv1.GroupName && slices.Contains(excluded, r.Kind.Kind) {
		return false
	}
	has := func(list []string, name string) bool {
		return slices.Contains(list, "*") || slices.Contains(list, name)
	}
	operation := admissionv1.Create
	if r.Old != nil {
		operation = admissionv1.Update
	}
	resource := resourceOf(r.Kind).Resource
	return (slices.Contains(x.Operations, operation) || slices.Contains(x.Operations, admissionv1.OperationAll)) &&
		has(x.APIGroups, r.Kind.Group) && has(x.APIVersions, r.Kind.Version) &&
		(has(x.Resources, resource) || slices.Contains(x.Resources, "*/*") || slices.Contains(x.Resources, resource+"/*")) &&
		(len(x.ResourceNames) == 0 || slices.Contains(x.ResourceNames, r.Name)) &&
		(x.Scope == nil || *x.Scope == admissionv1.AllScopes ||
			(*x.Scope == admissionv1.NamespacedScope) == (r.Namespace != ""))
}

func selects(s *metav1.LabelSelector, set labels.Set) bool {
	if s == nil {
		return true
	}
	x, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && x.Matches(set)
}

// namespaceLabels are those that a namespaceSelector looks at. An object without a namespace is matched by every
// selector; a Namespace that is not known has the label that every one has.
func (r Request) namespaceLabels() labels.Set {
	if r.Kind.Group == "" && r.Kind.Kind == "Namespace" {
		return labelsOf(r.Object)
	}
	out := labels.Set{corev1.LabelMetadataName: r.Namespace}
	if r.Home != nil {
		for k, v := range r.Home.Labels {
			out[k] = v
		}
	}
	return out
}

func labelsOf(o runtime.Object) labels.Set {
	if m, ok := o.(metav1.Object); ok {
		return m.GetLabels()
	}
	return nil
}

// compile makes evaluators of a policy's expressions, as compilePolicy does.
func (p *Policy) compile() {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err) // upstream's own environment
	}
	given := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler.CompileAndStoreVariables(each(p.Spec.Variables, func(v admissionv1.Variable) cel.NamedExpressionAccessor {
		return &expression{name: v.Name, text: v.Expression}
	}), given, environment.StoredExpressions)
	condition := func(text string) cel.ExpressionAccessor { return &expression{text: text, is: isBool} }
	p.matcher = compiler.CompileCondition(each(p.Spec.MatchConditions,
		func(c admissionv1.MatchCondition) cel.ExpressionAccessor { return condition(c.Expression) }), given,
		environment.StoredExpressions)
	p.tests = compiler.CompileCondition(each(p.Spec.Validations,
		func(v admissionv1.Validation) cel.ExpressionAccessor { return condition(v.Expression) }), given,
		environment.StoredExpressions)
	given.HasAuthorizer = false
	p.words = compiler.CompileCondition(each(p.Spec.Validations, func(v admissionv1.Validation) cel.ExpressionAccessor {
		if v.MessageExpression == "" {
			return nil
		}
		return &expression{text: v.MessageExpression, is: isText}
	}), given, environment.StoredExpressions)
	p.compiler = compiler
}

func each[T, U any](list []T, make func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, make(x))
	}
	return out
}

var (
	whoAsks = regexp.MustCompile(`\bauthorizer\b|\brequest\.(userInfo|options)\b`)
	homely  = regexp.MustCompile(`\bnamespaceObject\b`)
	// versions is in an expression that distinguishes an update from a creation.
	versions = regexp.MustCompile(`\boldObject\b|\brequest\.operation\b`)
	reads    = regexp.MustCompile(`\bobject((?:\.\??[A-Za-z_][A-Za-z0-9_]*)+)(\()?`)
)

// AsksSender reports whether what a policy decides hangs on who sends a request, which no manifest says.
func AsksSender(p *admissionv1.ValidatingAdmissionPolicy) bool {
	return slices.ContainsFunc((&Policy{ValidatingAdmissionPolicy: p}).expressions(), whoAsks.MatchString)
}

// hangs reports whether a policy's decision depends on unknown facts of a request.
func (p *Policy) hangs(r Request) bool {
	return slices.ContainsFunc(p.expressions(), func(text string) bool {
		return whoAsks.MatchString(text) || r.Home == nil && homely.MatchString(text)
	})
}

// expressions are all that decide.
func (p *Policy) expressions() []string {
	var out []string
	for _, v := range p.Spec.Variables {
		out = append(out, v.Expression)
	}
	for _, c := range p.Spec.MatchConditions {
		out = append(out, c.Expression)
	}
	for _, v := range p.Spec.Validations {
		out = append(out, v.Expression)
	}
	return out
}

// paths are the fields of an object that a validation looks at, with those of the variables that it takes.
func (p *Policy) paths(i int) []string {
	var out []string
	text := p.Spec.Validations[i].Expression
	for k := len(p.Spec.Variables) - 1; k >= 0; k-- {
		if v := p.Spec.Variables[k]; strings.Contains(text, "variables."+v.Name) {
			text += "\n" + v.Expression
		}
	}
	for _, m := range reads.FindAllStringSubmatch(text, -1) {
		fields := strings.Split(strings.ReplaceAll(m[1], "?", ""), ".")[1:]
		if m[2] != "" { // a method
			fields = fields[:len(fields)-1]
		}
		if path := strings.Join(fields, "."); path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
