package admission

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	resourcehelpers "k8s.io/component-helpers/resource"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/v1/validation"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ApplyLimitRanges gives the pods of a template the requests and limits that the
// LimitRanges of its namespace have for containers that set none.
//
// Upstream: kubernetes v1.36.3, pkg/apis/core/v1: SetDefaults_Pod (a limit stands for a request);
// plugin/pkg/admission/limitranger: PodMutateLimitFunc, defaultContainerResourceRequirements,
// mergePodResourceRequirements. The order of several LimitRanges is that of their names, where upstream's
// is not defined.
func ApplyLimitRanges(spec *corev1.PodSpec, ranges []*corev1.LimitRange) {
	objects.DefaultRequests(spec)
	for _, r := range ranges {
		for i := range r.Spec.Limits {
			l := &r.Spec.Limits[i]
			if l.Type != corev1.LimitTypeContainer {
				continue
			}
			for _, list := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
				for j := range list {
					fill(&list[j].Resources.Limits, l.Default)
					fill(&list[j].Resources.Requests, l.DefaultRequest)
				}
			}
		}
	}
}

// fill adds the amounts that a list does not have.
func fill(list *corev1.ResourceList, from corev1.ResourceList) {
	for name, q := range from {
		if _, found := (*list)[name]; found {
			continue
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = q.DeepCopy()
	}
}

// LimitRefusal is why a pod cannot be created beside LimitRanges: their defaults make it invalid, or it breaks their
// bounds. nil: it can. pod is as [ApplyLimitRanges] leaves it.
//
// Upstream: pkg/apis/core/validation: validateResourceRequirements; limitranger: PodValidateLimitFunc.
func LimitRefusal(pod *corev1.PodSpec, ranges []*corev1.LimitRange) *state.Refusal {
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"containers", pod.Containers}, {"initContainers", pod.InitContainers}} {
		for i := range list.of {
			at := field.NewPath("spec", list.field).Index(i)
			if errs := corevalidation.ValidateResourceRequirements(&list.of[i].Resources, at.Child("resources")); len(errs) > 0 {
				out := &state.Refusal{Text: fmt.Sprintf("Pod is invalid: %s", errs[0].Error()), Own: ownResources(at.String())}
				out.Object, out.Field = filledBy(ranges)
				return out
			}
		}
	}
	for _, r := range ranges {
		for i := range r.Spec.Limits {
			l := &r.Spec.Limits[i]
			if text, container := outOfRange(pod, l); text != "" {
				refusal := byRange(r, i, text)
				refusal.Own = ownResources(container)
				return refusal
			}
		}
	}
	return nil
}

// byRange is a refusal by an item of a LimitRange.
func byRange(r *corev1.LimitRange, i int, text string) *state.Refusal {
	return &state.Refusal{Text: "forbidden: " + text, Object: limitRangeID(r), Field: fmt.Sprintf("spec.limits[%d]", i)}
}

// ownResources is the field of a template with the resources of a container; "" is for the pod.
func ownResources(container string) string {
	if container == "" {
		return ""
	}
	return "spec.template." + container + ".resources"
}

func limitRangeID(r *corev1.LimitRange) string { return "LimitRange " + r.Namespace + "/" + r.Name }

// filledBy is the first LimitRange that has defaults.
func filledBy(ranges []*corev1.LimitRange) (object, at string) {
	for _, r := range ranges {
		for i := range r.Spec.Limits {
			if l := &r.Spec.Limits[i]; len(l.Default)+len(l.DefaultRequest) > 0 {
				return limitRangeID(r), fmt.Sprintf("spec.limits[%d].default", i)
			}
		}
	}
	return "", ""
}

