// Package cilium compares what Cilium's policies let through with Cilium's own code: by default its simulator of them,
// with the tag agent what its agents compute for the kernel, which takes four times as much to compile.
package cilium

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var (
	cases = flag.Int("cases", 3_000, "random clusters")
	seed  = flag.Uint64("seed", 1, "of random clusters")
)

type doc = map[string]any

// drawn is a random cluster.
type drawn struct {
	*rand.Rand
	namespaces map[string]map[string]string
	policies   [][]byte
	objects    []*object.Object
	refused    bool // agents take not all of the policies
	conflict   bool // they take them, but not together: one wants a parser of requests, and one another
}

func one[T any](d *drawn, list ...T) T { return list[d.IntN(len(list))] }

func (d *drawn) rarely(n int) bool { return d.IntN(n) == 0 }

func (d *drawn) labels() map[string]string {
	out := map[string]string{}
	for _, k := range []string{"app", "tier", "app.kubernetes.io/name", "k8s.io/part"} {
		if d.IntN(3) > 0 {
			out[k] = one(d, "a", "b")
		}
	}
	return out
}

// key draws one of a selector, and what it may be.
func (d *drawn) key() (string, []string) {
	from := one(d, "", "k8s:", "any:")
	switch d.IntN(24) {
	case 0, 1, 2, 3:
		return from + "io.kubernetes.pod.namespace", []string{"one", "two"}
	case 4, 5:
		return from + "io.cilium.k8s.namespace.labels.tier", []string{"a", "b"}
	case 6:
		return from + "io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name", []string{"one", "two"}
	case 7:
		return from + "k8s.io/part", []string{"a", "b"}
	case 8:
		return "reserved:" + one(d, "host", "remote-node", "world", "kube-apiserver", "ingress"), []string{""}
	case 9:
		return one(d, "container:app", from+"host", "cidr:10.0.0.0/8"), []string{"a", ""}
	case 10:
		return from + "io.cilium.k8s.policy." + one(d, "cluster", "serviceaccount"), []string{clusterName, "deploy"}
	}
	return from + one(d, "app", "tier", "app.kubernetes.io/name"), []string{"a", "b", "c"}
}

func (d *drawn) selector() doc {
	if d.rarely(6) {
		return doc{}
	}
	out := doc{}
	for range 1 + d.IntN(2)*d.IntN(2) {
		k, values := d.key()
		switch d.IntN(6) {
		case 0:
			out["matchExpressions"] = []any{doc{"key": k, "operator": one(d, "Exists", "DoesNotExist")}}
		case 1:
			out["matchExpressions"] = []any{doc{"key": k, "operator": one(d, "In", "NotIn"), "values": []any{one(d, values...),
				one(d, values...)}}}
		default:
			m, _ := out["matchLabels"].(doc)
			if m == nil {
				m = doc{}
			}
			// Of two spellings of one key, agents take the one or the other.
			if plain := strings.TrimPrefix(k, "any:"); m[plain] == nil && m["any:"+plain] == nil {
				m[k] = one(d, values...)
			}
			out["matchLabels"] = m
		}
	}
	if d.rarely(200) {
		out["matchLabels"] = doc{"app": "not valid!"}
	}
	return out
}

func list[T any](d *drawn, most int, of func() T) []any {
	out := []any{}
	for range d.IntN(most + 1) {
		out = append(out, of())
	}
	return out
}

func (d *drawn) port() doc {
	out := doc{}
	switch d.IntN(8) {
	case 0, 1:
		out["port"] = one(d, "http", "HTTP", "dns", "absent", "0x50")
	case 2:
		out["port"] = "0"
	case 3:
		out["port"], out["endPort"] = one(d, "70", "80", "81", "0"), one(d, 79, 80, 90)
	case 4:
		out["port"] = one(d, "0120", "08", "65536", "", "53", "8080")
		if d.rarely(2) {
			out["port"] = "80"
		}
	default:
		out["port"] = one(d, "80", "81", "53")
	}
	if p := one(d, "", "TCP", "UDP", "SCTP", "ANY"); p != "" {
		out["protocol"] = p
	}
	return out
}

func (d *drawn) toPorts(ingress, deny bool) any {
	return list(d, 2, func() doc {
		out := doc{}
		if !d.rarely(6) {
			out["ports"] = list(d, 3, d.port)
		}
		if !deny && d.rarely(6) {
			if out["rules"] = (doc{"dns": []any{doc{"matchPattern": "*"}}}); ingress != d.rarely(8) {
				out["rules"] = doc{"http": []any{doc{"method": "GET"}}}
			}
			if !d.rarely(4) {
				out["ports"] = []any{doc{"port": one(d, "80", "http"), "protocol": "TCP"}}
			}
		}
		return out
	})
}

