package accept

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// acceptBaseline marks the findings that a baseline has. One that the change makes worse is another
// one than was accepted, and says so.
func acceptBaseline(r *finding.Result, b *policies.Baseline) {
	if b == nil {
		return
	}
	has := map[string]bool{}
	for _, e := range b.Entries {
		has[e.Fingerprint] = true
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Status == finding.Fixed || !has[f.Fingerprint] && !has[f.Standing]:
		case f.Status == finding.Worsened:
			r.Notices = append(r.Notices,
				finding.Say(finding.BaselineWorse, f.Rule, b.File).On(f.Workload))
		default:
			f.Status, f.Baselined = finding.Existing, true
		}
	}
	finding.Sort(r.Findings)
}

// Rejudge judges a result again with the findings of a baseline accepted.
func Rejudge(r *finding.Result, b *policies.Baseline, g finding.Gate) {
	acceptBaseline(r, b)
	for i := range r.Workloads {
		if r.Workloads[i].Verdict == finding.Fail {
			r.Workloads[i].Verdict = finding.Pass
		}
	}
	r.Judge(g)
}

// Entries are the findings of head as a baseline has them.
func Entries(r *finding.Result) []policies.BaselineEntry {
	var out []policies.BaselineEntry
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Status == finding.Fixed || f.Standing == "" {
			continue
		}
		e := policies.BaselineEntry{Fingerprint: f.Standing, Rule: f.Rule, Workload: f.Workload, Release: f.Release}
		if len(f.Locations) > 0 {
			e.File = f.Locations[0].File
		}
		out = append(out, e)
	}
	return out
}

// Stale names the entries of the parts' baselines that no longer occur.
func Stale(r *finding.Result, parts []*run.Analysis, all bool) {
	for i, a := range parts {
		if i == 0 || a.Options.Policy.Baseline != parts[0].Options.Policy.Baseline {
			markStale(r, a.Options.Policy.Baseline, a.Rules(), all)
		}
	}
}

// markStale names the entries of the baseline that no longer occur: their workload is gone, or it
// was searched to the end and does not break the rule. What a run did not look at stays.
func markStale(r *finding.Result, b *policies.Baseline, on []rules.Rule, all bool) {
	if b == nil {
		return
	}
	r.Baseline = &finding.Baseline{File: b.File, Entries: len(b.Entries), Stale: []finding.Stale{}}
	if r.Shard != "" {
		return
	}
	occurs, breaks := map[string]bool{}, map[[2]string]bool{}
	for _, list := range [][]finding.Finding{r.Findings, waivedOf(r)} {
		for i := range list {
			if f := &list[i]; f.Status != finding.Fixed {
				occurs[f.Fingerprint], occurs[f.Standing] = true, true
				breaks[[2]string{f.Rule, f.Workload}] = true
			}
		}
	}
	var names []string
	for _, e := range b.Entries {
		known := slices.ContainsFunc(on, func(x rules.Rule) bool { return x.ID == e.Rule })
		if !known || occurs[e.Fingerprint] || !all && breaks[[2]string{e.Rule, e.Workload}] || !settled(r, e, all) {
			continue
		}
		r.Baseline.Stale = append(r.Baseline.Stale, finding.Stale{
			Fingerprint: e.Fingerprint, Rule: e.Rule, Workload: e.Workload, Line: e.Line})
		names = append(names, e.Rule, e.Workload, fmt.Sprintf("%s:%d", b.File, e.Line))
	}
	if len(names) > 0 {
		r.Notices = append(r.Notices, finding.Say(finding.BaselineStale).With(names...))
	}
}

// settled reports whether a run knows all about an entry's workload.
func settled(r *finding.Result, e policies.BaselineEntry, all bool) bool {
	seen := false
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.ID != e.Workload || e.Release != "" && w.Release != e.Release {
			continue
		}
		open := w.Verdict == finding.Inconclusive || w.Verdict == finding.Errored
		if seen = true; w.Change != string(object.Removed) && open {
			return false
		}
	}
	whole := all && !r.Narrowed &&
		!slices.ContainsFunc(r.Releases, func(rel finding.ReleaseResult) bool { return rel.Missing() || rel.Cut })
	return seen || whole
}

func waivedOf(r *finding.Result) []finding.Finding {
	var out []finding.Finding
	for i := range r.Waived {
		out = append(out, r.Waived[i].Finding)
	}
	return out
}
