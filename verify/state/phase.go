package state

// Phase is where a pod on a node is in its life: Starting, then Warming and Fresh where
// its problem has them, then Ready, and Terminating from any of these. A phase that no
// actor or rule of a problem could tell from Ready is not laid out, and always empty.
//
// A pod is done with its start-up before it counts as available: one that is available
// and still uses its start-up CPU has no phase, which may hide runs.
type Phase uint8

const (
	Starting    Phase = iota // bound, not ready
	Ready                    // ready, available, and done with its start-up
	Terminating              // has a deletion timestamp; still holds its place
	Warming                  // ready, uses its start-up CPU; see [Config.Warms]
	Fresh                    // ready for less than minReadySeconds: not yet available; see [Config.Ripens]
	Phases                   // number of phases
)

// LivePhases are the phases of pods on a node that are not on deletion, and ReadyPhases
// those of them in which a pod is ready, in the order of life.
var (
	LivePhases  = [...]Phase{Starting, Warming, Fresh, Ready}
	ReadyPhases = [...]Phase{Warming, Fresh, Ready}
)

// IsReady reports whether a pod in the phase has the condition Ready.
func (ph Phase) IsReady() bool { return ph == Ready || ph == Warming || ph == Fresh }

// String is the phase as texts have it: "starting", "ready", "terminating".
func (ph Phase) String() string {
	switch {
	case ph == Starting:
		return "starting"
	case ph == Terminating:
		return "terminating"
	}
	return "ready"
}

// HasPhase reports whether pods of class p can be in a phase at all.
func (c *Config) HasPhase(p int, ph Phase) bool { return c.Class[p].Phase[ph].width > 0 }

// Warms reports whether pods of class p use their start-up CPU for a while once they are
// ready, in a problem where somebody looks at it.
func (c *Config) Warms(p int) bool { return c.HasPhase(p, Warming) }

// Ripens reports whether pods of class p are ready for a while before they are available.
func (c *Config) Ripens(p int) bool { return c.HasPhase(p, Fresh) }

// warms reports whether somebody looks at the start-up CPU of workload w: an autoscaler, or
// a node that goes down under load.
func (c *Config) warms(w int) bool {
	e := &c.Spec.Events
	return e.StartupSpike > 0 && (e.NodePanic > 0 || c.Spec.Workloads[w].Autoscaled())
}

// ripens reports whether a version whose template is class p's waits for minReadySeconds.
func (c *Config) ripens(p int) bool {
	class := &c.Pods[p]
	ms := &c.Spec.Workloads[class.Workload].Manifests
	return class.InBase && ms[Base].MinReadySeconds() > 0 ||
		class.InHead && ms[Head].MinReadySeconds() > 0
}

// FirstReady is the phase in which a pod of class p becomes ready, and AfterWarming the
// one that follows on Warming.
func (c *Config) FirstReady(p int) Phase {
	if c.Warms(p) {
		return Warming
	}
	return c.AfterWarming(p)
}

// AfterWarming is the phase of a ready pod of class p that is done with its start-up.
func (c *Config) AfterWarming(p int) Phase {
	if c.Ripens(p) {
		return Fresh
	}
	return Ready
}

// On is the number of pods of class p on node n in a phase.
func (s State) On(n, p int, ph Phase) int { return s.At(n, s.C.Class[p].Phase[ph]) }

// ReadyOn is the number of ready pods of class p on node n.
func (s State) ReadyOn(n, p int) int {
	return s.On(n, p, Ready) + s.On(n, p, Warming) + s.On(n, p, Fresh)
}

// LiveOn is the number of pods of class p on node n that are not on deletion.
func (s State) LiveOn(n, p int) int { return s.On(n, p, Starting) + s.ReadyOn(n, p) }

// Add changes the number of pods of class p on node n in a phase.
func (s State) Add(n, p int, ph Phase, delta int) {
	f := s.C.Class[p].Phase[ph]
	s.SetAt(n, f, s.At(n, f)+delta)
}

// TakeReady removes all ready pods of class p from node n, and says how many.
func (s State) TakeReady(n, p int) int {
	total := 0
	for _, ph := range ReadyPhases {
		k := s.On(n, p, ph)
		s.Add(n, p, ph, -k)
		total += k
	}
	return total
}

// Count is the number of pods of class p on all nodes in a phase.
func (s State) Count(p int, ph Phase) int {
	f := s.C.Class[p].Phase[ph]
	if f.width == 0 {
		return 0
	}
	total, at, next := 0, s.C.layout.head+int(f.off), s.C.layout.record
	if f.width == 1 {
		for range s.C.Nodes {
			total += int(s.B[at])
			at += next
		}
		return total
	}
	for n := range s.C.Nodes {
		total += s.At(n, f)
	}
	return total
}

// ReadyPods is the number of ready pods of class p (upstream: podutil.IsPodReady).
func (s State) ReadyPods(p int) int {
	return s.Count(p, Ready) + s.Count(p, Warming) + s.Count(p, Fresh)
}

// AvailablePods is the number of pods of class p that have been ready for minReadySeconds
// (upstream: podutil.IsPodAvailable).
func (s State) AvailablePods(p int) int {
	total := s.Count(p, Ready)
	if !s.C.Ripens(p) {
		total += s.Count(p, Warming)
	}
	return total
}

// Active is the number of pods of class p that count as replicas: pending, starting
// or ready, not terminating (upstream: controller.IsPodActive).
func (s State) Active(p int) int {
	return s.Pending(p) + s.Count(p, Starting) + s.ReadyPods(p)
}

// Existing is the number of pods of class p in any phase, terminating ones included.
func (s State) Existing(p int) int { return s.Active(p) + s.Count(p, Terminating) }

// ExistingOf is the number of pods of workload w in any phase, of all its revisions.
func (s State) ExistingOf(w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Existing(p)
	}
	return total
}

// ReadyOf is the number of ready pods of workload w, of all its revisions.
func (s State) ReadyOf(w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.ReadyPods(p)
	}
	return total
}

// AvailableOf is the number of available pods of workload w, of all its revisions.
func (s State) AvailableOf(w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.AvailablePods(p)
	}
	return total
}
