//go:build !agent

package cilium

import (
	"slices"
	"strconv"
	"testing"

	"github.com/cilium/cilium/pkg/iana"
	"github.com/cilium/cilium/pkg/identity"
	"github.com/cilium/cilium/pkg/option"
	"github.com/cilium/cilium/pkg/policy/api"
	"github.com/cilium/cilium/pkg/policy/testutils"
	policytypes "github.com/cilium/cilium/pkg/policy/types"
	"github.com/cilium/cilium/pkg/u8proto"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/traffic"
)

// simulator is the one that Cilium's own fuzz tests hold agents against. It knows neither names of ports nor what
// agents do beside policies.
type simulator struct{ policytypes.PolicyEntries }

func newOracle(entries policytypes.PolicyEntries) simulator { return simulator{entries} }

// lets asks whether a side's own policies let a connection pass.
//
// Upstream: cilium v1.20.2, pkg/policy: (*Repository).computePolicyEnforcementAndRules, (*L4PolicyMap).mergeL4Filter.
func (s simulator) lets(t *testing.T, _ *drawn, subject, other side, ingress bool, port traffic.Port) bool {
	isNode := subject.id != 0
	if subject.subject == nil || isNode && !option.Config.EnableHostFirewall {
		return true // no agent is there, or none looks
	}
	named := other.ports
	if ingress {
		named = subject.ports
	}
	var list policytypes.PolicyEntries
	for _, e := range s.PolicyEntries {
		if e.Node != isNode {
			continue
		}
		x := *e
		if x.L4 = nil; len(e.L3)+len(e.L4) == 0 {
			x.L3 = nil
		}
		for _, r := range e.L4 {
			x.L4 = append(x.L4, api.PortRule{Ports: numbers(r.Ports, named, port)})
		}
		list = append(list, &x)
	}
	if ingress && !isNode {
		list = append(list, &policytypes.PolicyEntry{Tier: policytypes.DefaultPolicy, Subject: policytypes.WildcardSelector,
			L3: policytypes.HostSelectors, Ingress: true})
	}
	proto, err := u8proto.ParseProtocol(string(port.Protocol))
	if err != nil {
		t.Fatal(err)
	}
	flow := policytypes.Flow{From: identity.NewIdentity(1000, subject.subject),
		To: identity.NewIdentity(other.kindOf(1001), other.peer), Proto: proto, Dport: uint16(port.Number)}
	if ingress {
		flow.From, flow.To = flow.To, flow.From
	}
	verdict, _, _ := testutils.IteratePolicy(list, flow)
	if ingress {
		return verdict.Ingress == policytypes.DecisionAllowed
	}
	return verdict.Egress == policytypes.DecisionAllowed
}

// numbers are ports of the protocol of a connection, by their number.
func numbers(list []api.PortProtocol, named []corev1.ContainerPort, of traffic.Port) (out []api.PortProtocol) {
	for _, p := range list {
		if p.Protocol != api.ProtoAny && string(p.Protocol) != string(of.Protocol) {
			continue
		}
		n, err := strconv.ParseUint(p.Port, 0, 16)
		if iana.IsSvcName(p.Port) {
			i := slices.IndexFunc(named, func(c corev1.ContainerPort) bool {
				return c.Name == p.Port && c.Protocol == of.Protocol
			})
			if i < 0 {
				continue
			}
			n, err, p.EndPort = uint64(named[i].ContainerPort), nil, 0
		}
		if err != nil {
			continue // a type of ICMP's
		}
		if p.Port = strconv.FormatUint(n, 10); n == 0 {
			p.EndPort = 0
		}
		out = append(out, p)
	}
	return out
}
