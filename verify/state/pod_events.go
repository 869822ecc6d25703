package state

import "slices"

// PodEvents are the budgets of what befalls pods. A field of an event that is off is not
// laid out: read them through [State]'s methods.
type PodEvents struct {
	Crashes      Field // crashes left
	BadRevisions Field // bad revisions left
	Overruns     Field // see [State.OverrunsLeft]
}

// AddCrashes lays out the budget of pod crashes.
func (b *Builder) AddCrashes() {
	b.cfg.PodEvents.Crashes = b.Field(b.cfg.Spec.Events.PodCrash)
}

// AddBadRevisions lays out the budget of bad revisions, and which of some pod classes
// are bad ones.
func (b *Builder) AddBadRevisions(classes []int) {
	b.cfg.PodEvents.BadRevisions = b.Field(b.cfg.Spec.Events.BadRevision)
	shared := map[int]int{} // by workload: the first class of its new revision
	for _, p := range classes {
		class := &b.cfg.Class[p]
		first, ordinals := shared[b.cfg.Pods[p].Workload]
		if ordinals { // the ordinals of one revision
			class.Bad, class.Exists = b.cfg.Class[first].Bad, b.cfg.Class[first].Exists
			continue
		}
		shared[b.cfg.Pods[p].Workload] = p
		class.Bad = b.Field(1)
		if b.cfg.Pods[p].Ordinal != NoOrdinal {
			class.Exists = b.Field(1)
		}
	}
}

// CrashesLeft is how many pods may still crash.
func (s State) CrashesLeft() int { return s.left(s.C.PodEvents.Crashes) }

// BadRevisionsLeft is how many revisions may still turn out bad.
func (s State) BadRevisionsLeft() int { return s.left(s.C.PodEvents.BadRevisions) }

// Bad reports whether the pods of class p run without ever becoming ready.
func (s State) Bad(p int) bool { return s.left(s.C.Class[p].Bad) != 0 }

// Stranded reports whether pods of class p, of which head knows no more, cannot start; see [Manifest.Stranded].
func (s State) Stranded(p int) bool {
	c := &s.C.Pods[p]
	return c.InBase && !c.InHead && s.C.Spec.Workloads[c.Workload].Manifests[Base].Stranded &&
		s.VersionOf(c.Workload) == Head
}

// Strands reports whether a pod of workload w waits to start and never does; see [State.Stranded].
func (s State) Strands(w int) bool {
	if !s.C.Spec.Workloads[w].Manifests[Base].Stranded {
		return false
	}
	return slices.ContainsFunc(s.C.ClassesOf[w], func(p int) bool { return s.Stranded(p) && s.Count(p, Starting) > 0 })
}

// SetBad makes class p a bad revision; it must be among those of
// [Builder.AddBadRevisions].
func (s State) SetBad(p int) { s.Set(s.C.Class[p].Bad, 1) }

// RefillPods sets the budgets of what befalls pods to what the problem allows.
func (s State) RefillPods() {
	if s.C.PodEvents.Crashes.width > 0 {
		s.Set(s.C.PodEvents.Crashes, s.C.Spec.Events.PodCrash)
	}
	if f := s.C.Manager.Restarts; f.width > 0 {
		s.Set(f, s.C.Spec.Events.ManagerRestart)
	}
	if s.C.Lags() {
		s.Set(s.C.Lag.Left, 1)
	}
	if s.C.PodEvents.Overruns.width > 0 {
		s.Set(s.C.PodEvents.Overruns, s.C.Spec.Events.JobOverrun)
	}
	for w := range s.C.Workload {
		if f := s.C.Workload[w].Ticks; f.width > 0 {
			s.Set(f, s.C.Spec.Events.Ticks())
		}
	}
	if s.C.PodEvents.BadRevisions.width > 0 {
		s.Set(s.C.PodEvents.BadRevisions, s.C.Spec.Events.BadRevision)
	}
}
