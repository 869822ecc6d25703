package verify

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// mostShown is the number of steps of an interleaving at the declared scale up to which
// it is shown; a longer one is counted, and the one at the reduced scale shown.
const mostShown = 60

// ReducedScale says how a finding was found whose replicas are too many to be explored
// as declared.
type ReducedScale struct {
	Counts []ReducedCount `json:"counts"`
	// Lifted says that it was found again with the declared numbers of pods and nodes,
	// in so many Steps.
	Lifted bool `json:"lifted"`
	Steps  int  `json:"steps"`
	// Shown says that the interleaving is that of the reduced scale.
	Shown bool `json:"shown"`
}

// ReducedCount is a workload that was verified with fewer pods than declared; both
// numbers are the most that its manifests ask for.
type ReducedCount struct {
	Workload string `json:"workload"`
	Declared int    `json:"declared"`
	Verified int    `json:"verified"`
}

// finding words a violation, of a reduced scale as it shows with the declared numbers of
// pods and nodes, if a directed search finds it there. The wording is that of the scale
// it was found at.
func (a *analysis) finding(ctx context.Context, found violation) (Finding, wording) {
	w := newWording(found, found.variant.slice, a.places, false)
	f := w.finding()
	if found.variant.asDeclared() {
		return f, w
	}
	r := &ReducedScale{Counts: found.variant.standIns(), Shown: true}
	if lifted, ok := a.checker.atDeclaredCounts(ctx, found); ok {
		r.Lifted, r.Steps = true, len(lifted.Steps)
		big := newWording(lifted, found.variant.slice, a.places, false)
		big.folded = true
		if g := big.finding(); len(g.Interleaving) <= mostShown {
			g.Fingerprint = f.Fingerprint
			f, r.Shown = g, false
		}
	}
	r.apply(&f)
	return f, w
}

