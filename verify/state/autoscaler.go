package state

// Recommended is the recommendation that the stabilization windows of workload w's
// autoscaler hold, in pods: the live replicas where no other was recorded.
func (s State) Recommended(w int) int {
	if n := s.Get(s.C.Workload[w].Recommended); n > 0 {
		return n
	}
	return s.Replicas(w)
}

// Rest sets what a load on workload w justifies, in pods; see [Config].
func (b *Builder) Rest(w int, v Version, load Load, pods int) { b.cfg.Rest[w][v][load] = pods }
