package state

// LagFields are what moves where a loop's view of pods may lag; not laid out where none does. One loop's view lags
// at a time.
type LagFields struct {
	Left   Field // 1 while a view may still fall behind
	Who    Field // 1 + the loop whose view lags, 0: none
	Missed Field // writes that its view lacks
	// Disruption is the loop of the disruption controller, whose view is a budget's status; -1: there is none.
	Disruption int

	apart   NodeField     // in a view: nodes side by side that are none of one kind in the cluster differ in it
	loops   [][]seenClass // by loop: what it sees of pods
	reports []int         // by class: the loop that writes the status of its ReplicaSet, or -1
	size    []NodeField   // see [State.EndLag]
	heads   []Field
}

// seenClass is where the view of the pods of a class is kept.
type seenClass struct {
	class   int
	pending Field
	awaited NodeField // pods by the node that they are made for; not laid out where pods are not PerNode
	due     Field     // pods that have yet to succeed; not laid out where they never end
	phase   [Phases]NodeField
}

// AddLags lays out the views of loops, each of which sees the pods of some classes; reports are, by class, the
// loops that write the status of a ReplicaSet, and disruption is that of the disruption controller; -1: none.
func (b *Builder) AddLags(sees [][]int, reports []int, disruption int) {
	c := b.cfg
	l := &c.Lag
	l.Left, l.Who, l.Missed, l.Disruption = b.Field(1), b.Field(len(sees)), b.Field(c.Spec.Events.StaleWrites), disruption
	l.reports, l.apart = reports, b.NodeField(1)
	all := make([]*seenClass, len(c.Pods))
	for _, classes := range sees {
		var own []seenClass
		for _, p := range classes {
			if all[p] == nil {
				all[p] = c.addSeen(b, p)
			}
			own = append(own, *all[p])
		}
		l.loops = append(l.loops, own)
	}
}

func (c *Config) addSeen(b *Builder, p int) *seenClass {
	most := c.MaxPods
	if c.Pods[p].Ordinal != NoOrdinal {
		most = 1
	}
	k := &seenClass{class: p, pending: b.Field(most)}
	c.Lag.heads = append(c.Lag.heads, k.pending)
	if c.Class[p].Awaited.width > 0 {
		k.awaited = b.NodeField(most)
		c.Lag.size = append(c.Lag.size, k.awaited)
	}
	if c.Spec.Workloads[c.Pods[p].Workload].Kind().Ends() {
		k.due = b.Field(c.MaxPods)
		c.Lag.heads = append(c.Lag.heads, k.due)
	}
	for ph, f := range c.Class[p].Phase {
		if f.width > 0 {
			k.phase[ph] = b.NodeField(most)
			c.Lag.size = append(c.Lag.size, k.phase[ph])
		}
	}
	return k
}

// Lags reports whether views may lag in this problem at all.
func (c *Config) Lags() bool { return c.Lag.Who.width > 0 }

// Sees lists the pod classes that a loop sees.
func (c *Config) Sees(loop int) []int {
	var out []int
	for i := range c.Lag.loops[loop] {
		out = append(out, c.Lag.loops[loop][i].class)
	}
	return out
}

// Lagging is the loop whose view lags, or -1.
func (s State) Lagging() int { return s.left(s.C.Lag.Who) - 1 }

// LagsLeft is how often a view may still fall behind.
func (s State) LagsLeft() int { return s.left(s.C.Lag.Left) }

// Missed is how many writes the view that lags lacks.
func (s State) Missed() int { return s.left(s.C.Lag.Missed) }

// BeginLag keeps what a loop sees now; a lag must be left, and no view lag.
func (s State) BeginLag(loop int) {
	l := &s.C.Lag
	s.Set(l.Left, s.LagsLeft()-1)
	s.Set(l.Who, loop+1)
	for i := range l.loops[loop] {
		k := &l.loops[loop][i]
		s.Set(k.pending, s.Get(s.C.Class[k.class].Pending))
		if k.due.width > 0 {
			s.Set(k.due, s.Outstanding(k.class))
		}
		for n := 0; k.awaited.width > 0 && n < len(s.C.Nodes); n++ {
			s.SetAt(n, k.awaited, s.Awaited(n, k.class))
		}
		for ph, f := range k.phase {
			for n := 0; f.width > 0 && n < len(s.C.Nodes); n++ {
				s.SetAt(n, f, s.On(n, k.class, Phase(ph)))
			}
		}
	}
}

// EndLag has every loop see the cluster as it is.
func (s State) EndLag() {
	l := &s.C.Lag
	s.Set(l.Who, 0)
	s.Set(l.Missed, 0)
	for _, f := range l.heads {
		s.Set(f, 0)
	}
	for _, f := range l.size {
		for n := range s.C.Nodes {
			s.SetAt(n, f, 0)
		}
	}
}

