package judge

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Judge makes findings of what the searches found.
type Judge struct {
	Checker *scenario.Checker
	Places  Places
	Assumed bool // no cluster was declared
	Plain   bool // no blame and no fix
	// FixStates bounds the states of the searches for the fixes of one finding; 0: in proportion to the check.
	FixStates uint64
	Doubted   bool // one was, and there may be more room by now
	// Stands reports whether with other releases in place of head's nothing is wrong with objects as they stand that was
	// not before; nil: nobody asks.
	Stands func(edited []*object.Rendered) bool
	// Instead maps an object that the API server refuses to the version that the cluster keeps; nil: none is refused.
	Instead map[*object.Object]*object.Object
}

// Findings words the violations of a slice, and compares them with base: for every rule and object the gravest
// violation that base does not have. open says why the slice stays undecided. The searches for this count in the result
// of the slice.
func (d *Judge) Findings(
	ctx context.Context, sr *scenario.SliceResult, alike bool,
) (out []finding.Finding, open []string) {
	found := specific(sr.Head)
	var of []scenario.Violation
	for _, k := range scenario.KeysOf(found) {
		mine := slices.DeleteFunc(slices.Clone(found), func(v scenario.Violation) bool { return v.Key() != k })
		list := d.candidates(ctx, sr, mine, alike)
		if len(list) == 0 {
			continue
		}
		j := choose(list)
		f, why, ok := d.finding(ctx, *sr, j)
		if !ok {
			continue
		}
		if why != "" {
			open = append(open, why)
		}
		of = append(of, j.Violation)
		if out = append(out, f); j.unsure && !j.Bound.Property.Soft {
			open = append(open, fmt.Sprintf("%s at %d nodes: base was not searched far enough to tell whether the change introduces it", f.Rule, j.Topology().Total()))
		}
	}
	oneRun(out, of)
	if scenario.Complete(sr.Cov) { // else: a rule that head was not seen to break is not known to be kept
		out = append(out, d.mended(ctx, *sr, out)...)
	}
	return out, open
}

// finding words one violation; false where it is none. why says what leaves open that it is an error; "": nothing does.
func (d *Judge) finding(
	ctx context.Context, sr scenario.SliceResult, j judged,
) (f finding.Finding, why string, ok bool) {
	v := j.Violation
	sr.Variant = v.Variant // of the scale that it was found at
	f, w := d.worded(ctx, v, false)
	if v.Passing && f.Reduced != nil && !f.Reduced.Lifted {
		return f, "", false // it is the numbers of one reduced scale that break the rule
	}
	if v.Swarmed {
		if f.FoundBy = "runs"; j.unsure {
			f.Message += "; base was not searched far enough to tell whether the change introduces it"
		}
	}
	f.Status, f.AtDeclaredScale = j.status, j.declared && (f.Reduced == nil || f.Reduced.Lifted)
	var found []culprit
	if f.Status != finding.Existing && d.Places.Head != nil && !v.ByRun && !d.Plain {
		if d.Places.Changes != nil && sr.Variant.Has(state.Base) {
			found = culprits(ctx, d.Checker, sr.Variant, j)
			f.Blame = append(d.Places.blame(sr.Variant.Slice, found), d.Places.waveBlame(ctx, d.Checker, sr.Variant, j)...)
		}
		var fixes []*finding.Fix
		fixes, f.Untried = d.mend(ctx, sr, v, found)
		offer(&f, fixes)
	}
	f.Recovers = w.Recovers(ctx, d.Checker.Budget)
	if f.Status != finding.Existing && !d.Plain {
		d.decide(ctx, &f, w)
	}
	why = d.condition(ctx, j, &f, unprotects(found))
	f.Locations = d.Places.locations(w, f.Status, f.Blame)
	return f, why, true
}

