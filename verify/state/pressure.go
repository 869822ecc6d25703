package state

// Pressure is what a node's kubelet runs short of, as a set.
type Pressure uint8

const (
	DiskPressure   Pressure = 1 << iota // its condition DiskPressure is true
	MemoryPressure                      // its condition MemoryPressure is true
)

// Presses reports whether nodes come under pressure in this problem at all.
func (c *Config) Presses() bool { return c.Spec.Events.Presses() }

// Presses reports whether nodes come under pressure.
func (e *Events) Presses() bool { return e.DiskPressure > 0 || e.MemoryPressure > 0 }

// addPressure lays out which nodes are under pressure, and nothing where none ever is.
func (c *Config) addPressure(b *Builder) {
	e := &c.Spec.Events
	if e.DiskPressure > 0 {
		c.DiskPressures = b.Field(e.DiskPressure)
	}
	if e.MemoryPressure > 0 {
		c.MemoryPressures = b.Field(e.MemoryPressure)
	}
	if c.Presses() {
		c.Node.Pressure = b.NodeField(int(DiskPressure | MemoryPressure))
	}
}

// Pressure is the resource that node n runs short of.
func (s State) Pressure(n int) Pressure { return Pressure(s.At(n, s.C.Node.Pressure)) }

// SetPressure puts node n under pressure, or relieves it; nodes must come under pressure
// in this problem.
func (s State) SetPressure(n int, p Pressure) { s.SetAt(n, s.C.Node.Pressure, int(p)) }

// PressuresLeft is how many nodes may still come under a pressure.
func (s State) PressuresLeft(p Pressure) int {
	if p == DiskPressure {
		return s.left(s.C.DiskPressures)
	}
	return s.left(s.C.MemoryPressures)
}

// TakePressure uses up one event of a pressure.
func (s State) TakePressure(p Pressure) {
	if p == DiskPressure {
		s.Set(s.C.DiskPressures, s.Get(s.C.DiskPressures)-1)
		return
	}
	s.Set(s.C.MemoryPressures, s.Get(s.C.MemoryPressures)-1)
}

// refillPressure sets the budgets of pressure.
func (s State) refillPressure() {
	if s.C.DiskPressures.width > 0 {
		s.Set(s.C.DiskPressures, s.C.Spec.Events.DiskPressure)
	}
	if s.C.MemoryPressures.width > 0 {
		s.Set(s.C.MemoryPressures, s.C.Spec.Events.MemoryPressure)
	}
}

// LiveUnderPressure is the number of live pods of class p on nodes under pressure.
func (s State) LiveUnderPressure(p int) int {
	if s.C.Node.Pressure.width == 0 {
		return 0
	}
	total := 0
	for n := range s.C.Nodes {
		if s.Pressure(n) != 0 {
			total += s.LiveOn(n, p)
		}
	}
	return total
}