// ViewInto writes the cluster as the loop whose view lags sees it into a state of the same problem. Nodes that only the
// view takes for equal are no twins there: different things are written on them.
func (s State) ViewInto(view State) {
	copy(view.B, s.B)
	view.Set(s.C.Lag.Who, 0)
	for n, mark := 1, 0; n < len(s.C.Nodes); n++ {
		if !s.Twin(n) {
			mark = 1 - mark
		}
		view.SetAt(n, s.C.Lag.apart, mark)
	}
	for i := range s.C.Lag.loops[s.Lagging()] {
		k := &s.C.Lag.loops[s.Lagging()][i]
		view.Set(s.C.Class[k.class].Pending, s.Get(k.pending))
		if k.due.width > 0 {
			view.SetOutstanding(k.class, s.Get(k.due))
		}
		for n := 0; k.awaited.width > 0 && n < len(s.C.Nodes); n++ {
			view.SetAt(n, s.C.Class[k.class].Awaited, s.At(n, k.awaited))
		}
		for ph, f := range k.phase {
			for n := 0; f.width > 0 && n < len(s.C.Nodes); n++ {
				view.SetAt(n, s.C.Class[k.class].Phase[ph], s.At(n, f))
			}
		}
	}
}

// Relag has the same view lag as in s, where [State.ViewInto] took that away.
func (s State) Relag(as State) {
	s.Set(s.C.Lag.Who, as.Get(s.C.Lag.Who))
	for n := range s.C.Nodes {
		s.SetAt(n, s.C.Lag.apart, 0)
	}
}

// Misses notes that a view lacks the writes since from: one more write, or it has caught up, as it lacks no more than
// [Events.StaleWrites].
func (s State) Misses(from State) {
	who := s.Lagging()
	if who < 0 || from.Lagging() != who || !s.moved(from, who) {
		return
	}
	if s.Missed() == s.C.Spec.Events.StaleWrites {
		s.EndLag()
		return
	}
	s.Set(s.C.Lag.Missed, s.Missed()+1)
}

// moved reports whether what a loop watches differs between two states.
func (s State) moved(from State, loop int) bool {
	for i := range s.C.Lag.loops[loop] {
		k := &s.C.Lag.loops[loop][i]
		if s.Pending(k.class) != from.Pending(k.class) ||
			k.due.width > 0 && s.Outstanding(k.class) != from.Outstanding(k.class) {
			return true
		}
		for ph, f := range k.phase {
			for n := 0; f.width > 0 && n < len(s.C.Nodes); n++ {
				if s.On(n, k.class, Phase(ph)) != from.On(n, k.class, Phase(ph)) {
					return true
				}
			}
		}
	}
	return false
}

// seen gives what a loop sees of the pods of a class, where its view lags; else nil.
func (s State) seen(loop, p int) *seenClass {
	if loop < 0 || s.Lagging() != loop {
		return nil
	}
	for i := range s.C.Lag.loops[loop] {
		if k := &s.C.Lag.loops[loop][i]; k.class == p {
			return k
		}
	}
	return nil
}

// statusLags is [State.seen] of the disruption controller.
func (s State) statusLags(p int) *seenClass {
	if !s.C.Lags() {
		return nil
	}
	return s.seen(s.C.Lag.Disruption, p)
}

// Reported are the replicas and available replicas that the status of the ReplicaSet of class p has: as its
// controller sees them.
func (s State) Reported(p int) (pods, available int) {
	if !s.C.Lags() || s.seen(s.C.Lag.reports[p], p) == nil {
		return s.ActiveIn(p), s.AvailableIn(p)
	}
	for _, q := range s.C.Members(p) {
		k := s.seen(s.C.Lag.reports[p], q)
		pods += s.Get(k.pending)
		for n := range s.C.Nodes {
			pods += s.At(n, k.phase[Starting])
			for _, ph := range ReadyPhases {
				pods += s.At(n, k.phase[ph])
			}
			available += s.At(n, k.phase[Ready])
			if !s.C.Ripens(q) {
				available += s.At(n, k.phase[Warming])
			}
		}
	}
	return pods, available
}

// CountedReady is how many ready pods of class p the status of a PodDisruptionBudget counts: those of an earlier
// moment, where the disruption controller is behind.
func (s State) CountedReady(p int) int {
	k := s.statusLags(p)
	if k == nil {
		return s.ReadyPods(p)
	}
	total := 0
	for _, ph := range ReadyPhases {
		for n := range s.C.Nodes {
			total += s.At(n, k.phase[ph])
		}
	}
	return total
}

// CountedExisting is [State.CountedReady] of the pods in any phase.
func (s State) CountedExisting(p int) int {
	k := s.statusLags(p)
	if k == nil {
		return s.Existing(p)
	}
	total := s.Get(k.pending)
	for ph := range k.phase {
		for n := range s.C.Nodes {
			total += s.At(n, k.phase[ph])
		}
	}
	return total
}

// Disrupts notes in the status of a PodDisruptionBudget that is behind that a ready pod of class p on node n was
// evicted: the API server lowers disruptionsAllowed with each (disruptedPods).
func (s State) Disrupts(n, p int, ph Phase) {
	k := s.statusLags(p)
	if k == nil || !ph.IsReady() {
		return
	}
	for i := range len(s.C.Nodes) { // this node first: the pod is one of any that were ready
		m := (n + i) % len(s.C.Nodes)
		for _, ready := range [...]Phase{ph, Ready, Warming, Fresh} {
			if f := k.phase[ready]; s.At(m, f) > 0 {
				s.SetAt(m, f, s.At(m, f)-1)
				s.SetAt(m, k.phase[Terminating], s.At(m, k.phase[Terminating])+1)
				return
			}
		}
	}
}