// condition enters the severity of a finding, with the conditions that it rests on, and says what leaves open that it
// is an error.
func (d *Judge) condition(ctx context.Context, j judged, f *finding.Finding, unprotected bool) (why string) {
	v, was := j.Violation, *f
	if unprotected {
		was.Certainty = finding.Inevitable
	}
	o := &open{}
	if v.Undecided && !unprotected {
		o.questions = append(o.questions, "whether every run ends this way")
	}
	if j.undecided {
		o.questions = append(o.questions, "whether it shows at the declared size")
		o.capped = d.Assumed && d.Checker.Anywhere(ctx, v) == scenario.No
	}
	s := d.severity(ctx, j, f, unprotected, o)
	x := &asked{d: d, ctx: ctx, j: j, f: f}
	for _, c := range provisos {
		if c.holds(x) {
			s = o.atMostWarning(s)
			c.say(x)
		}
	}
	f.Severity = string(d.unlessFailed(v, s))
	return d.why(o, j, f, was)
}

// unlessFailed is the severity of a drain that is held up only by a failure that the policy does not mention: a note,
// or every workload with a budget would be blamed for having one.
func (d *Judge) unlessFailed(v scenario.Violation, s rules.Severity) rules.Severity {
	odd := func(kind string) bool { return policies.IsFailure(kind) && !d.Checker.Policy.Expects(kind) }
	drain := v.Bound.Rule.Facets.Any(rules.Undrained) && !v.Unguarded()
	if (drain || v.FirstFailed()) && slices.ContainsFunc(v.Kinds(), odd) {
		return rules.Note
	}
	return s
}

// candidates are the violations of one rule and object that may be shown. They count at the declared sizes; if no
// declared size was searched, one at another size counts if it shows at the largest as well. On an assumed cluster each
// has to.
func (d *Judge) candidates(ctx context.Context, sr *scenario.SliceResult,
	mine []scenario.Violation, alike bool) []judged {
	v, within, declared := d.counting(ctx, mine, sr.Declared && scenario.Complete(sr.Cov))
	lifted, other := d.lifted(mine[0], within, declared == scenario.Yes)
	o, ok := d.Checker.Largest[v.Variant.LargestKey()]
	if ok && (other || !slices.Equal(v.Topology(), mine[0].Topology())) {
		sr.Base = append(sr.Base, o.Base...)
		for _, v := range append(lifted, v) {
			sr.KeepClosed(v.Place(), o)
		}
	}
	if other {
		within = append(slices.Clone(within), lifted...)
	}
	var out []judged
	for _, v := range within {
		j := compare(sr, v, alike)
		if j.status != finding.Existing && (d.Checker.AnyRollout(ctx, v) || d.Checker.AtOnce(ctx, sr, v)) {
			j.status, j.unsure = finding.Existing, false
		}
		j.undecided = declared == scenario.Undecided
		out = append(out, d.at(j, declared == scenario.Yes && (lifted == nil || v.In(lifted))))
	}
	return out
}

// lifted are the violations of an assumed cluster's largest size, of the rule and object of found, which shows there;
// other says that some of those at smaller sizes take fewer events, and rest on the number of nodes. Nil: not assumed.
func (d *Judge) lifted(
	found scenario.Violation, within []scenario.Violation, declared bool,
) (out []scenario.Violation, other bool) {
	if !d.Assumed || !declared {
		return nil, false
	}
	for _, x := range d.Checker.Largest[found.Variant.LargestKey()].Head {
		if x.Key() == found.Key() {
			out = append(out, x)
		}
	}
	return out, len(out) > 0 && slices.ContainsFunc(within, func(v scenario.Violation) bool { return !v.In(out) })
}

// at enters whether a violation shows at a declared size, and its severity as far as it hangs on that.
func (d *Judge) at(j judged, declared bool) judged {
	f := finding.Finding{AtDeclaredScale: declared, Certainty: finding.Possible, Events: j.Kinds()}
	switch {
	case j.Inevitable:
		f.Certainty = finding.Inevitable
	case j.Undecided:
		f.Certainty = finding.Unknown
	}
	j.declared, j.severity = declared, d.unlessFailed(j.Violation, severity(j.Violation, f, d.Assumed))
	return j
}

