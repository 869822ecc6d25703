package celpolicy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/verify/celpolicy"
)

// mutations are expressions that policies on pods have, as a configuration to apply or a patch.
var mutations = []string{
	"Object{metadata: Object.metadata{labels: {'team': 'a'}}}",
	"Object{spec: Object.spec{priorityClassName: 'high'}}",
	"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'first', image: 'i:1'}]}}",
	"Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, " +
		"resources: Object.spec.containers.resources{requests: {'cpu': '70m'}}})}}",
	"Object{spec: Object.spec{containers: [Object.spec.containers{name: 'b', image: 'side:1'}]}}",
	"Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'k', operator: 'Exists'}]}}",
	"Object{spec: Object.spec{nodeSelector: {variables.key: object.metadata.labels['app']}}}",
	"Object{metadata: Object.metadata{labels: {'home': namespaceObject.metadata.labels['tier']}}}",
	`[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "x"}]`,
	`[JSONPatch{op: "replace", path: "/spec/topologySpreadConstraints/0/whenUnsatisfiable", value: "DoNotSchedule"}]`,
	`object.spec.containers.map(c, JSONPatch{op: "add", path: "/spec/containers/0/env", value: []})`,
	`[JSONPatch{op: "test", path: "/metadata/labels/app", value: "web"}, ` +
		`JSONPatch{op: "replace", path: "/metadata/labels/app", value: "db"}]`,
	`[JSONPatch{op: "remove", path: "/spec/nodeSelector"}]`,
	`[JSONPatch{op: "add", path: "/spec/replicas", value: 3}]`,
}

// conditions are expressions by which policies on pods choose them.
var conditions = []string{"true", "has(object.spec.nodeSelector)", "object.metadata.labels['app'] == 'web'",
	"object.metadata.labels['team'] == 'a'", "object.spec.containers.size() > 1"}

func draw[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// Policies make of a pod what upstream's own dispatcher of them makes, and refuse what it refuses: with conditions,
// selectors, variables, failures, several mutations and bindings.
func TestMutatesAsUpstream(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"tier": "gold"}}}
	index := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	if err := index.Add(home); err != nil {
		t.Fatal(err)
	}
	upstream := mutating.NewDispatcher(nil, matching.NewMatcher(corelisters.NewNamespaceLister(index), fake.NewClientset()),
		static{applyconfigurations.NewTypeConverter(scheme.Scheme)})
	changed, failed := 0, 0
	for range 150 {
		var policies []*admissionv1.MutatingAdmissionPolicy
		var bindings []*admissionv1.MutatingAdmissionPolicyBinding
		var hooks []mutating.PolicyHook
		for i := range 1 + r.IntN(3) {
			p, b := drawPolicy(r, fmt.Sprintf("p%d", i))
			policies, bindings = append(policies, p), append(bindings, b)
			hooks = append(hooks, mutating.PolicyHook{Policy: p, Bindings: []*mutating.PolicyBinding{b}, Evaluator: compiled(p)})
		}
		pod := drawPod(r)
		in := celpolicy.Request{Kind: celpolicy.PodKind, Namespace: "shop", Name: "web", Object: pod, Home: home}
		list := celpolicy.BindMutating(policies, bindings)
		got := celpolicy.Mutate(list, in)
		if in.Object = got.Object; got.Changed() {
			got.Again(list, in)
		}
		want := pod.DeepCopy()
		o := admission.NewObjectInterfacesFromScheme(defaults.Scheme())
		attrs := admission.NewAttributesRecord(want, nil, celpolicy.PodKind, "shop", "web",
			schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "", admission.Create, nil, false, &user.DefaultInfo{})
		err := upstream.Dispatch(context.Background(), attrs, o, hooks)
		if s := attrs.GetReinvocationContext(); err == nil && s.ShouldReinvoke() { // as (*reinvoker).Admit does
			s.SetIsReinvoke()
			err = upstream.Dispatch(context.Background(), attrs, o, hooks)
		}
		switch {
		case err != nil || got.Failed != nil:
			if failed++; (err != nil) != (got.Failed != nil) {
				t.Fatalf("seed %d: refused: %v, upstream: %v\n%s", seed, got.Failed, err, texts(policies))
			}
		default:
			is := got.Object.(*corev1.Pod)
			is.TypeMeta, want.TypeMeta = metav1.TypeMeta{}, metav1.TypeMeta{}
			if !equality.Semantic.DeepEqual(is, want) {
				t.Fatalf("seed %d: got %+v\nwant %+v\n%s", seed, is, want, texts(policies))
			}
			if !equality.Semantic.DeepEqual(is.Spec, pod.Spec) {
				changed++
			}
		}
	}
	if changed < 10 || failed < 3 || failed > 120 {
		t.Errorf("seed %d: %d of 150 pods were changed, %d refused", seed, changed, failed)
	}
}