// peers draws whom a rule has.
func (d *drawn) peers(out doc, dir string) {
	switch d.IntN(30) {
	case 0, 1, 2, 3, 4:
		out[dir+"Entities"] = list(d, 2, func() string {
			return one(d, "all", "cluster", "world", "world", "host", "remote-node", "kube-apiserver", "none", "world-ipv4",
				"world-ipv6", "ingress", "init", "health", "unmanaged", "cluster-mesh")
		})
	case 5, 6:
		out[dir+"CIDR"] = list(d, 2, func() string {
			return one(d, "10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "10.0.0.1", "10.1.2.3/8", "2001:db8::/32", "::/0")
		})
	case 7, 8:
		out[dir+"CIDRSet"] = list(d, 2, func() doc {
			b := doc{"cidr": one(d, "10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32")}
			switch {
			case d.rarely(10):
				b = doc{"cidrGroupRef": "known"}
			case d.rarely(2):
				b["except"] = []any{one(d, "10.1.0.0/16", "10.0.0.0/24", "192.0.2.0/24")}
			}
			return b
		})
	case 9:
		out[dir+"Nodes"] = list(d, 1, d.selector)
	case 10:
		out[dir+"Groups"] = list(d, 1, func() doc { return doc{"aws": doc{"region": "x"}} })
	case 11:
		if dir == "to" {
			out["toFQDNs"] = list(d, 1, func() doc { return doc{"matchName": "example.com"} })
		}
	case 12:
		if dir == "to" {
			out["toServices"] = list(d, 1, func() doc {
				return doc{"k8sService": doc{"serviceName": "s", "namespace": "one"}}
			})
		}
	case 13, 14, 15:
	default:
		out[dir+"Endpoints"] = list(d, 2, d.selector)
	}
}

func (d *drawn) rule(dir string, deny bool) doc {
	out := doc{}
	d.peers(out, dir)
	if d.rarely(40) {
		d.peers(out, dir)
	}
	if d.rarely(2) {
		out["toPorts"] = d.toPorts(dir == "from", deny)
	}
	if d.rarely(30) {
		out["icmps"] = []any{doc{"fields": []any{doc{"type": 8, "family": "IPv4"}}}}
	}
	if !deny && d.rarely(60) {
		out["authentication"] = doc{"mode": one(d, "disabled", "required")}
	}
	return out
}

func (d *drawn) spec(clusterwide bool) doc {
	out := doc{"endpointSelector": d.selector()}
	if clusterwide && d.rarely(4) || d.rarely(60) {
		out["nodeSelector"] = one(d, doc{}, doc{"matchLabels": doc{"role": "a"}})
		if !d.rarely(20) {
			delete(out, "endpointSelector")
		}
	}
	for _, s := range [][2]string{{"ingress", "from"}, {"egress", "to"}, {"ingressDeny", "from"}, {"egressDeny", "to"}} {
		if deny := strings.HasSuffix(s[0], "Deny"); d.rarely(2) && !(deny && d.rarely(2)) {
			out[s[0]] = list(d, 2, func() doc { return d.rule(s[1], deny) })
		}
	}
	if d.rarely(4) {
		out["enableDefaultDeny"] = one(d, doc{"ingress": false}, doc{"egress": false}, doc{"ingress": true},
			doc{"egress": true}, doc{"ingress": false, "egress": false})
	}
	return out
}

func (d *drawn) add(t *testing.T, i int) {
	meta := doc{"name": fmt.Sprint("p", i)}
	o := &object.Object{ID: object.ID{Group: "cilium.io", Kind: "CiliumNetworkPolicy", Name: fmt.Sprint("p", i)}}
	if d.rarely(3) {
		o.ID.Kind = "CiliumClusterwideNetworkPolicy"
	} else {
		o.ID.Namespace = one(d, "one", "two")
		meta["namespace"] = o.ID.Namespace
	}
	o.Content = doc{"metadata": meta}
	wide := o.ID.Namespace == ""
	if !d.rarely(6) {
		o.Content["spec"] = d.spec(wide)
	}
	if d.rarely(6) {
		o.Content["specs"] = list(d, 2, func() doc { return d.spec(wide) })
	}
	b, err := json.Marshal(o.Content)
	if err != nil {
		t.Fatal(err)
	}
	d.policies, d.objects = append(d.policies, b), append(d.objects, o)
}

// peer draws one end; who tells its identity from that of the other one.
func (d *drawn) peer(who string) traffic.Peer {
	switch d.IntN(12) {
	case 0, 1:
		p := traffic.Peer{Kind: traffic.Outside}
		if !d.rarely(8) {
			p.IP = netip.MustParseAddr(one(d, addresses...))
		}
		return p
	case 2:
		return traffic.Peer{Kind: traffic.APIServer}
	}
	p := traffic.Peer{Namespace: one(d, "one", "two"), Labels: labels.Set(d.labels()), NodeNetwork: d.rarely(8)}
	p.Labels["who"] = who
	for _, c := range []corev1.ContainerPort{{Name: "http", ContainerPort: 80, Protocol: one(d, corev1.ProtocolTCP,
		corev1.ProtocolUDP)}, {Name: "dns", ContainerPort: 53, Protocol: corev1.ProtocolUDP}} {
		if d.rarely(2) {
			p.Ports = append(p.Ports, c)
		}
	}
	return p
}

// unsaid are what no policy says: what it needs, or what agents of some versions or settings do and others do not.
var unsaid = []string{"toFQDNs", "toServices", "Groups", "Nodes", "authentication", "cidrGroupRef", "policy.cluster",
	"serviceaccount", "cidr:"}

func newDrawn(t *testing.T, i int) *drawn {
	d := &drawn{Rand: rand.New(rand.NewPCG(*seed, uint64(i))), namespaces: map[string]map[string]string{}}
	for _, ns := range []string{"one", "two"} {
		d.namespaces[ns] = d.labels()
		d.objects = append(d.objects, &object.Object{Typed: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns,
			Labels: d.namespaces[ns]}}})
	}
	for k := range 1 + d.IntN(3) {
		d.add(t, k)
	}
	return d
}

