package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/judge"
)

// TestCertainty: what is wrong at the end of a run, on its way, or without an end is told apart.
func TestCertainty(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name, certainty string
		recovers        *bool
		want, never     string
	}{
		{"at the end", "inevitable", nil, "every fair run ends like this", "transient"},
		{"on the way", "inevitable", &yes, "every fair run comes through this; transient: every fair run recovers", "ends like this"},
		{"on the way, by a tie", "possible", &yes, "a tie of the scheduler or a race; transient", "every fair run comes"},
		{"it stays", "inevitable", &no, "every fair run comes through this; some fair run does not recover", "transient"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := certainty(&judge.Finding{Certainty: tt.certainty, Timing: "realistic", Recovers: tt.recovers})
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.never) {
				t.Errorf("got %q, want it with %q and without %q", got, tt.want, tt.never)
			}
		})
	}
}
