package scenario

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Budgets are a policy's events as the abstract cluster knows them; the apply is the
// scenario's. Events that can make no difference to the workloads of a slice are left out.
func Budgets(p *policies.Policy, workloads []state.Workload) state.Events {
	e := p.Events
	out := state.Events{
		LoadChange: e.LoadChange, IdleMemory: e.IdleMemory,
		NodeFailure: e.NodeFailure, NodeAdded: e.NodeAdded, NodeRemoved: e.NodeRemoved,
		DiskPressure: e.DiskPressure, MemoryPressure: e.MemoryPressure,
		ManagerRestart: p.Crash, StaleWrites: p.Stale,
		BadRevision: e.BadRevision, JobOverrun: e.JobOverrun, Rollback: e.Rollback, OutOfService: e.OutOfService,
		StartupSpike: e.StartupSpike, NodePanic: e.NodePanic,
	}
	if s := e.Spot; s != nil {
		out.SpotReclaim, out.SpotLost = s.Budget, !s.Replaced
	}
	if d := e.Drain; d != nil {
		out.Drain, out.DrainConcurrency, out.IgnorePDB, out.KeepsBare = d.Budget, d.Concurrent, !d.RespectPDB, !d.Force
	}
	if crashTells(p, out, workloads) {
		out.PodCrash = e.PodCrash
	}
	return out
}

// crashTells reports whether a pod that crashes can make a difference: where something takes
// pods of one of the workloads away without looking at what is ready. What evicts looks at
// the budget of a workload, which counts the healthy pods; one that has none is not asked
// for.
func crashTells(p *policies.Policy, e state.Events, workloads []state.Workload) bool {
	if p.Intents[rules.BelowFloor].MinReady > 0 || e.SpotReclaim > 0 {
		return true
	}
	evicts := p.Controllers.Descheduler != nil || p.Controllers.ClusterAutoscaler || p.RunsKarpenter()
	if e.Drain+e.NodeRemoved > 0 {
		if evicts = true; e.IgnorePDB {
			return true
		}
	}
	return evicts && slices.ContainsFunc(workloads, func(w state.Workload) bool {
		return slices.ContainsFunc(w.Manifests[:], func(m state.Manifest) bool { return m.Exists() && len(m.PDBs) == 0 })
	})
}
