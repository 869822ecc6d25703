package traffic

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
)

var (
	cases = flag.Int("cases", 5000, "random clusters of each kind of policy")
	seed  = flag.Uint64("seed", 1, "of random clusters")
)

// drawn is a random cluster: the policies as a person writes them, and the peers that they are asked about.
type drawn struct {
	*rand.Rand
	namespaces map[string]map[string]string
	text       strings.Builder
	objects    []*object.Object
}

func (d *drawn) one(list ...string) string { return list[d.IntN(len(list))] }

func (d *drawn) labels() map[string]string {
	out := map[string]string{}
	for _, k := range []string{"app", "tier"} {
		if d.IntN(3) > 0 {
			out[k] = d.one("a", "b", "c")
		}
	}
	return out
}

// selector draws one as YAML in one line; keys may have a prefix.
func (d *drawn) selector(keys ...string) string {
	if len(keys) == 0 {
		keys = []string{"app", "tier"}
	}
	k := strconv.Quote(d.one(keys...))
	switch d.IntN(6) {
	case 0:
		return "{}"
	case 1:
		return fmt.Sprintf("{matchExpressions: [{key: %s, operator: %s}]}", k, d.one("Exists", "DoesNotExist"))
	case 2:
		return fmt.Sprintf("{matchExpressions: [{key: %s, operator: %s, values: [%s, %s]}]}", k, d.one("In", "NotIn"),
			d.one("a", "b"), d.one("b", "c"))
	}
	return fmt.Sprintf("{matchLabels: {%s: %s}}", k, d.one("a", "b", "c"))
}

func (d *drawn) peer() Peer {
	ns := d.one("one", "two")
	p := Peer{Namespace: ns, Labels: d.labels()}
	for i, n := range []int32{80, 8080} {
		if d.IntN(2) == 0 {
			p.Ports = append(p.Ports, corev1.ContainerPort{Name: []string{"http", "web"}[i], ContainerPort: n})
		}
	}
	return p
}

func (d *drawn) add(t *testing.T, kind, text string) {
	t.Helper()
	d.text.WriteString(kind + " " + text + "\n")
	o := &object.Object{Content: map[string]any{}}
	if err := yaml.Unmarshal([]byte(text), &o.Content); err != nil {
		t.Fatal(err, "\n", text)
	}
	o.ID.Kind, o.ID.Name = kind, fmt.Sprint("p", len(d.objects))
	meta, _ := o.Content["metadata"].(map[string]any)
	o.ID.Namespace, _ = meta["namespace"].(string)
	switch kind {
	case "NetworkPolicy":
		n := &networkingv1.NetworkPolicy{}
		if err := yaml.Unmarshal([]byte(text), n); err != nil {
			t.Fatal(err, "\n", text)
		}
		o.ID.Group, o.Typed = "networking.k8s.io", n
	case "Namespace":
		n := &corev1.Namespace{}
		if err := yaml.Unmarshal([]byte(text), n); err != nil {
			t.Fatal(err)
		}
		o.Typed = n
	case "AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy":
		o.ID.Group = adminGroup
	default:
		o.ID.Group = ciliumGroup
	}
	d.objects = append(d.objects, o)
}

func newDrawn(t *testing.T, r *rand.Rand) *drawn {
	d := &drawn{Rand: r, namespaces: map[string]map[string]string{}}
	for _, ns := range []string{"one", "two"} {
		l := d.labels()
		l[nameLabel] = ns
		d.namespaces[ns] = l
		text, _ := yaml.Marshal(map[string]any{"metadata": map[string]any{"name": ns, "labels": l}})
		d.add(t, "Namespace", string(text))
	}
	return d
}

func (d *drawn) ports() string {
	proto := d.one("", ", protocol: TCP", ", protocol: UDP")
	switch d.IntN(5) {
	case 0:
		return "[{port: 80" + proto + "}]"
	case 1:
		return "[{port: " + d.one("http", "web") + proto + "}, {port: 1" + proto + "}]"
	case 2:
		return "[{port: 79, endPort: 8080" + proto + "}]"
	case 3:
		return "[{protocol: " + d.one("TCP", "UDP") + "}]"
	}
	return "[]"
}

