package static

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

var unreadied = Analyzer{Name: "unready", Rule: rules.ServiceGap, Run: unready, Compares: true,
	Doc: "a Service that comes to lead to pods that are not ready, or no longer names those that start"}

// unready says which Services come to publish the addresses of pods that are not ready, so that requests go to pods
// that start or fail; and which headless ones cease to, so that the pods of a StatefulSet find each other only once
// each is ready. Headless Services lead to pods that are not ready on purpose.
//
// Upstream: kubernetes v1.36.3, core/v1: ServiceSpec (PublishNotReadyAddresses); pkg/controller/endpointslice.
func unready(p *Pass) []Remark {
	was, head := p.before(), p.everywhere()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		s, ok := o.Typed.(*corev1.Service)
		b := was.counterpart(o)
		if !ok || o.Hook || b == nil || len(s.Spec.Selector) == 0 {
			continue
		}
		old, ok := b.Typed.(*corev1.Service)
		headless := s.Spec.ClusterIP == corev1.ClusterIPNone
		if !ok || old.Spec.PublishNotReadyAddresses == s.Spec.PublishNotReadyAddresses ||
			headless == s.Spec.PublishNotReadyAddresses {
			continue
		}
		r := Remark{Object: o, status: finding.New, Conditional: true, paths: []string{"spec.publishNotReadyAddresses"},
			remedies: []Remedy{{Say: "put publishNotReadyAddresses back", Object: o, Set: []object.Setting{
				{Path: "spec.publishNotReadyAddresses", Value: old.Spec.PublishNotReadyAddresses}}}}}
		for _, w := range backers(head, o) {
			switch t, of := w.Typed.(*appsv1.StatefulSet); {
			case !headless:
				r.text = fmt.Sprintf("%s sends requests to pods of %s that are not ready as well, such as those that start", o.ID, w.ID)
			case of && waitsReady(w) && t.Spec.ServiceName == o.ID.Name && (t.Spec.Replicas == nil || *t.Spec.Replicas > 1):
				r.text = fmt.Sprintf("%s names the pods of %s only once they are ready: pods that have to find each other to "+
					"become ready never do", o.ID, w.ID)
			}
			if r.text != "" {
				r.with = p.where().open(o, w)
				out = append(out, r)
				break
			}
		}
	}
	return out
}

// waitsReady reports whether pods of a workload start without being ready: a probe says when they are.
func waitsReady(o *object.Object) bool {
	spec, _ := podSpec(o)
	if spec == nil {
		return false
	}
	for _, c := range spec.Containers {
		if c.ReadinessProbe != nil || c.StartupProbe != nil {
			return true
		}
	}
	return false
}
