package state

// Awaited is the number of pending pods of class p that are made for node n; its pods are
// PerNode.
func (s State) Awaited(n, p int) int { return s.At(n, s.C.Class[p].Awaited) }

// Await adds so many pending pods of class p that are made for node n.
func (s State) Await(n, p, delta int) {
	f := &s.C.Class[p]
	s.SetAt(n, f.Awaited, s.At(n, f.Awaited)+delta)
	s.Set(f.Pending, s.Get(f.Pending)+delta)
}

// PerNode reports whether workload w has its pods one a node, as a DaemonSet.
func (c *Config) PerNode(w int) bool { return c.Spec.Workloads[w].Kind() == DaemonSet }

// Wanted is the number of pods that workload w is to have: its live replicas or, where it
// has them one a node, the nodes that have one or await it.
func (s State) Wanted(w int) int {
	if !s.C.PerNode(w) {
		return s.Replicas(w)
	}
	total := 0
	for n := range s.C.Nodes {
		for _, p := range s.C.ClassesOf[w] {
			if s.Awaited(n, p)+s.LiveOn(n, p)+s.On(n, p, Terminating) > 0 {
				total++
				break
			}
		}
	}
	return total
}
