package state

// NodeFields are the moving parts of every node beside its pods. A field of an event
// that is off is not laid out: read them through [State]'s methods.
type NodeFields struct {
	Maintenance NodeField // as a Maintenance
	Down        NodeField // as an Outage
	Tenure      NodeField // as a Tenure
	Pressure    NodeField // as a Pressure
}

// Maintenance is how far the maintenance of a node has come.
type Maintenance uint8

const (
	Untouched  Maintenance = iota // in service, not maintained on this run
	Draining                      // cordoned, its pods are being evicted
	Maintained                    // was empty, and is back in service
)

// Outage is why a node is down.
type Outage uint8

const (
	Up       Outage = iota
	Lost            // it comes back, if at all, as one more event
	Panicked        // it restarts by itself
)

// addNodeFields lays out what the events of a problem do to nodes, and nothing where
// they are off.
func (c *Config) addNodeFields(b *Builder) {
	if e := &c.Spec.Events; e.Drain > 0 {
		c.Drains = b.Field(e.Drain)
		c.Node.Maintenance = b.NodeField(int(Maintained))
	}
	if e := &c.Spec.Events; e.NodeFailure > 0 {
		c.Failures = b.Field(e.NodeFailure)
	}
	if e := &c.Spec.Events; e.NodeFailure > 0 || c.Panics() {
		c.Node.Down = b.NodeField(int(Panicked))
	}
	c.addTenure(b)
	c.addPressure(b)
}

// NodesMove reports whether nodes are cordoned, lost or under pressure in this problem at all.
func (c *Config) NodesMove() bool {
	return c.Node.Maintenance.width > 0 || c.Node.Down.width > 0 || c.NodesComeAndGo() || c.Presses()
}

// Maintenance is how far the maintenance of node n has come.
func (s State) Maintenance(n int) Maintenance {
	if s.C.Node.Maintenance.width == 0 {
		return Untouched
	}
	return Maintenance(s.At(n, s.C.Node.Maintenance))
}

// SetMaintenance sets how far the maintenance of node n has come; drains must be on.
func (s State) SetMaintenance(n int, m Maintenance) { s.SetAt(n, s.C.Node.Maintenance, int(m)) }

// Cordoned reports whether node n is out of service for maintenance, or before it goes away.
// That a node's own spec.unschedulable says so is constant, and not asked here.
func (s State) Cordoned(n int) bool {
	if s.Maintenance(n) == Draining {
		return true
	}
	t := s.Tenure(n)
	return t == Removing || t == Reclaimed
}

// InService reports whether node n is there, up and not about to go away.
func (s State) InService(n int) bool {
	return s.Tenure(n) == Staying && !s.Down(n) && s.Maintenance(n) != Draining
}

// Panics reports whether nodes go down under the CPU use of their pods.
func (c *Config) Panics() bool { return c.Spec.Events.NodePanic > 0 }

// Outage is why node n is down, or [Up].
func (s State) Outage(n int) Outage {
	if s.C.Node.Down.width == 0 {
		return Up
	}
	return Outage(s.At(n, s.C.Node.Down))
}

// SetOutage takes node n down, or brings it back; nodes must go down in this problem.
func (s State) SetOutage(n int, o Outage) { s.SetAt(n, s.C.Node.Down, int(o)) }

// SetDown loses node n, or brings it back; nodes must go down in this problem.
func (s State) SetDown(n int, down bool) {
	o := Up
	if down {
		o = Lost
	}
	s.SetOutage(n, o)
}

// Down reports whether node n is lost, or restarts: its kubelet does nothing, and it carries
// the taint node.kubernetes.io/unreachable.
func (s State) Down(n int) bool { return s.Outage(n) != Up }

// DownNodes is the number of nodes that are down.
func (s State) DownNodes() int {
	return s.nodesDown(Lost) + s.PanickedNodes()
}

// PanickedNodes is the number of nodes that are down and restart by themselves.
func (s State) PanickedNodes() int { return s.nodesDown(Panicked) }

func (s State) nodesDown(o Outage) int {
	if s.C.Node.Down.width == 0 {
		return 0
	}
	total := 0
	for n := range s.C.Nodes {
		if s.Outage(n) == o {
			total++
		}
	}
	return total
}

// DrainsLeft is how many drains may still start.
func (s State) DrainsLeft() int { return s.left(s.C.Drains) }

// FailuresLeft is how many nodes may still be lost.
func (s State) FailuresLeft() int { return s.left(s.C.Failures) }

func (s State) left(f Field) int {
	if f.width == 0 {
		return 0
	}
	return s.Get(f)
}

// RefillNodes sets the budgets of what befalls nodes to what the problem allows.
func (s State) RefillNodes() {
	if s.C.Drains.width > 0 {
		s.Set(s.C.Drains, s.C.Spec.Events.Drain)
	}
	if s.C.Failures.width > 0 {
		s.Set(s.C.Failures, s.C.Spec.Events.NodeFailure)
	}
	s.refillTenure()
	s.refillPressure()
}
