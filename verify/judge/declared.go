package judge

import (
	"context"
	"fmt"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// mostShown is the number of steps of an interleaving at the declared scale up to which
// it is shown; a longer one is counted, and the one at the reduced scale shown.
const mostShown = 60

// worded is a violation in words, of a reduced scale as it shows with the declared numbers of
// pods and nodes, if a directed search finds it there. The wording is that of the scale
// it was found at; base says that it is one of the baseline.
func (d *Judge) worded(ctx context.Context, found scenario.Violation, base bool) (finding.Finding, wording) {
	w := newWording(found, found.Variant.Slice, d.Places, base)
	f := w.finding()
	if found.Variant.AsDeclared() {
		return f, w
	}
	r := &finding.ReducedScale{Counts: found.Variant.StandIns(), Shown: true}
	if lifted, ok := d.Checker.AtDeclaredCounts(ctx, found); ok {
		r.Lifted, r.Steps = true, len(lifted.Steps)
		big := newWording(lifted, found.Variant.Slice, d.Places, base)
		big.folded = true
		if g := big.finding(); len(g.Interleaving) <= mostShown {
			g.Fingerprint, g.Standing = f.Fingerprint, f.Standing
			f, r.Shown = g, false
		}
	}
	reduced(&f, r)
	return f, w
}

// fold makes one step of like steps that follow each other, outside a loop or within it.
func fold(f *finding.Finding) {
	var out []finding.Step
	like := 0 // steps beyond the first that the last of out stands for
	loop := f.CycleStart
	text := ""
	for i, s := range f.Interleaving {
		first := f.CycleStart != nil && *f.CycleStart == i
		if first {
			at := len(out)
			loop = &at
		}
		if n := len(out); n > 0 && !first && out[n-1].Actor == s.Actor && out[n-1].Action == s.Action &&
			out[n-1].Object == s.Object {
			like++
			out[n-1].Text = fmt.Sprintf("%s, and %d more such steps", text, like)
			out[n-1].After = s.After
			continue
		}
		like, text = 0, s.Text
		out = append(out, s)
	}
	f.Interleaving, f.CycleStart = out, loop
}

// reduced enters a reduced scale into a finding.
func reduced(f *finding.Finding, r *finding.ReducedScale) {
	f.Reduced = r
	what := "at a reduced scale: " + scenario.ReducedTo(r.Counts)
	switch {
	case r.Lifted && r.Shown:
		f.Message += fmt.Sprintf(" (shown %s; with the declared numbers it takes %d steps)", what, r.Steps)
	case r.Lifted:
		f.Message += fmt.Sprintf(" (found %s)", what)
	default:
		f.Message += fmt.Sprintf(" (only %s)", what)
	}
}
