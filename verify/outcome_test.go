package verify

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// outcomesPage is the table of verify/finding/README.md, with what each outcome means, or that of docs/ci.md without it.
func outcomesPage(meanings bool) string {
	heads := []string{"outcome", "of a", "meaning", "exit code", "output", "annotation", "SARIF", "text, comment, HTML"}
	rows := [][]string{heads, slices.Repeat([]string{"---"}, len(heads))}
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
		rows = append(rows, []string{string(o.ID), o.Of, o.Means, fmt.Sprint(code), output, level, o.SARIF, o.Shown})
	}
	var out strings.Builder
	for _, row := range rows {
		bar := " | "
		if !meanings {
			row, bar = append(row[:1:1], row[3:]...), "|"
		}
		fmt.Fprintln(&out, strings.TrimSpace(bar+strings.Join(row, bar)+bar))
	}
	return out.String()
}

// TestOutcomesAreDocumented: verify/finding/README.md and docs/ci.md have the table that the program goes by.
func TestOutcomesAreDocumented(t *testing.T) {
	const begin, end = "-rewrite -->\n", "<!-- /outcomes -->"
	for file, meanings := range map[string]bool{"finding/README.md": true, "../docs/ci.md": false} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(b), begin)
		had, after, closed := strings.Cut(rest, end)
		want := outcomesPage(meanings)
		if !ok || !closed {
			t.Fatalf("%s has no place for the table", file)
		}
		if *rewrite {
			err = os.WriteFile(file, []byte(before+begin+want+end+after), 0o644)
		} else if had != want {
			err = fmt.Errorf("%s differs: go test ./verify -run Outcomes -rewrite", file)
		}
		if err != nil {
			t.Error(err)
		}
	}
}