// counting are those of the violations of one rule and object that count, and whether they show at a declared size;
// whole says that the declared ones were searched to the end. Of them, v is what shows at the declared size.
func (d *Judge) counting(ctx context.Context, mine []scenario.Violation, whole bool) (
	v scenario.Violation, within []scenario.Violation, declared scenario.Answer) {
	within = slices.DeleteFunc(slices.Clone(mine), func(v scenario.Violation) bool { return !v.DeclaredSize() })
	switch {
	case !d.Assumed && len(within) > 0:
		return mine[0], within, scenario.Yes
	case !d.Assumed && whole:
		return mine[0], nil, scenario.No // only undeclared sizes show it
	}
	v, shows := d.declared(ctx, mine[0].Variant, mine[0])
	if shows == scenario.No && !d.Assumed {
		return mine[0], nil, scenario.No
	}
	if shows != scenario.Yes || len(within) == 0 {
		within = []scenario.Violation{v}
	}
	if shows != scenario.Yes && d.Assumed { // a cluster smaller than the assumed one
		within = append(within, slices.DeleteFunc(slices.Clone(mine[1:]),
			func(o scenario.Violation) bool { return o.Place() != v.Place() })...)
	}
	return v, within, shows
}

// severity is that of a finding. One that rests on the number of assumed nodes is hedged. What a
// PodDisruptionBudget kept from happening and no longer does is as grave as if it took no
// particular choices: it was there against these.
func (d *Judge) severity(
	ctx context.Context, j judged, f *finding.Finding, unprotected bool, o *open,
) rules.Severity {
	v, declared, assumed := j.Violation, j.declared, d.Assumed
	if premise := v.Variant.Premise(); premise != "" { // nothing was declared that it could fall short of
		f.AtDeclaredScale = f.Reduced == nil || f.Reduced.Lifted
		s := severity(v, *f, assumed)
		f.Premised(premise)
		return o.atMostWarning(s)
	}
	if v.Shrinks() {
		f.While("the pool "+v.Variant.SparsePool()+" gives up a node, the last one in its zone", "cluster.nodePools: one for each zone")
		return o.atMostWarning(severity(v, *f, assumed))
	}
	nodes := f.Scale.Nodes
	if declared {
		nodes = scale.Largest(v.Variant.Spec.Classes).Total()
	}
	anywhere := func() bool {
		a := o.ask(d.Checker.Anywhere(ctx, v), "whether it shows on more nodes")
		o.capped = a == scenario.No
		return a == scenario.Yes
	}
	if !assumed || declared && (f.Status == finding.Existing || anywhere()) {
		d.placed(ctx, v, f, o)
		of := *f
		if unprotected {
			of.Certainty = finding.Inevitable
		}
		return d.doubt(ctx, v, f, severity(v, of, assumed), o)
	}
	if v.Deadlocks() { // no size was declared that it could fall short of
		f.AtDeclaredScale = f.Reduced == nil || f.Reduced.Lifted
	}
	if v.Unspread() {
		f.AtDeclaredScale = f.Reduced == nil || f.Reduced.Lifted
	}
	s := severity(v, *f, assumed)
	hedge(f, v.Variant, nodes)
	if v.Deadlocks() || v.Unspread() {
		return atMostWarning(s)
	}
	return atMostWarning(severity(v, *f, assumed))
}

// specific leaves out what the catch-all of convergence says of a workload for which a
// more telling rule names the oscillation.
func specific(vs []scenario.Violation) []scenario.Violation {
	return slices.DeleteFunc(slices.Clone(vs), func(v scenario.Violation) bool {
		return v.Bound.Rule.Class == rules.Convergence && v.Bound.Property.Recurs != nil &&
			slices.ContainsFunc(vs, func(o scenario.Violation) bool {
				return o.Bound.Rule.Class == rules.Oscillation && o.Key().Workload == v.Key().Workload
			})
	})
}

// declared reports whether a violation counts at the size that was declared: it was found within it, or shows there
// too, and then the violation there is given in its place, as the smaller size may break the rule for another reason.
// On an assumed cluster it has to show at the largest size, so that nothing rests on an invented number of nodes.
func (d *Judge) declared(ctx context.Context, v scenario.Variant,
	found scenario.Violation) (counts scenario.Violation, shows scenario.Answer) {
	classes, t := v.Spec.Classes, scale.Topology(found.Problem.Cfg.Topology)
	within := scale.Declared(classes, t)
	if !d.Assumed && within {
		return found, scenario.Yes
	}
	largest := scale.Largest(classes)
	if slices.Equal(largest, t) {
		return found, scenario.Yes
	}
	lifted, shows := d.Checker.AtLargest(ctx, v, found, largest)
	if shows == scenario.Yes && !within {
		found = lifted
	}
	return found, shows
}
