package static

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

// Edges are the requests of which a search has to say whether pods are ready to answer them, each between releases that
// surely run in one cluster: those of which a policy says how many, and those to a Service that comes to answer on the
// caller's own node alone.
func Edges(ch *object.Changes, ties *slice.Neighbours, p *policies.Policy) []rules.Edge {
	f := &facts{ch: ch, ties: ties, every: slices.ContainsFunc(p.Traffic.Must,
		func(e policies.Edge) bool { return e.Ready > 0 })}
	var out []rules.Edge
	enter := func(e rules.Edge) {
		if !slices.ContainsFunc(out, func(x rules.Edge) bool { return fmt.Sprint(x) == fmt.Sprint(e) }) {
			out = append(out, e)
		}
	}
	for _, v := range f.views() {
		for _, e := range p.Traffic.Must {
			if edge, ok := v.counted(e); e.Ready > 0 && ok {
				enter(edge)
			}
		}
		for _, a := range v.asks(state.Head) {
			if edge, ok := v.local(a); ok {
				enter(edge)
			}
		}
	}
	return out
}

// counted is an edge of a policy with those that answer on both sides; false where none is known.
func (v *view) counted(e policies.Edge) (rules.Edge, bool) {
	out := rules.Edge{To: e.To, Least: e.Ready, Declared: rules.Declaration{File: e.File, Line: e.Line}}
	for side := range v.of {
		r, to := v.edge(v.of[side], e)
		if to == nil {
			if side == int(state.Head) {
				return out, false
			}
			continue
		}
		if out.Namespace = to.ID.Namespace; to.ID.Kind == "Service" {
			out.Service = to.ID.Name
		}
		out.Workloads = namesOf(out.Workloads, r.To)
	}
	return out, len(out.Workloads) > 0
}

// local is a request that a setting of a workload tells of, to a Service that comes to answer on the caller's own node
// alone. Pods that each node has are near every caller.
func (v *view) local(a traffic.Ask) (rules.Edge, bool) {
	if a.Use != traffic.Named || a.Caller.Ends || a.Caller.Daemon {
		return rules.Edge{}, false
	}
	r := v.of[state.Head].Reach(a)
	if r.Service == nil || !isLocal(r.Service) || len(r.To) == 0 || slices.ContainsFunc(r.To,
		func(w *traffic.Workload) bool {
			return w.Daemon || v.stranger(w.Object, a.Caller.Object, r.Service) != ""
		}) {
		return rules.Edge{}, false
	}
	caller := a.Caller.Object.ID
	return rules.Edge{To: "Service " + a.Namespace + "/" + a.Service, Namespace: a.Namespace, Service: a.Service,
		Least: 1,
		Guess: true, Caller: caller.Namespace + "/" + caller.Name, Local: true, Workloads: namesOf(nil, r.To)}, true
}

func isLocal(o *object.Object) bool {
	s, ok := o.Typed.(*corev1.Service)
	return ok && s.Spec.InternalTrafficPolicy != nil &&
		*s.Spec.InternalTrafficPolicy == corev1.ServiceInternalTrafficPolicyLocal
}

// namesOf adds the names of workloads to a list, in order and each once.
func namesOf(have []string, list []*traffic.Workload) []string {
	for _, w := range list {
		have = append(have, w.Object.ID.Namespace+"/"+w.Object.ID.Name)
	}
	slices.Sort(have)
	return slices.Compact(have)
}
