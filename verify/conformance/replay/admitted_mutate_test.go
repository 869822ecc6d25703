//go:build replay

package replay

import (
	"math/rand/v2"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// patches are expressions of policies that change pods, as a configuration to apply or as a patch.
var patches = []string{
	"Object{metadata: Object.metadata{labels: {'team': 'a'}}}",
	"Object{spec: Object.spec{priorityClassName: 'high'}}",
	"Object{spec: Object.spec{priorityClassName: 'high', priority: 1000}}",
	"Object{spec: Object.spec{runtimeClassName: 'fast'}}",
	"Object{spec: Object.spec{hostNetwork: true}}",
	"Object{spec: Object.spec{activeDeadlineSeconds: 60}}",
	"Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, " +
		"resources: Object.spec.containers.resources{requests: {'cpu': '70m'}}})}}",
	"Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, " +
		"resources: Object.spec.containers.resources{limits: {'cpu': '70m', 'memory': '64Mi'}}})}}",
	"Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, " +
		"securityContext: Object.spec.containers.securityContext{allowPrivilegeEscalation: false, runAsNonRoot: true, " +
		"capabilities: Object.spec.containers.securityContext.capabilities{drop: ['ALL']}, " +
		"seccompProfile: Object.spec.containers.securityContext.seccompProfile{type: 'RuntimeDefault'}}})}}",
	"Object{spec: Object.spec{containers: [Object.spec.containers{name: 'side', image: 'side:1'}]}}",
	"Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'first', image: 'i:1'}]}}",
	"Object{spec: Object.spec{volumes: [Object.spec.volumes{name: 'host', hostPath: Object.spec.volumes.hostPath{path: '/'}}]}}",
	"Object{spec: Object.spec{nodeSelector: {variables.key: namespaceObject.metadata.labels['team']}}}",
	`[JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "web:2"}]`,
	`[JSONPatch{op: "remove", path: "/spec/containers/0/resources/limits"}]`,
	`[JSONPatch{op: "remove", path: "/spec/affinity"}]`,
	`[JSONPatch{op: "test", path: "/metadata/labels/app", value: "web"}, JSONPatch{op: "add", path: "/metadata/labels/tier", value: "x"}]`,
	`[JSONPatch{op: "add", path: "/spec/tolerations/-", value: Object.spec.tolerations{key: "k", operator: "Exists"}}]`,
	`[JSONPatch{op: "replace", path: "/metadata/labels/app", value: "other"}]`,
	`[JSONPatch{op: "add", path: "/spec/nothing", value: 3}]`,
	`[JSONPatch{op: "add", path: "/spec/containers/0/resources/requests/" + jsonpatch.escapeKey("memory"), value: "32Mi"}]`,
}

// drawMutation is a policy that changes pods of a namespace, and its binding.
func drawMutation(r *rand.Rand, namespace, name string) (*admissionv1.MutatingAdmissionPolicy, *admissionv1.MutatingAdmissionPolicyBinding) {
	like, bound := drawPolicy(r, namespace, name)
	p := &admissionv1.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	p.Spec = admissionv1.MutatingAdmissionPolicySpec{MatchConstraints: like.Spec.MatchConstraints, MatchConditions: like.Spec.MatchConditions,
		FailurePolicy: like.Spec.FailurePolicy, ReinvocationPolicy: pick(r, admissionv1.NeverReinvocationPolicy, admissionv1.IfNeededReinvocationPolicy),
		Variables: []admissionv1.Variable{{Name: "key", Expression: "object.metadata.labels['app'] + '-key'"},
			{Name: "few", Expression: like.Spec.Variables[0].Expression}}}
	rule := &p.Spec.MatchConstraints.ResourceRules[0]
	if r.IntN(4) > 0 { // most are asked
		rule.APIGroups, rule.Operations, rule.Resources = []string{""}, []admissionv1.OperationType{"CREATE"}, []string{"pods"}
	}
	for range 1 + r.IntN(3) {
		m := admissionv1.Mutation{PatchType: admissionv1.PatchTypeApplyConfiguration}
		if text := pick(r, patches...); text[0] == 'O' {
			m.ApplyConfiguration = &admissionv1.ApplyConfiguration{Expression: text}
		} else {
			m.PatchType, m.JSONPatch = admissionv1.PatchTypeJSONPatch, &admissionv1.JSONPatch{Expression: text}
		}
		p.Spec.Mutations = append(p.Spec.Mutations, m)
	}
	b := &admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Spec.PolicyName, b.Spec.MatchResources = name, bound.Spec.MatchResources
	return p, b
}

// marked is a policy that labels each ConfigMap of a namespace: who sees the label knows that the server has it.
func marked(namespace string) (*admissionv1.MutatingAdmissionPolicy, *admissionv1.MutatingAdmissionPolicyBinding) {
	p := &admissionv1.MutatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	rule := admissionv1.NamedRuleWithOperations{}
	rule.Operations, rule.APIGroups, rule.APIVersions = []admissionv1.OperationType{"*"}, []string{""}, []string{"v1"}
	rule.Resources = []string{"configmaps"}
	p.Spec = admissionv1.MutatingAdmissionPolicySpec{FailurePolicy: ptr.To(admissionv1.Fail), ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{rule}},
		Mutations: []admissionv1.Mutation{{PatchType: admissionv1.PatchTypeApplyConfiguration,
			ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}}"}}}}
	b := &admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	b.Spec.PolicyName = namespace
	b.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
		MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}}
	return p, b
}
