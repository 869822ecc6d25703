package static

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/kube"
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
	r, ok := v.locally(a)
	if !ok || slices.ContainsFunc(r.To, func(w *traffic.Workload) bool {
		return v.stranger(w.Object, a.Caller.Object, r.Service) != ""
	}) {
		return rules.Edge{}, false
	}
	caller := a.Caller.Object.ID
	return rules.Edge{To: "Service " + a.Namespace + "/" + a.Service, Namespace: a.Namespace, Service: a.Service,
		Least: 1,
		Guess: true, Caller: caller.Namespace + "/" + caller.Name, Local: true, Workloads: namesOf(nil, r.To)}, true
}

// locally follows such a request; false where it is none.
func (v *view) locally(a traffic.Ask) (traffic.Reach, bool) {
	if a.Use != traffic.Named || a.Caller.Ends || a.Caller.Daemon {
		return traffic.Reach{}, false
	}
	r := v.of[state.Head].Reach(a)
	return r, r.Service != nil && isLocal(r.Service) && len(r.To) > 0 &&
		!slices.ContainsFunc(r.To, func(w *traffic.Workload) bool { return w.Daemon })
}

var nearby = Analyzer{Name: "own-node", Rule: rules.ServiceGap, Run: ownNode, Compares: true, Whole: true,
	Doc: "a Service that comes to answer on the caller's own node alone, in another release than the caller"}

// ownNode says which Services come to answer on the caller's own node alone where nothing keeps a caller of another
// release beside their pods. Where all of them surely share a cluster, a search tells ([rules.ServiceGapOf]).
func ownNode(p *Pass) []Remark {
	var out []Remark
	for _, v := range p.views() {
		for _, a := range v.asks(state.Head) {
			r, ok := v.locally(a)
			if !ok || beside(a.Caller, r.To) {
				continue
			}
			was := v.counterpart(state.Base, r.Service)
			with := v.stranger(r.Service, a.Caller.Object, r.To[0].Object)
			if with == "" || was == nil || isLocal(was) {
				continue
			}
			x := Remark{Object: r.Service, release: r.Service.Release, paths: []string{"spec.internalTrafficPolicy"},
				Conditional: true, race: true, with: with, causes: []cause{{a.By.Object, nil}},
				remedies: byHand("keep the callers beside the pods with a required pod affinity, or let all pods answer"),
				text: fmt.Sprintf("pods of %s/%s can stand on a node without a ready pod behind %s, whose "+
					"internalTrafficPolicy is Local", a.Caller.Object.ID.Namespace, a.Caller.Object.ID.Name, r.Service.ID)}
			if !slices.ContainsFunc(out, func(y Remark) bool { return y.text == x.text }) {
				out = append(out, x)
			}
		}
	}
	return out
}

// beside reports whether each pod of a caller has to be on a node with a pod of one of some workloads.
func beside(caller *traffic.Workload, list []*traffic.Workload) bool {
	return slices.ContainsFunc(kube.Terms(caller.Spec), func(t kube.Term) bool {
		sel, err := metav1.LabelSelectorAsSelector(t.LabelSelector)
		return err == nil && t.Required && !t.Anti && t.TopologyKey == corev1.LabelHostname &&
			slices.ContainsFunc(list, func(w *traffic.Workload) bool { return sel.Matches(w.Peer.Labels) })
	})
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

// nearOnly reports whether a route comes to reach pods only where what reads it has the address of their own node, as
// Cilium's entity host wants it: on every other node it is cut.
func (t *cutter) nearOnly(a, b traffic.Ask, now traffic.Reach) bool {
	return a.Use == traffic.Route && now.Answer == traffic.Unknown &&
		t.of[state.Head].Far().Reach(a).Cut == traffic.Denied && t.of[state.Base].Far().Reach(b).Answer == traffic.Yes
}
