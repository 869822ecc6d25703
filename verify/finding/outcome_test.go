package finding

import (
	"slices"
	"testing"
)

// Each outcome alone gives the verdict that the table says, and beside any other one the worse of both.
func TestOutcomesGiveTheVerdict(t *testing.T) {
	found := func(s Status, severity string) Finding {
		return Finding{Rule: "unschedulable", Workload: "w", Release: "r", Status: s, Severity: severity}
	}
	broken := ReleaseResult{ID: "r", Status: "failed-head", Changed: true}
	before, absent, cut := broken, broken, broken
	before.Before, absent.Before, absent.OnBase, cut.Before, cut.Cut = true, true, "absent", true, true
	one := map[OutcomeID]Result{
		Gating:       {Findings: []Finding{found(New, "error")}},
		NewFinding:   {Findings: []Finding{found(New, "warning")}},
		WorseFinding: {Findings: []Finding{found(Worsened, "warning")}},
		OldFinding:   {Findings: []Finding{found(Existing, "error")}},
		FixedBy:      {Findings: []Finding{found(Fixed, "error")}},
		WaivedBy:     {Waived: []Waived{{Finding: found(New, "error")}}},
		Undecided:    {Workloads: []Workload{{ID: "w", Verdict: Inconclusive}}},
		NoModel:      {Workloads: []Workload{{ID: "w", Verdict: Inconclusive, Unmodeled: true}}},
		Decided:      {Workloads: []Workload{{ID: "w", Verdict: Pass, Change: "unchanged"}}},
		Refused:      {Releases: []ReleaseResult{broken}},
		Unfetchable:  {Releases: []ReleaseResult{absent}},
		OutOfTime:    {Releases: []ReleaseResult{cut}},
		BrokenAlike:  {Releases: []ReleaseResult{before}},
		InPart:       {Releases: []ReleaseResult{{ID: "r", Status: "partial", Changed: true, Before: true}}},
		Unclaimed: {Releases: []ReleaseResult{{ID: "o", Status: "ok"},
			{ID: "r", Status: "unclaimed", Changed: true, Before: true}}},
		NoBaseline: {Releases: []ReleaseResult{{ID: "r", Status: "failed-base", Changed: true}}},
		Gone:       {Releases: []ReleaseResult{{ID: "r", Status: "ok", Changed: true, Reason: RemovedOnHead}}},
		Analysed:   {Releases: []ReleaseResult{{ID: "r", Status: "ok", Changed: true}}},
		Nothing:    {Unused: true},
	}
	gate := Gate{FailOn: "error", OnlyNew: true, OnInconclusive: "fail"}
	verdictOf := func(parts ...Result) Verdict {
		r := Result{Base: Side{Name: "base"}}
		for _, p := range parts {
			r.Findings, r.Waived = append(r.Findings, p.Findings...), append(r.Waived, p.Waived...)
			r.Workloads, r.Releases = append(r.Workloads, p.Workloads...), append(r.Releases, p.Releases...)
			r.Unused = r.Unused || p.Unused
		}
		r.Judge(gate)
		return r.Verdict
	}
	for _, o := range Outcomes() {
		part, ok := one[o.ID]
		if !ok {
			t.Errorf("%s: no example", o.ID)
			continue
		}
		if got := verdictOf(part); got != o.Verdict {
			t.Errorf("%s: verdict %s, want %s", o.ID, got, o.Verdict)
		}
		for _, other := range Outcomes() {
			if slices.Contains([]OutcomeID{o.ID, other.ID}, Nothing) {
				continue // that is about all there is
			}
			got, want := verdictOf(part, one[other.ID]), Worst([]Verdict{o.Verdict, other.Verdict})
			beside := slices.Contains([]OutcomeID{o.ID, other.ID}, BrokenAlike) && slices.Contains([]Verdict{Pass}, got)
			if got != want && !beside {
				t.Errorf("%s beside %s: verdict %s, want %s", o.ID, other.ID, got, want)
			}
		}
	}
}
