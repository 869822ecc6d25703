package traffic

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
)

// Cut is where a request ends that does not arrive.
type Cut uint8

const (
	NoCut      Cut = iota
	Detached       // nothing reads the route: it names a gateway, a listener or a class that is not there
	Ungranted      // the Service is of another namespace, which does not let the route lead to it
	Weightless     // all that its rule leads to has the weight of nothing
	NoService      // there is no Service of the name
	NoPort         // the Service has no such port
	NoPods         // it selects no workload
	NoSubset       // no pod of it has the labels of the subset, or nothing defines that
	NoReplicas     // all that it selects is scaled to nothing
	NotServed      // no pod has a port of the name that it leads to
	Denied         // by network policies
)

// Reach is whether a request arrives at a pod, and where it ends if it does not.
type Reach struct {
	Answer
	Cut       Cut
	Direction Direction // of the policies that deny it
	Because   []Field   // what ends it, most telling first
	Service   *object.Object
	Missing   [2]string   // the namespace and name of a Service that it leads to, and that is not there or elsewhere
	To        []*Workload // that it leads to, scaled to nothing or not
	Port      Port        // of the first of them
}

// Reach follows a request.
func (c *Cluster) Reach(a Ask) Reach {
	if a.Use == DNS {
		return c.resolves(a)
	}
	attached, why := c.attached(a)
	if attached == No {
		return Reach{Answer: No, Cut: Detached, Because: why}
	}
	switch {
	case a.Weightless:
		return Reach{Answer: No, Cut: Weightless, Because: []Field{a.By}}
	case a.Use == Route && c.granted(a) == No:
		return Reach{Answer: No, Cut: Ungranted, Because: []Field{a.By}}
	}
	r := c.served(a)
	r.Answer = r.Answer.and(attached)
	return r
}

// served follows a request from its Service on.
func (c *Cluster) served(a Ask) Reach {
	s, o, there := c.Service(a.Namespace, a.Service)
	r := Reach{Answer: there, Service: o}
	if there != Yes {
		if r.Missing, r.Because = [2]string{a.Namespace, a.Service}, []Field{a.By}; there == No {
			r.Cut = NoService
		}
		return r
	}
	if s.Spec.Type == corev1.ServiceTypeExternalName {
		return c.renamed(a, s, o)
	}
	if len(s.Spec.Selector) == 0 {
		return Reach{Service: o}
	}
	var ports []int
	for i := range s.Spec.Ports {
		p := s.Spec.Ports[i]
		if (takes(p, a.Port, a.Target) || a.OfPods && byName(p, a.Port)) &&
			(a.Protocol == "" || a.Protocol == protocolOf(p.Protocol)) {
			ports = append(ports, i)
		}
	}
	if len(ports) == 0 {
		headless := s.Spec.ClusterIP == corev1.ClusterIPNone
		if headless || len(s.Spec.Ports) == 0 {
			return Reach{Service: o}
		}
		r.Answer, r.Cut, r.Because = No, NoPort, []Field{a.By, {o, "spec.ports"}}
		return r
	}
	if r.To = c.Behind(s, a.Namespace); len(r.To) == 0 {
		return Reach{Service: o} // pods of something that is not known
	}
	to, answered := c.subset(a, r.To)
	if answered != Yes {
		if r.Answer = answered; answered == No {
			r.Cut, r.Because = NoSubset, []Field{a.By}
		}
		return r
	}
	return c.arrives(a, r, to, s, ports)
}

// mostRenamed bounds the Services that are names of others, one after the other.
const mostRenamed = 4

// renamed follows a request to the Service that one of type ExternalName is a name of.
func (c *Cluster) renamed(a Ask, s *corev1.Service, o *object.Object) Reach {
	if a.renamed++; a.renamed > mostRenamed || !strings.Contains(s.Spec.ExternalName+".", ".svc.") {
		return Reach{Service: o}
	}
	a.Namespace, a.Service = inCluster(s.Spec.ExternalName, "")
	a.By = Field{o, "spec.externalName"}
	return c.served(a)
}

