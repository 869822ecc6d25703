package validation

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
	admissionvalidation "k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	nodevalidation "k8s.io/kubernetes/pkg/apis/node/validation"
	podsecurity "k8s.io/pod-security-admission/api"
)

// policies are the kinds by which a cluster admits others: policies in CEL, whose expressions are compiled, webhooks,
// and classes of runtimes.
func policies() []entry {
	return []entry{
		kind(false, admissionvalidation.ValidateValidatingAdmissionPolicy,
			admissionvalidation.ValidateValidatingAdmissionPolicyUpdate),
		kind(false, admissionvalidation.ValidateValidatingAdmissionPolicyBinding,
			admissionvalidation.ValidateValidatingAdmissionPolicyBindingUpdate),
		kind(false, admissionvalidation.ValidateMutatingAdmissionPolicy,
			admissionvalidation.ValidateMutatingAdmissionPolicyUpdate),
		kind(false, admissionvalidation.ValidateMutatingAdmissionPolicyBinding,
			admissionvalidation.ValidateMutatingAdmissionPolicyBindingUpdate),
		kind(false, admissionvalidation.ValidateValidatingWebhookConfiguration,
			admissionvalidation.ValidateValidatingWebhookConfigurationUpdate),
		kind(false, admissionvalidation.ValidateMutatingWebhookConfiguration,
			admissionvalidation.ValidateMutatingWebhookConfigurationUpdate),
		kind(false, nodevalidation.ValidateRuntimeClass,
			both(nodevalidation.ValidateRuntimeClass, nodevalidation.ValidateRuntimeClassUpdate)),
	}
}

// createNamespace also asks Pod Security admission, which has to understand the labels that it is given.
//
// Upstream: k8s.io/pod-security-admission v0.36.3, admission: (*Admission).ValidateNamespace.
func createNamespace(o *core.Namespace) field.ErrorList {
	return append(corevalidation.ValidateNamespace(o), securityLabels(o)...)
}

// updateNamespace lets wrong labels of Pod Security stay as they are: (namespaceStrategy).PrepareForUpdate keeps the
// finalizers of the spec, too.
func updateNamespace(now, was *core.Namespace) field.ErrorList {
	now.Spec.Finalizers = was.Spec.Finalizers
	out := append(corevalidation.ValidateNamespace(now), corevalidation.ValidateNamespaceUpdate(now, was)...)
	if errs := securityLabels(now); !reflect.DeepEqual(errs, securityLabels(was)) {
		out = append(out, errs...)
	}
	return out
}

func securityLabels(o *core.Namespace) field.ErrorList {
	_, errs := podsecurity.PolicyToEvaluate(o.Labels, podsecurity.Policy{})
	return errs
}
