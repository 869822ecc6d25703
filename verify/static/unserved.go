package static

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var unservedPorts = Analyzer{Name: "unserved-ports", Rule: rules.DanglingTarget, Run: unserved, Compares: true,
	Doc: "a number of a port that a Service leads to and that its pods no longer declare"}

// unserved says which Services lead to a number that no container of their pods declares, where they led to one that a
// container did declare on base. Pods may serve what they do not declare, so that it is a note. Names are [astray]'s.
func unserved(p *Pass) []Remark {
	was, base, head := p.before(), p.once(), p.everywhere()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		s, ok := o.Typed.(*corev1.Service)
		b := was.counterpart(o)
		if !ok || o.Hook || b == nil || len(s.Spec.Selector) == 0 || s.Spec.ClusterIP == corev1.ClusterIPNone ||
			s.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		before, now := declaredBy(b, base), declaredBy(o, head)
		for i, port := range s.Spec.Ports {
			n := targetNumber(port)
			j := slices.IndexFunc(b.Typed.(*corev1.Service).Spec.Ports, func(x corev1.ServicePort) bool {
				return x.Port == port.Port && protocolOf(x.Protocol) == protocolOf(port.Protocol)
			})
			if n == 0 || !now.known || j < 0 || now.has(n, port.Protocol) ||
				!before.leadsTo(b.Typed.(*corev1.Service).Spec.Ports[j]) {
				continue
			}
			r := Remark{Object: o, paths: []string{fmt.Sprintf("spec.ports[%d].targetPort", i)}, Conditional: true, Note: true,
				causes: now.causes,
				text:   fmt.Sprintf("%s leads to the port %d, which no container of %s declares", o.ID, n, now.of)}
			if port.TargetPort == (intstr.IntOrString{}) {
				r.paths[0] = fmt.Sprintf("spec.ports[%d].port", i)
			}
			if only, one := now.only(port.Protocol); one {
				r.remedies = []Remedy{{Say: fmt.Sprintf("lead to %d, which is declared", only), Object: o,
					Set: []object.Setting{{Path: fmt.Sprintf("spec.ports[%d].targetPort", i), Value: int64(only)}}}}
			}
			out = append(out, r)
		}
	}
	return out
}

// declaredPorts are those of the pods of a Service.
type declaredPorts struct {
	known  bool // every workload among them declares some
	ports  []corev1.ContainerPort
	of     string // the first workload
	causes []cause
}

func declaredBy(service *object.Object, x *aimIndex) declaredPorts {
	var out declaredPorts
	for _, t := range x.all(service) {
		if instead(t.Release, service.Release) {
			continue
		}
		spec, prefix := podSpec(t)
		if spec == nil {
			return declaredPorts{}
		}
		some := len(out.ports)
		for i, c := range spec.Containers {
			out.causes = append(out.causes, cause{t, []string{fmt.Sprintf("%scontainers[%d].ports", prefix, i)}})
			out.ports = append(out.ports, c.Ports...)
		}
		for _, c := range spec.InitContainers {
			out.ports = append(out.ports, c.Ports...)
		}
		if len(out.ports) == some {
			return declaredPorts{}
		}
		out.known, out.of = true, cmp.Or(out.of, t.ID.String())
	}
	return out
}

// has reports whether a container declares a number.
func (d declaredPorts) has(n int32, protocol corev1.Protocol) bool {
	return slices.ContainsFunc(d.ports, func(p corev1.ContainerPort) bool {
		return p.ContainerPort == n && protocolOf(p.Protocol) == protocolOf(protocol)
	})
}

// leadsTo reports whether what a port of a Service leads to is declared.
func (d declaredPorts) leadsTo(port corev1.ServicePort) bool {
	if n := targetNumber(port); n != 0 {
		return d.has(n, port.Protocol)
	}
	return slices.ContainsFunc(d.ports, func(p corev1.ContainerPort) bool { return p.Name == port.TargetPort.StrVal })
}

// only is the one number that is declared.
func (d declaredPorts) only(protocol corev1.Protocol) (n int32, one bool) {
	for _, p := range d.ports {
		if protocolOf(p.Protocol) != protocolOf(protocol) || p.ContainerPort == n {
			continue
		}
		if n != 0 {
			return 0, false
		}
		n = p.ContainerPort
	}
	return n, n != 0
}

// targetNumber is the number that a port of a Service leads to; 0: it leads to a name.
func targetNumber(p corev1.ServicePort) int32 {
	if p.TargetPort.Type == intstr.String && p.TargetPort.StrVal != "" {
		return 0
	}
	return cmp.Or(p.TargetPort.IntVal, p.Port)
}

func protocolOf(p corev1.Protocol) corev1.Protocol { return cmp.Or(p, corev1.ProtocolTCP) }
