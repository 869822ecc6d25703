package admission

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/kubesettle/kubesettle/verify/state"
)

// podSecurity evaluates pods with the checks of the API server.
var podSecurity = sync.OnceValue(func() policy.Evaluator {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err) // upstream's own list
	}
	return e
})

// Enforces reports whether the labels of a namespace ask Pod Security admission to refuse pods.
func Enforces(namespace map[string]string) bool {
	return namespace[podsecurity.EnforceLevelLabel] != "" &&
		namespace[podsecurity.EnforceLevelLabel] != string(podsecurity.LevelPrivileged)
}

// SecurityRefusal is why Pod Security admission refuses a pod in a namespace with some labels; nil: it does not. A
// level or version that cannot be parsed refuses nothing: the API server refuses the namespace that has it.
//
// Upstream: k8s.io/pod-security-admission v0.36.3, admission: (*Admission).ValidatePod, EvaluatePod; api:
// PolicyToEvaluate. Exempt users, RuntimeClasses and namespaces of its configuration are not known: none is.
func SecurityRefusal(pod *corev1.Pod, namespace map[string]string) *state.Refusal {
	if !Enforces(namespace) {
		return nil
	}
	asked, errs := podsecurity.PolicyToEvaluate(namespace, podsecurity.Policy{
		Enforce: podsecurity.LevelVersion{Level: podsecurity.LevelPrivileged, Version: podsecurity.LatestVersion()}})
	if len(errs) > 0 {
		return nil
	}
	result := policy.AggregateCheckResults(podSecurity().EvaluatePod(asked.Enforce, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return &state.Refusal{
		Text:   fmt.Sprintf("violates PodSecurity %q: %s", asked.Enforce.String(), result.ForbiddenDetail()),
		Object: "Namespace " + pod.Namespace, Field: "metadata.labels[" + podsecurity.EnforceLevelLabel + "]",
	}
}
