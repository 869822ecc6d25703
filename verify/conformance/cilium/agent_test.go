//go:build agent

package cilium

import (
	"math"
	"sync"
	"testing"

	"github.com/cilium/cilium/pkg/endpoint/regeneration"
	"github.com/cilium/cilium/pkg/identity"
	ipcache "github.com/cilium/cilium/pkg/ipcache/types"
	"github.com/cilium/cilium/pkg/option"
	"github.com/cilium/cilium/pkg/policy"
	"github.com/cilium/cilium/pkg/policy/api"
	policytypes "github.com/cilium/cilium/pkg/policy/types"
	"github.com/cilium/cilium/pkg/types"
	"github.com/cilium/cilium/pkg/u8proto"
	envoy "github.com/cilium/proxy/go/cilium/api"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/traffic"
)

// repository is what agents have: policies, of which they compute what the kernel looks up.
type repository struct{ *policy.Repository }

var all = sync.OnceValue(func() repository {
	policy.SetPolicyEnabled(option.DefaultEnforcement)
	return repository{policy.NewPolicyRepository(quiet, identity.ListReservedIdentities(), nil, noProxy{}, nil, nil)}
})

func newOracle(entries policytypes.PolicyEntries) repository {
	r := all()
	r.ReplaceByResource(entries, ipcache.NewResourceID(ipcache.ResourceKindCCNP, "", "all"))
	return r
}

// noProxy stands for what comes after a connection is let through: requests are no matter here.
type noProxy struct{}

func (noProxy) GetEnvoyHTTPRules(*api.L7Rules, string) (*envoy.HttpNetworkPolicyRules, bool) {
	return nil, true
}

// owner is an endpoint.
type owner struct{ ports []corev1.ContainerPort }

func (o owner) GetID() uint64 { return 1 }
func (o owner) GetIngressNamedPort(name string, proto u8proto.U8proto) uint16 {
	port, _ := named(o.ports).GetNamedPort(name, proto)
	return port
}
func (o owner) PolicyDebug(string, ...any)                      {}
func (o owner) IsHost() bool                                    { return false }
func (o owner) PreviousMapStateSizes() (n policy.MapStateSizes) { return n }
func (o owner) RegenerateIfAlive(*regeneration.ExternalRegenerationMetadata) <-chan bool {
	ch := make(chan bool)
	close(ch)
	return ch
}

func named(list []corev1.ContainerPort) types.NamedPortMap {
	out := types.NamedPortMap{}
	for _, p := range list {
		if err := out.AddPort(p.Name, int(p.ContainerPort), string(p.Protocol)); err != nil {
			panic(err)
		}
	}
	return out
}

// getter has the names of ports of the endpoint that is asked for.
type getter struct{ types.NamedPortMultiMap }

func (g getter) GetNamedPorts() types.NamedPortMultiMap { return g.NamedPortMultiMap }

// lets asks whether a side's own policies let a connection pass.
func (r repository) lets(t *testing.T, d *drawn, subject, other side, ingress bool, port traffic.Port) bool {
	if subject.subject == nil {
		return true // no agent is there
	}
	of, with := identity.NumericIdentity(1000), other.kindOf(1001)
	if subject.id != 0 {
		of = identity.ReservedIdentityHost
	}
	self := identity.NewIdentity(of, subject.subject)
	added := identity.IdentityMap{of: self.LabelArray, with: other.peer.LabelArray()}
	gone := identity.IdentityMap{}
	for id := range added {
		if l, ok := identity.ListReservedIdentities()[id]; ok {
			gone[id] = l
		}
	}
	r.UpdateIdentities(nil, gone)
	r.GetSelectorCache().UpdateIdentities(nil, gone, &sync.WaitGroup{})
	r.UpdateIdentities(added, nil)
	r.GetSelectorCache().UpdateIdentities(added, nil, &sync.WaitGroup{})
	defer func() {
		r.UpdateIdentities(nil, added)
		r.GetSelectorCache().UpdateIdentities(nil, added, &sync.WaitGroup{})
	}()
	ports := types.NewNamedPortMultiMap()
	ports.Update(with, nil, named(other.ports))
	r.SetNamedPortsGetter(getter{ports})
	resolved, _, err := r.ComputeSelectorPolicy(self)
	if err != nil {
		d.conflict = true
		return false
	}
	e := resolved.DistillPolicy(quiet, owner{subject.ports}, map[string]uint16{policy.FallbackRedirectID: math.MaxUint16})
	if err := e.Ready(); err != nil {
		t.Fatal(err)
	}
	e.Detach(quiet)
	resolved.Supersede()
	proto, err := u8proto.ParseProtocol(string(port.Protocol))
	if err != nil {
		t.Fatal(err)
	}
	key := policy.EgressKey()
	if ingress {
		key = policy.IngressKey()
	}
	entry, _, _ := e.Lookup(key.WithIdentity(with).WithPortProto(proto, uint16(port.Number)))
	return !entry.IsDeny()
}
