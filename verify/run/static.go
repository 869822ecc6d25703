package run

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

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

// enterShortages enters the pods that do not fit at the declared size. They are certain even if the search was at a
// reduced size, or did not happen for lack of budget.
func (a *Analysis) enterShortages(picked []*slice.Slice) {
	if a.Options.Shard.Index > 1 {
		return // it is in the first part
	}
	for _, sl := range picked {
		if a.tries && a.checker.Expired() {
			return
		}
		of := a.besides.PolicyOf(sl.Release, a.besides.Head)
		both, known := a.short[sl]
		if !known {
			both = a.shortages(sl, of)
		}
		was, is := both[state.Base], both[state.Head]
		if a.besides.Compared {
			was = a.shortages(sl, a.besides.PolicyOf(sl.Release, a.besides.Base))[state.Base]
		}
		loads := scenario.Budgets(of, sl.Spec.Workloads).LoadChange > 0
		for _, s := range is {
			if !a.checker.Policy.Cluster.Assumed {
				s.Cohort = "" // the declared cluster is complete
			}
			if s.Loaded && !loads {
				continue
			}
			if s.Rule == rules.Unschedulable && !s.Queued && a.whole[sl] &&
				!slices.Contains(a.broken[sl], s.Rule+" "+sl.Spec.Workloads[s.Workload].ID) {
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
					a.Result.Findings = append(a.Result.Findings,
						a.onTrust(sl, s.Enter(nil, sl, rule, status, nodes, a.places))...)
					continue
				}
				a.Result.Findings = s.Enter(a.Result.Findings, sl, rule, status, nodes, a.places)
				a.mending = append(a.mending, mending{rule: rule.ID, workload: sl.Spec.Workloads[s.Workload].ID,
					release: sl.Owner(sl.Spec.Workloads[s.Workload].ID), remedies: s.Remedies(sl), searched: true})
			}
		}
	}
	a.Result.Findings = finding.Across(a.Result.Findings)
	finding.Sort(a.Result.Findings)
}

// addUp finds the shortages before the search, which takes all of the time that is left.
func (a *Analysis) addUp(picked []*slice.Slice) {
	a.short = map[*slice.Slice][2][]static.Shortage{}
	for _, sl := range picked {
		if a.checker.Expired() {
			return
		}
		a.short[sl] = a.shortages(sl, a.besides.PolicyOf(sl.Release, a.besides.Head))
	}
}

// shortages are the pods that do not fit on a policy's nodes beside other pods: only those that show wherever the
// others stand.
func (a *Analysis) shortages(sl *slice.Slice, p *policies.Policy) (out [2][]static.Shortage) {
	for i, m := range a.meets(sl, p) {
		free := sl.Free(m.Own.NodeClasses(nil))
		for v := range out {
			here := static.Shortages(sl, free, state.Version(v))
			if i == 0 {
				out[v] = here
				continue
			}
			out[v] = slices.DeleteFunc(out[v], func(s static.Shortage) bool {
				return !slices.ContainsFunc(here, func(o static.Shortage) bool { return o.Like(s) })
			})
		}
	}
	return out
}

// enterRefusals enters what the API server refuses into the findings: it takes no search.
func (a *Analysis) enterRefusals(list []static.Applied) {
	if a.Options.Shard.Index > 1 {
		return // it is in the first part
	}
	for i := range list {
		x := &list[i]
		if len(x.Back) > 0 {
			if rule, on := ruleFor(a.checker.Rules, rules.CannotRevert, x.Head.ID.Namespace+"/"+x.Head.ID.Name); on {
				a.Result.Findings = append(a.Result.Findings, x.Finding(a.places, x.Head, x.Back, rule, finding.New))
			}
		}
		rule, on := ruleFor(a.checker.Rules, rules.ApplyRejected, x.Head.ID.Namespace+"/"+x.Head.ID.Name)
		if !on {
			continue
		}
		fresh, stays := x.Fresh(), x.Stays()
		if len(fresh) == 0 && x.BaseAt(a.lent) {
			fresh, stays = stays, nil
		}
		if len(fresh) > 0 && x.Base == nil && a.cameAs(x.Head) {
			fresh, stays = nil, append(stays, fresh...)
		}
		for _, side := range []struct {
			errs   field.ErrorList
			status finding.Status
			of     *object.Object
		}{{fresh, finding.New, x.Head}, {stays, finding.Existing, x.Head}, {x.Gone(), finding.Fixed, x.Base}} {
			for _, errs := range x.Parts(side.errs) {
				a.enterApplied(x, side.of, errs, rule, side.status)
			}
		}
	}
	a.Result.Findings = finding.Across(a.Result.Findings)
	finding.Sort(a.Result.Findings)
}

