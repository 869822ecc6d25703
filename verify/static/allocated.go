package static

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var allocates = Analyzer{Name: "allocated", Rule: rules.ApplyRejected, Run: allocated, Compares: true, Whole: true,
	Doc: "a Service that asks for a port or an address which the API server cannot give it"}

// The ports that the API server gives where --service-node-port-range says nothing.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/options: DefaultServiceNodePortRange.
const firstNodePort, lastNodePort = 30000, 32767

// claimed is what a Service asks the API server for by number.
type claimed struct {
	what, path string
	port       int32 // of the nodes; 0: it is an address
}

// allocated says which Services come to ask for a port of the nodes or a cluster IP that another one in the cluster
// has, or for a port that is out of the usual range. One that only moves in this change may be quick enough.
//
// Upstream: kubernetes v1.36.3, pkg/registry/core/service/storage: initNodePorts, updateNodePorts, allocIPs; a port is
// allocated whatever its protocol.
func allocated(p *Pass) []Remark {
	a := &allocator{where: p.where(), holders: [2]map[string][]*object.Object{{}, {}}}
	for v := range a.holders {
		for _, o := range a.where.objects[v] {
			for _, c := range claims(o) {
				a.holders[v][c.what] = append(a.holders[v][c.what], o)
			}
		}
	}
	var out []Remark
	for _, o := range a.where.objects[state.Head] {
		for _, c := range claims(o) {
			if a.had(o, c.what) {
				continue
			}
			if r := a.refuses(o, c); r.text != "" {
				r.Object, r.release, r.status, r.paths = o, o.Release, finding.New, []string{c.path}
				out = append(out, r)
			}
		}
	}
	return out
}

// allocator knows which Services ask for what, by version.
type allocator struct {
	where   *whereabouts
	holders [2]map[string][]*object.Object
}

// had reports whether base has a Service ask for the same.
func (a *allocator) had(o *object.Object, what string) bool {
	return slices.ContainsFunc(a.holders[state.Base][what], func(b *object.Object) bool {
		return keyOf(b) == keyOf(o) && a.where.tie(b, o) != slice.Apart
	})
}

// refuses is why the API server does not give a Service what it comes to ask for; without a text: it does.
func (a *allocator) refuses(o *object.Object, c claimed) Remark {
	if c.port != 0 && (c.port < firstNodePort || c.port > lastNodePort) {
		return Remark{Conditional: true, remedies: byHand("give it a port of the range, or none"),
			text: fmt.Sprintf("the API server refuses %s: %s is out of the range %d-%d, unless its "+
				"--service-node-port-range is another", o.ID, c.what, firstNodePort, lastNodePort)}
	}
	for _, x := range a.holders[state.Head][c.what] {
		if keyOf(x) == keyOf(o) || !mayMeet(a.where, x, o) || !a.had(x, c.what) && x.ID.Compare(o.ID) >= 0 {
			continue
		}
		r := Remark{beside: [2]*object.Object{nil, x}, with: a.where.open(o, x),
			text:     fmt.Sprintf("the API server refuses %s: %s is allocated to %s", o.ID, c.what, x.ID),
			remedies: byHand("give one of them another, or none: the API server chooses one that is free")}
		if !a.had(x, c.what) {
			r.text = fmt.Sprintf("the API server refuses %s or %s, whichever comes second: both ask for %s", x.ID, o.ID, c.what)
		}
		return r
	}
	x, by := outlasts(a.where, o, a.holders[state.Base][c.what])
	if x == nil {
		return Remark{}
	}
	until := "unless that is deleted first"
	if by != "" {
		until = "which " + by + " deletes only once the rest is applied"
	}
	return Remark{Conditional: by == "", causes: []cause{{object: x}},
		text:     fmt.Sprintf("the API server refuses %s: %s is allocated to %s, %s", o.ID, c.what, x.ID, until),
		remedies: byHand("delete " + x.ID.String() + " in a change that is applied first, or ask for another")}
}

// mayMeet reports whether two Services may be in one cluster. Of one name in two releases of which nobody says where
// they run, they are those of two environments.
func mayMeet(where *whereabouts, a, b *object.Object) bool {
	tie := where.tie(a, b)
	return tie == slice.Sure || tie == slice.Open && a.ID.Name != b.ID.Name
}

// outlasts is the object of base that has what one of its release comes to ask for, and that goes no sooner than this
// one comes, by what applies both; "": that is not known. Argo CD deletes first.
//
// Upstream: helm v3.21.4, pkg/kube: (*Client).Update; kustomize-controller v1.7, internal/controller: reconcile (apply,
// then prune); gitops-engine v0.7, pkg/sync: (*syncContext).runTasks.
func outlasts(where *whereabouts, o *object.Object, had []*object.Object) (*object.Object, string) {
	h := where.onHeadOf(o)
	if h == nil || h.Delivery.Tool == object.ArgoCD {
		return nil, ""
	}
	for _, x := range had {
		if x.Release != o.Release || slices.ContainsFunc(where.objects[1], func(y *object.Object) bool {
			return keyOf(x) == keyOf(y) && where.tie(x, y) != slice.Apart
		}) {
			continue
		}
		switch {
		case h.Kind == object.Helm:
			return x, "Helm"
		case h.Delivery.Tool == object.Flux:
			return x, "Flux"
		}
		return x, ""
	}
	return nil, ""
}

// claims are what a Service asks for.
func claims(o *object.Object) []claimed {
	s, is := o.Typed.(*corev1.Service)
	if !is || o.Hook || s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	var out []claimed
	asks := func(what, path string, port int32) {
		if !slices.Contains(o.Unknown, path) && !o.IsVolatile(path) {
			out = append(out, claimed{what, path, port})
		}
	}
	if s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		for i, port := range s.Spec.Ports {
			if port.NodePort != 0 {
				asks(fmt.Sprintf("nodePort %d", port.NodePort), fmt.Sprintf("spec.ports[%d].nodePort", i), port.NodePort)
			}
		}
	}
	if a, err := netip.ParseAddr(s.Spec.ClusterIP); err == nil {
		asks("clusterIP "+a.String(), "spec.clusterIP", 0)
	}
	return out
}
