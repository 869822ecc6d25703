package state

// Tenure is whether a node is there, and for how long.
type Tenure uint8

const (
	Staying     Tenure = iota // there, and stays
	Removing                  // cordoned and drained, then removed
	Reclaimed                 // cordoned and drained; goes away whatever pods it has
	ScalingDown               // tainted and drained by the cluster autoscaler, then removed
	Absent                    // not there
	Replacing                 // not there, and its replacement is on the way
)

// Reclaimable reports whether the provider takes nodes of some class back.
func (c *Config) Reclaimable() bool {
	return c.Spec.Events.SpotReclaim > 0 && c.any(func(k *NodeClass) bool { return k.Spot })
}

// Autoscales reports whether the cluster autoscaler sizes some class.
func (c *Config) Autoscales() bool {
	return c.Spec.ClusterAutoscaler && c.any(func(k *NodeClass) bool { return k.Autoscaled })
}

// any reports whether a class that has nodes is so.
func (c *Config) any(is func(*NodeClass) bool) bool {
	for i, n := range c.Topology {
		if n > 0 && is(&c.Spec.Classes[i]) {
			return true
		}
	}
	return false
}

// NodesComeAndGo reports whether nodes are added or removed in this problem at all.
func (c *Config) NodesComeAndGo() bool { return c.Node.Tenure.width > 0 }

// addTenure lays out which nodes are there, and nothing where all are all the time.
func (c *Config) addTenure(b *Builder) {
	e := &c.Spec.Events
	if c.Reclaimable() {
		c.Reclaims = b.Field(e.SpotReclaim)
	}
	if e.NodeAdded > 0 {
		c.Additions = b.Field(e.NodeAdded)
	}
	if e.NodeRemoved > 0 {
		c.Removals = b.Field(e.NodeRemoved)
	}
	if c.Outgrows() {
		c.Outgrown = b.Field(1)
	}
	if e.NodeAdded > 0 || e.NodeRemoved > 0 || c.Reclaimable() || c.Autoscales() {
		c.Node.Tenure = b.NodeField(int(Replacing))
	}
}

// Outgrows reports whether an autoscaled class has fewer nodes here than it may have.
func (c *Config) Outgrows() bool {
	if !c.Spec.ClusterAutoscaler {
		return false
	}
	for i, n := range c.Topology {
		if k := &c.Spec.Classes[i]; k.Autoscaled && n < k.Max {
			return true
		}
	}
	return false
}

// Tenure is whether node n is there, and for how long.
func (s State) Tenure(n int) Tenure {
	if s.C.Node.Tenure.width == 0 {
		return Staying
	}
	return Tenure(s.At(n, s.C.Node.Tenure))
}

// SetTenure sets whether node n is there; nodes must come and go in this problem.
func (s State) SetTenure(n int, t Tenure) { s.SetAt(n, s.C.Node.Tenure, int(t)) }

// ResetNode clears what maintenance, failures and volumes left on node n, before another machine
// takes its place.
func (s State) ResetNode(n int) {
	if s.C.Node.Maintenance.width > 0 {
		s.SetMaintenance(n, Untouched)
	}
	if s.C.Node.Down.width > 0 {
		s.SetOutage(n, Up)
	}
	if s.C.Node.Pressure.width > 0 {
		s.SetPressure(n, 0)
	}
	s.loseVolumes(n)
}

// Gone reports whether node n is not there: nothing sees it, and no pod stands on it.
func (s State) Gone(n int) bool {
	t := s.Tenure(n)
	return t == Absent || t == Replacing
}

// PresentNodes is the number of nodes that are there.
func (s State) PresentNodes() int { return len(s.C.Nodes) - s.GoneNodes() }

// GoneNodes is the number of nodes that are not there.
func (s State) GoneNodes() int {
	if !s.C.NodesComeAndGo() {
		return 0
	}
	total := 0
	for n := range s.C.Nodes {
		if s.Gone(n) {
			total++
		}
	}
	return total
}

// Size is the number of nodes of a class that are there, and PoolSize that of its pool.
func (s State) Size(class int) int {
	total := 0
	for n, end := s.C.NodesOf(class); n < end; n++ {
		if !s.Gone(n) {
			total++
		}
	}
	return total
}

// PoolSize is the number of nodes that are there of the classes that share a class's pool.
func (s State) PoolSize(class int) int {
	pool := s.C.Spec.Classes[class].Pool
	if pool == "" {
		return s.Size(class)
	}
	total := 0
	for i := range s.C.Spec.Classes {
		if s.C.Spec.Classes[i].Pool == pool {
			total += s.Size(i)
		}
	}
	return total
}

// Shrinks reports whether the pool of a class may have one node less than it has.
func (s State) Shrinks(class int) bool {
	k := &s.C.Spec.Classes[class]
	if len(k.Names) > 0 { // real nodes: it is not declared how many stay
		return s.Size(class) > 0
	}
	return s.Size(class) > k.Min && (k.Pool == "" || s.PoolSize(class) > k.PoolMin)
}

// Grows reports whether the pool of a class may have one node more than it has.
func (s State) Grows(class int) bool {
	k := &s.C.Spec.Classes[class]
	return s.Size(class) < k.Max && (k.Pool == "" || s.PoolSize(class) < k.PoolMax)
}

// ReclaimsLeft is how many spot nodes may still be reclaimed.
func (s State) ReclaimsLeft() int { return s.left(s.C.Reclaims) }

// AdditionsLeft is how many nodes may still be added.
func (s State) AdditionsLeft() int { return s.left(s.C.Additions) }

// RemovalsLeft is how many nodes may still be removed.
func (s State) RemovalsLeft() int { return s.left(s.C.Removals) }

// IsOutgrown reports whether the cluster autoscaler wants more nodes than this topology has
// and its pools allow: the run goes on at a larger topology, and ends here unjudged.
func (s State) IsOutgrown() bool { return s.C.Outgrown.width > 0 && s.Get(s.C.Outgrown) != 0 }

// refillTenure sets the budgets of nodes that come and go.
func (s State) refillTenure() {
	e := &s.C.Spec.Events
	for _, x := range []struct {
		f Field
		n int
	}{{s.C.Reclaims, e.SpotReclaim}, {s.C.Additions, e.NodeAdded}, {s.C.Removals, e.NodeRemoved}} {
		if x.f.width > 0 {
			s.Set(x.f, x.n)
		}
	}
}
