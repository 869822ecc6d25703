package traffic

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// What Cilium's agents make of policies, where their documentation does not say, or says less.
func TestCiliumPoliciesAreAsAgentsReadThem(t *testing.T) {
	var (
		web  = Peer{Namespace: "one", Labels: labels.Set{"app": "web"}}
		db   = Peer{Namespace: "two", Labels: labels.Set{"app": "db", "k8s.io/part": "a"}}
		host = Peer{Namespace: "two", NodeNetwork: true, Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80}}}
		api  = Peer{Kind: APIServer}
		away = Peer{Kind: Outside, IP: netip.MustParseAddr("10.0.0.1")}
	)
	for name, c := range map[string]struct {
		namespace, spec string
		from, to        Peer
		want            Answer
	}{
		"what a default denies without a rule is nothing": {"one",
			"endpointSelector: {}, egress: [{toEndpoints: [{}]}], enableDefaultDeny: {ingress: true}", db, web, Yes},
		"a policy without a rule is refused": {"one", "endpointSelector: {}, enableDefaultDeny: {egress: true}", web, db,
			Yes},
		"a policy is for its own namespace": {"one",
			"endpointSelector: {matchLabels: {k8s:io.kubernetes.pod.namespace: two}}, egress: [{}]", web, db, No},
		"and for no other one": {"one",
			"endpointSelector: {matchLabels: {k8s:io.kubernetes.pod.namespace: two}}, egress: [{}]", db, web, Yes},
		"one for a namespace of any source has nobody": {"one",
			"endpointSelector: {matchLabels: {io.kubernetes.pod.namespace: two}}, egress: [{}]", web, db, Yes},
		"labels of a namespace do not take a policy out of its own": {"one",
			"endpointSelector: {matchLabels: {io.cilium.k8s.namespace.labels.tier: a}}, ingress: [{}]", web, db, Yes},
		"lists of ports without one have none": {"one",
			"endpointSelector: {}, egress: [{toEntities: [all], toPorts: [{}]}]", web, db, No},
		"an empty list beside another has nobody": {"one",
			"endpointSelector: {}, egress: [{toEntities: [all], toCIDR: []}]", web, db, No},
		"an empty list of names is as good as none": {"one",
			`endpointSelector: {}, egress: [{toFQDNs: [], toPorts: [{ports: [{port: "80"}]}]}]`, web, db, Yes},
		"there are no names to deny": {"one",
			"endpointSelector: {}, egressDeny: [{toFQDNs: [{matchName: a.b}], toPorts: [{ports: [{port: '80'}]}]}]", web, db,
			No},
		"a block may be one address": {"one", "endpointSelector: {}, egress: [{toCIDR: [10.0.0.1]}]", web, away, Yes},
		"a number of base 16 is a name": {"one",
			`endpointSelector: {}, egress: [{toPorts: [{ports: [{port: "0x50"}]}]}]`, web, db, No},
		"names of ports are lower case": {"two", "endpointSelector: {}, ingress: [{toPorts: [{ports: [{port: HTTP}]}]}]", web,
			Peer{Namespace: "two", Ports: host.Ports}, Yes},
		"nodes have no names of ports": {"one", "endpointSelector: {}, egress: [{toPorts: [{ports: [{port: http}]}]}]", web,
			host, No},
		"pods have no label of Cilium's": {"",
			`endpointSelector: {}, egress: [{toEndpoints: [{matchExpressions: [{key: "reserved:host",
			operator: DoesNotExist}]}]}]`, web, db, Yes},
		"a node is let to its own pods": {"one", "endpointSelector: {}, ingress: [{}]", host, web, Unknown},
		"and a node to those of others": {"one", "endpointSelector: {}, ingress: [{fromEntities: [remote-node]}]", host, web,
			Yes},
		"unless it is denied": {"one",
			"endpointSelector: {}, ingressDeny: [{fromEntities: [host, remote-node]}]", host, web, No},
		"nobody is let to a node": {"one", "endpointSelector: {}, egress: [{}]", web, host, No},
		"the API server is of the cluster": {"one", "endpointSelector: {}, ingress: [{fromEntities: [cluster]}]", api, web,
			Yes},
		"the API server has its label": {"one",
			`endpointSelector: {}, ingress: [{fromEndpoints: [{matchLabels: {"reserved:kube-apiserver": ""}}]}]`, api, web,
			Yes},
		"policies of nodes hold where there is a firewall": {"", "nodeSelector: {}, egress: [{toEntities: [world]}]", api,
			web, Unknown},
		"and deny nothing that they let pass": {"", "nodeSelector: {}, egress: [{toEntities: [cluster]}]", api, web, Yes},
		"and nothing to pods":                 {"", "nodeSelector: {}, egress: [{}]", db, web, Yes},
		"two kinds of peers are refused": {"one",
			"endpointSelector: {}, egress: [{toEntities: [world], toCIDR: [10.0.0.0/8]}]", web, db, Unknown},
		"an exception from outside of its block is refused": {"one",
			"endpointSelector: {}, egress: [{toCIDRSet: [{cidr: 10.0.0.0/8, except: [192.0.2.0/24]}]}]", web, db, Unknown},
		"requests of HTTP are of TCP": {"one",
			`endpointSelector: {}, egress: [{toPorts: [{ports: [{port: "81"}], rules: {http: [{}]}}]}]`, web, db, Unknown},
		"agents may leave labels out": {"", "endpointSelector: {matchLabels: {k8s.io/part: a}}, egress: [{}]", db, web,
			Unknown},
		"but add none": {"", "endpointSelector: {matchLabels: {k8s.io/part: b}}, egress: [{}]", db, web, Yes},
		"what is to be authenticated may not be": {"one",
			"endpointSelector: {}, egress: [{toEntities: [all], authentication: {mode: required}}]", web, db, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDrawn(t, rand.New(rand.NewPCG(1, 1)))
			kind := "CiliumNetworkPolicy"
			if c.namespace == "" {
				kind = "CiliumClusterwideNetworkPolicy"
			}
			d.add(t, kind, "{metadata: {namespace: '"+c.namespace+"'}, spec: {"+c.spec+"}}")
			if got := NewPolicies(d.objects).Allows(c.from, c.to, Port{corev1.ProtocolTCP, 80}); got.Answer != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
