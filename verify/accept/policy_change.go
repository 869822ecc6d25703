package accept

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// A change of the policy is one: what head's says of controllers, events, timing and the cluster is what workloads meet
// after the merge. A check decides by base's, which a change cannot loosen, and adds what head's shows beside that.
// What head's no longer shows is said, and is nowhere called fixed.

// replanned is one change of a policy, as it is analysed.
type replanned struct {
	run.PolicyChange
	ch    *object.Changes
	opt   run.Options
	loops []policies.Loop // that differ
	until time.Time       // zero: no end
	// now is base's policy with head's loops: it asks what base's asks.
	now *policies.Policy
}

// Replan analyses a change's edits of policies, beside the findings of parts under base's, and returns the outcome as
// further parts. Of several shards only one does it.
func Replan(ctx context.Context, ch *object.Changes, opt run.Options, parts []*run.Analysis,
	until time.Time) ([]*run.Analysis, error) {
	if opt.Shard.Of > 1 && opt.Shard.Index != 1 {
		return nil, nil
	}
	var out []*run.Analysis
	for _, pc := range opt.PolicyChanges {
		r := replanned{PolicyChange: pc, ch: ch, opt: opt, loops: pc.Base.Differ(pc.Head), until: until}
		if len(r.loops) == 0 {
			continue
		}
		r.now = pc.Base.WithLoops(pc.Head, r.loops)
		a, err := r.analyse(ctx, parts)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// under are the options of one run on the releases, all of it whatever the shard.
func (r *replanned) under(p *policies.Policy) run.Options {
	o := r.opt
	o.Policy, o.Scopes, o.PolicyChanges, o.Shard = p, nil, nil, scenario.Shard{}
	o.Further, o.NoRemarks = true, true
	o.Mine = func(release string) bool { return slices.Contains(r.Releases, release) }
	if !r.until.IsZero() {
		o.TimeBudget = max(time.Until(r.until), time.Nanosecond)
	}
	return o
}

// alone is head without a base, of which every workload is searched.
func (r *replanned) alone() *object.Changes { return &object.Changes{Head: r.ch.Head} }

// analyse runs head's workloads under head's loops, and the change where it touches some, and keeps what base's loops
// do not show.
func (r *replanned) analyse(ctx context.Context, parts []*run.Analysis) (*run.Analysis, error) {
	told, err := r.told(ctx, parts)
	if err != nil {
		return nil, err
	}
	out, err := run.Analyse(ctx, r.alone(), r.under(r.now), true)
	if err != nil {
		return nil, err
	}
	after := out.Result.Findings
	var moving []finding.Finding
	if o := r.under(r.now); o.Searches(r.ch, false) {
		a, err := run.Analyse(ctx, r.ch, o, false)
		if err != nil {
			return nil, err
		}
		out.Result.Coverage.Add(a.Result.Coverage)
		out.Result.Assumptions = finding.AppendNew(out.Result.Assumptions, a.Result.Assumptions...)
		take(out, a)
		after = append(slices.Clone(after), unmended(a.Result.Findings)...)
		moving = slices.DeleteFunc(slices.Clone(a.Result.Findings), func(f finding.Finding) bool {
			return f.Status != finding.New && f.Status != finding.Worsened || !Graver(f, told)
		})
	}
	resting := slices.DeleteFunc(slices.Clone(out.Result.Findings), func(f finding.Finding) bool {
		return !Graver(f, told) || !Graver(f, moving)
	})
	before, err := r.before(ctx, resting)
	if err != nil {
		return nil, err
	}
	resting = slices.DeleteFunc(resting, func(f finding.Finding) bool { return !Graver(f, before.Findings) })
	for i := range resting {
		same := func(o finding.Finding) bool { return Agree(o, resting[i]) }
		if slices.ContainsFunc(append(before.Findings, told...), same) {
			resting[i].Status = finding.Worsened
		}
		if stillOpen(before, resting[i]) {
			resting[i].Severity = atMost(resting[i].Severity, rules.Warning)
		}
	}
	out.Result.Notices = r.narrowed(append(searchedFor(told), before.Findings...), after, out.Result)
	out.Result.Assumptions = slices.DeleteFunc(out.Result.Assumptions,
		func(n finding.Note) bool { return n.Kind != finding.MayHide })
	if err := r.blame(ctx, resting, moving); err != nil {
		return nil, err
	}
	out.Result.Findings = append(moving, resting...)
	for i := range out.Result.Findings {
		r.word(&out.Result.Findings[i])
	}
	finding.Sort(out.Result.Findings)
	r.workloads(out, parts)
	out.Result.Releases, out.Changes, out.Options.Policy = nil, r.ch, r.Base
	return out, nil
}

// told are the findings that the change shows under base's policy; the other shards' part of it is searched once more.
func (r *replanned) told(ctx context.Context, parts []*run.Analysis) (out []finding.Finding, err error) {
	if r.opt.Shard.Of > 1 {
		o := r.under(r.Base)
		if o.Plain = true; !o.Searches(r.ch, false) {
			return nil, nil
		}
		a, err := run.Analyse(ctx, r.ch, o, false)
		if err != nil {
			return nil, err
		}
		return a.Result.Findings, nil
	}
	for _, a := range parts {
		out = append(out, a.Result.Findings...)
	}
	return out, nil
}

// before is what head shows under base's policy, as far as it is asked: of the rules that something was found of, or of
// all where head's policy may hide something.
func (r *replanned) before(ctx context.Context, found []finding.Finding) (*finding.Result, error) {
	o := r.under(r.Base)
	o.Plain = true
	if !slices.ContainsFunc(r.loops, r.mayHide) {
		if o.Rules = ruleNames(found); len(found) == 0 {
			return &finding.Result{}, nil
		}
	}
	a, err := run.Analyse(ctx, r.alone(), o, true)
	if err != nil {
		return nil, err
	}
	return a.Result, nil
}

// mayHide reports whether a loop may show less than before.
func (r *replanned) mayHide(l policies.Loop) bool {
	return l.Narrows(r.Base, r.Head) || !l.Narrows(r.Head, r.Base)
}

func ruleNames(of []finding.Finding) []string {
	var out []string
	for _, f := range of {
		out = scenario.AppendNew(out, []string{f.Rule})
	}
	return out
}

// open reports whether the workload of a finding was not searched to the end.
func stillOpen(r *finding.Result, f finding.Finding) bool {
	return slices.ContainsFunc(r.Workloads, func(w finding.Workload) bool {
		return w.Verdict == finding.Inconclusive && w.ID == f.Workload && w.Release == f.Release
	})
}

// take has what another run left open.
func take(a, o *run.Analysis) {
	for _, w := range o.Result.Workloads {
		i := slices.IndexFunc(a.Result.Workloads,
			func(x finding.Workload) bool { return x.ID == w.ID && x.Release == w.Release })
		if i >= 0 && w.Verdict == finding.Inconclusive {
			a.Result.Workloads[i].Verdict, a.Result.Workloads[i].Reason = w.Verdict, w.Reason
		}
	}
}

// workloads keeps the workloads that were searched under head's policy, and reports the open questions of the others.
func (r *replanned) workloads(a *run.Analysis, parts []*run.Analysis) {
	var own []finding.Workload
	why := "the policy changed: " + strings.Join(r.paths(r.loops), ", ")
	for _, w := range a.Result.Workloads {
		known := false
		for _, p := range parts {
			for i := range p.Result.Workloads {
				if x := &p.Result.Workloads[i]; x.ID == w.ID && x.Release == w.Release {
					known = true
					if x.Verdict == finding.Pass && w.Verdict == finding.Inconclusive {
						x.Verdict, x.Reason = finding.Inconclusive, "with head's policy: "+w.Reason
					}
				}
			}
		}
		if !known {
			if w.Change = "unchanged"; w.Verdict == finding.Pass {
				w.Reason = why
			}
			own = append(own, w)
		}
	}
	a.Result.Workloads = own
}

// Agree reports whether two findings are of one rule and workload, in a release that both are of.
func Agree(a, b finding.Finding) bool {
	if a.Rule != b.Rule || a.Workload != b.Workload {
		return false
	}
	in := append([]string{b.Release}, b.AlsoIn...)
	return slices.ContainsFunc(append([]string{a.Release}, a.AlsoIn...), func(id string) bool {
		return slices.Contains(in, id)
	})
}

// Graver reports whether f is graver than every finding of the same kind among some others; repaired ones do not count.
func Graver(f finding.Finding, than []finding.Finding) bool {
	return !slices.ContainsFunc(than, func(o finding.Finding) bool {
		return o.Status != finding.Fixed && Agree(o, f) && finding.Rank(o.Severity) <= finding.Rank(f.Severity)
	})
}

func unmended(of []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(of), func(f finding.Finding) bool { return f.Status == finding.Fixed })
}

// searchedFor are the findings with a run that hold.
func searchedFor(of []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(unmended(of), func(f finding.Finding) bool { return len(f.Interleaving) == 0 })
}

// atMost is the milder of two severities.
func atMost(severity string, most rules.Severity) string {
	if finding.Rank(severity) < finding.Rank(string(most)) {
		return string(most)
	}
	return severity
}

// narrowed says what head's policy narrows, and what it hides: that is not repaired.
func (r *replanned) narrowed(before, after []finding.Finding, now *finding.Result) []finding.Note {
	var hidden []string
	for _, f := range before {
		told := slices.ContainsFunc(after, func(o finding.Finding) bool { return Agree(o, f) })
		mine := slices.Contains(r.Releases, f.Release)
		one := fmt.Sprintf("%s of %s", f.Rule, f.Workload)
		if mine && !told && !stillOpen(now, f) && !slices.Contains(hidden, one) {
			hidden = append(hidden, one)
		}
	}
	slices.Sort(hidden)
	var less []string
	for _, l := range r.loops {
		if !l.Narrows(r.Base, r.Head) {
			continue
		}
		one := l.Path
		if was, is := l.Words(r.Base), l.Words(r.Head); was != is {
			one = fmt.Sprintf("%s (%s -> %s)", l.Path, was, is)
		}
		less = append(less, one)
	}
	switch {
	case len(hidden) > 0:
		if len(less) == 0 {
			less = r.paths(r.loops)
		}
		n := finding.Note{Kind: finding.PolicyHides, Args: less, Names: hidden}
		return []finding.Note{n.At(r.file(), 0)}
	case len(less) > 0:
		return []finding.Note{finding.Say(finding.PolicyNarrows).At(r.file(), 0).With(less...)}
	}
	return nil
}
