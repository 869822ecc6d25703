package verify

import (
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
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

// HoldsUp reports whether a release has no result and the change is the reason: it broke it,
// or added it broken.
func (r *ReleaseResult) HoldsUp() bool { return r.Changed && (r.Missing() || r.Open()) && !r.Before }

// Missing reports whether nothing of head's release was analysed.
func (r *ReleaseResult) Missing() bool { return r.Status == "failed-head" || r.Status == "skipped" }

// Open reports whether the change may reach a part of a release that is unknown, which is no pass.
func (r *ReleaseResult) Open() bool { return r.Status == "partial" || r.Status == "unclaimed" }

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