// cameAs reports whether base has an object of head as it is, in another release: it is as good or bad as it was. One
// that a tool comes to apply is not: nothing may have applied it before.
func (a *Analysis) cameAs(o *object.Object) bool {
	ch := a.places.Changes
	if ch == nil || ch.Base == nil {
		return false
	}
	applied := slices.ContainsFunc(ch.Head.Releases, func(r *object.Rendered) bool {
		return r.ID == o.Release && r.Delivery.Tool != ""
	})
	return slices.ContainsFunc(ch.Base.Releases, func(r *object.Rendered) bool {
		same := func(b *object.Object) bool {
			return b.Source.File == o.Source.File && object.Same([]*object.Object{b}, []*object.Object{o})
		}
		return r.ID != o.Release && (!applied || r.Delivery.Tool != "") && slices.ContainsFunc(r.Objects, same)
	})
}

// enterApplied enters one part of the API server's answer to an object.
func (a *Analysis) enterApplied(x *static.Applied, o *object.Object, errs field.ErrorList, rule rules.Rule,
	status finding.Status) {
	f := x.Finding(a.places, o, errs, rule, status)
	if x.Once() && a.Options.Policy.Controllers.GitOps == nil {
		f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
		f.Message += ": delete the " + o.ID.Kind + " first, if it still exists"
	}
	if status == finding.New && x.Unread(f) {
		f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
		f.Message += "; base does not render, so it may be refused there, too"
	}
	if status == finding.New && x.Part() {
		f.Certainty, f.Severity = finding.Possible, string(judge.Lower(rule.Severity))
		f.Message += ", unless what includes the component patches it"
	}
	if status == finding.Existing && !x.Drops(errs) && len(x.Fresh()) == 0 {
		a.enterRefused(&f, o)
	}
	if status == finding.New {
		a.mending = append(a.mending, mending{f.Rule, f.Workload, f.Release, f.Message, x.Remedies(errs), false})
	}
	a.Result.Findings = append(a.Result.Findings, f)
}

// enterRefused enters a changed workload that the API server refuses on both sides: nothing of it could be searched.
// What it lacks may be what a job fills in.
func (a *Analysis) enterRefused(f *finding.Finding, o *object.Object) {
	changes := a.places.Changed(f.Release, f.Workload)
	known := slices.ContainsFunc(a.Result.Workloads, func(w finding.Workload) bool {
		return w.Release == f.Release && w.ID == f.Workload
	})
	if len(changes) == 0 || known || !modeled(o) {
		return
	}
	a.Result.Workloads = append(a.Result.Workloads, finding.Workload{ID: f.Workload, Release: f.Release,
		Change: string(object.Modified), Fields: a.places.FieldChanges(changes), Verdict: finding.Inconclusive,
		Unmodeled: true, Reason: "the API server refuses it on both sides, so nothing of it was searched"})
}

// lent reports whether base was rendered with a file that is head's alone.
func (a *Analysis) lent(file string) bool {
	return a.places.Changes != nil && render.Lent(a.places.Changes, file)
}

// enterRemarks enters remarks into the findings.
func (a *Analysis) enterRemarks(list []static.Remark) {
	if a.Options.Shard.Index > 1 {
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
		a.Result.Findings = append(a.Result.Findings, f)
	}
	a.Result.Findings = finding.Across(a.Result.Findings)
	finding.Sort(a.Result.Findings)
}

// searched reports whether a search tells of the rule and workload of a remark: it knows under which conditions.
func (a *Analysis) searched(x static.Remark) bool {
	return slices.ContainsFunc(a.Result.Findings, func(f finding.Finding) bool {
		return f.Rule == x.Rule && f.Workload == x.Object.ID.String() && f.Scale.Nodes > 0 &&
			(f.Status == finding.New || f.Status == finding.Worsened)
	})
}

// evictions are remarks on what the descheduler of each side does to workloads as they stand.
func (a *Analysis) evictions(ch *object.Changes) []static.Remark {
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
func (a *Analysis) holdUp(ch *object.Changes) {
	if ch.Base == nil {
		return
	}
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
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
