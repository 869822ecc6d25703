package objects

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelpers "k8s.io/component-helpers/resource"
)

// PodRequest is calculateRequests for one pod, in thousandths of the resource's unit: of
// one container where it is named, else of the pod. It is false where upstream fails.
func PodRequest(spec *corev1.PodSpec, name corev1.ResourceName, container string) (int64, bool) {
	pod := corev1.Pod{Spec: *spec}
	if container == "" && resourcehelpers.IsPodLevelRequestsSet(&pod) { // calculatePodLevelRequests
		all := resourcehelpers.PodRequests(&pod, resourcehelpers.PodResourcesOptions{})
		q, ok := all[name]
		return q.MilliValue(), ok
	}
	total, ok, found := int64(0), true, container == ""
	eachRunning(spec, func(c *corev1.Container) { // calculatePodRequestsFromContainers
		if container != "" && container != c.Name {
			return
		}
		q, has := RequestOf(c, name)
		ok, found = ok && has, true
		total += q.MilliValue()
	})
	return total, ok && found
}

// RequestOf is a container's request as the API server stores it: a limit stands for a request that is absent
// (pkg/apis/core/v1: SetDefaults_Pod).
func RequestOf(c *corev1.Container, name corev1.ResourceName) (resource.Quantity, bool) {
	q, ok := c.Resources.Requests[name]
	if !ok {
		q, ok = c.Resources.Limits[name]
	}
	return q, ok
}

// SilentContainer names the first container whose request a metric misses; "" where there
// is none.
func SilentContainer(spec *corev1.PodSpec, name corev1.ResourceName, container string) string {
	if container == "" && resourcehelpers.IsPodLevelRequestsSet(&corev1.Pod{Spec: *spec}) {
		return ""
	}
	silent, found := "", container == ""
	eachRunning(spec, func(c *corev1.Container) {
		if container != "" && container != c.Name {
			return
		}
		found = true
		if _, ok := RequestOf(c, name); !ok && silent == "" {
			silent = c.Name
		}
	})
	if !found {
		return container
	}
	return silent
}

// PodLimit is the most that one pod, or the container of it that is named, can use of a
// resource, in thousandths of its unit.
func PodLimit(spec *corev1.PodSpec, name corev1.ResourceName, container string) int64 {
	most := int64(math.MaxInt64)
	if spec.Resources != nil {
		if q, ok := spec.Resources.Limits[name]; ok {
			most = q.MilliValue()
		}
	}
	total, all := int64(0), true
	eachRunning(spec, func(c *corev1.Container) {
		if container != "" && container != c.Name {
			return
		}
		q, ok := c.Resources.Limits[name]
		all = all && ok
		total += q.MilliValue()
	})
	if all && total > 0 {
		most = min(most, total)
	}
	return most
}

// eachRunning visits the containers that run while a pod is ready: the regular ones and
// sidecars.
func eachRunning(spec *corev1.PodSpec, visit func(*corev1.Container)) {
	for i := range spec.Containers {
		visit(&spec.Containers[i])
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			visit(c)
		}
	}
}
