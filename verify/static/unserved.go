package static

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var unservedPorts = Analyzer{Name: "unserved-ports", Rule: rules.DanglingTarget, Run: unserved, Compares: true,
	Doc: "a number of a port that a Service leads to and that its pods no longer declare"}

// unserved says which Services lead to a number that no container of their pods declares, where they led to one that a
// container did declare on base. Pods may serve undeclared ports: it is a note if another object names the number, or
// the image is another one. Names are [astray]'s.
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
			moved := !maps.Equal(s.Spec.Selector, selectorOf(b)) && now.of != ""
			if n == 0 || !now.known && !moved || j < 0 || now.has(n, port.Protocol) ||
				!before.leadsTo(b.Typed.(*corev1.Service).Spec.Ports[j]) {
				continue
			}
			r := Remark{Object: o, paths: []string{fmt.Sprintf("spec.ports[%d].targetPort", i)}, Conditional: true,
				Note: p.mentions(n, now.pods), causes: now.causes, with: p.where().open(o, now.pods...),
				text: fmt.Sprintf("%s leads to the port %d, which no container of %s declares", o.ID, n, now.of)}
			if port.TargetPort == (intstr.IntOrString{}) {
				r.paths[0] = fmt.Sprintf("spec.ports[%d].port", i)
			}
			if moved {
				r.paths = append(r.paths, "spec.selector")
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
	pods   []*object.Object
	causes []cause
}

func declaredBy(service *object.Object, x *aimIndex) declaredPorts {
	var out declaredPorts
	silent := false
	for _, t := range x.all(service) {
		if x.apart(t, service) {
			continue
		}
		spec, prefix := podSpec(t)
		if spec == nil {
			return declaredPorts{}
		}
		some := len(out.ports)
		out.pods, out.of = append(out.pods, t), cmp.Or(out.of, t.ID.String())
		for i, c := range spec.Containers {
			out.causes = append(out.causes, cause{t, []string{fmt.Sprintf("%scontainers[%d].ports", prefix, i)}})
			out.ports = append(out.ports, c.Ports...)
		}
		for _, c := range spec.InitContainers {
			out.ports = append(out.ports, c.Ports...)
		}
		silent = silent || len(out.ports) == some
	}
	out.known = len(out.pods) > 0 && !silent
	return out
}

// mentions reports whether something of head names a number, as a port that pods are told to listen on, beside Services
// and those that lead to them; or whether other images run in some workloads, which may listen on another one.
func (p *Pass) mentions(n int32, pods []*object.Object) bool {
	for _, o := range pods {
		b := p.once().counterpart(o)
		if b == nil || !slices.Equal(imagesOf(b), imagesOf(o)) {
			return true
		}
	}
	return slices.ContainsFunc(p.Objects(state.Head), func(o *object.Object) bool {
		switch {
		case o.ID.Kind == "Service" || traffic.IsRoute(o.ID) || traffic.IsPolicy(o) || len(reaches(o)) > 0:
			return false
		case slices.ContainsFunc(pods, func(x *object.Object) bool { return x.ID == o.ID }):
			spec, _ := podSpec(o)
			return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers),
				func(c corev1.Container) bool {
					c.Ports, c.ReadinessProbe, c.LivenessProbe, c.StartupProbe = nil, nil, nil, nil
					return namesNumber(c, n)
				})
		}
		return namesNumber(o.Content["data"], n)
	})
}

func namesNumber(v any, n int32) bool {
	b, err := json.Marshal(v)
	return err != nil || regexp.MustCompile(fmt.Sprintf(`(^|[^0-9.])%d($|[^0-9.])`, n)).Match(b)
}

func imagesOf(o *object.Object) []string {
	var out []string
	if spec, _ := podSpec(o); spec != nil {
		for _, c := range spec.Containers {
			out = append(out, c.Image)
		}
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
