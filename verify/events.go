package verify

import (
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// budgets are a policy's events as the abstract cluster knows them; the apply is the
// scenario's.
func budgets(p *policies.Policy) state.Events {
	e := p.Events
	out := state.Events{
		LoadChange: e.LoadChange, IdleMemory: e.IdleMemory, NodeFailure: e.NodeFailure, NodeAdded: e.NodeAdded, NodeRemoved: e.NodeRemoved,
		BadRevision: e.BadRevision, StartupSpike: e.StartupSpike, NodePanic: e.NodePanic,
	}
	if s := e.Spot; s != nil {
		out.SpotReclaim, out.SpotLost = s.Budget, !s.Replaced
	}
	if d := e.Drain; d != nil {
		out.Drain, out.DrainConcurrency, out.IgnorePDB = d.Budget, d.Concurrent, !d.RespectPDB
	}
	if out.Drain+out.NodeRemoved+out.SpotReclaim > 0 || p.Controllers.Descheduler != nil || p.Controllers.ClusterAutoscaler ||
		p.Intents["below-floor"].MinReady > 0 {
		out.PodCrash = e.PodCrash // see the kubelet's abstraction
	}
	return out
}
