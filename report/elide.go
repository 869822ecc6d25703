package report

import (
	"github.com/kubesettle/kubesettle/verify/finding"
)

// shownStep is a step that a shortened interleaving keeps.
type shownStep struct {
	*finding.Step
	Index  int  // in the whole interleaving, from 0
	Gap    int  // steps left out before this one
	InLoop bool // it repeats forever
	Loops  bool // it is the first of the loop
}

// elide keeps at most limit steps of an interleaving: the first and the last, the
// boundary of the loop, the events, then the loop, then what is nearest to the
// violation. A limit under 2 means 2.
func elide(f *finding.Finding, limit int) []shownStep {
	steps := f.Interleaving
	start, loops := cycle(f)
	if !loops {
		start = len(steps)
	}
	keep := make([]bool, len(steps))
	left := min(max(limit, 2), len(steps))
	take := func(i int) {
		if i >= 0 && i < len(steps) && !keep[i] && left > 0 {
			keep[i] = true
			left--
		}
	}
	take(0)
	take(len(steps) - 1)
	if loops {
		take(start)
		take(start - 1)
	}
	if f.Decisive != nil {
		take(*f.Decisive)
	}
	for i := range steps {
		if steps[i].Class == "event" {
			take(i)
		}
	}
	for i := start; i < len(steps); i++ {
		take(i)
	}
	for i := len(steps) - 1; i >= 0; i-- {
		take(i)
	}
	var out []shownStep
	gap := 0
	for i := range steps {
		if !keep[i] {
			gap++
			continue
		}
		out = append(out, shownStep{Step: &steps[i], Index: i, Gap: gap, InLoop: i >= start, Loops: i == start})
		gap = 0
	}
	return out
}
