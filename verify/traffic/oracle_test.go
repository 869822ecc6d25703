package traffic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// The oracle: what the documentation promises, sentence by sentence, of what a peer asks of another one.
// https://kubernetes.io/docs/concepts/services-networking/network-policies/#the-two-sorts-of-pod-isolation
type oracle struct {
	d        *drawn
	from, to Peer
	port     Port
}

func (q oracle) has(s *metav1.LabelSelector, set map[string]string) bool {
	x, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && x.Matches(labels.Set(set))
}

func (q oracle) networkPolicies() bool {
	return q.networkSide(networkingv1.PolicyTypeEgress, q.from, q.to) && q.networkSide(networkingv1.PolicyTypeIngress,
		q.to, q.from)
}

func (q oracle) networkSide(dir networkingv1.PolicyType, subject, other Peer) bool {
	isolated, allowed := q.networkUnion(dir, subject, other)
	return !isolated || allowed
}

func (q oracle) networkUnion(dir networkingv1.PolicyType, subject, other Peer) (isolated, allowed bool) {
	for _, o := range q.d.objects {
		n, ok := o.Typed.(*networkingv1.NetworkPolicy)
		if !ok || n.Namespace != subject.Namespace || !q.has(&n.Spec.PodSelector, subject.Labels) {
			continue
		}
		types := n.Spec.PolicyTypes
		if len(types) == 0 { // "If no policyTypes are specified …"
			if types = append(types, networkingv1.PolicyTypeIngress); len(n.Spec.Egress) > 0 {
				types = append(types, networkingv1.PolicyTypeEgress)
			}
		}
		isolated = isolated || slices.Contains(types, dir)
		rules := n.Spec.Ingress
		if dir == networkingv1.PolicyTypeEgress {
			rules = nil
			for _, e := range n.Spec.Egress {
				rules = append(rules, networkingv1.NetworkPolicyIngressRule{From: e.To, Ports: e.Ports})
			}
		}
		for _, r := range rules {
			who, port := len(r.From) == 0, len(r.Ports) == 0
			for _, f := range r.From {
				space := f.NamespaceSelector == nil && other.Namespace == n.Namespace ||
					f.NamespaceSelector != nil && q.has(f.NamespaceSelector, q.d.namespaces[other.Namespace])
				who = who || space && (f.PodSelector == nil || q.has(f.PodSelector, other.Labels))
			}
			for _, p := range r.Ports {
				proto := corev1.ProtocolTCP
				if p.Protocol != nil {
					proto = *p.Protocol
				}
				number := p.Port == nil
				if p.Port != nil && p.Port.Type == intstr.Int {
					last := p.Port.IntVal
					if p.EndPort != nil {
						last = *p.EndPort
					}
					number = q.port.Number >= p.Port.IntVal && q.port.Number <= last
				} else if p.Port != nil {
					for _, c := range q.to.Ports { // all of TCP
						number = number || c.Name == p.Port.StrVal && c.ContainerPort == q.port.Number &&
							q.port.Protocol == "TCP"
					}
				}
				port = port || proto == q.port.Protocol && number
			}
			allowed = allowed || who && port
		}
	}
	return isolated, allowed
}

// tiers asks the administrators' policies, then NetworkPolicies, then baselines, as
// https://network-policy-api.sigs.k8s.io/api-overview/ orders them.
func (q oracle) tiers() bool {
	for _, dir := range []string{"egress", "ingress"} {
		subject, other := q.from, q.to
		sort := networkingv1.PolicyTypeEgress
		if dir == "ingress" {
			subject, other, sort = q.to, q.from, networkingv1.PolicyTypeIngress
		}
		verdict := q.tier(dir, subject, other, false)
		if verdict == "Pass" || verdict == "" {
			isolated, allowed := q.networkUnion(sort, subject, other)
			if verdict = map[bool]string{true: "Allow", false: "Deny"}[allowed]; !isolated {
				verdict = q.tier(dir, subject, other, true)
			}
		}
		if verdict == "Deny" {
			return false
		}
	}
	return true
}

func (q oracle) tier(dir string, subject, other Peer, baseline bool) string {
	for _, o := range q.d.objects { // in the order of their priority
		if o.ID.Group != adminGroup {
			continue
		}
		spec := o.Content["spec"].(map[string]any)
		low := o.ID.Kind == "BaselineAdminNetworkPolicy" || o.ID.Kind == "ClusterNetworkPolicy" &&
			spec["tier"] == "Baseline"
		if low != baseline || !q.peer(spec["subject"], subject) {
			continue
		}
		for _, x := range spec[dir].([]any) {
			r := x.(map[string]any)
			who := false
			for _, k := range []string{"from", "to"} {
				list, _ := r[k].([]any)
				for _, p := range list {
					who = who || q.peer(p, other)
				}
			}
			if who && q.adminPort(r) {
				return strings.Replace(r["action"].(string), "Accept", "Allow", 1)
			}
		}
	}
	return ""
}

