package celpolicy_test

import (
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/celpolicy"
)

type (
	policy  = admissionv1.ValidatingAdmissionPolicy
	binding = admissionv1.ValidatingAdmissionPolicyBinding
)

// TestAsk: what a policy says of the creation of a Pod, by what it asks, of whom it is asked, and what is known.
func TestAsk(t *testing.T) {
	pods := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
		Operations: []admissionv1.OperationType{admissionv1.Create},
		Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
	}}
	ignore := admissionv1.Ignore
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"tier": "gold"}}}
	for _, tt := range []struct {
		name   string
		expr   string
		change func(p *policy, b *binding, r *celpolicy.Request)
		want   celpolicy.Answer
		paths  []string
	}{
		{"true", "object.spec.containers.all(c, c.image.endsWith(':1'))", nil, celpolicy.Admits, nil},
		{"false", "object.spec.containers.all(c, c.image.endsWith(':2')) || object.metadata.name == 'x'", nil, celpolicy.Denies,
			[]string{"spec.containers", "metadata.name"}},
		{"an error denies", "object.spec.hostAliases.size() > 0", nil, celpolicy.Denies, []string{"spec.hostAliases"}},
		{"or not", "object.spec.hostAliases.size() > 0", func(p *policy,
			_ *binding, _ *celpolicy.Request) {
			p.Spec.FailurePolicy = &ignore
		}, celpolicy.Admits, nil},
		{"who asks", "authorizer.group('').resource('pods').check('get').allowed()", nil, celpolicy.Unknown, nil},
		{"its namespace", "namespaceObject.metadata.labels['tier'] == 'iron'", nil, celpolicy.Denies, nil},
		{"that is not known", "namespaceObject.metadata.labels['tier'] == 'iron'", func(_ *policy,
			_ *binding, r *celpolicy.Request) {
			r.Home = nil
		}, celpolicy.Unknown, nil},
		{"an update", "false", func(_ *policy, _ *binding,
			r *celpolicy.Request) {
			r.Old = r.Object
		}, celpolicy.Admits, nil},
		{"another namespace", "false", func(_ *policy, b *binding,
			_ *celpolicy.Request) {
			b.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"tier": "iron"}}}
		}, celpolicy.Admits, nil},
		{"an excluded name", "false", func(p *policy, _ *binding,
			_ *celpolicy.Request) {
			not := pods
			not.ResourceNames = []string{"web"}
			p.Spec.MatchConstraints.ExcludeResourceRules = []admissionv1.NamedRuleWithOperations{not}
		}, celpolicy.Admits, nil},
		{"what is no CEL", "object.spec.(", nil, celpolicy.Admits, nil},
		{"parameters that are not there", "params.data.a == 'b'", func(p *policy,
			b *binding, _ *celpolicy.Request) {
			p.Spec.ParamKind = &admissionv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"}
			b.Spec.ParamRef = &admissionv1.ParamRef{Name: "x"}
		}, celpolicy.Unknown, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"},
				Spec: admissionv1.ValidatingAdmissionPolicySpec{
					MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{pods}},
					Validations:      []admissionv1.Validation{{Expression: tt.expr}},
				}}
			b := &admissionv1.ValidatingAdmissionPolicyBinding{Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: "p", ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}}}
			r := celpolicy.Request{Kind: celpolicy.PodKind, Namespace: "shop", Name: "web", Home: home, Object: &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c:1"}}}}}
			if tt.change != nil {
				tt.change(p, b, &r)
			}
			got, d := celpolicy.Ask(celpolicy.Bind([]*policy{p},
				[]*binding{b}), r)
			if got != tt.want || !slices.Equal(d.Paths, tt.paths) {
				t.Errorf("answers %v (%s), looks at %q; want %v, %q", got, d.Message, d.Paths, tt.want, tt.paths)
			}
		})
	}
}
