package rules

// Scope is the part of a cluster that a custom intent speaks of, for the code that chooses which workloads are searched
// together, and at which scale.
type Scope struct {
	Workloads   []string // named, as "namespace/name"
	Labels      []string // of nodes, whose values are named
	Terminating bool     // it looks at pods on deletion
	// Numbers are those that pods are compared with. Absolute says that a number of it has
	// a meaning that does not survive a reduced scale: it is judged as declared only.
	Numbers  []int
	Absolute bool
}
