package cilium

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/netip"
	"testing"

	"github.com/cilium/cilium/pkg/identity"
	ciliumutils "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/utils"
	"github.com/cilium/cilium/pkg/labels"
	"github.com/cilium/cilium/pkg/labelsfilter"
	"github.com/cilium/cilium/pkg/option"
	"github.com/cilium/cilium/pkg/policy/api"
	policytypes "github.com/cilium/cilium/pkg/policy/types"
	"github.com/cilium/cilium/pkg/policy/utils"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/traffic"
)

const clusterName = "default"

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func TestMain(m *testing.M) {
	option.Config.EnableNonDefaultDenyPolicies, option.Config.EnableL7Proxy = true, true
	option.Config.EnableICMPRules, option.Config.EnableIPv4 = true, true
	option.Config.UnsafeDaemonConfigOption.AllowLocalhost = option.AllowLocalhostAlways // as in every cluster
	api.InitEntities(clusterName)
	if err := labelsfilter.ParseLabelPrefixCfg(quiet, nil, nil, ""); err != nil {
		panic(err)
	}
	m.Run()
}

// settings are what agents are told, and no policy says.
type settings struct {
	families     int    // IPv4, IPv6 or both
	otherCluster bool   // peers may be of any cluster
	allLabels    bool   // no label of a pod is left out
	firewall     bool   // policies of nodes hold
	nodesFrom    bool   // fromNodes and toNodes are taken
	blocks       bool   // blocks of addresses have nodes, too
	node         string // the role of every one
}

func (s settings) tell() {
	option.Config.EnableIPv4, option.Config.EnableIPv6 = s.families != 1, s.families != 0
	option.Config.PolicyCIDRMatchMode = nil
	if s.blocks {
		option.Config.PolicyCIDRMatchMode = []string{"nodes"}
	}
	option.Config.EnableHostFirewall, option.Config.EnableNodeSelectorLabels = s.firewall, s.nodesFrom
}

func (s settings) has(a netip.Addr) bool { return s.families == 2 || a.Is4() == (s.families == 0) }

// addresses are what peers may have.
var addresses = []string{"10.0.0.1", "10.1.0.1", "192.0.2.1", "2001:db8::1"}

// side is one end of a connection as it may be: what agents know it by, and what its own policies are asked for.
type side struct {
	peer, subject labels.Labels
	ports         []corev1.ContainerPort
	id            identity.NumericIdentity // 0: one that is not reserved
}

func with(a, b labels.Labels) labels.Labels {
	return labels.FromSlice(append(a.ToSlice(), b.ToSlice()...))
}

func kubernetes(set map[string]string) labels.Labels {
	return labels.Map2Labels(set, labels.LabelSourceK8s)
}

// pod is what agents know one by.
func (s settings) pod(namespace string, of, pod map[string]string, account string) labels.Labels {
	set := maps.Clone(pod)
	for k, v := range of {
		set["io.cilium.k8s.namespace.labels."+k] = v
	}
	set["io.cilium.k8s.namespace.labels.kubernetes.io/metadata.name"] = namespace
	set["io.kubernetes.pod.namespace"] = namespace
	set["io.cilium.k8s.policy.cluster"], set["io.cilium.k8s.policy.serviceaccount"] = clusterName, account
	out := kubernetes(set)
	if !s.allLabels {
		out, _ = labelsfilter.Filter(out)
	}
	return out
}

// realities are all that a peer of ours may be.
func (d *drawn) realities(s settings, p traffic.Peer, account string) (out []side) {
	node := with(kubernetes(map[string]string{"role": s.node}), labels.LabelHost)
	addressed := []labels.Labels{{}}
	if s.blocks {
		for _, a := range addresses {
			x := netip.MustParseAddr(a)
			l := labels.GetCIDRLabels(netip.PrefixFrom(x, x.BitLen()))
			l.RemoveFromSource(labels.LabelSourceReserved)
			addressed = append(addressed, l)
		}
	}
	switch {
	case p.NodeNetwork:
		for _, l := range addressed {
			for _, l := range []labels.Labels{l, with(l, labels.LabelKubeAPIServer)} {
				out = append(out, side{peer: with(l, labels.LabelHost), subject: node, id: identity.ReservedIdentityHost},
					side{peer: with(l, labels.LabelRemoteNode), subject: node, id: identity.ReservedIdentityRemoteNode})
			}
		}
	case p.Kind == traffic.APIServer: // on another node, or managed
		for _, l := range addressed {
			l = with(l, labels.LabelKubeAPIServer)
			out = append(out, side{peer: with(l, labels.LabelRemoteNode), subject: node,
				id: identity.ReservedIdentityKubeAPIServer})
		}
		for _, a := range addresses {
			x := netip.MustParseAddr(a)
			if s.has(x) {
				l := labels.GetCIDRLabels(netip.PrefixFrom(x, x.BitLen()))
				out = append(out, side{peer: with(l, labels.LabelKubeAPIServer)})
			}
		}
	case p.Kind == traffic.Outside:
		for _, a := range addresses {
			x := netip.MustParseAddr(a)
			if s.has(x) && (x == p.IP || !p.IP.IsValid()) {
				out = append(out, side{peer: labels.GetCIDRLabels(netip.PrefixFrom(x, x.BitLen()))})
			}
		}
	case p.Kind == traffic.Pod:
		l := s.pod(p.Namespace, d.namespaces[p.Namespace], p.Labels, account)
		out = []side{{peer: l, subject: l, ports: p.Ports}}
	}
	return out
}

// entries are the policies as agents read them; those that they refuse are left out.
//
// Upstream: cilium v1.20.2, pkg/k8s/apis/cilium.io/v2: (*CiliumNetworkPolicy).Parse.
func (d *drawn) entries(t *testing.T, s settings) (out policytypes.PolicyEntries) {
	name := clusterName
	if s.otherCluster {
		name = ""
	}
	for i := range d.policies {
		var content struct { // read anew, as it is changed
			Spec  *api.Rule
			Specs api.Rules
		}
		if err := json.Unmarshal(d.policies[i], &content); err != nil {
			t.Fatalf("%v: %s", err, d.policies[i])
		}
		namespace := d.objects[len(d.namespaces)+i].ID.Namespace
		if content.Spec != nil {
			content.Specs = append(content.Specs, content.Spec)
		}
		var rules api.Rules
		for _, r := range content.Specs {
			if r.Sanitize() != nil || namespace != "" && r.NodeSelector.LabelSelector != nil {
				rules, d.refused = nil, true
				break
			}
			rules = append(rules, ciliumutils.ParseToCiliumRule(quiet, name, namespace, "p", "", r))
		}
		out = append(out, utils.RulesToPolicyEntries(rules)...)
	}
	return out
}

// kindOf tells identities apart by what they are of: nodes, the world, or the cluster.
func (s side) kindOf(other identity.NumericIdentity) identity.NumericIdentity {
	if s.id != 0 {
		return s.id
	}
	for _, k := range []string{labels.IDNameWorld, labels.IDNameWorldIPv4, labels.IDNameWorldIPv6} {
		if s.peer.HasLabelWithKey(k) {
			return identity.IdentityScopeLocal + 1
		}
	}
	return other
}