// static is the manager of one converter.
type static struct{ managedfields.TypeConverter }

func (s static) GetTypeConverter(schema.GroupVersionKind) managedfields.TypeConverter { return s }
func (s static) Run(context.Context)                                                  {}

// compiled is a policy as upstream's compilePolicy makes it ready, which is not exported.
func compiled(p *mutating.Policy) mutating.PolicyEvaluator {
	opts := cel.OptionalVariableDeclarations{HasParams: p.Spec.ParamKind != nil, HasAuthorizer: true}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err)
	}
	for _, v := range p.Spec.Variables {
		compiler.CompileAndStoreVariable(&validating.Variable{Name: v.Name, Expression: v.Expression}, opts,
			environment.StoredExpressions)
	}
	var list []cel.ExpressionAccessor
	for i := range p.Spec.MatchConditions {
		list = append(list, (*matchconditions.MatchCondition)(&p.Spec.MatchConditions[i]))
	}
	out := mutating.PolicyEvaluator{CompositedCompiler: compiler, Matcher: matchconditions.NewMatcher(
		compiler.CompileCondition(list, opts, environment.StoredExpressions), p.Spec.FailurePolicy, "policy", "validate", p.Name)}
	opts.HasPatchTypes = true
	for _, m := range p.Spec.Mutations {
		if m.JSONPatch != nil {
			out.Mutators = append(out.Mutators, patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(
				&patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}, opts, environment.StoredExpressions)))
			continue
		}
		out.Mutators = append(out.Mutators, patch.NewApplyConfigurationPatcher(compiler.CompileMutatingEvaluator(
			&patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}, opts,
			environment.StoredExpressions)))
	}
	return out
}

func drawPolicy(r *rand.Rand, name string) (*admissionv1.MutatingAdmissionPolicy,
	*admissionv1.MutatingAdmissionPolicyBinding) {
	p := &admissionv1.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	p.Spec.MatchConstraints = &admissionv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
		MatchPolicy: new(admissionv1.Exact),
		ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{draw(r, []admissionv1.OperationType{"CREATE", "*", "UPDATE"})},
			Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"},
				Scope: new(admissionv1.AllScopes)}}}},
	}
	p.Spec.FailurePolicy = new(draw(r, []admissionv1.FailurePolicyType{"Ignore", "Ignore", "Fail"}))
	p.Spec.ReinvocationPolicy = draw(r, []admissionv1.ReinvocationPolicyType{"Never", "IfNeeded"})
	p.Spec.Variables = []admissionv1.Variable{{Name: "key", Expression: "object.metadata.labels['app'] + '-key'"}}
	for i := range r.IntN(3) {
		p.Spec.MatchConditions = append(p.Spec.MatchConditions,
			admissionv1.MatchCondition{Name: fmt.Sprint(i), Expression: draw(r, conditions)})
	}
	for range 1 + r.IntN(3) {
		text := draw(r, mutations)
		m := admissionv1.Mutation{PatchType: admissionv1.PatchTypeJSONPatch}
		if m.JSONPatch = (&admissionv1.JSONPatch{Expression: text}); text[0] == 'O' {
			m = admissionv1.Mutation{PatchType: admissionv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: text}}
		}
		p.Spec.Mutations = append(p.Spec.Mutations, m)
	}
	b := &admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	b.Spec.PolicyName = name
	if r.IntN(3) == 0 {
		b.Spec.MatchResources = &admissionv1.MatchResources{MatchPolicy: new(admissionv1.Exact),
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"tier": draw(r, []string{"gold", "iron"})}},
			ObjectSelector:    &metav1.LabelSelector{MatchLabels: map[string]string{"app": draw(r, []string{"web", "db"})}}}
	}
	return p, b
}

func drawPod(r *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop",
		Labels: map[string]string{"app": draw(r, []string{"web", "db"})}}}
	for _, name := range []string{"a", "b", "c"}[:1+r.IntN(3)] {
		c := corev1.Container{Name: name, Image: name + ":1"}
		if r.IntN(2) == 0 {
			c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse(draw(r, []string{"10m", "1"}))}
		}
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	if r.IntN(2) == 0 {
		pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	}
	if r.IntN(2) == 0 {
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone",
			WhenUnsatisfiable: corev1.ScheduleAnyway}}
	}
	defaults.Set(pod)
	return pod
}

func texts(list []*admissionv1.MutatingAdmissionPolicy) (out []string) {
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s: %+v %+v", p.Name, p.Spec.MatchConditions, p.Spec.Mutations))
	}
	return out
}
