package report

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Text, comment, summary, HTML, SARIF and JSON count the same findings as the outputs do, whatever a result holds.
func TestSurfacesCountAlike(t *testing.T) {
	const seed = 35
	rnd := rand.New(rand.NewPCG(seed, seed))
	verdicts := map[finding.Verdict]int{}
	defer func() {
		if len(verdicts) < 4 {
			t.Errorf("not every verdict was drawn: %v", verdicts)
		}
	}()
	for n := range 60 {
		r := countedResult(rnd)
		verdicts[r.Verdict]++
		counts := r.Counts()
		want := map[string]int{}
		for _, f := range r.Findings {
			want[string(f.Status)]++
		}
		for status, output := range map[string]string{"new": "new-violations", "worsened": "worsened-violations",
			"existing": "existing-violations", "fixed": "fixed-violations"} {
			if counts[output] != want[status] {
				t.Errorf("seed %d, result %d: output %s is %d, want %d", seed, n, output, counts[output], want[status])
			}
		}
		if n := len(r.Waived); n > 0 {
			want["waived"] = n
		}
		for _, name := range []string{"text", "markdown", "html"} {
			one, _ := SurfaceOf(name)
			var b strings.Builder
			if err := one.Write(&b, r, Options{Level: []string{"", "error", "warning", "note"}[rnd.IntN(4)]}); err != nil {
				t.Fatal(err)
			}
			if got := saidCounts(b.String()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("seed %d, result %d: %s counts %v, want %v\n%.300s", seed, n, name, got, want, b.String())
			}
		}
		if got := saidCounts(Comment(r, Options{})); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d, result %d: the comment counts %v, want %v", seed, n, got, want)
		}
		var b strings.Builder
		if err := SARIF(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		if got := sarifCounts(t, b.String()); got["new"] != want["new"] || got["updated"] != want["worsened"] ||
			got["unchanged"] != want["existing"] || got["suppressed"] != want["waived"] {
			t.Errorf("seed %d, result %d: SARIF counts %v, want %v", seed, n, got, want)
		}
		b.Reset()
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		var back finding.Result
		if err := json.Unmarshal([]byte(b.String()), &back); err != nil || fmt.Sprint(back.Counts()) != fmt.Sprint(counts) {
			t.Errorf("seed %d, result %d: JSON counts %v, want %v (%v)", seed, n, back.Counts(), counts, err)
		}
	}
}

// countedResult is a result with any number of findings of each status and severity.
func countedResult(rnd *rand.Rand) *finding.Result {
	r := &finding.Result{SchemaVersion: "1", Tool: "kubesettle test", Verdict: finding.Pass, Base: finding.Side{Name: "base"},
		Head:      finding.Side{Name: "head"},
		Workloads: []finding.Workload{{ID: "apps/Deployment default/w0", Release: "r", Change: "modified", Verdict: finding.Pass}},
		Releases:  []finding.ReleaseResult{{ID: "r", Kind: "manifests", Status: "ok", Changed: true}}}
	found := func(i int, s finding.Status) finding.Finding {
		return finding.Finding{Rule: "unschedulable", Status: s, Severity: []string{"error", "warning", "note"}[rnd.IntN(3)],
			Workload: fmt.Sprintf("apps/Deployment default/w%d", i), Release: "r", Message: fmt.Sprintf("a pod of w%d can stay pending", i),
			Scenario: "change", Timing: "realistic", Fingerprint: fmt.Sprintf("%032x", i),
			Locations: []finding.Location{{File: "a.yaml", StartLine: 1 + i, EndLine: 1 + i}}}
	}
	for i := range rnd.IntN(8) {
		r.Findings = append(r.Findings, found(i, []finding.Status{finding.New, finding.Worsened, finding.Existing, finding.Fixed}[rnd.IntN(4)]))
	}
	for i := range rnd.IntN(3) {
		r.Waived = append(r.Waived, finding.Waived{Finding: found(100+i, finding.New), Reason: "known", Owner: "o", Expires: "2030-01-01"})
	}
	for i := range rnd.IntN(4) { // releases with every outcome, and workloads that were not decided
		one := finding.ReleaseResult{ID: fmt.Sprintf("r%d", i), Kind: "helm", Changed: rnd.IntN(2) == 0,
			Status: []string{"ok", "failed-base", "failed-head", "skipped", "untouched", "partial", "unclaimed"}[rnd.IntN(7)],
			Before: rnd.IntN(3) == 0, Cut: rnd.IntN(4) == 0, Reason: "no", OnBase: []string{"", "absent", "renders"}[rnd.IntN(3)]}
		r.Releases = append(r.Releases, one)
		r.Workloads = append(r.Workloads, finding.Workload{ID: fmt.Sprintf("apps/Deployment default/x%d", i), Release: one.ID,
			Change: "modified", Verdict: []finding.Verdict{finding.Pass, finding.Inconclusive}[rnd.IntN(2)], Unmodeled: rnd.IntN(4) == 0})
	}
	r.Judge(finding.Gate{FailOn: "error", OnlyNew: true, OnInconclusive: "warn"})
	return r
}

var saidCount = regexp.MustCompile(`(\d+) (new|worsened|existing|fixed|waived)\b`)

// saidCounts are the counts of the first line that has some, in which each kind of severity is a number of its own.
func saidCounts(text string) map[string]int {
	list := strings.Split(text, "\n")
	if i := slices.IndexFunc(list, func(l string) bool { return strings.Contains(l, " fixed, ") && strings.Contains(l, " waived.") }); i > 0 {
		list = list[i:] // the page has a sentence before it
	}
	for _, l := range list {
		found := saidCount.FindAllStringSubmatch(l, -1)
		if len(found) == 0 && !strings.Contains(l, "no new finding") && !strings.Contains(l, "No new finding") {
			continue
		}
		out := map[string]int{}
		for _, m := range found {
			if n, _ := strconv.Atoi(m[1]); n > 0 {
				out[m[2]] += n
			}
		}
		return out
	}
	return map[string]int{}
}

func sarifCounts(t *testing.T, text string) map[string]int {
	t.Helper()
	var file struct {
		Runs []struct {
			Results []struct {
				BaselineState string
				Suppressions  []any
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, r := range file.Runs[0].Results {
		if len(r.Suppressions) > 0 {
			out["suppressed"]++
		} else {
			out[r.BaselineState]++
		}
	}
	return out
}
