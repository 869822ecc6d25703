package verify

import (
	"context"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// Scope is the policy of a folder, for the releases that stand there. A release has one policy, and all that is
// searched together is of one release.
type Scope struct {
	Policy   *policies.Policy
	Declared policies.Gate // of the file, whatever flags make of it in Policy
	Releases []string      // IDs
}

// ScopeResult is a folder's policy as results name it: the gate of its releases.
type ScopeResult struct {
	Policy   string     `json:"policy"` // the file
	Releases []string   `json:"releases"`
	Gate     PolicyGate `json:"gate"` // as the file has it
	// Judged is the gate with what flags make of it; nil: they say nothing.
	Judged *PolicyGate `json:"-"`
}

// inForce is the gate that counts.
func (s *ScopeResult) inForce() policies.Gate {
	if s.Judged != nil {
		return s.Judged.gate()
	}
	return s.Gate.gate()
}

// parts are the options of each policy of a run, with the releases that it is for: the root's first, which has all that
// no other has. Of one policy they are the options themselves.
func (o Options) parts() []Options {
	if len(o.Scopes) == 0 {
		return []Options{o}
	}
	scoped := map[string]bool{}
	var out []Options
	for _, s := range o.Scopes {
		for _, id := range s.Releases {
			scoped[id] = true
		}
		one := o
		one.Policy, one.Scopes, one.further = s.Policy, nil, true
		one.mine = func(release string) bool { return slices.Contains(s.Releases, release) }
		out = append(out, one)
	}
	root := o
	root.Scopes, root.mine = nil, func(release string) bool { return !scoped[release] }
	return append([]Options{root}, out...)
}

// has reports whether a release is one that the options' policy is for.
func (o *Options) has(release string) bool { return o.mine == nil || o.mine(release) }

// searches reports whether the options' policy has anything to search.
func (o *Options) searches(ch *object.Changes, all bool) bool {
	changed := changedReleases(ch)
	return slices.ContainsFunc(slice.Pairs(ch),
		func(p slice.Pair) bool { return o.has(p.ID) && (all || len(changed[p.ID]) > 0) })
}

// analyseParts analyses what each policy is for; the time that is left is shared evenly by those that have to search.
func analyseParts(ctx context.Context, ch *object.Changes, opt Options, all bool) ([]*analysis, error) {
	parts := opt.parts()
	left := 0
	for i := range parts {
		if parts[i].searches(ch, all) {
			left++
		}
	}
	began := time.Now()
	var out []*analysis
	for i := range parts {
		one := parts[i]
		if opt.TimeBudget > 0 && one.searches(ch, all) {
			one.TimeBudget = max((opt.TimeBudget-time.Since(began))/time.Duration(left), time.Nanosecond)
			left--
		}
		a, err := analysePart(ctx, ch, one, all)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// joined is one result of those of several policies, in the order of releases.
func joined(parts []*analysis, ch *object.Changes, scopes []Scope) *Result {
	r := *parts[0].result
	if len(parts) == 1 {
		return &r
	}
	for _, a := range parts[1:] {
		o := a.result
		r.Workloads, r.Findings = append(r.Workloads, o.Workloads...), append(r.Findings, o.Findings...)
		r.Releases, r.Waived = append(r.Releases, o.Releases...), append(r.Waived, o.Waived...)
		r.Assumptions = finding.AppendNew(r.Assumptions, o.Assumptions...)
		r.Notices = finding.AppendNew(r.Notices, o.Notices...)
		r.Coverage.add(o.Coverage)
	}
	at := map[string]int{}
	for i, p := range slice.Pairs(ch) {
		at[p.ID] = i
	}
	slices.SortStableFunc(r.Releases, func(a, b ReleaseResult) int { return at[a.ID] - at[b.ID] })
	slices.SortStableFunc(r.Workloads, func(a, b Workload) int { return at[a.Release] - at[b.Release] })
	judge.SortFindings(r.Findings)
	for _, s := range scopes {
		judged := gateOf(s.Policy.Gate)
		r.Scopes = append(r.Scopes,
			ScopeResult{Policy: s.Policy.File, Releases: s.Releases, Gate: gateOf(s.Declared), Judged: &judged})
		if slices.ContainsFunc(r.Workloads, func(w Workload) bool { return slices.Contains(s.Releases, w.Release) }) {
			r.Notices = append(r.Notices, finding.Say(finding.PolicyFor).At(s.Policy.File, 0).With(s.Releases...))
		}
	}
	return &r
}

func gateOf(g policies.Gate) PolicyGate {
	return PolicyGate{FailOn: g.FailOn, OnlyNew: g.OnlyNew, OnInconclusive: g.OnInconclusive}
}

// gate is a policy's, as the parts of a run say it.
func (g PolicyGate) gate() policies.Gate {
	return policies.Gate{FailOn: g.FailOn, OnlyNew: g.OnlyNew, OnInconclusive: g.OnInconclusive}
}

// GateFor is the gate of a release: that of the policy of its folder, else g.
func (r *Result) GateFor(release string, g policies.Gate) policies.Gate {
	for _, s := range r.Scopes {
		if slices.Contains(s.Releases, release) {
			return s.inForce()
		}
	}
	return g
}

// Gates reports whether a finding fails the gate of its release; g is that of the policy at the root.
func (r *Result) Gates(f finding.Finding, g policies.Gate) bool {
	return judge.Gates(f, r.GateFor(f.Release, g))
}

// gated is a part of a result with the gate that it is judged by.
type gated struct {
	*Result
	gate policies.Gate
}

// byGate splits a result into what each gate is for; g is the root's. Of one policy it is the result itself.
func (r *Result) byGate(g policies.Gate) []gated {
	if len(r.Scopes) == 0 {
		return []gated{{r, g}}
	}
	part := func(mine func(release string) bool) *Result {
		one := *r
		one.Scopes, one.Unused = nil, false
		one.Releases = slices.DeleteFunc(slices.Clone(r.Releases), func(x ReleaseResult) bool { return !mine(x.ID) })
		one.Workloads = slices.DeleteFunc(slices.Clone(r.Workloads), func(x Workload) bool { return !mine(x.Release) })
		one.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(x finding.Finding) bool { return !mine(x.Release) })
		return &one
	}
	scoped := map[string]bool{}
	var out []gated
	for _, s := range r.Scopes {
		for _, id := range s.Releases {
			scoped[id] = true
		}
		out = append(out, gated{part(func(id string) bool { return slices.Contains(s.Releases, id) }), s.inForce()})
	}
	out = append([]gated{{part(func(id string) bool { return !scoped[id] }), g}}, out...)
	return slices.DeleteFunc(out, func(x gated) bool { return len(x.Releases) == 0 && len(x.Findings) == 0 })
}

// worst is the verdict of several that says the least good.
func worst(list []Verdict) Verdict {
	for _, v := range []Verdict{Fail, Errored, Inconclusive} {
		if slices.Contains(list, v) {
			return v
		}
	}
	return Pass
}

// exitCode of a result: of several gates the code that says the worst.
func exitCode(r *Result, g policies.Gate) int {
	parts := r.byGate(g)
	if len(parts) == 1 && parts[0].Result == r {
		return codeOf(r.Verdict, g)
	}
	var codes []int
	for _, p := range parts {
		codes = append(codes, codeOf(p.verdict(p.gate), p.gate))
	}
	for _, c := range []int{1, 3, 4} {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return 0
}
