package state

import "bytes"

// State is the mutable part of a modeled cluster: a view of one byte string, passed
// by value. The zero State is invalid.
type State struct {
	C *Config
	B []byte
}

// New returns a state with every counter zero.
func (c *Config) New() State { return State{C: c, B: make([]byte, c.Width())} }

// Get reads a counter of the cluster.
func (s State) Get(f Field) int { return get(s.B, f.off, f.width) }

// Set writes a counter of the cluster; it panics outside the declared range.
func (s State) Set(f Field, v int) { put(s.B, f.off, f.width, v) }

// At reads a counter of node n.
func (s State) At(n int, f NodeField) int { return get(s.record(n), f.off, f.width) }

// SetAt writes a counter of node n; it panics outside the declared range.
func (s State) SetAt(n int, f NodeField, v int) { put(s.record(n), f.off, f.width, v) }

func (s State) record(n int) []byte {
	l := &s.C.layout
	from := l.head + n*l.record
	return s.B[from : from+l.record]
}

// Version is the version of the manifests in the API server: head from the first step of its apply on.
func (s State) Version() Version { return Version(s.Get(s.C.Applied)) }

// Manifest is what the API server holds of workload w, except for the live replicas.
func (s State) Manifest(w int) *Manifest { return &s.C.Spec.Workloads[w].Manifests[s.VersionOf(w)] }

// NewClass is the pod class of workload w's current template, or -1.
func (s State) NewClass(w int) int {
	p := s.C.ByVersion[w][s.VersionOf(w)]
	if f := s.C.Workload[w].Turn; f.width > 0 && p >= 0 && s.Get(f) == 1 {
		return s.C.ClassesOf[w][1]
	}
	return p
}

// Replicas is workload w's live .spec.replicas.
func (s State) Replicas(w int) int { return s.Get(s.C.Workload[w].Replicas) }

// SetReplicas sets workload w's live .spec.replicas.
func (s State) SetReplicas(w, n int) { s.Set(s.C.Workload[w].Replicas, n) }

// Load is the load on workload w.
func (s State) Load(w int) Load { return Load(s.Get(s.C.Workload[w].Load)) }

// Owners are the field managers of workload w's .spec.replicas; see [Owner].
func (s State) Owners(w int) Owner { return Owner(s.Get(s.C.Workload[w].Owners)) }

// Pending is the number of pods of class p without a node.
func (s State) Pending(p int) int { return s.Get(s.C.Class[p].Pending) }

// Twin reports whether the node before n is of the same class and has an equal record, so
// that what happens on n instead of there differs by a symmetry only. In a canonical
// state that holds for all but one of any such nodes.
func (s State) Twin(n int) bool {
	return n > 0 && s.C.Nodes[n].Class == s.C.Nodes[n-1].Class && bytes.Equal(s.record(n), s.record(n-1))
}

// SwapNodes exchanges the records of two nodes. For nodes of one class that is a symmetry: every actor does the same in
// both states.
func (s State) SwapNodes(a, b int) { swap(s.record(a), s.record(b)) }

// Canon rewrites a state in place to its canonical form: node records of one class in
// byte order, and classes that can be exchanged in the order of their records. Both
// exchanges are symmetries of every actor.
func (c *Config) Canon(b []byte) {
	size := c.layout.record
	for class := range c.Topology {
		first, end := c.NodesOf(class)
		// insertion sort: records are few, and nearly sorted after one step
		for i := first + 1; i < end; i++ {
			for j := i; j > first; j-- {
				x := b[c.layout.head+(j-1)*size : c.layout.head+j*size]
				y := b[c.layout.head+j*size : c.layout.head+(j+1)*size]
				if bytes.Compare(x, y) <= 0 {
					break
				}
				swap(x, y)
			}
		}
	}
	c.sortClasses(b)
}

func swap(x, y []byte) {
	for k := range x {
		x[k], y[k] = y[k], x[k]
	}
}
