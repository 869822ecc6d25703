package verify

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// outcomesPage is the table of verify/finding/README.md.
func outcomesPage() string {
	out := "| outcome | of a | meaning | exit code | output | annotation | SARIF | text, comment, HTML |\n|---|---|---|--:|---|---|---|---|\n"
	for _, o := range finding.Outcomes() {
		code := (&finding.Result{Verdict: o.Verdict}).ExitCode(finding.Gate{FailOn: "error", OnInconclusive: "fail"})
		output := o.Output
		if output != "" {
			output = "`" + output + "`"
		}
		level := map[string]string{"severity": "its severity", "note": "notice"}[o.Level]
		if level == "" {
			level = o.Level
		}
		if o.Of == "workload" || o.Of == "run" || o.Verdict == finding.Inconclusive {
			level = ""
		}
		out += fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s | %s |\n", o.ID, o.Of, o.Means, code, output, level, o.SARIF, o.Shown)
	}
	return out
}

// TestOutcomesAreDocumented: verify/finding/README.md has the table that the program goes by.
func TestOutcomesAreDocumented(t *testing.T) {
	const file, begin, end = "finding/README.md", "-rewrite -->\n", "<!-- /outcomes -->"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	had, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("verify/finding/README.md has no place for the table")
	}
	if *rewrite {
		err = os.WriteFile(file, []byte(before+begin+outcomesPage()+end+after), 0o644)
	} else if had != outcomesPage() {
		err = fmt.Errorf("verify/finding/README.md differs: go test ./verify -run Outcomes -rewrite")
	}
	if err != nil {
		t.Error(err)
	}
}
