package traffic

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
)

// Direction is the side of a connection that a policy is about, as seen from the pods that it holds for.
type Direction uint8

const (
	Ingress Direction = iota
	Egress
)

// Field is one of an object, which decides.
type Field struct {
	Object *object.Object
	Path   string
}

// Verdict is whether a connection is let through, and if it is not, by which fields.
type Verdict struct {
	Answer
	Direction Direction // of the policies that deny it
	// Because are the rules that deny it; where none allows it, the policies that want one to.
	Because []Field
}

// Policies are the network policies of a cluster.
type Policies struct {
	namespaces      Namespaces
	admin, baseline []tier
	fences          []fence
	ofNodes         []fence // of Cilium's
	// foreign says that there are policies of kinds that are not read.
	foreign bool
}

// fence is a policy that lets only listed requests pass: a NetworkPolicy, or one of Cilium's. Several add up, and a
// denial by one of them counts.
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/api/networking/v1: NetworkPolicySpec; cilium v1.20.2,
// pkg/policy/api: Rule (denies win over all that allows; a direction without rules of its own stays open).
type fence struct {
	object *object.Object
	of     func(pod Peer) Answer
	sides  [2]gates
}

// gates are those of one direction.
type gates struct {
	closed        bool // nothing passes but what it lists
	at            string
	allows, denys []gate
}

// gate is one rule.
type gate struct {
	at     string
	passes func(c connection) Answer
	near   bool // only what has the address of the pods' own node passes
}

// connection is the question to a direction: the subject's pods send to the other peer, or receive from it.
type connection struct {
	Direction
	subject, other Peer
	port           Port
}

// to is where the connection leads, whose names of ports count.
func (c connection) to() Peer {
	if c.Direction == Egress {
		return c.other
	}
	return c.subject
}

// NewPolicies reads those among the objects of one cluster, and the labels of its namespaces.
func NewPolicies(objects []*object.Object) *Policies {
	p := &Policies{namespaces: Namespaces{}}
	for _, o := range objects {
		if o.Hook {
			continue
		}
		switch t := o.Typed.(type) {
		case *corev1.Namespace:
			p.namespaces[t.Name] = labels.Set(t.Labels)
		case *networkingv1.NetworkPolicy:
			p.fences = append(p.fences, p.fenceOf(o, t))
		default:
			p.addTier(o)
			p.addCilium(o)
			p.foreign = p.foreign || isForeign(o)
		}
	}
	for _, list := range [][]tier{p.admin, p.baseline} {
		slices.SortStableFunc(list, func(a, b tier) int { return int(a.priority - b.priority) })
	}
	return p
}

// IsPolicy reports whether an object is one of the kinds that are read.
func IsPolicy(o *object.Object) bool {
	return o.ID.Group == "networking.k8s.io" && o.ID.Kind == "NetworkPolicy" ||
		o.ID.Group == adminGroup && slices.Contains(adminKinds, o.ID.Kind) ||
		o.ID.Group == ciliumGroup && slices.Contains(ciliumKinds, o.ID.Kind)
}

// foreignGroups have policies of other makers, which may allow requests that others deny, or the reverse.
var foreignGroups = []string{"projectcalico.org", "crd.projectcalico.org", "crd.antrea.io", "kyverno.io",
	"policies.kyverno.io"}

func isForeign(o *object.Object) bool {
	return slices.Contains(foreignGroups, o.ID.Group) && strings.HasSuffix(o.ID.Kind, "Policy")
}

// Empty reports whether everything may talk with everything.
func (p *Policies) Empty() bool {
	return len(p.admin)+len(p.baseline)+len(p.fences)+len(p.ofNodes) == 0 && !p.foreign
}

// Allows reports whether a peer is let to a port of another one.
func (p *Policies) Allows(from, to Peer, port Port) Verdict {
	switch {
	case p.foreign:
		return Verdict{}
	case p.Empty():
		return Verdict{Answer: Yes}
	}
	out := Verdict{Answer: Yes}
	for _, c := range []connection{{Egress, from, to, port}, {Ingress, to, from, port}} {
		v, because := p.judge(c)
		if v == No {
			return Verdict{No, c.Direction, because}
		}
		out.Answer = out.Answer.and(v)
	}
	return out
}

// judge asks the policies of one side. Peers that are no pods have none, and only policies of nodes hold for a node:
// that of a pod with its address, and that of the API server.
func (p *Policies) judge(c connection) (Answer, []Field) {
	if c.other.NodeNetwork && c.other.node == anyNode {
		c.other.node = sameNode
		out, by := p.judge(c)
		c.other.node = otherNode
		if other, more := p.judge(c); other != out {
			return Unknown, append(by, more...)
		}
		return out, by
	}
	switch {
	case c.subject.NodeNetwork || c.subject.Kind == APIServer:
		out, by := (&Policies{fences: p.ofNodes}).fenced(c)
		return out.answer(), by
	case c.subject.Kind != Pod:
		return Yes, nil
	}
	out, by, goesOn := first(p.admin, c)
	if goesOn {
		o, b := p.fenced(c)
		out, by = out|o, append(by, b...)
	}
	return out.answer(), by
}

// Far is a cluster as what reads its routes sees it without the address of one of the pods' own nodes.
func (c *Cluster) Far() *Cluster {
	out, policies := *c, *c.Policies
	policies.fences = slices.Clone(policies.fences)
	for i := range policies.fences {
		side := &policies.fences[i].sides[Ingress]
		side.allows = slices.DeleteFunc(slices.Clone(side.allows), func(g gate) bool { return g.near })
	}
	out.Policies = &policies
	return &out
}

// lists reports whether a policy that holds for the subject of a connection lists it among what may pass.
func (p *Policies) lists(c connection) Answer {
	out := No
	for i := range p.fences {
		f := &p.fences[i]
		for _, g := range f.sides[c.Direction].allows {
			out = out.or(f.of(c.subject).and(g.passes(c)))
		}
	}
	return out
}

// fenced are the outcomes below the tier of administrators.
func (p *Policies) fenced(c connection) (outcomes, []Field) {
	closed, denied := No, No
	allowed := answer(c.Direction == Ingress && c.other.node == sameNode) // a node is let to the pods on it
	var out outcomes
	var walls, denials []Field
	for i := range p.fences {
		f := &p.fences[i]
		of, side := f.of(c.subject), &f.sides[c.Direction]
		if of == No {
			continue
		}
		passes := No
		for _, g := range side.allows {
			passes = passes.or(g.passes(c))
		}
		allowed = allowed.or(of.and(passes))
		switch {
		case side.closed && of == Unknown && passes == Yes:
			out = allow // where it closes, it also lets this pass
		case side.closed:
			closed = closed.or(of)
			walls = append(walls, Field{f.object, side.at})
		}
		for _, g := range side.denys {
			if d := of.and(g.passes(c)); d != No {
				denied = denied.or(d)
				denials = append(denials, Field{f.object, g.at})
			}
		}
	}
	if denied == Yes {
		return deny, denials
	}
	var by []Field
	if denied == Unknown {
		out, by = out|deny, denials
	}
	if closed != No {
		if allowed != No {
			out |= allow
		}
		if allowed != Yes {
			out, by = out|deny, append(by, walls...)
		}
	}
	if closed != Yes {
		o, b, open := first(p.baseline, c)
		if open {
			o |= allow
		}
		out, by = out|o, append(by, b...)
	}
	return out, by
}
