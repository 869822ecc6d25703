package state

// NodeFields are the moving parts of every node beside its pods. A field of an event
// that is off is not laid out: read them through [State]'s methods.
type NodeFields struct {
	Maintenance NodeField // as a Maintenance
	Down        NodeField // 1 while the node is lost
	Tenure      NodeField // as a Tenure
}

// Maintenance is how far the maintenance of a node has come.
type Maintenance uint8

const (
	Untouched  Maintenance = iota // in service, not maintained on this run
	Draining                      // cordoned, its pods are being evicted
	Maintained                    // was empty, and is back in service
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
		c.Node.Down = b.NodeField(1)
	}
	c.addTenure(b)
}

// NodesMove says whether nodes are cordoned or lost in this problem at all.
func (c *Config) NodesMove() bool {
	return c.Node.Maintenance.width > 0 || c.Node.Down.width > 0 || c.NodesComeAndGo()
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

// Cordoned says whether node n is out of service for maintenance, or before it goes away.
// That a node's own spec.unschedulable says so is constant, and not asked here.
func (s State) Cordoned(n int) bool {
	if s.Maintenance(n) == Draining {
		return true
	}
	t := s.Tenure(n)
	return t == Removing || t == Reclaimed
}

// InService says whether node n is there, up and not about to go away.
func (s State) InService(n int) bool {
	return s.Tenure(n) == Staying && !s.Down(n) && s.Maintenance(n) != Draining
}

// Down says whether node n is lost: its kubelet does nothing, and it carries the taint
// node.kubernetes.io/unreachable.
func (s State) Down(n int) bool {
	return s.C.Node.Down.width > 0 && s.At(n, s.C.Node.Down) != 0
}

// SetDown loses node n, or brings it back; node failures must be on.
func (s State) SetDown(n int, down bool) {
	v := 0
	if down {
		v = 1
	}
	s.SetAt(n, s.C.Node.Down, v)
}

// DownNodes is the number of nodes that are lost.
func (s State) DownNodes() int {
	if s.C.Node.Down.width == 0 {
		return 0
	}
	total := 0
	for n := range s.C.Nodes {
		total += s.At(n, s.C.Node.Down)
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

// RefillNodes sets the budgets of drains and node failures to what the problem allows.
func (s State) RefillNodes() {
	if s.C.Drains.width > 0 {
		s.Set(s.C.Drains, s.C.Spec.Events.Drain)
	}
	if s.C.Failures.width > 0 {
		s.Set(s.C.Failures, s.C.Spec.Events.NodeFailure)
	}
	s.refillTenure()
}