func (d *drawn) networkPolicy(t *testing.T) {
	peers := func() string {
		var out []string
		for range d.IntN(3) {
			switch d.IntN(3) {
			case 0:
				out = append(out, "{podSelector: "+d.selector()+"}")
			case 1:
				out = append(out, "{namespaceSelector: "+d.selector("app", nameLabel)+"}")
			case 2:
				out = append(out, "{namespaceSelector: "+d.selector()+", podSelector: "+d.selector()+"}")
			}
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	rules := func(who string) string {
		var out []string
		for range d.IntN(3) {
			out = append(out, "{"+who+": "+peers()+", ports: "+d.ports()+"}")
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	types := d.one("", ", policyTypes: [Ingress]", ", policyTypes: [Egress]", ", policyTypes: [Ingress, Egress]")
	d.add(t, "NetworkPolicy",
		fmt.Sprintf("{metadata: {namespace: %s}, spec: {podSelector: %s, ingress: %s, egress: %s%s}}",
			d.one("one", "two"), d.selector(), rules("from"), rules("to"), types))
}

func (d *drawn) adminPolicy(t *testing.T) {
	kind := d.one("AdminNetworkPolicy", "AdminNetworkPolicy", "BaselineAdminNetworkPolicy", "ClusterNetworkPolicy")
	subject := func() string {
		if d.IntN(2) == 0 {
			return "{namespaces: " + d.selector("app", nameLabel) + "}"
		}
		return "{pods: {namespaceSelector: " + d.selector("app", nameLabel) + ", podSelector: " + d.selector() + "}}"
	}
	ports := func() string {
		if kind == "ClusterNetworkPolicy" {
			return "protocols: " + d.one("[]", "[{tcp: {}}]", "[{udp: {destinationPort: {number: 80}}}]",
				"[{tcp: {destinationPort: {range: {start: 70, end: 90}}}}]",
				"[{destinationNamedPort: http}]")
		}
		return "ports: " + d.one("[]", "[{portNumber: {protocol: TCP, port: 80}}]",
			"[{portRange: {protocol: UDP, start: 70, end: 90}}]", "[{namedPort: web}]")
	}
	actions := []string{"Allow", "Deny", "Pass"}
	switch kind {
	case "BaselineAdminNetworkPolicy":
		actions = actions[:2]
	case "ClusterNetworkPolicy":
		actions[0] = "Accept"
	}
	rules := func(who string) string {
		var out []string
		for range d.IntN(3) {
			out = append(out, fmt.Sprintf("{action: %s, %s: [%s], %s}", d.one(actions...), who, subject(), ports()))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	d.add(t, kind, fmt.Sprintf("{spec: {priority: %d, tier: %s, subject: %s, ingress: %s, egress: %s}}",
		len(d.objects), d.one("Admin", "Baseline"), subject(), rules("from"), rules("to")))
}

func (d *drawn) ciliumPolicy(t *testing.T) {
	keys := []string{"app", "k8s:tier", "any:app", "k8s:io.kubernetes.pod.namespace",
		"io.cilium.k8s.namespace.labels.tier"}
	ns := d.one("metadata: {namespace: one}", "metadata: {namespace: two}", "metadata: {}")
	kind := "CiliumNetworkPolicy"
	if strings.HasSuffix(ns, "{}") {
		kind = "CiliumClusterwideNetworkPolicy"
	}
	rule := func(dir string) string {
		var out []string
		switch d.IntN(6) {
		case 0:
			out = append(out, dir+"Entities: ["+d.one("all", "cluster", "world", "host", "kube-apiserver")+"]")
		case 1:
			out = append(out, dir+"CIDR: [0.0.0.0/0]")
		case 2:
			out = append(out, dir+"Endpoints: []")
		case 3:
		default:
			out = append(out, dir+"Endpoints: ["+d.selector(keys...)+"]")
		}
		if d.IntN(2) == 0 {
			out = append(out, "toPorts: [{ports: [{port: "+d.one(`"80"`, `"0"`, "http", `"70", endPort: 90`)+d.one("", ", protocol: TCP", ", protocol: UDP", ", protocol: ANY")+"}]}]")
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	section := func(name, dir string) string {
		var list []string
		for range d.IntN(3) {
			list = append(list, rule(dir))
		}
		return name + ": [" + strings.Join(list, ", ") + "]"
	}
	sections := []string{"endpointSelector: " + d.selector("app", "k8s:tier")}
	for _, s := range [][2]string{{"ingress", "from"}, {"egress", "to"}, {"ingressDeny", "from"}, {"egressDeny",
		"to"}} {
		if d.IntN(2) == 0 {
			sections = append(sections, section(s[0], s[1]))
		}
	}
	if d.IntN(4) == 0 {
		sections = append(sections, "enableDefaultDeny: {"+d.one("ingress: false", "egress: false",
			"ingress: true")+"}")
	}
	d.add(t, kind, "{"+ns+", spec: {"+strings.Join(sections, ", ")+"}}")
}

// What policies let through is what their documentation says, of random clusters; and what is answered of a peer of
// which not all labels are known holds whatever the others are.
func TestPoliciesAreAsDocumented(t *testing.T) {
	for name, kind := range map[string]struct {
		draw func(*drawn)
		want func(oracle) bool
	}{
		"NetworkPolicy": {func(d *drawn) { d.networkPolicy(t) }, oracle.networkPolicies},
		"administrators": {func(d *drawn) {
			if d.IntN(3) == 0 {
				d.networkPolicy(t)
			} else {
				d.adminPolicy(t)
			}
		}, oracle.tiers},
		"Cilium": {func(d *drawn) {
			if d.IntN(4) == 0 {
				d.networkPolicy(t)
			} else {
				d.ciliumPolicy(t)
			}
		}, oracle.cilium},
	} {
		t.Run(name, func(t *testing.T) {
			n := *cases
			if testing.Short() {
				n /= 10
			}
			count, hidden := map[Answer]int{}, map[Answer]int{}
			for i := range n {
				d := newDrawn(t, rand.New(rand.NewPCG(*seed, uint64(i))))
				for range 1 + d.IntN(3) {
					kind.draw(d)
				}
				p := NewPolicies(d.objects)
				q := oracle{d, d.peer(), d.peer(), Port{corev1.Protocol(d.one("TCP", "TCP", "UDP")), []int32{80,
					8080}[d.IntN(2)]}}
				want := answer(kind.want(q))
				got := p.Allows(q.from, q.to, q.port)
				if count[want]++; got.Answer != want {
					t.Fatalf("seed %d, case %d: %s is let to %s at %v: %v, want %v\n%s", *seed, i, q.from, q.to, q.port,
						got, want, d.text.String())
				}
				if got.Answer == No && len(got.Because) == 0 {
					t.Fatalf("seed %d, case %d: denied by nothing\n%s", *seed, i, d.text.String())
				}
				known := func(x Peer) Peer {
					x.Labels = maps.Clone(x.Labels)
					x.Open = true
					delete(x.Labels, d.one("app", "tier"))
					return x
				}
				open := p.Allows(known(q.from), known(q.to), q.port).Answer
				if hidden[open]++; open != Unknown && open != want {
					t.Fatalf("seed %d, case %d: with labels that are not known %s, want %s\n%s\n%s %s", *seed, i, open,
						want, d.text.String(), q.from, q.to)
				}
			}
			if count[Yes] < n/10 || count[No] < n/10 || hidden[Yes] < n/20 || hidden[No] < n/50 {
				t.Errorf("too few of one answer: %v, %v", count, hidden)
			}
			t.Logf("%d cases: %v; with hidden labels %v", n, count, hidden)
		})
	}
}

func (p Peer) String() string { return fmt.Sprint(p.Namespace, " ", p.Labels, " ", p.Ports) }
