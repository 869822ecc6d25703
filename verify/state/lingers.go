package state

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// lingers reports whether anybody could tell a pod on deletion from one that is gone. Where
// nobody can, Terminating is not laid out, and a deletion takes the pod at once: all runs
// in which pods stop sooner or later do the same to everything that can be seen.
//
// Who can, and an actor or rule that looks at pods on deletion has to be among them:
// whoever asks them for admission (webhooks), whoever counts what pods hold (quotas, resources of declared nodes, host ports,
// inter-pod affinity, volumes, preemption, the cluster autoscaler), whoever waits for them to be
// gone (Recreate, maintenance, nodes that come and go), whoever evicts or deletes, as a rule then
// compares pods on deletion, and an autoscaler whose pods lack requests. An autoscaler's
// stabilization window passes when pods have stopped; they can always do so at once.
// maxPods is that of [NewBuilder].
func (s *Spec) lingers(maxPods int) bool {
	e := &s.Events
	if s.Unreduced || s.CountsTerminating || e.Drain+e.NodeFailure+e.NodeAdded+e.NodeRemoved+e.SpotReclaim+e.PodCrash+e.NodePanic+e.ManagerRestart > 0 || e.presses() ||
		slices.ContainsFunc(s.Declared, func(d Declared) bool { return d.Does == DeletePods }) || s.Descheduler != nil || s.ClusterAutoscaler || len(s.Quotas) > 0 || len(s.Admission.Webhooks) > 0 || len(s.Claims) > 0 || s.DefaultPriority[Base] != s.DefaultPriority[Head] {
		return true
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		if c.Node == nil {
			return true
		}
		fit := c.Node.Status.Allocatable.Pods().Value()
		if !c.Elastic || fit < int64(2*len(s.Workloads)*maxPods) || slices.ContainsFunc(c.Node.Spec.Taints, func(t corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }) {
			return true
		}
	}
	var first *corev1.PodSpec
	for i := range s.Workloads {
		w := &s.Workloads[i]
		if len(w.Sizes) > 0 { // a vertical autoscaler evicts
			return true
		}
		for v := range w.Manifests {
			m := &w.Manifests[v]
			if !m.Exists() {
				continue
			}
			pod := m.Pod()
			if first == nil {
				first = pod
			}
			if m.Kind() != Deployment || m.Deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType || pod.PriorityClassName != first.PriorityClassName ||
				holds(pod) || !w.requests(pod) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a pod keeps others away, or draws them near, while it is there.
func holds(p *corev1.PodSpec) bool {
	if a := p.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return true
	}
	for _, list := range [][]corev1.Container{p.InitContainers, p.Containers} {
		for i := range list {
			if slices.ContainsFunc(list[i].Ports, func(port corev1.ContainerPort) bool { return p.HostNetwork || port.HostPort != 0 }) {
				return true
			}
		}
	}
	return false
}

// requests reports whether every container of a pod requests the resources that w's
// autoscalers look at, so that they can compute something whichever pods there are.
func (w *Workload) requests(p *corev1.PodSpec) bool {
	for v := range w.Manifests {
		if w.Manifests[v].HPA == nil {
			continue
		}
		if len(w.Manifests[v].HPA.Spec.Metrics) == 0 { // the API server has a default
			return false
		}
		for _, m := range w.Manifests[v].HPA.Spec.Metrics {
			var name corev1.ResourceName
			switch {
			case m.Resource != nil:
				name = m.Resource.Name
			case m.ContainerResource != nil:
				name = m.ContainerResource.Name
			default:
				continue
			}
			if slices.ContainsFunc(p.Containers, func(c corev1.Container) bool { return c.Resources.Requests.Name(name, "").IsZero() }) {
				return false
			}
		}
	}
	return true
}
