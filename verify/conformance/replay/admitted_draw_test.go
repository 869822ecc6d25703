//go:build replay

package replay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/kubesettle/kubesettle/render/defaults"
	"github.com/kubesettle/kubesettle/verify/conformance/sample"
	"github.com/kubesettle/kubesettle/verify/validation"
)

// every are the classes that all of them share.
func every() []runtime.Object {
	return []runtime.Object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "none"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "calm"}, Value: 7, PreemptionPolicy: ptr.To(corev1.PreemptNever)},
		&nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Handler: "fast",
			Overhead: &nodev1.Overhead{PodFixed: corev1.ResourceList{"cpu": resource.MustParse("10m")}}},
	}
}

// expressions are of policies that are asked about pods: one of a condition, and one of a validation.
var expressions = []string{"true", "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits))", "object.metadata.name.startsWith('web-')",
	"!has(object.spec.hostNetwork) || !object.spec.hostNetwork", "object.spec.containers.all(c, c.image.endsWith(':1'))", "object.spec.containers.size() < 2",
	"object.spec.nothing == 'a'", "object.spec.priority < 1000", "object.spec.tolerations.exists(t, t.key == 'node.kubernetes.io/not-ready')", "namespaceObject.metadata.labels['team'] == 'a'",
	"object.metadata.labels['app'] == 'web'", "object.spec.containers[1].image != ''", "request.operation == 'CREATE'", "oldObject == null", "object.metadata.ownerReferences.exists(o, o.kind == 'ReplicaSet' && o.controller)", "object.metadata.generateName == 'web-'", "has(object.spec.enableServiceLinks)",
	"has(object.spec.priorityClassName)", "quantity(object.spec.containers[0].resources.requests['cpu']).isLessThan(quantity('500m'))", "variables.few"}

func drawGuarded(r *rand.Rand, i int) *guarded {
	name := fmt.Sprintf("guarded-%d", i)
	g := &guarded{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": pick(r, "a", "b")}}}}
	if r.IntN(2) == 0 {
		g.namespace.Labels["pod-security.kubernetes.io/enforce"] = pick(r, "baseline", "restricted", "privileged")
		if r.IntN(3) == 0 {
			g.namespace.Labels["pod-security.kubernetes.io/enforce-version"] = pick(r, "latest", "v1.20", "v1.36")
		}
	}
	g.web = &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: name}}
	g.web.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	g.web.Spec.Replicas = ptr.To(int32(mostAdmitted))
	for {
		g.web.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: drawPod(r)}
		web := g.web.DeepCopy()
		if defaults.Set(web); len(validation.Create(web)) == 0 {
			break // such a Deployment can be there
		}
	}
	if r.IntN(3) == 0 {
		for k := range 1 + r.IntN(2) {
			l := sample.LimitRange(r)
			l.Name, l.Namespace = fmt.Sprint("limits-", k), name
			if k > 0 { // whose defaults come first is not defined
				l.Spec.Limits = slices.DeleteFunc(l.Spec.Limits, func(x corev1.LimitRangeItem) bool { return x.Type == corev1.LimitTypeContainer })
			}
			g.ranges = append(g.ranges, l)
		}
	}
	if r.IntN(2) == 0 {
		for k := range 1 + r.IntN(2) {
			q := sample.Quota(r, fmt.Sprint("quota-", k))
			q.Namespace = name
			scoped(r, q)
			g.quotas = append(g.quotas, q)
		}
	}
	if r.IntN(2) == 0 {
		for k := range 1 + r.IntN(2) {
			p, b := drawPolicy(r, name, fmt.Sprintf("%s-%d", name, k))
			g.policies, g.bindings = append(g.policies, p), append(g.bindings, b)
		}
	}
	for k := range max(0, r.IntN(4)-1) {
		p, b := drawMutation(r, name, fmt.Sprintf("%s-%d", name, k))
		g.mutators, g.bound = append(g.mutators, p), append(g.bound, b)
	}
	g.ranges = slices.DeleteFunc(g.ranges, func(o *corev1.LimitRange) bool { return len(validation.Create(o)) > 0 })
	g.quotas = slices.DeleteFunc(g.quotas, func(o *corev1.ResourceQuota) bool { return len(validation.Create(o)) > 0 })
	return g
}

