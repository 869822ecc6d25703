package verify

import (
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// budgets are a policy's events as the abstract cluster knows them; the apply is the
// scenario's.
func budgets(e policies.Events) state.Events {
	out := state.Events{
		LoadChange: e.LoadChange, NodeFailure: e.NodeFailure, NodeAdded: e.NodeAdded, NodeRemoved: e.NodeRemoved,
	}
	if s := e.Spot; s != nil {
		out.SpotReclaim, out.SpotLost = s.Budget, !s.Replaced
	}
	if d := e.Drain; d != nil {
		out.Drain, out.DrainConcurrency, out.IgnorePDB = d.Budget, d.Concurrent, !d.RespectPDB
	}
	out.IdleMemory, out.StartupSpike, out.NodePanic = e.IdleMemory, e.StartupSpike, e.NodePanic
	return out
}
