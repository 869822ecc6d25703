package finding

import "testing"

func onlyNewErrors() Gate {
	return Gate{FailOn: "error", OnlyNew: true, OnInconclusive: "warn"}
}

func TestExitCodes(t *testing.T) {
	ok := ReleaseResult{ID: "web", Status: "ok"}
	one := func(status Status, severity string) Finding {
		return Finding{Rule: "unschedulable", Workload: "apps/Deployment default/web", Status: status, Severity: severity}
	}
	for _, tt := range []struct {
		name string
		r    Result
		gate func(*Gate)
		want int
	}{
		{name: "nothing found", r: Result{Releases: []ReleaseResult{ok}}, want: 0},
		{name: "a new error", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(New, "error")}}, want: 1},
		{name: "an old error", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(Existing, "error")}}, want: 0},
		{name: "an old error where old ones count", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(Existing, "error")}},
			gate: func(g *Gate) { g.OnlyNew = false }, want: 1},
		{name: "a fixed error never counts", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(Fixed, "error")}},
			gate: func(g *Gate) { g.OnlyNew = false }, want: 0},
		{name: "a new warning", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(New, "warning")}}, want: 0},
		{name: "a new warning where warnings count", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(New, "warning")}},
			gate: func(g *Gate) { g.FailOn = "warning" }, want: 1},
		{name: "a new error where nothing counts", r: Result{Releases: []ReleaseResult{ok}, Findings: []Finding{one(New, "error")}},
			gate: func(g *Gate) { g.FailOn = off }, want: 0},
		{name: "nothing to analyse, and nothing that could matter", r: Result{Base: Side{Name: "base"}}, want: 0},
		{name: "nothing to analyse below a path", r: Result{Narrowed: true}, want: 3},
		{name: "nothing is made of what changed", r: Result{Base: Side{Name: "base"}, Unused: true}, want: 3},
		{name: "a touched release failed", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true}}}, want: 3},
		{name: "a touched release was skipped", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "skipped", Changed: true}}}, want: 3},
		{name: "an untouched release fails as it did", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head"}}}, want: 0},
		{name: "a touched release fails as it did on base", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true, Before: true}}}, want: 0},
		{name: "a touched release fails as it did on base, and undecided fails", r: Result{Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true, Before: true}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "the rest is analysed, and undecided fails", r: Result{Workloads: []Workload{{ID: "x", Verdict: Pass}}, Releases: []ReleaseResult{
			{ID: "web", Status: "ok", Changed: true}, {ID: "api", Status: "failed-head", Changed: true, Before: true}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "what is unknown changes beside the rest", r: Result{Workloads: []Workload{{ID: "x", Verdict: Pass}}, Releases: []ReleaseResult{
			{ID: "web", Status: "ok", Changed: true}, {ID: "api", Status: "skipped", Changed: true, Before: true}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "the rest has no workload, and undecided fails", r: Result{Releases: []ReleaseResult{
			{ID: "web", Status: "ok", Changed: true}, {ID: "api", Status: "skipped", Changed: true, Before: true}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "nothing renders and nothing is touched", r: Result{Releases: []ReleaseResult{{ID: "api", Status: "failed-head", Before: true}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "a touched release failed where nothing counts", r: Result{Releases: []ReleaseResult{{ID: "api", Status: "failed-head", Changed: true}}},
			gate: func(g *Gate) { g.FailOn = off }, want: 0},
		{name: "a failed release does not hide a finding", r: Result{
			Releases: []ReleaseResult{ok, {ID: "api", Status: "failed-head", Changed: true}}, Findings: []Finding{one(New, "error")}}, want: 1},
		{name: "only base failed", r: Result{Releases: []ReleaseResult{{ID: "web", Status: "failed-base"}}}, want: 0},
		{name: "undecided", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{{ID: "x", Verdict: Inconclusive}}}, want: 0},
		{name: "undecided where that fails", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{{ID: "x", Verdict: Inconclusive}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "a kind without a model alone, and undecided fails", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "unchanged", Verdict: Pass},
			{ID: "z", Change: "removed", Verdict: Pass}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
		{name: "a kind without a model beside what was searched", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "added", Verdict: Pass}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 0},
		{name: "a kind without a model, a pass and one that is undecided", r: Result{Releases: []ReleaseResult{ok}, Workloads: []Workload{
			{ID: "x", Change: "modified", Verdict: Inconclusive, Unmodeled: true}, {ID: "y", Change: "modified", Verdict: Pass},
			{ID: "z", Change: "modified", Verdict: Inconclusive}}},
			gate: func(g *Gate) { g.OnInconclusive = "fail" }, want: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.r.Base = Side{Name: "main"}
			g := onlyNewErrors()
			if tt.gate != nil {
				tt.gate(&g)
			}
			tt.r.Judge(g)
			if got := tt.r.ExitCode(g); got != tt.want {
				t.Errorf("exit code %d (verdict %s), want %d", got, tt.r.Verdict, tt.want)
			}
		})
	}
}

func TestOneStateWithoutAWorkloadIsNoPass(t *testing.T) {
	r := Result{Releases: []ReleaseResult{{ID: "config", Status: "ok"}}}
	if r.Judge(onlyNewErrors()); r.Verdict != Errored {
		t.Errorf("verdict %s, want error: nothing was analysed", r.Verdict)
	}
}

// What one folder has to check is enough: a part of a run that has its own policy, or none, may be without a workload.
func TestPartWithoutAWorkloadPasses(t *testing.T) {
	web := ScopeResult{Policy: "web/.kubesettle.yaml", Releases: []string{"web"}, Gate: onlyNewErrors()}
	for _, of := range []string{"web", "nodes"} {
		r := Result{Releases: []ReleaseResult{{ID: "web", Status: "ok"}, {ID: "nodes", Status: "ok"}},
			Workloads: []Workload{{ID: "x", Release: of, Verdict: Pass}}, Scopes: []ScopeResult{web}}
		if r.Judge(onlyNewErrors()); r.Verdict != Pass || r.ExitCode(onlyNewErrors()) != 0 {
			t.Errorf("the workload is in %s: verdict %s, want pass", of, r.Verdict)
		}
	}
	for name, r := range map[string]Result{
		"no workload": {Releases: []ReleaseResult{{ID: "web", Status: "ok"}, {ID: "nodes", Status: "ok"}}},
		"no release":  {},
	} {
		r.Scopes = []ScopeResult{web}
		if r.Judge(onlyNewErrors()); r.Verdict != Errored || r.ExitCode(onlyNewErrors()) != 3 {
			t.Errorf("%s: verdict %s, want error: nothing was analysed", name, r.Verdict)
		}
	}
}
