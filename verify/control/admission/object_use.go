package admission

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-helpers/storage/volume"

	"github.com/kubesettle/kubesettle/verify/state"
)

// ofClass is what stands between the name of a StorageClass and a resource of its claims in a quota.
const ofClass = ".storageclass.storage.k8s.io/"

// legacyCounts are the kinds whose number has a short name in a quota, too.
//
// Upstream: kubernetes v1.36.3, pkg/quota/v1/evaluator/core: legacyObjectCountAliases.
var legacyCounts = map[string]corev1.ResourceName{
	"configmaps": corev1.ResourceConfigMaps, "resourcequotas": corev1.ResourceQuotas,
	"replicationcontrollers": corev1.ResourceReplicationControllers, "secrets": corev1.ResourceSecrets,
}

// ObjectUse is the use of ResourceQuotas by one object that is no pod; typed is nil where no type is known. Quotas with
// scopes count none of them.
//
// Upstream: kubernetes v1.36.3, pkg/quota/v1/evaluator/core: (*pvcEvaluator).Usage, (*serviceEvaluator).Usage;
// apiserver/pkg/quota/v1/generic: (*objectCountEvaluator).Usage.
func ObjectUse(kind schema.GroupKind, typed runtime.Object) corev1.ResourceList {
	plural, _ := meta.UnsafeGuessKindToResource(kind.WithVersion("v1"))
	one := *oneOf()
	out := corev1.ResourceList{corev1.ResourceName("count/" + plural.GroupResource().String()): one}
	if short, ok := legacyCounts[plural.Resource]; ok && kind.Group == "" {
		out[short] = one
	}
	switch t := typed.(type) {
	case *corev1.PersistentVolumeClaim:
		out[corev1.ResourcePersistentVolumeClaims] = one
		class := volume.GetPersistentVolumeClaimClass(t)
		if class != "" {
			out[corev1.ResourceName(class+ofClass)+corev1.ResourcePersistentVolumeClaims] = one
		}
		if size, ok := t.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
			size = size.DeepCopy()
			size.RoundUp(0)
			out[corev1.ResourceRequestsStorage] = size
			if class != "" {
				out[corev1.ResourceName(class+ofClass)+corev1.ResourceRequestsStorage] = size
			}
		}
	case *corev1.Service:
		out[corev1.ResourceServices] = one
		switch ports := int64(len(t.Spec.Ports)); t.Spec.Type {
		case corev1.ServiceTypeNodePort:
			out[corev1.ResourceServicesNodePorts] = *resource.NewQuantity(ports, resource.DecimalSI)
		case corev1.ServiceTypeLoadBalancer:
			out[corev1.ResourceServicesLoadBalancers] = one
			if given := t.Spec.AllocateLoadBalancerNodePorts; given != nil && !*given {
				ports = 0
				for i := range t.Spec.Ports {
					if t.Spec.Ports[i].NodePort != 0 {
						ports++
					}
				}
			}
			out[corev1.ResourceServicesNodePorts] = *resource.NewQuantity(ports, resource.DecimalSI)
		}
	}
	return out
}

// ClaimRefusal is why LimitRanges of its namespace refuse a claim with some requests; nil: they do not.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/limitranger: PersistentVolumeClaimValidateLimitFunc.
func ClaimRefusal(requests corev1.ResourceList, ranges []*corev1.LimitRange) *state.Refusal {
	for _, r := range ranges {
		for i := range r.Spec.Limits {
			l := &r.Spec.Limits[i]
			if l.Type != corev1.LimitTypePersistentVolumeClaim {
				continue
			}
			for _, name := range sortedResources(l.Min) {
				if text := minConstraint(l.Type, name, l.Min[name], requests, nil); text != "" {
					return claimByRange(r, i, "min", name, text, requests)
				}
			}
			for _, name := range sortedResources(l.Max) {
				if text := maxRequestConstraint(l.Type, name, l.Max[name], requests); text != "" {
					return claimByRange(r, i, "max", name, text, requests)
				}
			}
		}
	}
	return nil
}

func claimByRange(r *corev1.LimitRange, i int, bound string, name corev1.ResourceName, text string,
	requests corev1.ResourceList) *state.Refusal {
	out := byRange(r, i, text)
	out.Field += fmt.Sprintf(".%s[%s]", bound, name)
	if q, ok := requests[name]; ok {
		out.Enough = q.String()
	}
	return out
}

// maxRequestConstraint is its namesake; "" is no error.
func maxRequestConstraint(t corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity,
	requests corev1.ResourceList) string {
	request, requested := requests[name]
	r, _, e := enforcedValues(request, resource.Quantity{}, enforced)
	switch {
	case !requested:
		return fmt.Sprintf("maximum %s usage per %s is %s.  No request is specified", name, t, enforced.String())
	case r > e:
		return fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, t, enforced.String(), request.String())
	}
	return ""
}

// OverQuota is why a quota refuses an object that takes more than it leaves, and the resource that falls short;
// nil: it does not. A quota with scopes counts pods only, which are the search's.
//
// Upstream: kubernetes v1.36.3, apiserver/pkg/admission/plugin/resourcequota: CheckRequest.
func OverQuota(q *corev1.ResourceQuota, more, used corev1.ResourceList) (why *state.Refusal, of corev1.ResourceName) {
	if len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
		return nil, ""
	}
	for _, name := range sortedResources(q.Spec.Hard) {
		amount, asked := more[name]
		hard, taken := q.Spec.Hard[name], used[name].DeepCopy()
		sum := taken.DeepCopy()
		if sum.Add(amount); !asked || amount.Sign() <= 0 || sum.Cmp(hard) <= 0 {
			continue
		}
		return &state.Refusal{
			Text: fmt.Sprintf("exceeded quota: %s, requested: %s=%s, used: %s=%s, limited: %s=%s", q.Name, name,
				amount.String(), name, taken.String(), name, hard.String()),
			Object: "ResourceQuota " + q.Namespace + "/" + q.Name, Field: "spec.hard[" + string(name) + "]",
			Enough: sum.String(),
		}, name
	}
	return nil, ""
}
