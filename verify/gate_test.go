package verify

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

func onlyNewErrors() policies.Gate {
	return policies.Gate{FailOn: rules.Error, OnlyNew: true, OnInconclusive: "warn"}
}

func TestExitCodes(t *testing.T) {
	ok := ReleaseResult{ID: "web", Status: "ok"}
	one := func(status finding.Status, severity string) finding.Finding {
		return finding.Finding{Rule: "unschedulable", Workload: "apps/Deployment default/web", Status: status, Severity: severity}
	}
	for _, tt := range []struct {
		name string
		r    Result
		gate func(*policies.Gate)
		want int
	}{
		{name: "nothing found", r: Result{Releases: []ReleaseResult{ok}}, want: 0},
		{name: "a new error", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.New, "error")}}, want: 1},
		{name: "an old error", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.Existing, "error")}}, want: 0},
		{name: "an old error where old ones count", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.Existing, "error")}},
			gate: func(g *policies.Gate) { g.OnlyNew = false }, want: 1},
		{name: "a fixed error never counts", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.Fixed, "error")}},
			gate: func(g *policies.Gate) { g.OnlyNew = false }, want: 0},
		{name: "a new warning", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.New, "warning")}}, want: 0},
		{name: "a new warning where warnings count", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.New, "warning")}},
			gate: func(g *policies.Gate) { g.FailOn = rules.Warning }, want: 1},
		{name: "a new error where nothing counts", r: Result{Releases: []ReleaseResult{ok}, Findings: []finding.Finding{one(finding.New, "error")}},
			gate: func(g *policies.Gate) { g.FailOn = rules.Off }, want: 0},
		{name: "nothing to analyse, and nothing that could matter", r: Result{Base: Side{Name: "base"}}, want: 0},
		{name: "nothing to analyse below a path", r: Result{Narrowed: true}, want: 3},
		{name: "nothing is made of what changed", r: Result{Base: Side{Name: "base"}, Unused: true}, want: 3},
		{name: "a touched release failed", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true}}}, want: 3},
		{name: "a touched release was skipped", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "skipped", Changed: true}}}, want: 3},
		{name: "an untouched release fails as it did", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head"}}}, want: 0},
		{name: "a touched release fails as it did on base", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true, Before: true}}}, want: 0},
		{name: "a touched release fails as it did on base, and undecided fails", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true, Before: true}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "the rest is analysed, and undecided fails", r: Result{Workloads: []Workload{{ID: "x", Verdict: Pass}}, Releases: []ReleaseResult{
			{ID: "web", Status: "ok", Changed: true}, {ID: "api", Status: "skipped", Changed: true, Before: true}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "the rest has no workload, and undecided fails", r: Result{Releases: []ReleaseResult{
			{ID: "web", Status: "ok", Changed: true}, {ID: "api", Status: "skipped", Changed: true, Before: true}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "nothing renders and nothing is touched", r: Result{Releases: []ReleaseResult{{ID: "api", Status: "failed-head", Before: true}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "a touched release failed where nothing counts", r: Result{Releases: []ReleaseResult{{ID: "api", Status: "failed-head", Changed: true}}},
			gate: func(g *policies.Gate) { g.FailOn = rules.Off }, want: 0},
		{name: "a failed release does not hide a finding", r: Result{
			Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true}}, Findings: []finding.Finding{one(finding.New, "error")}}, want: 1},
		{name: "only base failed", r: Result{Releases: []ReleaseResult{{ID: "web", Status: "failed-base"}}}, want: 0},
		{name: "undecided", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{{ID: "x", Verdict: Inconclusive}}}, want: 0},
		{name: "undecided where that fails", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{{ID: "x", Verdict: Inconclusive}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "a kind without a model alone, and undecided fails", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "unchanged", Verdict: Pass},
			{ID: "z", Change: "removed", Verdict: Pass}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "a kind without a model beside what was searched", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "added", Verdict: Pass}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "a kind without a model, a pass and one that is undecided", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "modified", Verdict: Pass},
			{ID: "z", Change: "modified", Verdict: Inconclusive}}},
			gate: func(g *policies.Gate) { g.OnInconclusive = "fail" }, want: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Base = Side{Name: "main"}
			g := onlyNewErrors()
			if tt.gate != nil {
				tt.gate(&g)
			}
			tt.r.judge(g)
			if got := tt.r.ExitCode(g); got != tt.want {
				t.Errorf("exit code %d (verdict %s), want %d", got, tt.r.Verdict, tt.want)
			}
		})
	}
}

func TestOneStateWithoutAWorkloadIsNoPass(t *testing.T) {
	r := Result{Releases: []ReleaseResult{{ID: "config", Status: "ok"}}}
	if r.judge(onlyNewErrors()); r.Verdict != Errored {
		t.Errorf("verdict %s, want error: nothing was analysed", r.Verdict)
	}
}

func TestAMissingShardIsNoted(t *testing.T) {
	part := func(s string) *Result { return &Result{Shard: s} }
	for _, parts := range [][]*Result{
		{part("1/2")}, {part("1/2"), part("1/2")}, {part("1/3"), part("2/3")}, {part("1/2"), part("")},
	} {
		if _, err := Merge(parts, onlyNewErrors()); !errors.Is(err, ErrNotShards) {
			t.Errorf("merging %d results, the first %s: got %v, want ErrNotShards", len(parts), parts[0].Shard, err)
		}
	}
	if _, err := Merge([]*Result{part("2/2"), part("1/2")}, onlyNewErrors()); err != nil {
		t.Errorf("merging both parts: %v", err)
	}
}

func TestAWaiverCoversUntilItsLastDay(t *testing.T) {
	p, err := policies.Load("p.yaml", []byte(`apiVersion: kubesettle.dev/v1alpha1
kind: Policy
waivers:
- {rule: unschedulable, workload: default/web, reason: moves in May, owner: team-web, expires: 2027-05-31}
- {rule: below-floor, workload: default/api, reason: none is needed, owner: team-api, expires: 2027-05-31}
`))
	if err != nil {
		t.Fatal(err)
	}
	run := func(day string) *Result {
		today, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{Findings: []finding.Finding{{Rule: "unschedulable", Workload: "apps/Deployment default/web", Status: finding.New, Severity: "error"}}}
		used := r.waive(p, today)
		r.Notices = idleWaivers([]*policies.Policy{p}, used, today)
		return r
	}
	if r := run("2027-05-31"); len(r.Findings) != 0 || len(r.Waived) != 1 || len(r.Notices) != 1 {
		t.Errorf("on its last day: %d findings, %d waived, notices %q; want 0, 1 and the unused one", len(r.Findings), len(r.Waived), r.Notices)
	}
	if r := run("2027-06-01"); len(r.Findings) != 1 || len(r.Waived) != 0 || len(r.Notices) != 2 {
		t.Errorf("a day later: %d findings, %d waived, notices %q; want 1, 0 and both expired", len(r.Findings), len(r.Waived), r.Notices)
	}
}

func TestTheSameDefectInSeveralReleasesIsOneFinding(t *testing.T) {
	at := []finding.Location{{File: "base/web.yaml", StartLine: 7}}
	fs := judge.Across([]finding.Finding{
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "error", Release: "prod", Locations: at},
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "error", Release: "staging", Locations: at},
		{Rule: "unschedulable", Workload: "w", Status: finding.New, Severity: "warning", Release: "dev", Locations: at},
	})
	if len(fs) != 2 || !slices.Equal(fs[0].AlsoIn, []string{"staging"}) {
		t.Errorf("got %+v, want prod (also in staging) and dev", fs)
	}
}
