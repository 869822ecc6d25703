package verify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
)

// rank orders severities, worst first.
func rank(s string) int {
	return slices.Index([]string{string(rules.Error), string(rules.Warning), string(rules.Note)}, s)
}

// gates says whether a finding fails the gate.
func gates(f Finding, g policies.Gate) bool {
	if f.Status == Fixed || (f.Status == Existing && g.OnlyNew) || g.FailOn == rules.Off {
		return false
	}
	limit := rank(string(g.FailOn))
	if limit < 0 {
		limit = rank(string(rules.Error))
	}
	return rank(f.Severity) <= limit
}

// sortFindings puts the worst first: new before existing before fixed, then by
// severity, certainty, rule, release and workload.
func sortFindings(fs []Finding) {
	status := []Status{New, Worsened, Existing, Fixed}
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			slices.Index(status, a.Status)-slices.Index(status, b.Status),
			rank(a.Severity)-rank(b.Severity),
			cmp.Compare(a.Certainty, b.Certainty), // inevitable before possible
			cmp.Compare(a.Workload, b.Workload),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Release, b.Release),
		)
	})
}

// across folds findings that stand in several releases alike (the same defect at the
// same line, rendered for several environments) into one that lists them.
func across(fs []Finding) []Finding {
	var out []Finding
	for _, f := range fs {
		same := func(o Finding) bool {
			return o.Rule == f.Rule && o.Workload == f.Workload && o.Status == f.Status && o.Severity == f.Severity &&
				o.Release != f.Release && len(o.Locations) > 0 && len(f.Locations) > 0 &&
				o.Locations[0].File == f.Locations[0].File && o.Locations[0].StartLine == f.Locations[0].StartLine
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].AlsoIn = append(out[i].AlsoIn, f.Release)
			continue
		}
		out = append(out, f)
	}
	return out
}

// waive moves findings that a waiver covers out of the findings, and says which waivers
// have expired or cover nothing.
func (r *Result) waive(p *policies.Policy, today time.Time) {
	used := map[int]bool{}
	kept := []Finding{}
	for _, f := range r.Findings {
		w, ok := p.Waive(f.Rule, workloadName(f.Workload), today)
		if !ok || f.Status == Fixed {
			kept = append(kept, f)
			continue
		}
		used[w.Line] = true
		r.Waived = append(r.Waived, Waived{Finding: f, Reason: w.Reason, Owner: w.Owner, Expires: w.Expires})
	}
	r.Findings = kept
	for _, w := range p.Expired(today) {
		used[w.Line] = true
		r.Notices = append(r.Notices, fmt.Sprintf("waiver of %s for %s (owner %s) expired on %s: its findings count again", w.Rule, orAny(w.Workload), w.Owner, w.Expires))
	}
	for _, w := range p.Waivers {
		if !used[w.Line] {
			r.Notices = append(r.Notices, fmt.Sprintf("waiver of %s for %s (owner %s) covers no finding of this change", w.Rule, orAny(w.Workload), w.Owner))
		}
	}
}

func orAny(s string) string {
	if s == "" {
		return "any workload"
	}
	return s
}

// workloadName is the "namespace/name" of a workload's ID.
func workloadName(id string) string {
	for i := range id {
		if id[i] == ' ' {
			return id[i+1:]
		}
	}
	return id
}

// judge sets the verdicts of the workloads and of the whole.
func (r *Result) judge(g policies.Gate) {
	for i := range r.Workloads {
		w := &r.Workloads[i]
		for _, f := range r.Findings {
			mine := f.Workload == w.ID && (f.Release == w.Release || slices.Contains(f.AlsoIn, w.Release))
			if mine && gates(f, g) {
				w.Verdict = Fail
			}
		}
	}
	switch {
	case slices.ContainsFunc(r.Findings, func(f Finding) bool { return gates(f, g) }):
		r.Verdict = Fail
	case r.unanalysed(), r.Base == Side{} && len(r.Workloads) == 0: // nothing to compare, and nothing to verify
		r.Verdict = Errored
	case r.nothingLeft(), slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.Cut }), slices.ContainsFunc(r.Workloads, func(w Workload) bool { return w.Verdict == Inconclusive }):
		r.Verdict = Inconclusive
	default:
		r.Verdict = Pass
	}
}

// HoldsUp says whether a release has no result and the change is the reason: it broke it,
// or added it broken.
func (r *ReleaseResult) HoldsUp() bool { return r.Changed && r.Missing() && !r.Before }

// Missing says whether nothing of head's release was analysed.
func (r *ReleaseResult) Missing() bool { return r.Status == "failed-head" || r.Status == "skipped" }

// unanalysed says whether something that should have been analysed was not, and the change
// is the reason, or whether there was nothing at all. What base does not render either
// holds up nobody; it is named in the result.
func (r *Result) unanalysed() bool {
	return len(r.Releases) == 0 || slices.ContainsFunc(r.Releases, func(rel ReleaseResult) bool { return rel.HoldsUp() })
}

// nothingLeft reports whether the change touches releases of which none was analysed, or one
// that was not where no workload of the others was checked: what it hides may be all there is.
func (r *Result) nothingLeft() bool {
	touched, missing := 0, 0
	for _, rel := range r.Releases {
		if rel.Changed {
			touched++
			if rel.Missing() {
				missing++
			}
		}
	}
	return missing > 0 && (touched == missing || len(r.Workloads) == 0)
}

func exitCode(r *Result, g policies.Gate) int {
	switch r.Verdict {
	case Fail:
		return 1
	case Errored:
		if g.FailOn != rules.Off {
			return 3
		}
	case Inconclusive:
		if g.OnInconclusive == "fail" {
			return 4
		}
	}
	return 0
}
