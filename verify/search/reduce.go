package search

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Partial-order reduction with ample sets (Peled 1993; Clarke, Grumberg and Peled,
// Model Checking, chapter 10). The actors fall into clusters that depend on each other;
// where an actor of a cluster is enabled, the steps of that cluster alone may be an
// ample set, for nothing outside can enable, disable or change them first.
//
//   - C0, C1: the cluster is closed under dependence, and something in it is enabled.
//   - C2: it holds no actor of the footprint of a rule on states or steps.
//   - C3: one of its successors is new (Bošnački and Holzmann's proviso for
//     breadth-first search), or else the state is expanded in full: no step is
//     postponed forever.
//
// Events count against one budget, so they all depend on each other: a cluster with an
// event is never ample. Where the budget is spent, events are out of play. A prompt
// step may stop any patient one, so where there are both kinds only prompt clusters are
// ample: while one is enabled, no patient actor can move.
type clusters struct {
	early [][]int // while events are left
	last  [][]int // where none is
}

func (c *compiled) reduce(opt *Options) error {
	refuse := func(why string, args ...any) error {
		return fmt.Errorf("%w: partial-order reduction: %s", ErrSystem, fmt.Sprintf(why, args...))
	}
	switch {
	case c.Independent == nil:
		return refuse("System.Independent is not set")
	case c.MovesActors:
		return refuse("Canon exchanges actors (MovesActors), so clusters of actors mean nothing")
	case opt.Settled:
		return refuse("the terminal cycles of the reduced graph are not those of the system (Settled)")
	}
	visible := map[int]bool{}
	for i := range c.Rules {
		r := &c.Rules[i]
		switch {
		case r.Persists != nil, r.Settles != nil, r.Recurs != nil:
			return refuse("rule %s is on fair cycles, which a reduced graph does not keep", r.Name)
		case r.Quiescent == nil && r.Footprint == nil:
			return refuse("rule %s is on states or steps and says nothing of its Footprint", r.Name)
		}
		for _, a := range r.Footprint {
			if a < 0 || a >= len(c.Actors) {
				return refuse("rule %s: there is no actor %d, as its Footprint says", r.Name, a)
			}
			visible[a] = r.Quiescent == nil || visible[a]
		}
	}
	loops := slices.Concat(c.prompt, c.patient)
	if len(c.prompt) > 0 {
		loops = c.prompt
	}
	c.clusters.early = c.cluster(loops, c.environment, visible)
	c.clusters.last = c.cluster(loops, nil, visible)
	return nil
}

// cluster splits actors into the classes of mutual dependence and keeps those that may
// be ample.
func (c *compiled) cluster(loops, events []int, visible map[int]bool) [][]int {
	all := slices.Concat(loops, events)
	class := make([]int, len(all))
	for i := range class {
		class[i] = i
	}
	for i, a := range all {
		for j, b := range all[:i] {
			if !c.Independent(a, b) || !c.Independent(b, a) {
				from, to := class[i], class[j]
				for k := range class {
					if class[k] == from {
						class[k] = to
					}
				}
			}
		}
	}
	var out [][]int
	for k := range all {
		var members []int
		fit := true
		for i, a := range all {
			if class[i] == k {
				members = append(members, a)
				fit = fit && i < len(loops) && !visible[a]
			}
		}
		if fit && len(members) > 0 && len(members) < len(c.prompt)+len(c.patient)+len(events) {
			out = append(out, members)
		}
	}
	return out
}

// ample expands the current state through one cluster, and reports whether one may stand for all.
func (w *worker) ample() bool {
	list := w.sys.clusters.early
	if w.eng.spent {
		list = w.sys.clusters.last
	}
	w.held = true
	defer func() { w.held = false }()
	for _, cluster := range list {
		w.hold, w.fresh, w.moved = w.hold[:0], false, 0
		w.step(cluster)
		if !w.fresh {
			continue
		}
		size := w.sys.packing.size(w.sys.Width)
		for rec := w.hold; len(rec) > 0; rec = rec[8+size:] {
			w.put(binary.LittleEndian.Uint64(rec), rec[8:8+size])
		}
		return true
	}
	return false
}

// keep holds a successor back until it is known whether its cluster is ample.
func (w *worker) keep(h uint64, s []byte) {
	w.hold = binary.LittleEndian.AppendUint64(w.hold, h)
	w.hold = append(w.hold, s...)
	w.fresh = w.fresh || w.eng.store.lookup(h, s) == none
}
