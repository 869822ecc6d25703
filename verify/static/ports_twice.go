package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var doublePorts = Analyzer{Name: "ports-twice", Rule: rules.RolloutStuck, Run: portsTwice,
	Doc: "a port of a pod that two containers declare, or one of them twice"}

// portsTwice says which pods come to declare a port twice. Two containers that run at once share the network of their
// pod, so that one of them cannot bind it, if both do bind what they declare. With the node's network, every port is
// one of the node, and the API server refuses such a pod. In one container two names of one port do no harm to the pod,
// but what merges lists by their key keeps one of them.
//
// Upstream: kubernetes v1.36.3, pkg/apis/core/v1: SetDefaults_Pod (defaultHostNetworkPorts; of pods, not of templates);
// pkg/apis/core/validation: checkHostPortConflicts; staging/src/k8s.io/api/core/v1: Container.Ports (patchMergeKey
// containerPort); structured-merge-diff v6, typed: duplicates of an applied list are refused.
func portsTwice(p *Pass) []Remark {
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := base.counterpart(o)
		had := portClashes(b)
		for _, c := range portClashes(o) {
			if slices.ContainsFunc(had, func(x portClash) bool { return x.port == c.port && x.refused == c.refused }) {
				continue
			}
			r := Remark{Object: o, paths: []string{c.at[1], c.at[0]}, Conditional: true}
			switch one := c.in[0] == c.in[1]; {
			case c.refused:
				r.Rule, r.Conditional, r.paths = rules.NeverReplaced, false, append(r.paths, "spec.template.spec.hostNetwork")
				r.text = fmt.Sprintf("no pod of %s is created: it declares the port %s twice, which is one of its node, so that the API server refuses it",
					o.ID, c.port)
				r.remedies = byHand("declare the port once, or give one of the containers another")
			case one:
				r.Rule, r.Note = rules.DanglingTarget, b == nil
				r.text = fmt.Sprintf("container %s of %s has the port %s as %s and as %s: a patch keeps one name of a number, and server-side apply refuses two",
					c.in[0], o.ID, c.port, c.names[0], c.names[1])
				r.remedies = byHand(fmt.Sprintf("declare the port once, and have what names %s name %s", c.names[1], c.names[0]))
			default:
				r.text = fmt.Sprintf("new pods of %s never get ready where containers %s and %s both bind the port %s that both declare: they share an address",
					o.ID, c.in[0], c.in[1], c.port)
				r.remedies = byHand("give one of the containers another port")
			}
			out = append(out, r)
		}
	}
	return out
}

// portClash is a port that a pod declares twice.
type portClash struct {
	port    string // "80/TCP"
	in      [2]string
	names   [2]string
	at      [2]string // their fields
	refused bool      // the API server refuses the pod
}

// portClashes are those of the pods of a workload that run on, in the order of its fields.
func portClashes(o *object.Object) []portClash {
	if o == nil || o.Hook {
		return nil
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok || m.Kind().Ends() {
		return nil
	}
	spec, prefix := podSpec(o)
	if spec == nil {
		return nil
	}
	type declared struct {
		container *corev1.Container
		port      corev1.ContainerPort
		at        string
		sidecar   bool
	}
	var out []portClash
	var seen []declared
	for _, list := range []struct {
		field string
		of    []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i := range list.of {
			c, sidecar := &list.of[i], list.field == "initContainers"
			if sidecar && (c.RestartPolicy == nil || *c.RestartPolicy != corev1.ContainerRestartPolicyAlways) {
				continue // it ends before the others start
			}
			for j, port := range c.Ports {
				if port.Protocol == "" {
					port.Protocol = corev1.ProtocolTCP
				}
				d := declared{c, port, fmt.Sprintf("%s%s[%d].ports[%d]", prefix, list.field, i, j), sidecar}
				k := slices.IndexFunc(seen, func(x declared) bool {
					return x.port.ContainerPort == port.ContainerPort && x.port.Protocol == port.Protocol &&
						x.port.HostIP == port.HostIP
				})
				if k < 0 {
					seen = append(seen, d)
					continue
				}
				x := seen[k]
				clash := portClash{port: fmt.Sprintf("%d/%s", port.ContainerPort, port.Protocol),
					in: [2]string{x.container.Name, c.Name}, names: [2]string{x.port.Name, port.Name}, at: [2]string{x.at, d.at},
					refused: spec.HostNetwork && x.port.HostPort == 0 && port.HostPort == 0 && (x.sidecar == sidecar) &&
						(!sidecar || x.container == c)}
				harmless := x.container == c && (port.Name == "" || x.port.Name == "") ||
					x.container != c && (bindsLoopback(x.container, port.ContainerPort) || bindsLoopback(c, port.ContainerPort))
				if clash.refused || !harmless {
					out = append(out, clash)
				}
			}
		}
	}
	return out
}

// bindsLoopback reports whether a container is told to bind a port of one address, which leaves it to others elsewhere.
func bindsLoopback(c *corev1.Container, port int32) bool {
	words := slices.Concat(c.Command, c.Args)
	for _, e := range c.Env {
		words = append(words, e.Value)
	}
	text := strings.Join(words, " ")
	return slices.ContainsFunc([]string{"127.0.0.1", "localhost", "[::1]", "IP)", "IP}"}, func(host string) bool {
		return strings.Contains(text, fmt.Sprintf("%s:%d", host, port))
	})
}