// What is answered of random clusters is Cilium's verdict, in all that peers may be and agents may be told; and what is
// unknown goes either way, or hangs on what no policy says.
func TestAgainstCilium(t *testing.T) {
	n := *cases
	if testing.Short() {
		n /= 10
	}
	answers, unknown := map[traffic.Answer]int{}, map[string]int{}
	for i := range n {
		d := newDrawn(t, i)
		from, to := d.peer("from"), d.peer("to")
		port := traffic.Port{Number: one[int32](d, 80, 81, 53)}
		port.Protocol = one(d, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)
		got := traffic.NewPolicies(d.objects).Allows(from, to, port).Answer
		text := string(bytes.Join(d.policies, []byte("\n")))
		seen := d.verdicts(t, from, to, port, text)
		answers[got]++
		switch {
		case d.conflict:
			unknown["conflict"]++
		case got == traffic.Unknown && len(seen) == 2:
			unknown["either way"]++
		case got == traffic.Unknown:
			why := "not said"
			switch {
			case d.refused:
				why = "refused"
			case from.Kind == traffic.APIServer || to.Kind == traffic.APIServer:
				why = "not asked: agents of the API server" // pods that its requests may come from
			}
			for _, s := range unsaid {
				if strings.Contains(text, s) {
					why = "not asked: " + s
					break
				}
			}
			if unknown[why]++; why == "not said" && unknown[why] < 4 {
				t.Logf("seed %d, case %d: unknown, but %v: from %+v to %+v at %+v by\n%s", *seed, i, seen, from, to, port, text)
			}
		case len(seen) == 2 || !seen[got == traffic.Yes]:
			t.Fatalf("seed %d, case %d: %v, want %v: from %+v to %+v at %+v in %v by\n%s", *seed, i, got, seen, from, to, port,
				d.namespaces, text)
		}
	}
	if unknown["not said"] > n/1000 { // what several policies say of one that is not known is not put together
		t.Errorf("unknown for no reason: %d", unknown["not said"])
	}
	if answers[traffic.Yes] < n/20 || answers[traffic.No] < n/20 || answers[traffic.Unknown] > n/6 {
		t.Errorf("too much alike, or too much unknown: %v", answers)
	}
	t.Logf("%d cases: %v; unknown: %v", n, answers, unknown)
}

// verdicts are those of Cilium's in all that may be: of what agents are told, what bears on a case.
func (d *drawn) verdicts(t *testing.T, from, to traffic.Peer, port traffic.Port, text string) map[bool]bool {
	out := map[bool]bool{}
	foreign := from.Kind != traffic.Pod || to.Kind != traffic.Pod || from.NodeNetwork || to.NodeNetwork
	all := []settings{{}}
	vary := func(bears bool, set func(*settings)) {
		for _, s := range slices.Clone(all) {
			if set(&s); bears {
				all = append(all, s)
			}
		}
	}
	isOutside := from.Kind != traffic.Pod || to.Kind != traffic.Pod
	says := func(what string) bool { return strings.Contains(text, what) }
	vary(isOutside, func(s *settings) { s.families = 1 })
	vary(isOutside, func(s *settings) { s.families = 2 })
	vary(foreign && says("namespace"), func(s *settings) { s.otherCluster = true })
	vary(says("k8s.io/part"), func(s *settings) { s.allLabels = true })
	vary(foreign && says("nodeSelector"), func(s *settings) { s.firewall = true })
	vary(foreign && says("nodeSelector"), func(s *settings) { s.node = "a" })
	vary(foreign && says("CIDR"), func(s *settings) { s.blocks = true })
	vary(says("Nodes"), func(s *settings) { s.nodesFrom = true })
	for _, s := range all {
		if d.under(t, s, from, to, port, out); len(out) == 2 {
			break
		}
	}
	return out
}

// under adds the verdicts under some settings.
func (d *drawn) under(t *testing.T, s settings, from, to traffic.Peer, port traffic.Port, out map[bool]bool) {
	s.tell()
	r := newOracle(d.entries(t, s))
	for _, a := range d.realities(s, from, "deploy") {
		for _, b := range d.realities(s, to, "default") {
			out[r.lets(t, d, a, b, false, port) && r.lets(t, d, b, a, true, port)] = true
		}
	}
}
