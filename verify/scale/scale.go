// Package scale enumerates topologies, smallest first, up to the confident size
// (incremental scaling: Kivi, USENIX ATC '24, section 5). It does not know
// what a topology is searched for.
package scale

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// ErrTooMany says that a bound asks for more topologies than can be listed.
var ErrTooMany = errors.New("too many topologies")

// Most is the number of topologies [Topologies] lists at the most.
const Most = 100_000

// Topology is a number of nodes for each class.
type Topology []int

// Total is the number of nodes.
func (t Topology) Total() int {
	n := 0
	for _, k := range t {
		n += k
	}
	return n
}

// Topologies lists every combination of class sizes of at most maxNodes nodes in
// total, smallest total first and, among equals, most even first (the order in which a
// balanced pool grows), then lexicographically.
//
// A class has at least one node, unless it was declared with a minimum of 0, and at
// most its declared maximum; the classes of one pool have together at most the pool's.
// Of combinations that differ by an exchange of classes of one shape only, the one
// with more nodes in the earlier classes stands for all. The smallest combination is listed even where it exceeds
// maxNodes, so that no class is ever out of sight. Errors: [ErrTooMany].
func Topologies(classes []state.NodeClass, maxNodes int) ([]Topology, error) {
	var out []Topology
	smallest := make(Topology, len(classes))
	for i, c := range classes {
		smallest[i] = least(c)
	}
	limit := max(maxNodes, smallest.Total(), 1)
	t := slices.Clone(smallest)
	var fill func(i, left int) error
	fill = func(i, left int) error {
		if i == len(classes) {
			if t.Total() == 0 || !poolsAllow(classes, t) || !leads(classes, t) {
				return nil
			}
			if len(out) == Most {
				return fmt.Errorf("%d node classes up to %d nodes: %w (more than %d): lower bound.nodes", len(classes),
					maxNodes, ErrTooMany, Most)
			}
			out = append(out, slices.Clone(t))
			return nil
		}
		for n := least(classes[i]); n <= classes[i].Max && n <= left; n++ {
			t[i] = n
			rest := 0
			for _, c := range classes[i+1:] {
				rest += least(c)
			}
			if n+rest > left {
				break
			}
			if err := fill(i+1, left-n); err != nil {
				return err
			}
		}
		return nil
	}
	if err := fill(0, limit); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, compare)
	return out, nil
}

// least is the smallest size of a class that is explored.
func least(c state.NodeClass) int { return min(1, c.Min) }

func compare(a, b Topology) int {
	if d := a.Total() - b.Total(); d != 0 {
		return d
	}
	if d := spread(a) - spread(b); d != 0 {
		return d
	}
	return slices.Compare(b, a) // more nodes in earlier classes first
}

func spread(t Topology) int {
	if len(t) == 0 {
		return 0
	}
	return slices.Max(t) - slices.Min(t)
}

// Declared reports whether a topology lies within the declared numbers of every class.
func Declared(classes []state.NodeClass, t Topology) bool {
	for i, c := range classes {
		if t[i] < c.Min || t[i] > c.Max || poolTotal(classes, t, c.Pool) < c.PoolMin {
			return false
		}
	}
	return poolsAllow(classes, t)
}

// leads reports whether of all exchanges of classes of one shape t is the one listed.
func leads(classes []state.NodeClass, t Topology) bool {
	for i, c := range classes {
		for k := range i {
			if c.Shape != "" && classes[k].Shape == c.Shape && t[k] < t[i] {
				return false
			}
		}
	}
	return true
}

// poolsAllow reports whether no pool has more nodes than its maximum.
func poolsAllow(classes []state.NodeClass, t Topology) bool {
	for _, c := range classes {
		if c.Pool != "" && poolTotal(classes, t, c.Pool) > max(c.PoolMax, smallestOf(classes, c.Pool)) {
			return false
		}
	}
	return true
}

// poolTotal is the number of nodes of a pool's classes; 0 for no pool.
func poolTotal(classes []state.NodeClass, t Topology, pool string) int {
	n := 0
	for i, c := range classes {
		if pool != "" && c.Pool == pool {
			n += t[i]
		}
	}
	return n
}

// smallestOf is the size of a pool's smallest combination.
func smallestOf(classes []state.NodeClass, pool string) int {
	n := 0
	for _, c := range classes {
		if c.Pool == pool {
			n += least(c)
		}
	}
	return n
}

// Least is a topology with as few nodes as were declared: every class at its minimum, and
// more in a pool's first smallest class while the pool's own minimum asks for it.
func Least(classes []state.NodeClass) Topology {
	t := make(Topology, len(classes))
	for i, c := range classes {
		t[i] = c.Min
	}
	for {
		at := -1
		for i, c := range classes {
			if poolTotal(classes, t, c.Pool) < c.PoolMin && t[i] < c.Max && (at < 0 || t[i] < t[at]) {
				at = i
			}
		}
		if at < 0 {
			return t
		}
		t[at]++
	}
}

// Largest is a topology with as many nodes as were declared: every class at its
// maximum, less what a pool's own maximum does not allow, taken from its last classes.
func Largest(classes []state.NodeClass) Topology {
	t := make(Topology, len(classes))
	for i, c := range classes {
		t[i] = c.Max
	}
	for i := len(classes) - 1; i >= 0; i-- {
		for t[i] > least(classes[i]) && !poolsAllow(classes, t) {
			t[i]--
		}
	}
	return t
}