// fold makes one step of like steps that follow each other, outside a loop or within it.
func (f *Finding) fold() {
	var out []Step
	like := 0 // steps beyond the first that the last of out stands for
	loop := f.CycleStart
	text := ""
	for i, s := range f.Interleaving {
		first := f.CycleStart != nil && *f.CycleStart == i
		if first {
			at := len(out)
			loop = &at
		}
		if n := len(out); n > 0 && !first && out[n-1].Actor == s.Actor && out[n-1].Action == s.Action && out[n-1].Object == s.Object {
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

// apply enters a reduced scale into a finding.
func (r *ReducedScale) apply(f *Finding) {
	f.Reduced = r
	what := "at a reduced scale: " + reducedTo(r.Counts)
	switch {
	case r.Lifted && r.Shown:
		f.Message += fmt.Sprintf(" (shown %s; with the declared numbers it takes %d steps)", what, r.Steps)
	case r.Lifted:
		f.Message += fmt.Sprintf(" (found %s)", what)
	default:
		f.Message += fmt.Sprintf(" (only %s)", what)
	}
}

// atDeclaredCounts searches for a violation of a reduced scale with the declared numbers
// of pods and nodes, along its actions. That it is inevitable, if it is, was told at the
// reduced scale.
func (c *checker) atDeclaredCounts(ctx context.Context, found violation) (violation, bool) {
	return c.directedAt(ctx, found.variant.unscaled(), found)
}

// directedAt searches for a violation in another form of its variant, at the largest
// topology of that.
func (c *checker) directedAt(ctx context.Context, v variant, found violation) (violation, bool) {
	p, start, ok := c.settledAs(v, found.scenario, found.aside)
	if !ok {
		return violation{}, false
	}
	k := slices.IndexFunc(p.bounds, func(b boundRule) bool {
		return b.rule.ID == found.bound.rule.ID && b.side == found.bound.side && p.cfg.Spec.Workloads[b.workload].ID == found.key().workload
	})
	if k < 0 {
		return violation{}, false
	}
	d := directed{problem: p, rule: k, ctx: ctx, until: c.budget.deadline}
	d.guide, d.loop = guideOf(found, p)
	for _, linger := range []bool{true, false} {
		d.linger = linger
		if x := d.search(start); x != nil && d.confirmed(x) {
			x.Inevitable = found.Inevitable
			return violation{problem: p, variant: v, bound: p.bounds[k], scenario: found.scenario, Violation: *x}, true
		}
	}
	return violation{}, false
}

// settledAs is a variant at its largest topology, and a state in which a scenario may
// begin.
func (c *checker) settledAs(v variant, scenario, aside string) (*problem, []byte, bool) {
	from := state.Head
	switch {
	case aside == asideDrain:
		v = v.drained()
	case scenario == scenarioChange:
		v, from = v.change(), state.Base
	case scenario == scenarioNext:
		v, from = v.next(), state.Base
	default:
		v = v.only(state.Head)
	}
	p, err := newProblem(&v.spec, scale.Largest(v.spec.Classes), c.rules, c.timing)
	if err != nil {
		return nil, nil, false
	}
	start := gitops.Install(p.cfg, from).B
	if scenario == scenarioInstall {
		return p, start, true
	}
	start, ok := p.calm(start)
	return p, start, ok
}

// probe lets one run happen with the declared numbers of pods and nodes: base settles,
// head is applied, and what is not inevitable anywhere is left to chance. It shows what
// a reduced scale hides, such as nodes that are full.
func (c *checker) probe(ctx context.Context, v variant) []violation {
	v = v.unscaled()
	scenario := scenarioInstall
	if v.has(state.Base) {
		scenario = scenarioChange
	}
	p, start, ok := c.settledAs(v, scenario, "")
	if !ok {
		return nil
	}
	var guide []guideStep
	for i, a := range p.actors {
		if a.Name() == "apply" && scenario == scenarioChange {
			guide = append(guide, guideStep{i, true})
		}
	}
	var out []violation
	for i, b := range p.bounds {
		if !b.endsBadly() {
			continue
		}
		d := directed{problem: p, rule: i, ctx: ctx, until: c.budget.deadline, guide: guide, loop: -1}
		if x := d.once(start); x != nil {
			out = append(out, violation{problem: p, variant: v, bound: b, scenario: scenario, probed: true, Violation: *x})
		}
	}
	return out
}

// endsBadly says whether a rule is about where a cluster comes to rest, on any run.
func (b boundRule) endsBadly() bool {
	return !b.property.Wish && (b.property.Quiescent != nil || b.property.Persists != nil)
}

// once takes the first choice everywhere and gives the violation that the end is.
func (d *directed) once(start []byte) *search.Violation {
	d.start, d.frames = start, []frame{{at: start}}
	for range settlingSteps {
		last := &d.frames[len(d.frames)-1]
		choices, quiet := d.choices(last.at, last.place)
		if quiet && len(choices) == 0 {
			if v := d.path(frame{}, -1); d.confirmed(v) {
				return v
			}
			return nil
		}
		if d.stopped() {
			return nil
		}
		next := frame{at: last.at, place: choices[0].place}
		if c := choices[0]; c.step != nil {
			next.at, next.step, next.moved = c.step.To, *c.step, true
		}
		d.frames = append(d.frames, next)
	}
	return nil
}

// addProbe adds to the result of a slice that was searched at a reduced scale only what
// a run with the declared numbers shows.
func (c *checker) addProbe(ctx context.Context, p plan, sr *sliceResult) {
	if sr.variant.asDeclared() || sr.err != nil || c.expired() {
		return
	}
	v := sr.variant.unscaled()
	sr.head = first(sr.head, c.probe(ctx, v))
	if v.has(state.Base) {
		sr.base = first(sr.base, c.probe(ctx, v.reapply()))
	}
}

// holdsReduced says of a slice that was searched at a reduced scale what that claims.
func (a *analysis) holdsReduced(sr *sliceResult) {
	counts := sr.variant.standIns()
	if len(counts) == 0 {
		return
	}
	words := reducedTo(counts)
	a.result.Coverage.Reduced = append(a.result.Coverage.Reduced, counts...)
	for _, r := range a.checker.rules {
		if r.Scope != nil && r.Scope.Absolute && sr.variant.concerns(r) {
			a.undecided(sr.variant.slice, fmt.Sprintf("%s:%d: intents.custom %s reckons with numbers that mean something as declared only, and the search as declared was not finished: %s", r.Declared.File, r.Declared.Line, r.ID, words))
		}
	}
	a.result.note([]string{"verified at a reduced scale: " + words + "; order, short distances and shares of the numbers of replicas are kept, and what needs the declared number itself may be missed"})
	if sr.timeRanOut() {
		a.undecided(sr.variant.slice, "the time budget ran out before every topology was explored as declared; explored in full at a reduced scale: "+words)
	}
}