func drawPod(r *rand.Rand) corev1.PodSpec {
	out := corev1.PodSpec{Containers: sample.Containers(r)}
	if r.IntN(2) == 0 {
		out.Containers = sample.Limited(r, "main-")
	}
	if r.IntN(8) == 0 {
		out.Containers = []corev1.Container{{Name: "main", Image: "web:1"}} // best effort
	}
	if r.IntN(4) == 0 {
		out.InitContainers = sample.Limited(r, "init-")[:1]
		if r.IntN(2) == 0 {
			out.InitContainers[0].RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
		}
	}
	for i := range out.Containers {
		c := &out.Containers[i]
		c.Image = pick(r, "web:1", "web:1", "web:2")
		if r.IntN(2) == 0 {
			c.SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false), RunAsNonRoot: ptr.To(r.IntN(4) > 0),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
		}
		if r.IntN(12) == 0 {
			c.SecurityContext = &corev1.SecurityContext{Privileged: ptr.To(true)}
		}
		if r.IntN(10) == 0 {
			c.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80}}
		}
	}
	if r.IntN(5) == 0 {
		out.ActiveDeadlineSeconds = ptr.To(int64(60))
	}
	if r.IntN(3) == 0 {
		out.PriorityClassName = pick(r, "none", "high", "calm", "system-cluster-critical")
	}
	if r.IntN(16) == 0 {
		out.Priority = ptr.To(pick(r, int32(0), 1000, 7))
	}
	if r.IntN(12) == 0 {
		out.PreemptionPolicy = ptr.To(pick(r, corev1.PreemptNever, corev1.PreemptLowerPriority))
	}
	if r.IntN(6) == 0 {
		out.RuntimeClassName = ptr.To("fast")
	}
	if r.IntN(10) == 0 {
		out.HostNetwork = true
	}
	if r.IntN(6) == 0 {
		out.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
			{Weight: 1, PodAffinityTerm: corev1.PodAffinityTerm{TopologyKey: "zone", Namespaces: pick(r, nil, []string{"other"}), LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}}}}
	}
	if r.IntN(10) == 0 {
		out.Volumes = []corev1.Volume{{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
	}
	return out
}

// scoped gives a quota scopes, and takes the resources out that these do not go with.
func scoped(r *rand.Rand, q *corev1.ResourceQuota) {
	switch r.IntN(8) {
	case 0:
		q.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	case 1:
		q.Spec.Scopes = []corev1.ResourceQuotaScope{pick(r, corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating)}
	case 2:
		q.Spec.Scopes = []corev1.ResourceQuotaScope{pick(r, corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopeCrossNamespacePodAffinity)}
	case 3:
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{ScopeName: corev1.ResourceQuotaScopePriorityClass,
			Operator: pick(r, corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn), Values: []string{"high"}}}}
	case 4:
		q.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpExists}}}
	default:
		return
	}
	only := slices.Contains(q.Spec.Scopes, corev1.ResourceQuotaScopeBestEffort)
	maps.DeleteFunc(q.Spec.Hard, func(name corev1.ResourceName, _ resource.Quantity) bool {
		return name != "pods" && (only || name == "services" || strings.HasPrefix(string(name), "count/") || strings.Contains(string(name), "gpu"))
	})
}

func drawPolicy(r *rand.Rand, namespace, name string) (*admissionv1.ValidatingAdmissionPolicy, *admissionv1.ValidatingAdmissionPolicyBinding) {
	p := &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s := &p.Spec
	s.FailurePolicy = pick(r, nil, ptr.To(admissionv1.Fail), ptr.To(admissionv1.Ignore))
	rule := admissionv1.NamedRuleWithOperations{}
	rule.APIGroups, rule.APIVersions = pick(r, []string{""}, []string{"*"}, []string{"apps"}), []string{"v1"}
	rule.Operations = pick(r, []admissionv1.OperationType{"CREATE"}, []admissionv1.OperationType{"CREATE", "UPDATE"}, []admissionv1.OperationType{"*"}, []admissionv1.OperationType{"UPDATE"})
	rule.Resources = pick(r, []string{"pods"}, []string{"pods"}, []string{"pods", "pods/*"}, []string{"*"}, []string{"*/*"}, []string{"pods/ephemeralcontainers"}, []string{"pods/*"})
	s.MatchConstraints = &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{rule}}
	if r.IntN(4) == 0 {
		s.MatchConstraints.ObjectSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, "web", "other")}}
	}
	if r.IntN(6) == 0 {
		x := rule
		x.ResourceNames = pick(r, nil, []string{"web-1"})
		s.MatchConstraints.ExcludeResourceRules = []admissionv1.NamedRuleWithOperations{x}
	}
	if r.IntN(3) == 0 {
		s.MatchConditions = []admissionv1.MatchCondition{{Name: "a", Expression: pick(r, expressions[:len(expressions)-1]...)}}
	}
	s.Variables = []admissionv1.Variable{{Name: "few", Expression: "object.spec.containers.size() < 2"}}
	for range 1 + r.IntN(2) {
		s.Validations = append(s.Validations, admissionv1.Validation{Expression: pick(r, expressions...)})
	}
	b := &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Spec.PolicyName = name
	b.Spec.ValidationActions = pick(r, []admissionv1.ValidationAction{"Deny"}, []admissionv1.ValidationAction{"Deny"}, []admissionv1.ValidationAction{"Audit", "Deny"}, []admissionv1.ValidationAction{"Warn"})
	b.Spec.MatchResources = &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}}
	if r.IntN(6) == 0 {
		b.Spec.MatchResources.NamespaceSelector.MatchLabels["team"] = "a"
	}
	return p, b
}
