package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify"
)

// TestCertainty: what is wrong at the end of a run, on its way, or without an end is told apart.
func TestCertainty(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		name, certainty string
		recovers        *bool
		want, never     string
	}{
		{"at the end", "inevitable", nil, "every fair run ends like this", "on the way"},
		{"on the way", "inevitable", &yes, "every fair run comes through this; wrong on the way: every fair run mends it", "ends like this"},
		{"on the way, by a tie", "possible", &yes, "a scheduler's tie or a race; wrong on the way", "every fair run comes"},
		{"it stays", "inevitable", &no, "every fair run comes through this; some fair run does not mend it", "wrong on the way"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := certainty(&verify.Finding{Certainty: tt.certainty, Timing: "realistic", Recovers: tt.recovers})
			if !strings.Contains(got, tt.want) || strings.Contains(got, tt.never) {
				t.Errorf("got %q, want it with %q and without %q", got, tt.want, tt.never)
			}
		})
	}
}
