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
)

var allocates = Analyzer{Name: "allocated", Rule: rules.ApplyRejected, Run: allocated, Compares: true, Whole: true,
	Doc: "a Service that asks for a port or an address which the API server cannot give it"}

// The ports that the API server gives where --service-node-port-range says nothing.
//
// Upstream: kubernetes v1.36.3, pkg/kubeapiserver/options: DefaultServiceNodePortRange.
const firstNodePort, lastNodePort = 30000, 32767

// claimed is what a Service asks the API server for by number.
type claimed struct{ what, path string }

// allocated says which Services come to ask for a port of the nodes or a cluster IP that another one in the cluster
// has, or for a port that is out of the usual range. One that only moves in this change may be quick enough.
//
// Upstream: kubernetes v1.36.3, pkg/registry/core/service/storage: initNodePorts, updateNodePorts, allocIPs; a port is
// allocated whatever its protocol.
func allocated(p *Pass) []Remark {
	where := p.where()
	var out []Remark
	holders := [2]map[string][]*object.Object{{}, {}}
	for v := range holders {
		for _, o := range where.objects[v] {
			for _, c := range claims(o) {
				if list := holders[v][c.what]; !slices.Contains(list, o) {
					holders[v][c.what] = append(list, o)
				}
			}
		}
	}
	had := func(o *object.Object, what string) bool {
		return slices.ContainsFunc(holders[0][what], func(b *object.Object) bool {
			return keyOf(b) == keyOf(o) && where.tie(b, o) != slice.Apart
		})
	}
	for _, o := range where.objects[1] {
		for _, c := range claims(o) {
			if had(o, c.what) {
				continue
			}
			r := Remark{Object: o, release: o.Release, status: finding.New, paths: []string{c.path}}
			if n, is := nodePort(c.what); is && (n < firstNodePort || n > lastNodePort) {
				r.Conditional = true
				r.text = fmt.Sprintf("the API server refuses %s: %s is out of the range %d-%d, unless its "+
					"--service-node-port-range is another", o.ID, c.what, firstNodePort, lastNodePort)
				r.remedies = byHand("give it a port of the range, or none")
				out = append(out, r)
				continue
			}
			i := slices.IndexFunc(holders[1][c.what], func(x *object.Object) bool {
				return keyOf(x) != keyOf(o) && mayMeet(where, x, o) && (had(x, c.what) || x.ID.Compare(o.ID) < 0)
			})
			if i < 0 {
				if x, by := outlasts(where, o, holders[0][c.what]); x != nil {
					r.Conditional = by == ""
					r.causes = []cause{{object: x}}
					r.text = fmt.Sprintf("the API server refuses %s: %s is allocated to %s", o.ID, c.what, x.ID)
					if by == "" {
						r.text += ", unless that is deleted first"
					} else {
						r.text += ", which " + by + " deletes only once the rest is applied"
					}
					r.remedies = byHand("delete " + x.ID.String() + " in a change that is applied first, or ask for another")
					out = append(out, r)
				}
				continue
			}
			x := holders[1][c.what][i]
			r.beside, r.with = [2]*object.Object{nil, x}, where.open(o, x)
			r.text = fmt.Sprintf("the API server refuses %s: %s is allocated to %s", o.ID, c.what, x.ID)
			if !had(x, c.what) {
				r.text = fmt.Sprintf("the API server refuses %s or %s, whichever comes second: both ask for %s", x.ID, o.ID, c.what)
			}
			r.remedies = byHand("give one of them another, or none: the API server chooses one that is free")
			out = append(out, r)
		}
	}
	return out
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

// nodePort is the number of a port of the nodes that a Service asks for.
func nodePort(what string) (n int, is bool) {
	_, err := fmt.Sscanf(what, "nodePort %d", &n)
	return n, err == nil
}

// claims are what a Service asks for.
func claims(o *object.Object) []claimed {
	s, is := o.Typed.(*corev1.Service)
	if !is || o.Hook || s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	var out []claimed
	asks := func(what, path string) {
		if !slices.Contains(o.Unknown, path) && !o.IsVolatile(path) {
			out = append(out, claimed{what, path})
		}
	}
	if s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer {
		for i, port := range s.Spec.Ports {
			if port.NodePort != 0 {
				asks(fmt.Sprintf("nodePort %d", port.NodePort), fmt.Sprintf("spec.ports[%d].nodePort", i))
			}
		}
	}
	if a, err := netip.ParseAddr(s.Spec.ClusterIP); err == nil {
		asks("clusterIP "+a.String(), "spec.clusterIP")
	}
	return out
}
