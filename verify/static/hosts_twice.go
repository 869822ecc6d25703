package static

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var doubleHosts = Analyzer{Name: "hosts-twice", Rule: rules.ApplyRejected, Run: hostsTwice,
	Doc: "a host and path that another Ingress of ingress-nginx has already"}

// hostsTwice says which Ingresses of ingress-nginx come to have a host and path that another one has: its webhook
// refuses the second. One that is renamed meets its old self, which what applies it deletes only afterwards.
//
// Upstream: ingress-nginx v1.13, internal/ingress/controller: (*NGINXController).CheckIngress, checkOverlap.
func hostsTwice(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		mine := hostPaths(o)
		if len(mine) == 0 {
			continue
		}
		if b := p.before().counterpart(o); b != nil && identity(b) == identity(o) {
			had := hostPaths(b)
			if slices.ContainsFunc(mine, func(x hostPath) bool { return slices.Contains(had, x) }) {
				continue // upstream asks no further where it has one of them itself
			}
		}
		if x, other, goes := p.sameHost(o, mine); other != nil {
			r := Remark{Object: o, Conditional: true,
				paths:  []string{"spec.rules", "spec.ingressClassName", "metadata.annotations[" + oldIngressClass + "]"},
				causes: []cause{{other, []string{"spec.rules"}}},
				text: fmt.Sprintf("the webhook of ingress-nginx, where it is installed, refuses %s: the host %s and the path %s are those of %s",
					o.ID, cmp.Or(x.host, "*"), x.path, other.ID),
				remedies: byHand("give one of them another host or path, or make one a canary")}
			if goes {
				r.text += ", which is deleted only afterwards"
				r.causes[0].paths = nil
				r.remedies = byHand("keep the name, or delete the old Ingress first")
			}
			out = append(out, r)
		}
	}
	return out
}

// hostPath is a host, "" for all, and a path of it.
type hostPath struct{ host, path string }

// hostPaths are those of an Ingress of ingress-nginx that is no canary.
func hostPaths(o *object.Object) []hostPath {
	t, ok := o.Typed.(*networkingv1.Ingress)
	if !ok || o.Hook || annotation(o, "nginx.ingress.kubernetes.io/canary") != "" {
		return nil
	}
	if !strings.Contains(ingressClassOf(o), "nginx") {
		return nil
	}
	var out []hostPath
	for i, rule := range t.Spec.Rules {
		if rule.HTTP == nil || o.IsVolatile(fmt.Sprintf("spec.rules[%d].host", i)) || unknownAt(o, "spec.rules") {
			continue
		}
		for _, path := range rule.HTTP.Paths {
			out = append(out, hostPath{rule.Host, cmp.Or(path.Path, "/")})
		}
	}
	return out
}

// unknownAt reports whether a value at, below or above a path is not known.
func unknownAt(o *object.Object, path string) bool {
	return slices.ContainsFunc(o.Unknown, func(u string) bool { return judge.Overlap(u, path) })
}

// sameHost is the first of some hosts and paths that another Ingress of the same class and cluster has on head, or had
// on base and goes; nil: none.
func (p *Pass) sameHost(o *object.Object, mine []hostPath) (at hostPath, other *object.Object, goes bool) {
	for _, v := range []state.Version{state.Head, state.Base} {
		for _, x := range p.where().objects[v] {
			gone := v == state.Base && len(p.where().byID(state.Head)[x.ID.String()]) == 0
			if x.ID.Kind != "Ingress" || x.ID == o.ID || v == state.Base && !gone || !p.beside(o, x, gone) {
				continue
			}
			for _, h := range hostPaths(x) {
				if slices.Contains(mine, h) {
					return h, x, gone
				}
			}
		}
	}
	return hostPath{}, nil, false
}

// beside reports whether two Ingresses are of one class, and surely in one cluster. One that goes counts only with the
// release that brings the other: nothing says which of two releases is applied first.
func (p *Pass) beside(o, x *object.Object, gone bool) bool {
	if ingressClassOf(o) != ingressClassOf(x) {
		return false
	}
	return x.Release == o.Release || !gone && p.ties != nil && p.ties.Tie(x.Release, o.Release) == slice.Sure
}
