package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// evictionLoop says that pods are not evicted forever: ◇□(no pod of the workload is
// evicted), once no event happens any more.
//
// Intent: what evicts and what places agree on where a pod may be.
// Class: liveness; the counterexample is a lasso whose loop evicts a pod of the workload.
// Assumes: weak fairness of every actor; an eviction is a step of one ReplicaSet's pods
// onto deletion that the ReplicaSet did not ask for: the ReplicaSet keeps its size, had
// no pod too many, and loses as many live pods as come to be on deletion. A scale-down
// or a rollout deletes surplus pods only, so neither is one; a pod that its kubelet evicts is
// gone without having been on deletion; nor are the pods that are lost
// with a node that is down (see crash-loop). The pods of a bad revision are of no use
// where they stand, so whoever evicts them takes nothing away. That it sees two states
// only is why the pods of one step are counted, not followed.
// Does not say: who evicts; the steps of the loop do. Nor that pods are lost by an
// eviction that happens once (see below-floor).
var evictionLoop = Rule{
	ID:       EvictionLoop,
	Class:    Oscillation,
	Title:    "pods are evicted and created again forever",
	Severity: Error,
	Facets:   Evicted,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A descheduler, NoExecute taint, preemption or node pressure evicts a pod, the scheduler puts it back,
and so on forever. Real if that descheduler runs with that policy, or the taint stays: the pods never get older than
the interval.`,
		Bad: `Every turn kills a healthy pod, its connections and caches. A budget only slows it down.`,
		Now: `- ` + "`nodeFit: true`" + `; ` + "`constraints: [DoNotSchedule]`" + ` for spread.
- ` + "`targetThresholds`" + ` above the largest pod's share of a node.
- HighNodeUtilization only with ` + "`MostAllocated`" + `.
- Or exempt the workload by namespace, label or priority.`,
		Sources: []string{
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
			"https://github.com/kubernetes-sigs/descheduler/issues/1695",
			"https://github.com/kubernetes-sigs/descheduler/issues/1026",
			"https://github.com/kubernetes-sigs/descheduler#readme",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil {
			return Property{}
		}
		return Property{
			Recurs: func(from, to state.State) bool { return evicts(from, to, w) },
			Message: func(s state.State) string {
				return fmt.Sprintf("pods of %s can be evicted and created again forever with no event left to happen: the loop starts at %s, %d ready",
					FullName(c, w), wanted(s, w), s.ReadyOf(w))
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// evicts reports whether a step puts pods of workload w on deletion that their ReplicaSet
// did not delete itself. It compares sums over all nodes, which no exchange of like
// nodes changes.
func evicts(from, to state.State, w int) bool {
	for _, p := range from.C.ClassesOf[w] {
		if from.C.Pods[p].PerNode { // its controller deletes pods as others evict them, but never so
			if failed(from, to, p) && from.Active(p) > to.Active(p) {
				return true
			}
			continue
		}
		f := &from.C.Class[p]
		gone := to.Count(p, state.Terminating) - from.Count(p, state.Terminating)
		if failed(from, to, p) {
			gone = from.Active(p) - to.Active(p)
		}
		size := from.Get(f.Size)
		if from.C.Pods[p].Ordinal != state.NoOrdinal {
			size = to.Get(f.Size) + wantedOrdinal(from, w, p)
		}
		active := from.Active(p)
		if from.C.Pods[p].Ordinal == state.NoOrdinal {
			active = from.ActiveIn(from.C.Pods[p].Set)
		}
		if gone <= 0 || from.Bad(p) || from.Get(f.Size) != to.Get(f.Size) || active > size ||
			liveOnDown(to, p) < liveOnDown(from, p) {
			continue
		}
		if from.Active(p)-to.Active(p) == gone && from.Pending(p) == to.Pending(p) {
			return true
		}
	}
	return false
}

// failed reports whether a step has a kubelet evict pods of class p for disk or memory
// pressure: they are gone, and never were on deletion.
func failed(from, to state.State, p int) bool {
	return to.LiveUnderPressure(p) < from.LiveUnderPressure(p) &&
		to.Count(p, state.Terminating) == from.Count(p, state.Terminating) &&
		to.Pending(p) == from.Pending(p)
}

// wantedOrdinal is 1 where a StatefulSet wants the one pod of class p, and 0 where it
// deletes it itself: to scale down, or to update it.
func wantedOrdinal(s state.State, w, p int) int {
	m := s.Manifest(w)
	if !m.Exists() {
		return 0
	}
	index := s.C.Pods[p].Ordinal - m.FirstOrdinal()
	if index < 0 || index >= s.Replicas(w) || !s.HasTemplate(p) && !keepsOld(s, w, p) {
		return 0
	}
	return 1
}

// liveOnDown is the number of live pods of class p on nodes that are down.
func liveOnDown(s state.State, p int) int {
	total := 0
	for n := range s.C.Nodes {
		if s.Down(n) {
			total += s.LiveOn(n, p)
		}
	}
	return total
}