func (q oracle) peer(x any, p Peer) bool {
	sel := func(v any) *metav1.LabelSelector {
		b, _ := yaml.Marshal(v)
		s := &metav1.LabelSelector{}
		_ = yaml.Unmarshal(b, s)
		return s
	}
	m := x.(map[string]any)
	if v, ok := m["namespaces"]; ok {
		return q.has(sel(v), q.d.namespaces[p.Namespace])
	}
	pods := m["pods"].(map[string]any)
	return q.has(sel(pods["namespaceSelector"]), q.d.namespaces[p.Namespace]) && q.has(sel(pods["podSelector"]),
		p.Labels)
}

func (q oracle) adminPort(r map[string]any) bool {
	text := fmt.Sprint(r["ports"], r["protocols"])
	named := func(n string) bool {
		return q.port.Protocol == "TCP" && slices.ContainsFunc(q.to.Ports, func(c corev1.ContainerPort) bool {
			return c.Name == n && c.ContainerPort == q.port.Number
		})
	}
	tcp, number := q.port.Protocol == "TCP", q.port.Number
	switch {
	case strings.Contains(text, "namedPort:web"):
		return named("web")
	case strings.Contains(text, "destinationNamedPort:http"):
		return named("http")
	case strings.Contains(text, "portNumber"):
		return tcp && number == 80
	case strings.Contains(text, "portRange"):
		return !tcp && number >= 70 && number <= 90
	case strings.Contains(text, "udp"):
		return !tcp && number == 80
	case strings.Contains(text, "range"):
		return tcp && number >= 70 && number <= 90
	case strings.Contains(text, "tcp"):
		return tcp
	}
	return true
}

// cilium asks Cilium's policies beside NetworkPolicies, as
// https://docs.cilium.io/en/stable/security/policy/intro/ and …/policy/deny/ have it.
func (q oracle) cilium() bool {
	for _, dir := range []string{"egress", "ingress"} {
		subject, other, sort := q.from, q.to, networkingv1.PolicyTypeEgress
		if dir == "ingress" {
			subject, other, sort = q.to, q.from, networkingv1.PolicyTypeIngress
		}
		isolated, allowed := q.networkUnion(sort, subject, other)
		for _, o := range q.d.objects {
			if o.ID.Group != ciliumGroup {
				continue
			}
			spec := o.Content["spec"].(map[string]any)
			if !q.endpoint(o.ID.Namespace, spec["endpointSelector"], subject) {
				continue
			}
			allows, _ := spec[dir].([]any)
			denys, _ := spec[dir+"Deny"].([]any)
			closes := len(allows)+len(denys) > 0
			if m, ok := spec["enableDefaultDeny"].(map[string]any); ok {
				if v, ok := m[dir].(bool); ok {
					closes = closes && v
				}
			}
			isolated = isolated || closes
			for _, r := range denys {
				if q.ciliumRule(o.ID.Namespace, r.(map[string]any), other) {
					return false
				}
			}
			for _, r := range allows {
				allowed = allowed || q.ciliumRule(o.ID.Namespace, r.(map[string]any), other)
			}
		}
		if isolated && !allowed {
			return false
		}
	}
	return true
}

func (q oracle) endpoint(ns string, sel any, p Peer) bool {
	if ns != "" && !strings.Contains(fmt.Sprint(sel), "namespace") && ns != p.Namespace {
		return false
	}
	set := map[string]string{"io.kubernetes.pod.namespace": p.Namespace}
	for k, v := range q.d.namespaces[p.Namespace] {
		set["io.cilium.k8s.namespace.labels."+k] = v
	}
	maps.Copy(set, p.Labels)
	b, _ := yaml.Marshal(sel)
	s := &metav1.LabelSelector{}
	_ = yaml.Unmarshal([]byte(strings.NewReplacer("k8s:", "", "any:", "").Replace(string(b))), s)
	return q.has(s, set)
}

func (q oracle) ciliumRule(ns string, r map[string]any, other Peer) bool {
	who, said := false, false
	for k, v := range r {
		list, _ := v.([]any)
		switch {
		case strings.HasSuffix(k, "Entities"):
			said, who = true, list[0] == "all" || list[0] == "cluster"
		case strings.HasSuffix(k, "CIDR"):
			said = true
		case strings.HasSuffix(k, "Endpoints"):
			said = true
			for _, s := range list {
				who = who || q.endpoint(ns, s, other)
			}
		}
	}
	ports, some := r["toPorts"].([]any)
	if !said && !some {
		return false
	}
	if said && !who {
		return false
	}
	if !some {
		return true
	}
	x := ports[0].(map[string]any)["ports"].([]any)[0].(map[string]any)
	if proto, _ := x["protocol"].(string); proto != "" && proto != "ANY" && proto != string(q.port.Protocol) {
		return false
	}
	switch x["port"] {
	case "0":
		return true
	case "80":
		return q.port.Number == 80
	case "70":
		return q.port.Number >= 70 && q.port.Number <= 90
	}
	return q.port.Protocol == "TCP" && slices.ContainsFunc(q.to.Ports, func(c corev1.ContainerPort) bool {
		return c.Name == "http" && c.ContainerPort == q.port.Number
	})
}
