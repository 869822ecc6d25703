package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A line of a diagram is one of these, whatever a name in the repository is. That Mermaid takes them is seen by
// TestMarkdownInABrowser.
var (
	sequenceLines = regexp.MustCompile(`^(sequenceDiagram|  participant L\d+ as \S.*|  L\d+->>L\d+: \S.*|  loop repeats forever|` +
		`  rect rgb\(255, 221, 150\)|  end|  Note over L0,L\d+: \S.*)$`)
	sequenceText = regexp.MustCompile("^  [^:]*(->>L\\d+:|as|Note over L0,L\\d+:) ([^;\"`{}%$\\\\]|#\\w+;)*$")
)

func TestSequences(t *testing.T) {
	seen := map[string]bool{}
	race, second := spreadResult(), 1
	race.Findings[0].Decisive = &second
	for name, r := range map[string]*finding.Result{
		"spread": spreadResult(), "loop": loopResult(), "rollout": rolloutResult(), "hostile": hostileResult(1), "race": race,
	} {
		for i := range r.Findings {
			f := &r.Findings[i]
			s := sequence(f)
			if s == "" {
				continue
			}
			messages, depth := 0, 0
			for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
				if !sequenceLines.MatchString(l) || strings.ContainsAny(l, ":") && !sequenceText.MatchString(l) {
					t.Errorf("%s: %q", name, l)
				}
				switch {
				case strings.Contains(l, "->>"):
					messages++
				case strings.HasPrefix(l, "  loop"), strings.HasPrefix(l, "  rect"):
					depth++
					seen["box of "+strings.Fields(l)[0]] = true
				case l == "  end":
					depth--
				}
			}
			if messages < 2 || messages > mostMessages || depth != 0 {
				t.Errorf("%s: %d messages, %d boxes left open:\n%s", name, messages, depth, s)
			}
			seen[name] = true
		}
	}
	for _, want := range []string{"loop", "spread", "rollout", "hostile", "box of loop", "box of rect"} {
		if !seen[want] {
			t.Errorf("no diagram of %s", want)
		}
	}
}
