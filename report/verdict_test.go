package report

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestVerdictSentence wants a sentence that claims no more than was done: what failed
// beside what was analysed, kinds without a model beside budgets that ran out.
func TestVerdictSentence(t *testing.T) {
	base := finding.Side{Name: "main"}
	web := finding.Workload{ID: webID, Verdict: finding.Pass}
	db := finding.Workload{ID: "apps/StatefulSet default/db", Verdict: finding.Inconclusive}
	ok := finding.ReleaseResult{ID: "web", Status: "ok", Changed: true}
	broken := finding.ReleaseResult{ID: "api", Status: "failed-head", Changed: true}
	remote := finding.ReleaseResult{ID: "db", Status: "skipped", Changed: true}
	old := finding.ReleaseResult{ID: "old", Status: "failed-head"}
	for want, r := range map[string]finding.Result{
		"Nothing was found to check: no chart, kustomization or Kubernetes manifest; give the path of one.": {
			Base: base, Verdict: finding.Errored},
		"This change could not be analysed, so there is no verdict on it.": {
			Base: base, Verdict: finding.Errored, Releases: []finding.ReleaseResult{broken}},
		"This state could not be analysed, so there is no verdict on it.": {
			Verdict: finding.Errored, Releases: []finding.ReleaseResult{broken}},
		"1 release could not be analysed, so there is no verdict on it; no new violation was found in the rest.": {
			Base: base, Verdict: finding.Errored, Workloads: []finding.Workload{web}, Releases: []finding.ReleaseResult{ok, broken, old}},
		"2 releases could not be analysed, so there is no verdict on them; 1 new finding in the rest.": {
			Base: base, Verdict: finding.Errored, Workloads: []finding.Workload{web}, Releases: []finding.ReleaseResult{ok, broken, remote},
			Findings: []finding.Finding{{Status: finding.New, Severity: "note"}}},
		"No new violation was found, but 1 workload could not be decided.": {
			Base: base, Verdict: finding.Inconclusive, Workloads: []finding.Workload{web, db}, Coverage: finding.Coverage{Bound: "complete"}},
		"No new violation was found, but 1 changed release could not be analysed.": {
			Base: base, Verdict: finding.Inconclusive, Workloads: []finding.Workload{web}, Coverage: finding.Coverage{Bound: "complete"},
			Releases: []finding.ReleaseResult{ok, {ID: "c", Status: "skipped", Changed: true, Before: true}}},
		"No new violation was found, but not all that changes could be analysed.": {
			Base: base, Verdict: finding.Inconclusive, Workloads: []finding.Workload{web}, Coverage: finding.Coverage{Bound: "complete"}},
		"No new violation was found, but the search ended before everything within the bound was explored.": {
			Base: base, Verdict: finding.Inconclusive, Workloads: []finding.Workload{web, db}, Coverage: finding.Coverage{Bound: "time"}},
		"No workload changed, so there was nothing to check.":        {Base: base, Verdict: finding.Pass},
		"There is no workload in it, so there was nothing to check.": {Verdict: finding.Pass},
		"No new violation was found within the bound.":               {Base: base, Verdict: finding.Pass, Workloads: []finding.Workload{web}},
	} {
		if got := verdictSentence(&r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestReleaseReason wants the place of a failure said once, and the release that holds
// the change up told from those that failed all along.
func TestReleaseReason(t *testing.T) {
	r := &finding.Result{Base: finding.Side{Name: "main"}, Releases: []finding.ReleaseResult{
		{ID: "old", Status: "failed-head", Reason: "old.yaml: is too big", Where: head("old.yaml", 1, 1, 2, false)},
		{ID: "quiet", Status: "ok"},
		{ID: "api", Status: "failed-head", Changed: true, Before: true, Reason: "api.yaml:2: broken YAML", Remedy: "correct it", Where: head("api.yaml", 2, 1, 2, false)},
		{ID: "job", Status: "skipped", Changed: true, Before: true, Reason: "a dependency is not here"},
		{ID: "web", Status: "failed-head", Changed: true, Reason: "web.yaml:5: broken YAML", Where: head("web.yaml", 5, 1, 2, true)},
	}}
	var got []string
	for _, rel := range failedReleases(r) {
		got = append(got, rel.ID+" "+releaseStatus(&rel)+": "+releaseReason(&rel))
	}
	got = append(got, brokenBeforeIn(r).String(), untouched(r))
	want := []string{
		"web failed to render on head: Broken YAML.",
		"2 releases not analysed on either side: api, job. The first one: api.yaml:2: broken YAML. What to do: Correct it.",
		"2 releases untouched, 1 of them does not render.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
