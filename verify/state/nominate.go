package state

// Nominated is the number of pending pods of class p that are nominated to node n:
// preemption makes room for them there.
func (s State) Nominated(n, p int) int { return s.At(n, s.C.Class[p].Nominated) }

// Nominate changes the number of pending pods of class p that are nominated to node n.
func (s State) Nominate(n, p, delta int) {
	f := s.C.Class[p].Nominated
	s.SetAt(n, f, s.At(n, f)+delta)
}

// NominatedOf is the number of pending pods of class p that are nominated to any node.
func (s State) NominatedOf(p int) int {
	if s.C.Class[p].Nominated.width == 0 {
		return 0
	}
	total := 0
	for n := range s.C.Nodes {
		total += s.Nominated(n, p)
	}
	return total
}

// Preempts reports whether pods of class p may preempt others in this problem.
func (c *Config) Preempts(p int) bool { return c.Class[p].Nominated.width > 0 }