// arrives follows a request to the pods of a Service: one of them is enough.
func (c *Cluster) arrives(a Ask, r Reach, to []*Workload, s *corev1.Service, ports []int) Reach {
	r.Answer = No
	end := func(cut Cut, d Direction, because ...Field) {
		if cut > r.Cut { // the one that comes furthest tells most
			r.Cut, r.Direction, r.Because = cut, d, nil
		}
		if cut == r.Cut {
			r.Because = append(r.Because, because...)
		}
	}
	for _, w := range to {
		if w.Idle == Yes {
			end(NoReplicas, 0, Field{w.Object, "spec.replicas"})
			continue
		}
		for _, i := range ports {
			port, ok := w.Target(s.Spec.Ports[i])
			if !ok {
				end(NotServed, 0, Field{r.Service, fmt.Sprintf("spec.ports[%d].targetPort", i)})
				continue
			}
			v := c.Policies.Allows(a.From, w.Peer, port)
			if v.Answer == No {
				end(Denied, v.Direction, v.Because...)
				r.Port = port
				continue
			}
			if v.Answer == Yes && w.Idle == No {
				return Reach{Answer: Yes, Service: r.Service, To: r.To, Port: port}
			}
			r.Answer, r.Port = Unknown, port
		}
	}
	if r.Answer == Unknown {
		r.Cut, r.Because = NoCut, nil
	}
	return r
}

// subset are the workloads among those of a Service that a subset of Istio's has.
func (c *Cluster) subset(a Ask, list []*Workload) ([]*Workload, Answer) {
	if a.Subset == "" {
		return list, Yes
	}
	for _, d := range c.subsets {
		ns, name := inCluster(text(field(d.Content, "spec", "host")), d.ID.Namespace)
		if ns != a.Namespace || name != a.Service {
			continue
		}
		for _, s := range listed(d.Content, "spec", "subsets") {
			if text(s["name"]) != a.Subset {
				continue
			}
			set, _ := s["labels"].(map[string]any)
			want := labels.Set{}
			for k, v := range set {
				want[k] = fmt.Sprint(v)
			}
			var out []*Workload
			for _, w := range list {
				if matches(labels.SelectorFromSet(want), w.Peer.Labels, false) != No {
					out = append(out, w)
				}
			}
			return out, answer(len(out) > 0)
		}
	}
	return nil, No
}

// nodeLocal is the address of the cache of DNS on a node.
var nodeLocal = netip.MustParseAddr("169.254.20.10")

// dnsPorts are those on which the DNS of clusters listens.
var dnsPorts = []int32{53, 5353, 8053, 1053}

// resolves reports whether pods reach the DNS of the cluster, as far as it is known: CoreDNS in kube-system as kubeadm
// and the managed clusters install it, dns-default of OpenShift, or a cache on the node.
func (c *Cluster) resolves(a Ask) Reach {
	if c.Policies.Empty() {
		return Reach{Answer: Yes}
	}
	out, because := No, []Field(nil)
	cache := Peer{Namespace: "kube-system", Labels: labels.Set{"k8s-app": "node-local-dns"}, Open: true,
		NodeNetwork: true, IP: nodeLocal}
	for _, n := range dnsPorts {
		at := Port{corev1.ProtocolUDP, n}
		to := Peer{Namespace: "kube-system", Labels: labels.Set{"k8s-app": "kube-dns"}, Open: true}
		v, why := c.Policies.judge(connection{Egress, a.From, to, at})
		if out = out.or(v); v == No && because == nil {
			because = why
		}
		to = Peer{Namespace: "openshift-dns", Labels: labels.Set{"dns.operator.openshift.io/daemonset-dns": "default"},
			Open: true}
		if c.openShift() {
			v, _ = c.Policies.judge(connection{Egress, a.From, to, at})
		} else {
			v = c.Policies.lists(connection{Egress, a.From, to, at})
		}
		out = out.or(v)
		out = out.or(c.Policies.lists(connection{Egress, a.From, cache, Port{corev1.ProtocolUDP, n}}))
	}
	switch {
	case c.Policies.foreign:
		return Reach{}
	case out != No:
		return Reach{Answer: out}
	}
	return Reach{Answer: No, Cut: Denied, Direction: Egress, Because: because}
}

// openShift reports whether an object is of a kind of OpenShift's.
func (c *Cluster) openShift() bool {
	return slices.ContainsFunc(c.objects,
		func(o *object.Object) bool { return strings.HasSuffix(o.ID.Group, ".openshift.io") })
}

// attached reports whether anything reads a route, and what it misses if nothing does.
func (c *Cluster) attached(a Ask) (Answer, []Field) {
	if a.Use != Route {
		return Yes, nil
	}
	o := a.By.Object
	switch {
	case o.ID.Group == gatewayGroup:
		return c.onGateway(o)
	case o.ID.Kind == "VirtualService":
		list, _ := field(o.Content, "spec", "gateways").([]any)
		lost := len(list) > 0 && !slices.ContainsFunc(list, func(x any) bool {
			return !c.lostGateway(text(x),
				o.ID.Namespace)
		})
		if lost {
			return No, []Field{{o, "spec.gateways"}}
		}
	}
	return Yes, nil
}
