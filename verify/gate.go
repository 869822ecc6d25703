package verify

import (
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// waive moves findings that a waiver covers out of the findings, and gives the waivers that did.
func (r *Result) waive(p *policies.Policy, today time.Time) (used []policies.Waiver) {
	kept := []finding.Finding{}
	for _, f := range r.Findings {
		w, ok := p.Waive(f.Rule, scenario.WorkloadName(f.Workload), today)
		if !ok || f.Status == finding.Fixed {
			kept = append(kept, f)
			continue
		}
		used = append(used, w)
		r.Waived = append(r.Waived, Waived{Finding: f, Reason: w.Reason, Owner: w.Owner, Expires: w.Expires})
	}
	r.Findings = kept
	return used
}

// idleWaivers says which waivers of some policies have expired or cover nothing; one that a folder below inherits is
// one.
func idleWaivers(list []*policies.Policy, used []policies.Waiver, today time.Time) []finding.Note {
	var expired, idle []finding.Note
	said := slices.Clone(used)
	for _, p := range list {
		for _, w := range p.Expired(today) {
			if slices.Contains(said, w) {
				continue
			}
			said = append(said, w)
			expired = append(expired, finding.Say(finding.WaiverExpired, w.Rule, w.Owner, w.Expires).On(w.Workload))
		}
	}
	for _, p := range list {
		for _, w := range p.Waivers {
			if slices.Contains(said, w) {
				continue
			}
			said = append(said, w)
			idle = append(idle, finding.Say(finding.WaiverIdle, w.Rule, w.Owner).On(w.Workload))
		}
	}
	return append(expired, idle...)
}

// judge sets the verdicts of the workloads and of the whole.
func (r *Result) judge(g policies.Gate) {
	for i := range r.Workloads {
		w := &r.Workloads[i]
		for _, f := range r.Findings {
			mine := f.Workload == w.ID && (f.Release == w.Release || slices.Contains(f.AlsoIn, w.Release))
			if mine && r.Gates(f, g) {
				w.Verdict = Fail
			}
		}
	}
	var all []Verdict
	for _, part := range r.byGate(g) {
		all = append(all, part.verdict(part.gate))
	}
	r.Verdict = worst(all)
}

// verdict is that of a result whose releases have one gate.
func (r *Result) verdict(g policies.Gate) Verdict {
	switch {
	case slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return judge.Gates(f, g) }):
		return Fail
	case r.unanalysed(), r.Base == Side{} && len(r.Workloads) == 0: // nothing to compare, and nothing to verify
		return Errored
	case r.nothingLeft(), slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.Cut }),
		r.undecided():
		return Inconclusive
	}
	return Pass
}

// undecided reports whether a workload could be decided and was not, or whether all that changed is of kinds without a
// model. One of those beside others that were searched is named, and the verdict is that of the rest.
func (r *Result) undecided() bool {
	unmodeled, searched := false, false
	for _, w := range r.Workloads {
		if w.Verdict == Inconclusive && !w.Unmodeled {
			return true
		}
		unmodeled = unmodeled || w.Unmodeled
		searched = searched || w.Verdict == Pass && w.Change != "unchanged" && w.Change != string(object.Removed)
	}
	return unmodeled && !searched
}

// HoldsUp reports whether a release has no result and the change is the reason: it broke it,
// or added it broken.
func (r *ReleaseResult) HoldsUp() bool { return r.Changed && r.Missing() && !r.Before }

// Missing reports whether nothing of head's release was analysed.
func (r *ReleaseResult) Missing() bool { return r.Status == "failed-head" || r.Status == "skipped" }

// unanalysed reports whether something that should have been analysed was not, and the change
// is the reason, or whether there was nothing at all. What base does not render either
// holds up nobody; it is named in the result.
func (r *Result) unanalysed() bool {
	return len(r.Releases) == 0 && (r.Base == Side{} || r.Narrowed || r.Unused) ||
		slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.HoldsUp() })
}

// nothingLeft reports whether the change touches releases of which none was analysed, or one
// that was not where no workload of the others was checked: what it hides may be all there is.
func (r *Result) nothingLeft() bool {
	touched, missing := 0, 0
	for _, rel := range r.Releases {
		if rel.Changed && !rel.Elsewhere {
			touched++
			if rel.Missing() {
				missing++
			}
		}
	}
	return missing > 0 && (touched == missing || len(r.Workloads) == 0)
}
