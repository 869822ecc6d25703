package finding

// Snapshots are counted in cells: a node, a workload or a group of pods each, 100 to 300 bytes of JSON.
const (
	// cells are those of all findings, mostOfCells the part that one finding may take of what is left, and leastCells
	// what each may have.
	cells, mostOfCells, leastCells = 40_000, 4, 500
)

// Thin takes snapshots out of long interleavings of many nodes and workloads, so that a result does not grow with the
// product of its steps and its cluster. Those of the first and the last steps stay.
func Thin(findings []Finding) {
	left := cells
	for i := range findings {
		f := &findings[i]
		may := max(left/mostOfCells, leastCells)
		left -= thin(f.Interleaving, may)
		left -= thin(f.Lucky, may)
		left = max(left, 0)
	}
}

// thin leaves as many snapshots as fit into may cells, and gives the cells that they take.
func thin(steps []Step, may int) int {
	widest := 1
	for _, s := range steps {
		if s.After != nil {
			widest = max(widest, s.After.cells())
		}
	}
	keep := max(may/widest, 2)
	if keep >= len(steps) {
		return widest * len(steps)
	}
	for i := max(keep/4, 1); i < len(steps)-(keep-max(keep/4, 1)); i++ {
		steps[i].After = nil
	}
	return widest * keep
}

func (s *Snapshot) cells() int {
	n := len(s.Nodes) + len(s.Workloads) + len(s.Pending)
	for i := range s.Nodes {
		n += len(s.Nodes[i].Pods)
	}
	return n
}
