package static

import (
	"fmt"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var classless = Analyzer{Name: "ingress-class", Rule: rules.Unreachable, Run: loseClass, Compares: true,
	Doc: "an Ingress that names no class any more"}

// loseClass says which Ingresses name no class any more: the default one is given to new ones alone.
//
// Upstream: kubernetes v1.36.3, plugin/pkg/admission/network/defaultingressclass: (*classDefaulterPlugin).Admit.
func loseClass(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		was := ingressClassOf(p.before().counterpart(o))
		if i, is := o.Typed.(*networkingv1.Ingress); !is || o.Hook || was == "" || i.Spec.IngressClassName != nil ||
			annotation(o, oldIngressClass) != "" || p.Head.Delivery.Forces {
			continue
		}
		out = append(out, Remark{
			Object: o, paths: []string{"spec.ingressClassName", "metadata.annotations"}, Conditional: true,
			text: fmt.Sprintf("%s is no longer of class %s, nor of another, as only a new one gets the default class: no "+
				"controller serves it, unless one takes those without a class", o.ID, was),
			remedies: byHand("name a class in spec.ingressClassName")})
	}
	return out
}

const oldIngressClass = "kubernetes.io/ingress.class"

// ingressClassOf is the class that an Ingress names; "": none.
func ingressClassOf(o *object.Object) string {
	if o == nil {
		return ""
	}
	i, is := o.Typed.(*networkingv1.Ingress)
	if !is {
		return ""
	}
	if i.Spec.IngressClassName != nil {
		return *i.Spec.IngressClassName
	}
	return annotation(o, oldIngressClass)
}
