package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// DeclaredTraffic says which requests that a policy wants to arrive do not, and which it forbids do, where base kept
// the policy. ties say which releases are in one cluster.
func DeclaredTraffic(ch *object.Changes, ties *slice.Neighbours, p *policies.Policy) []Remark {
	if len(p.Traffic.Must)+len(p.Traffic.MayNot) == 0 {
		return nil
	}
	f := &facts{ch: ch, ties: ties}
	var out []Remark
	for _, v := range f.views() {
		for _, list := range []struct {
			of   []policies.Edge
			must bool
		}{{p.Traffic.Must, true}, {p.Traffic.MayNot, false}} {
			for _, e := range list.of {
				r, broken := v.declared(e, list.must)
				if broken && !slices.ContainsFunc(out, func(x Remark) bool { return x.text == r.text }) {
					out = append(out, r)
				}
			}
		}
	}
	return out
}

// declared judges one edge; false where head keeps the policy, or breaks it as base does.
func (v *view) declared(e policies.Edge, must bool) (Remark, bool) {
	wrong := traffic.No
	if !must {
		wrong = traffic.Yes
	}
	now, to := v.edge(v.of[state.Head], e)
	was, had := v.edge(v.of[state.Base], e)
	if to == nil || now.Answer != wrong || had != nil && was.Answer == wrong {
		return Remark{}, false
	}
	at := fmt.Sprintf("traffic.%s in line %d of %s", map[bool]string{true: "must", false: "mayNot"}[must], e.Line,
		e.File)
	r := Remark{Rule: rules.Unreachable, Object: to, release: to.Release, status: finding.New,
		paths: []string{"metadata.name"},
		shape: e.From + " " + e.To, causes: v.declaredBlames(e, wrong)}
	if len(now.Because) > 0 {
		by := now.Because[0]
		r.Object, r.release, r.paths = by.Object, by.Object.Release, []string{by.Path}
	}
	r.with = v.stranger(r.Object, to)
	if must {
		r.text = fmt.Sprintf("%s does not reach %s, which the policy wants (%s): %s", e.From, e.To, at, v.edgeEnds(now))
		r.remedies = byHand("let it through, or take the edge out of the policy first")
		return r, true
	}
	r.text = fmt.Sprintf("%s reaches %s at port %s, which the policy forbids (%s)", e.From, e.To,
		protocolPort(now.Port), at)
	r.remedies = byHand("deny it in a network policy")
	return r, true
}

func (v *view) edgeEnds(r traffic.Reach) string {
	c := cutter{view: v}
	return c.ends(traffic.Ask{Use: traffic.Declared}, r)
}

// declaredBlames are the changes without which the policy is kept.
func (v *view) declaredBlames(e policies.Edge, wrong traffic.Answer) []cause {
	var out []cause
	for i := range v.changed {
		if i == mostBlamed {
			break
		}
		if r, to := v.edge(v.without(&v.changed[i]), e); to == nil || r.Answer != wrong {
			out = append(out, causeOf(&v.changed[i]))
		}
	}
	return out
}

// edge follows an edge in a cluster; no object where one of its ends is not there.
func (v *view) edge(c *traffic.Cluster, e policies.Edge) (traffic.Reach, *object.Object) {
	from := traffic.Peer{Kind: traffic.Somebody}
	switch e.From {
	case policies.FromOutside:
	case policies.FromAPIServer:
		from.Kind = traffic.APIServer
	default:
		w := workloadCalled(c, e.From)
		if w == nil {
			return traffic.Reach{}, nil
		}
		from = w.Peer
	}
	ns, name, _ := strings.Cut(e.To, "/")
	if _, o, there := c.Service(ns, name); there == traffic.Yes {
		a := traffic.Ask{Use: traffic.Declared, By: traffic.Field{Object: o, Path: "metadata.name"}, From: from,
			Namespace: ns,
			Service:   name}
		if e.Port != 0 {
			a.Port = intstr.FromInt32(int32(e.Port))
		}
		return c.Reach(a), o
	}
	w := workloadCalled(c, e.To)
	if w == nil {
		return traffic.Reach{}, nil
	}
	ports := []traffic.Port{{Protocol: corev1.ProtocolTCP, Number: int32(e.Port)}}
	if e.Port == 0 && len(w.Peer.Ports) > 0 {
		ports = nil
		for _, p := range w.Peer.Ports {
			ports = append(ports, traffic.Port{Protocol: protocolOf(p.Protocol), Number: p.ContainerPort})
		}
	}
	out := traffic.Reach{Answer: traffic.No, Cut: traffic.Denied, To: []*traffic.Workload{w}}
	for _, p := range ports {
		verdict := c.Policies.Allows(from, w.Peer, p)
		switch {
		case verdict.Answer == traffic.Yes:
			return traffic.Reach{Answer: traffic.Yes, To: out.To, Port: p}, w.Object
		case verdict.Answer == traffic.Unknown:
			out.Answer = traffic.Unknown
		case out.Because == nil:
			out.Direction, out.Because, out.Port = verdict.Direction, verdict.Because, p
		}
	}
	return out, w.Object
}

func workloadCalled(c *traffic.Cluster, name string) *traffic.Workload {
	for _, w := range c.Workloads {
		if w.Object.ID.Namespace+"/"+w.Object.ID.Name == name {
			return w
		}
	}
	return nil
}
