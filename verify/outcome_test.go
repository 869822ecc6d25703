package verify

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// outcomesPage is the table of docs/ci.md.
func outcomesPage() string {
	out := "| outcome | of a | meaning | exit code | text, comment, HTML |\n|---|---|---|--:|---|\n"
	for _, o := range finding.Outcomes() {
		code := (&finding.Result{Verdict: o.Verdict}).ExitCode(finding.Gate{FailOn: "error", OnInconclusive: "fail"})
		out += fmt.Sprintf("| %s | %s | %s | %d | %s |\n", o.ID, o.Of, o.Means, code, o.Shown)
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
