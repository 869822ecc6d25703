package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestCertainty: what is wrong at the end of a run, on its way, or without an end is told apart.
func TestCertainty(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name        string
		certainty   finding.Certainty
		recovers    *bool
		want, never string
	}{
		{"at the end", finding.Inevitable, nil, "every fair run ends like this", "transient"},
		{"on the way", finding.Inevitable, &yes, "every fair run comes through this; transient: every fair run recovers", "ends like this"},
		{"on the way, by a tie", finding.Possible, &yes, "a tie of the scheduler or a race; transient", "every fair run comes"},
		{"it stays", finding.Inevitable, &no, "every fair run comes through this; some fair run does not recover", "transient"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := certainty(&finding.Finding{Certainty: tt.certainty, Timing: "realistic", Recovers: tt.recovers})
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.never) {
				t.Errorf("got %q, want it with %q and without %q", got, tt.want, tt.never)
			}
		})
	}
}

// TestCertaintyNeedsTiming: what shows only where loops restart, lag or wait for one another is never called inevitable,
// nor said to happen, whatever every fair run does from there on.
func TestCertaintyNeedsTiming(t *testing.T) {
	yes := true
	for _, timing := range []string{"arbitrary", "crash", "stale", "crash and stale"} {
		for _, recovers := range []*bool{nil, &yes} {
			for _, sure := range []finding.Certainty{finding.Inevitable, finding.Possible} {
				f := &finding.Finding{Certainty: sure, Timing: timing, Recovers: recovers, Message: "1 pod of a can be missing forever"}
				long, short := needs(f)
				for where, text := range map[string]string{"certainty": certainty(f), "brief": takes(f), "title": title(f)} {
					if strings.Contains(text, "inevitable") || strings.Contains(text, "is missing") {
						t.Errorf("%s, %s, %s: %q", timing, sure, where, text)
					}
					if where != "title" && strings.Count(text, short) != 1 && strings.Count(text, long) != 1 {
						t.Errorf("%s, %s, %s does not say once what it needs: %q", timing, sure, where, text)
					}
				}
			}
		}
	}
}
