package verify

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// enterShortages enters what does not fit at the declared size. A search at a reduced one,
// or none at all for want of budget, is no reason to be less sure of it.
func (a *analysis) enterShortages(picked []*slice.Slice) {
	if a.opt.Shard.Index > 1 {
		return // it is in the first part
	}
	for _, sl := range picked {
		of := a.besides.PolicyOf(sl.Release, a.besides.Head)
		was, is := a.shortages(sl, of, state.Base), a.shortages(sl, of, state.Head)
		if a.besides.Compared {
			was = a.shortages(sl, a.besides.PolicyOf(sl.Release, a.besides.Base), state.Base)
		}
		loads := scenario.Budgets(of, sl.Spec.Workloads).LoadChange > 0
		for _, s := range is {
			if !a.checker.Policy.Cluster.Assumed {
				s.Cohort = "" // what is declared of the cluster is all there is
			}
			if s.Loaded && !loads {
				continue
			}
			if s.Rule == rules.Unschedulable && !s.Queued && a.whole[sl] &&
				!a.tells(s.Rule, sl.Release, sl.Spec.Workloads[s.Workload].ID) {
				continue // a quota, say, keeps these pods from ever being there
			}
			status := finding.New
			for _, o := range was {
				switch {
				case !o.Like(s):
				case o.Asked-o.Fit >= s.Asked-s.Fit:
					status = finding.Existing
				default:
					status = finding.Worsened
				}
			}
			if rule, on := ruleFor(a.checker.Rules, s.Rule,
				sl.Spec.Workloads[s.Workload].Namespace+"/"+sl.Spec.Workloads[s.Workload].Name); on {
				nodes := scale.Largest(of.NodeClasses(nil)).Total()
				if len(sl.OnTrust()) > 0 {
					a.result.Findings = append(a.result.Findings,
						a.onTrust(sl, s.Enter(nil, sl, rule, status, nodes, a.places))...)
					continue
				}
				a.result.Findings = s.Enter(a.result.Findings, sl, rule, status, nodes, a.places)
				a.mending = append(a.mending, mending{rule: rule.ID, workload: sl.Spec.Workloads[s.Workload].ID,
					release: sl.Release, remedies: s.Remedies(sl), searched: true})
			}
		}
	}
	a.result.Findings = judge.Across(a.result.Findings)
	judge.SortFindings(a.result.Findings)
}

// tells reports whether head breaks a rule, as a search has it.
func (a *analysis) tells(rule, release, workload string) bool {
	return slices.ContainsFunc(a.result.Findings, func(f finding.Finding) bool {
		return f.Rule == rule && f.Release == release && f.Workload == workload && f.Status != finding.Fixed
	})
}

// shortages are what does not fit on a policy's nodes, as others leave them: those that are there
// wherever these stand.
func (a *analysis) shortages(sl *slice.Slice, p *policies.Policy, v state.Version) []static.Shortage {
	own, packed := a.meets(sl, p)
	out := static.Shortages(sl, sl.Free(own.NodeClasses(nil)), v)
	if packed == nil {
		return out
	}
	tight := static.Shortages(sl, sl.Free(packed.NodeClasses(nil)), v)
	return slices.DeleteFunc(out, func(s static.Shortage) bool {
		return !slices.ContainsFunc(tight, func(o static.Shortage) bool { return o.Like(s) })
	})
}

