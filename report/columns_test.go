package report

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A finding's lines keep to a narrow terminal, but for words that are longer than it and the lines
// that the terminal breaks itself; what is cut is cut between words.
func TestTextKeepsToTheTerminal(t *testing.T) {
	long := strings.Repeat("ü", 120)
	r := &finding.Result{Verdict: finding.Fail, Findings: []finding.Finding{
		{
			Rule: "unschedulable", Severity: "error", Status: finding.New, Certainty: finding.Possible, Workload: "apps/Deployment default/web",
			Message: "pod of default/web can stay pending forever: " + strings.Repeat("one more reason and ", 30), Cause: "c",
			Interleaving: []finding.Step{
				{Action: "drain", Class: "event", Text: "the drain of node a-1 starts: it is cordoned (taint node.kubernetes.io/unschedulable)"},
				{Action: "no-feasible-node", Text: "the scheduler finds no feasible node for a pod of default/" + long},
			},
		},
		{
			Rule: "single-domain", Severity: "warning", Status: finding.New, Workload: "apps/Deployment default/web", Cause: "c",
			Message: "all 3 ready replicas of default/web can end in one domain of topology.kubernetes.io/zone and some words more: a",
		},
	}}
	for _, columns := range []int{1, 40, 57, 80, 100, 1000} {
		var b bytes.Buffer
		if err := Text(&b, r, Options{Columns: columns}); err != nil {
			t.Fatal(err)
		}
		wide := min(max(columns, 40), 100)
		for _, l := range strings.Split(b.String(), "\n")[1:] {
			if n := utf8.RuneCountInString(l); n > wide && !strings.Contains(l, long[:40]) && !strings.HasPrefix(l, "  not") && !strings.HasPrefix(l, "  checked") {
				t.Errorf("%d columns: a line of %d: %q", columns, n, l)
			}
		}
		if strings.Contains(b.String(), "(taint") {
			t.Errorf("the taint of a cordon is told:\n%s", b.String())
		}
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), "and some words more [single-domain]") {
			if !strings.Contains(b.String(), " …") {
				t.Errorf("%d columns: cut within a word:\n%s", columns, b.String())
			}
		}
	}
}

// What only repeats the title is not told once more.
func TestRetold(t *testing.T) {
	const refused = "the API server refuses the change of apps/Deployment x/web: spec.selector: field is immutable"
	f := &finding.Finding{Message: refused + ", and 2 more"}
	for _, c := range []struct {
		want  bool
		lines []toldLine
	}{
		{true, []toldLine{{Text: refused + ", and 2 more steps like it"}}},
		{true, []toldLine{{Text: "once the change is applied, " + refused}}},
		{false, []toldLine{{Text: refused}, {Text: "the change is applied"}}},
	} {
		if got := retold(f, c.lines); got != c.want {
			t.Errorf("%+v: %t", c.lines, got)
		}
	}
}

// A line and the one that replaces it are cut so that what differs is seen, and no line is wider
// than there is room.
func TestNarrowShowsTheDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := func(n int) string { return strings.Repeat("aü b", 60)[:random.IntN(n+1)/5*5] }
		same := text(180)
		old, now := "- "+same+"x"+text(60), "+ "+same+"y"+text(60)
		columns := 29 + random.IntN(140)
		got := narrow([]string{old, now}, columns)
		for _, l := range got {
			if utf8.RuneCountInString(l) > columns || !utf8.ValidString(l) {
				t.Fatalf("%d columns: %q", columns, l)
			}
		}
		if !strings.Contains(got[0], "x") || !strings.Contains(got[1], "y") || got[0][0] != '-' || got[1][0] != '+' {
			t.Fatalf("%d columns: what differs is not seen in %q of %q and %q", columns, got, old, now)
		}
	}
}
