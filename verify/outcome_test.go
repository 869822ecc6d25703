package verify

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// outcomesPage is the table of docs/ci.md.
func outcomesPage() string {
	cell := func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	}
	out := "| outcome | of a | meaning | exit code | output | annotation | SARIF | text, comment, HTML |\n|---|---|---|--:|---|---|---|---|\n"
	for _, o := range Outcomes() {
		code := codeOf(o.Verdict, policies.Gate{FailOn: "error", OnInconclusive: "fail"})
		output := o.Output
		if output != "" {
			output = "`" + output + "`"
		}
		level := map[string]string{"severity": "its severity", "note": "notice"}[o.Level]
		if level == "" {
			level = o.Level
		}
		if o.Of == "workload" || o.Of == "run" || o.Verdict == Inconclusive {
			level = ""
		}
		out += fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s | %s |\n", o.ID, o.Of, o.Means, code, cell(output), cell(level), cell(o.SARIF), cell(o.Shown))
	}
	return out
}

// docs/ci.md has the table that the program goes by.
func TestOutcomesAreDocumented(t *testing.T) {
	const file, begin, end = "../docs/ci.md", "-rewrite -->\n", "<!-- /outcomes -->"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	had, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("docs/ci.md has no place for the table")
	}
	if *rewrite {
		err = os.WriteFile(file, []byte(before+begin+outcomesPage()+end+after), 0o644)
	} else if had != outcomesPage() {
		err = fmt.Errorf("docs/ci.md differs: go test ./verify -run Outcomes -rewrite")
	}
	if err != nil {
		t.Error(err)
	}
}

// Each outcome alone gives the verdict that the table says, and beside any other one the worse of both.
func TestOutcomesGiveTheVerdict(t *testing.T) {
	found := func(s finding.Status, severity string) finding.Finding {
		return finding.Finding{Rule: "unschedulable", Workload: "w", Release: "r", Status: s, Severity: severity}
	}
	broken := ReleaseResult{ID: "r", Status: "failed-head", Changed: true}
	before, absent, cut := broken, broken, broken
	before.Before, absent.Before, absent.OnBase, cut.Before, cut.Cut = true, true, "absent", true, true
	one := map[OutcomeID]Result{
		Gating:      {Findings: []finding.Finding{found(finding.New, "error")}},
		NewFinding:  {Findings: []finding.Finding{found(finding.New, "warning")}},
		Worsened:    {Findings: []finding.Finding{found(finding.Worsened, "warning")}},
		Existing:    {Findings: []finding.Finding{found(finding.Existing, "error")}},
		FixedBy:     {Findings: []finding.Finding{found(finding.Fixed, "error")}},
		WaivedBy:    {Waived: []Waived{{Finding: found(finding.New, "error")}}},
		Undecided:   {Workloads: []Workload{{ID: "w", Verdict: Inconclusive}}},
		NoModel:     {Workloads: []Workload{{ID: "w", Verdict: Inconclusive, Unmodeled: true}}},
		Decided:     {Workloads: []Workload{{ID: "w", Verdict: Pass, Change: "unchanged"}}},
		Refused:     {Releases: []ReleaseResult{broken}},
		Unfetchable: {Releases: []ReleaseResult{absent}},
		OutOfTime:   {Releases: []ReleaseResult{cut}},
		BrokenAlike: {Releases: []ReleaseResult{before}},
		InPart:      {Releases: []ReleaseResult{{ID: "r", Status: "partial", Changed: true, Before: true}}},
		Unclaimed: {Releases: []ReleaseResult{{ID: "o", Status: "ok"},
			{ID: "r", Status: "unclaimed", Changed: true, Before: true}}},
		NoBaseline: {Releases: []ReleaseResult{{ID: "r", Status: "failed-base", Changed: true}}},
		Gone:       {Releases: []ReleaseResult{{ID: "r", Status: "ok", Changed: true, Reason: gone}}},
		Analysed:   {Releases: []ReleaseResult{{ID: "r", Status: "ok", Changed: true}}},
		Nothing:    {Unused: true},
	}
	gate := policies.Gate{FailOn: "error", OnlyNew: true, OnInconclusive: "fail"}
	verdictOf := func(parts ...Result) Verdict {
		r := Result{Base: Side{Name: "base"}}
		for _, p := range parts {
			r.Findings, r.Waived = append(r.Findings, p.Findings...), append(r.Waived, p.Waived...)
			r.Workloads, r.Releases = append(r.Workloads, p.Workloads...), append(r.Releases, p.Releases...)
			r.Unused = r.Unused || p.Unused
		}
		r.judge(gate)
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
			got, want := verdictOf(part, one[other.ID]), worst([]Verdict{o.Verdict, other.Verdict})
			beside := slices.Contains([]OutcomeID{o.ID, other.ID}, BrokenAlike) && slices.Contains([]Verdict{Pass}, got)
			if got != want && !beside {
				t.Errorf("%s beside %s: verdict %s, want %s", o.ID, other.ID, got, want)
			}
		}
	}
}