// enterRefusals enters what the API server refuses into the findings: it takes no search.
func (a *analysis) enterRefusals(list []static.Applied) {
	if a.opt.Shard.Index > 1 {
		return // it is in the first part
	}
	for i := range list {
		x := &list[i]
		if len(x.Back) > 0 {
			if rule, on := ruleFor(a.checker.Rules, rules.CannotRevert, x.Head.ID.Namespace+"/"+x.Head.ID.Name); on {
				a.result.Findings = append(a.result.Findings, x.Finding(a.places, x.Head, x.Back, rule, finding.New))
			}
			continue
		}
		rule, on := ruleFor(a.checker.Rules, rules.ApplyRejected, x.Head.ID.Namespace+"/"+x.Head.ID.Name)
		if !on {
			continue
		}
		errs, status, o := x.Fresh(), finding.New, x.Head
		switch {
		case len(errs) > 0:
		case len(x.Refused) > 0 && x.BaseAt(a.lent):
			errs = x.Refused
		case len(x.Refused) > 0:
			errs, status = x.Refused, finding.Existing
		default:
			errs, status, o = x.Before, finding.Fixed, x.Base
		}
		f := x.Finding(a.places, o, errs, rule, status)
		if x.Once() && a.opt.Policy.Controllers.GitOps == nil {
			f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
			f.Message += ": delete the " + o.ID.Kind + " first, if it still exists"
		}
		if status == finding.New && x.Unread(f) {
			f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
			f.Message += "; base does not render, so it may be refused there, too"
		}
		if status == finding.New {
			a.mending = append(a.mending, mending{f.Rule, f.Workload, f.Release, f.Message, x.Remedies(errs), false})
		}
		a.result.Findings = append(a.result.Findings, f)
	}
	a.result.Findings = judge.Across(a.result.Findings)
	judge.SortFindings(a.result.Findings)
}

// lent reports whether base was rendered with a file that is head's alone.
func (a *analysis) lent(file string) bool {
	return a.places.Changes != nil && render.Lent(a.places.Changes, file)
}

// enterRemarks enters remarks into the findings.
func (a *analysis) enterRemarks(list []static.Remark) {
	if a.opt.Shard.Index > 1 {
		return // they are in the first part
	}
	for _, x := range list {
		rule, on := ruleFor(a.checker.Rules, x.Rule, x.Object.ID.Namespace+"/"+x.Object.ID.Name)
		if !on || x.Conditional && a.searched(x) {
			continue
		}
		f := x.Finding(a.places)
		f.Class, f.Severity = string(rule.Class), string(x.Severity(rule.Severity))
		a.mending = append(a.mending, mending{f.Rule, f.Workload, f.Release, f.Message, x.Remedies(), false})
		a.result.Findings = append(a.result.Findings, f)
	}
	a.result.Findings = judge.Across(a.result.Findings)
	judge.SortFindings(a.result.Findings)
}

// searched reports whether a search tells of the rule and workload of a remark: it knows under which conditions.
func (a *analysis) searched(x static.Remark) bool {
	return slices.ContainsFunc(a.result.Findings, func(f finding.Finding) bool {
		return f.Rule == x.Rule && f.Workload == x.Object.ID.String() && f.Scale.Nodes > 0 &&
			(f.Status == finding.New || f.Status == finding.Worsened)
	})
}

// evictions are remarks on what the descheduler of each side does to workloads as they stand.
func (a *analysis) evictions(ch *object.Changes) []static.Remark {
	var out []static.Remark
	for _, p := range slice.Pairs(ch) {
		var was *state.Descheduler
		if a.besides.Compared {
			was = a.besides.PolicyOf(p.ID, a.besides.Base).Controllers.Descheduler
		}
		out = append(out, static.Preferred(p, was, a.besides.PolicyOf(p.ID, a.besides.Head).Controllers.Descheduler)...)
	}
	return out
}

// ruleFor is a rule as it is tuned for a workload, "namespace/name"; false where it is off.
func ruleFor(list []rules.Rule, id, of string) (rules.Rule, bool) {
	for _, r := range list {
		if r.ID == id && r.Concerns(of) {
			return r, true
		}
	}
	return rules.Rule{}, false
}

// holdUp says of findings by which a release of Flux never gets ready which others are not applied meanwhile.
func (a *analysis) holdUp(ch *object.Changes) {
	if ch.Base == nil {
		return
	}
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		refused := f.Rule == rules.ApplyRejected
		if f.Status != finding.New && f.Status != finding.Worsened || f.Certainty != finding.Inevitable ||
			f.Scenario != scenario.ScenarioChange && f.Scenario != scenario.ScenarioInstall ||
			!refused && !rules.FacetsOf(f.Rule).Any(rules.MidRollout|rules.Unplaced) ||
			slices.ContainsFunc(f.Events, func(e string) bool { return e != "apply" }) {
			continue
		}
		if held := static.Held(ch, f.Release, f.Workload, refused); len(held) > 0 {
			f.Message += "; what waits for its release is not applied meanwhile: " + strings.Join(held, ", ")
		}
	}
}
