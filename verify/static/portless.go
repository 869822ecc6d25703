package static

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
)

// portless is about a Service that comes to send requests to pods which do not serve: a workload that comes, or whose
// labels come to match, or, of a Service that comes, one of several declares no container port where another declares
// the target port. A port by name leaves out pods without it, and who asks a headless Service chooses by itself.
//
// Upstream: kubernetes v1.36.3, endpointslice: FindPort (a number is taken as it is, a name has to be declared).
func (p *Pass) portless(r Remark, b *object.Object) []Remark {
	s, ok := r.Object.Typed.(*corev1.Service)
	if !ok || s.Spec.ClusterIP == corev1.ClusterIPNone || s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	base, now := p.once(), p.everywhere().joined(r.Object)
	var was []*object.Object
	if b != nil {
		was = base.joined(b)
	}
	for _, t := range now {
		had := base.again(t)
		if !runsOn(t) || had != nil && slices.Contains(was, had) {
			continue
		}
		for _, port := range s.Spec.Ports {
			number := port.TargetPort.IntVal
			if port.TargetPort.StrVal != "" {
				continue
			}
			if number == 0 {
				number = port.Port
			}
			serves := slices.IndexFunc(now, func(w *object.Object) bool {
				return w != t && runsOn(w) && declares(w, number) && (b == nil || slices.Contains(was, base.again(w)))
			})
			if serves < 0 || declares(t, number) {
				continue
			}
			r.beside, r.with = [2]*object.Object{had, t}, p.where().open(r.Object, t)
			r.text = fmt.Sprintf("%s sends requests to the pods of %s as well, which declare no port %d as those of %s do",
				r.Object.ID, t.ID, number, now[serves].ID)
			r.remedies = byHand("select a label that only the pods with the port have")
			return []Remark{r}
		}
	}
	return nil
}

// declares reports whether a container of a workload declares a port.
func declares(o *object.Object, number int32) bool {
	spec, _ := podSpec(o)
	return spec != nil && slices.ContainsFunc(spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.ContainerPort == number })
	})
}
