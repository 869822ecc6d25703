package report

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestVerdictSentence wants a sentence that claims no more than was done: what failed
// beside what was analysed, kinds without a model beside budgets that ran out.
func TestVerdictSentence(t *testing.T) {
	base := verify.Side{Name: "main"}
	web := verify.Workload{ID: webID, Verdict: verify.Pass}
	db := verify.Workload{ID: "apps/StatefulSet default/db", Verdict: verify.Inconclusive}
	ok := verify.ReleaseResult{ID: "web", Status: "ok", Changed: true}
	broken := verify.ReleaseResult{ID: "api", Status: "failed-head", Changed: true}
	remote := verify.ReleaseResult{ID: "db", Status: "skipped", Changed: true}
	old := verify.ReleaseResult{ID: "old", Status: "failed-head"}
	for want, r := range map[string]verify.Result{
		"Nothing was found to check: no chart, no kustomization and no Kubernetes manifest.": {
			Base: base, Verdict: verify.Errored},
		"This change could not be analysed, so there is no verdict on it.": {
			Base: base, Verdict: verify.Errored, Releases: []verify.ReleaseResult{broken}},
		"This state could not be analysed, so there is no verdict on it.": {
			Verdict: verify.Errored, Releases: []verify.ReleaseResult{broken}},
		"1 release could not be analysed, so there is no verdict on it; no new violation was found in the rest.": {
			Base: base, Verdict: verify.Errored, Workloads: []verify.Workload{web}, Releases: []verify.ReleaseResult{ok, broken, old}},
		"2 releases could not be analysed, so there is no verdict on them; 1 new finding in the rest.": {
			Base: base, Verdict: verify.Errored, Workloads: []verify.Workload{web}, Releases: []verify.ReleaseResult{ok, broken, remote},
			Findings: []finding.Finding{{Status: finding.New, Severity: "note"}}},
		"No new violation was found, but 1 workload could not be decided.": {
			Base: base, Verdict: verify.Inconclusive, Workloads: []verify.Workload{web, db}, Coverage: verify.Coverage{Bound: "complete"}},
		"No new violation was found, but the search ended before everything within the bound was explored.": {
			Base: base, Verdict: verify.Inconclusive, Workloads: []verify.Workload{web, db}, Coverage: verify.Coverage{Bound: "time"}},
		"No workload changed, so there was nothing to check.":        {Base: base, Verdict: verify.Pass},
		"There is no workload in it, so there was nothing to check.": {Verdict: verify.Pass},
		"No new violation was found within the bound.":               {Base: base, Verdict: verify.Pass, Workloads: []verify.Workload{web}},
	} {
		if got := verdictSentence(&r); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestReleaseReason wants the place of a failure said once, and the release that holds
// the change up told from those that failed all along.
func TestReleaseReason(t *testing.T) {
	r := &verify.Result{Base: verify.Side{Name: "main"}, Releases: []verify.ReleaseResult{
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
		"2 releases not analysed on either side: api, job. The first one: Broken YAML. What to do: Correct it.",
		"2 releases untouched, 1 of them does not render.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
