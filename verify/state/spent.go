package state

// mostSpent is the most events of one kind that [State.Spent] distinguishes.
const mostSpent = 7

// Spent packs how many events of each kind have happened, four bits a kind, as the search takes it. Events of several
// workloads that are of one kind count together; a recovery and a rollback follow from events that are counted already.
func (s State) Spent() uint64 {
	c := s.C
	e := &c.Spec.Events
	loads, ticks, maxTicks := 0, 0, 0
	for w := range c.Workload {
		loads += max(e.LoadChange, 0) - s.left(c.Workload[w].Loads)
		if f := c.Workload[w].Ticks; f.width > 0 {
			ticks += s.Get(f)
			maxTicks += e.Ticks()
		}
	}
	var out uint64
	for i, n := range [...]int{
		max(e.Apply, 0) - s.left(c.Applies),
		1 - s.left(c.Reverts) + s.unapplied(),
		spentOf(s, c.Drains, e.Drain),
		spentOf(s, c.Failures, e.NodeFailure),
		spentOf(s, c.Reclaims, e.SpotReclaim),
		spentOf(s, c.Additions, e.NodeAdded),
		spentOf(s, c.Removals, e.NodeRemoved),
		spentOf(s, c.PodEvents.Crashes, e.PodCrash),
		spentOf(s, c.PodEvents.BadRevisions, e.BadRevision),
		spentOf(s, c.PodEvents.Overruns, e.JobOverrun),
		spentOf(s, c.DiskPressures, e.DiskPressure),
		spentOf(s, c.MemoryPressures, e.MemoryPressure),
		loads,
		maxTicks - ticks,
		spentOf(s, c.Manager.Restarts, e.ManagerRestart),
		spentOf(s, c.Lag.Left, 1),
	} {
		out |= uint64(min(max(n, 0), mostSpent)) << (4 * i)
	}
	return out
}

// unapplied is 1 as long as base's manifests stand that are yet to be replaced by head's. It falls with the apply, so
// that no set of events without the apply is part of one with it: what base breaks by itself is none of the change's.
func (s State) unapplied() int {
	if s.left(s.C.Applies) > 0 && s.Version() == Base {
		return 1
	}
	return 0
}

func spentOf(s State, f Field, budget int) int {
	if f.width == 0 {
		return 0
	}
	return budget - s.Get(f)
}
