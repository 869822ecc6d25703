package state

// Recommended is the recommendation that the stabilization windows of workload w's
// autoscaler hold, in pods: the live replicas where no other was recorded.
func (s State) Recommended(w int) int {
	if n := s.Get(s.C.Workload[w].Recommended); n > 0 {
		return n
	}
	return s.Replicas(w)
}

// Autoscaling describes the scaling of a workload by its autoscaler, and what may prevent it.
type Autoscaling struct {
	// Least is the least count, in pods, at which a load makes it add none, were there
	// only the workload's own pods and all their requests; 0: it is off, or absent.
	Least [Loads]int
	// Unheld is what a load, and what pods use without one, bring it down to, were it not for its behavior, in pods.
	Unheld [Loads]int
	// Held words what keeps it from adding pods, such as "container log has no CPU
	// request"; "" where nothing does.
	Held string
	// Fields names the manifest fields that Held rests on, as rules do: "Kind:path".
	Fields []string
	// Sharers are the pod classes of other workloads that take a share of the load.
	Sharers []int
}

// Autoscaling sets what the rules know of workload w's autoscaler in a version.
func (b *Builder) Autoscaling(w int, v Version, a Autoscaling) { b.cfg.Autoscaling[w][v] = a }

// Rest sets what a load on workload w justifies, in pods; see [Config].
func (b *Builder) Rest(w int, v Version, load Load, pods int) { b.cfg.Rest[w][v][load] = pods }
