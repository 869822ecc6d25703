package search

// Range is the least and the most of a number over some states, both included; Some is false where no state had it.
type Range struct {
	Min, Max int
	Some     bool
}

// Add takes in one value.
func (r *Range) Add(n int) { r.Join(Range{n, n, true}) }

// Join takes in the values of another range.
func (r *Range) Join(o Range) {
	switch {
	case !o.Some:
	case !r.Some:
		*r = o
	default:
		r.Min, r.Max = min(r.Min, o.Min), max(r.Max, o.Max)
	}
}

// Measure is numbers of states, of which a search gives the ranges.
type Measure struct {
	Numbers int
	// Of takes the numbers of a state into as many ranges; calm says that no prompt actor is enabled in it. It is
	// called for each reachable state at least once, by several goroutines, and must be pure, symmetric under
	// [System.Canon] and cheap. Screening calls it also for the states that a run merely passes, except those that only
	// another order of confluent steps leads to: there a number must not leave its range. Those states are not calm.
	Of func(s []byte, calm bool, into []Range)
}

// ranges makes room for the numbers of one worker.
func (m *Measure) ranges() []Range {
	if m == nil {
		return nil
	}
	return make([]Range, m.Numbers)
}

// measured joins the measures of the workers.
func (e *engine) measured() []Range {
	out := e.sys.Measure.ranges()
	for _, w := range e.workers {
		lists := [][]Range{w.ranges}
		if p, ok := w.emit.Local.(*passer); ok {
			lists = append(lists, p.ranges)
		}
		for _, list := range lists {
			for i, r := range list {
				out[i].Join(r)
			}
		}
	}
	return out
}