// outOfRange is PodValidateLimitFunc for one item: the first error, and the container.
func outOfRange(pod *corev1.PodSpec, l *corev1.LimitRangeItem) (text, container string) {
	switch l.Type {
	case corev1.LimitTypeContainer:
		for i := range pod.Containers {
			if text := bounded(l, pod.Containers[i].Resources.Requests, pod.Containers[i].Resources.Limits); text != "" {
				return text, fmt.Sprintf("spec.containers[%d]", i)
			}
		}
		for i := range pod.InitContainers {
			if text := bounded(l, pod.InitContainers[i].Resources.Requests, pod.InitContainers[i].Resources.Limits); text != "" {
				return text, fmt.Sprintf("spec.initContainers[%d]", i)
			}
		}
	case corev1.LimitTypePod:
		whole, opt := &corev1.Pod{Spec: *pod}, resourcehelpers.PodResourcesOptions{ExcludeOverhead: true}
		return bounded(l, resourcehelpers.PodRequests(whole, opt), resourcehelpers.PodLimits(whole, opt)), ""
	}
	return "", ""
}

// bounded checks requests and limits against the bounds of an item.
func bounded(l *corev1.LimitRangeItem, requests, limits corev1.ResourceList) string {
	var wrong []string
	for name, q := range l.Min {
		wrong = append(wrong, minConstraint(l.Type, name, q, requests, limits))
	}
	for name, q := range l.Max {
		wrong = append(wrong, maxConstraint(l.Type, name, q, requests, limits))
	}
	for name, q := range l.MaxLimitRequestRatio {
		wrong = append(wrong, limitRequestRatioConstraint(l.Type, name, q, requests, limits))
	}
	wrong = slices.DeleteFunc(wrong, func(s string) bool { return s == "" })
	if len(wrong) == 0 {
		return ""
	}
	slices.Sort(wrong)
	return strings.Join(wrong, ", ")
}

// comparable amounts, as requestLimitEnforcedValues gives them.
func enforcedValues(request, limit, enforced resource.Quantity) (r, l, e int64) {
	r, l, e = request.Value(), limit.Value(), enforced.Value()
	if r <= resource.MaxMilliValue && l <= resource.MaxMilliValue && e <= resource.MaxMilliValue {
		r, l, e = request.MilliValue(), limit.MilliValue(), enforced.MilliValue()
	}
	return r, l, e
}

// minConstraint is its namesake; "" is no error.
func minConstraint(t corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests,
	limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	r, l, e := enforcedValues(request, limit, enforced)
	switch {
	case !requested:
		return fmt.Sprintf("minimum %s usage per %s is %s.  No request is specified", name, t, enforced.String())
	case r < e:
		return fmt.Sprintf("minimum %s usage per %s is %s, but request is %s", name, t, enforced.String(), request.String())
	case limited && l < e:
		return fmt.Sprintf("minimum %s usage per %s is %s, but limit is %s", name, t, enforced.String(), limit.String())
	}
	return ""
}

// maxConstraint is its namesake; "" is no error.
func maxConstraint(t corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests,
	limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	r, l, e := enforcedValues(request, limit, enforced)
	switch {
	case !limited:
		return fmt.Sprintf("maximum %s usage per %s is %s.  No limit is specified", name, t, enforced.String())
	case l > e:
		return fmt.Sprintf("maximum %s usage per %s is %s, but limit is %s", name, t, enforced.String(), limit.String())
	case requested && r > e:
		return fmt.Sprintf("maximum %s usage per %s is %s, but request is %s", name, t, enforced.String(), request.String())
	}
	return ""
}

// limitRequestRatioConstraint is its namesake; "" is no error.
func limitRequestRatioConstraint(t corev1.LimitType, name corev1.ResourceName, enforced resource.Quantity, requests,
	limits corev1.ResourceList) string {
	request, requested := requests[name]
	limit, limited := limits[name]
	r, l, _ := enforcedValues(request, limit, enforced)
	switch {
	case !requested || r == 0:
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but no request is specified or request is 0",
			name, t, enforced.String())
	case !limited || l == 0:
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0",
			name, t, enforced.String())
	}
	ratio := float64(l) / float64(r)
	shown, most := ratio, float64(enforced.Value())
	if enforced.Value() <= resource.MaxMilliValue {
		ratio, most = ratio*1000, float64(enforced.MilliValue())
	}
	if ratio > most {
		return fmt.Sprintf("%s max limit to request ratio per %s is %s, but provided ratio is %f", name, t,
			enforced.String(), shown)
	}
	return ""
}
