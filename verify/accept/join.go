package accept

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// Join is one result of those of several policies, in the order of releases.
func Join(parts []*run.Analysis, scopes []run.Scope) *finding.Result {
	r := *parts[0].Result
	if len(parts) == 1 {
		return &r
	}
	for _, a := range parts[1:] {
		o := a.Result
		r.Workloads, r.Findings = append(r.Workloads, o.Workloads...), append(r.Findings, o.Findings...)
		r.Forecasts = append(r.Forecasts, o.Forecasts...)
		r.Releases, r.Waived = append(r.Releases, o.Releases...), append(r.Waived, o.Waived...)
		r.Assumptions = finding.AppendNew(r.Assumptions, o.Assumptions...)
		r.Notices = finding.AppendNew(r.Notices, o.Notices...)
		r.Coverage.Add(o.Coverage)
	}
	at := map[string]int{}
	for i, p := range slice.Pairs(parts[0].Changes) {
		at[p.ID] = i
	}
	slices.SortStableFunc(r.Releases, func(a, b finding.ReleaseResult) int { return at[a.ID] - at[b.ID] })
	slices.SortStableFunc(r.Workloads, func(a, b finding.Workload) int { return at[a.Release] - at[b.Release] })
	slices.SortStableFunc(r.Forecasts, func(a, b finding.Forecast) int { return at[a.Release] - at[b.Release] })
	strictest(&r)
	finding.Sort(r.Findings)
	places, moved := map[string]int{}, []string{}
	for _, s := range scopes {
		for _, id := range s.Releases {
			if places[id]++; places[id] == 2 {
				moved = append(moved, id)
			}
		}
		judged := s.Policy.Gate.Gate
		r.Scopes = append(r.Scopes,
			finding.ScopeResult{Policy: s.Policy.File, Releases: s.Releases, Gate: s.Declared, Judged: &judged})
		if s.Policy.File != "" && slices.ContainsFunc(r.Workloads,
			func(w finding.Workload) bool { return slices.Contains(s.Releases, w.Release) }) {
			r.Notices = append(r.Notices, finding.Say(finding.PolicyFor).At(s.Policy.File, 0).With(s.Releases...))
		}
	}
	if len(moved) > 0 {
		r.Notices = append(r.Notices, finding.Say(finding.PolicyOfBoth).With(moved...))
	}
	return &r
}

// strictest keeps one of what several policies say of the same: the graver finding, that which one of them does not
// waive, the worse verdict.
func strictest(r *finding.Result) {
	seen := map[string]bool{}
	r.Releases = slices.DeleteFunc(r.Releases, func(rel finding.ReleaseResult) bool {
		was := seen[rel.ID]
		seen[rel.ID] = true
		return was
	})
	at := map[[2]string]int{}
	workloads := []finding.Workload{}
	for _, w := range r.Workloads {
		key := [2]string{w.Release, w.ID}
		i, was := at[key]
		switch {
		case !was:
			at[key] = len(workloads)
			workloads = append(workloads, w)
		case finding.Worst([]finding.Verdict{workloads[i].Verdict, w.Verdict}) != workloads[i].Verdict:
			workloads[i] = w
		}
	}
	r.Workloads = workloads
	found := []finding.Finding{}
	for _, f := range r.Findings {
		i := slices.IndexFunc(found, func(o finding.Finding) bool { return o.Fingerprint == f.Fingerprint && Agree(o, f) })
		switch {
		case i < 0:
			found = append(found, f)
		case stricter(f, found[i]):
			found[i] = f
		}
	}
	r.Findings = found
	r.Waived = slices.DeleteFunc(r.Waived, func(w finding.Waived) bool {
		return slices.ContainsFunc(found, func(f finding.Finding) bool {
			return f.Fingerprint == w.Finding.Fingerprint && Agree(f, w.Finding)
		})
	})
}

// stricter reports whether a finding gates where another of the same may not.
func stricter(f, than finding.Finding) bool {
	rank := func(s finding.Status) int {
		return slices.Index([]finding.Status{finding.New, finding.Worsened, finding.Existing, finding.Fixed}, s)
	}
	if f.Baselined != than.Baselined {
		return !f.Baselined
	}
	if a, b := rank(f.Status), rank(than.Status); a != b {
		return a < b
	}
	return finding.Rank(f.Severity) < finding.Rank(than.Severity)
}
