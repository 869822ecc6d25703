package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Random runs are said to prove nothing by not finding, and a finding of theirs to be one.
func TestRunsInDrawnOrdersAreSaid(t *testing.T) {
	c := finding.Coverage{Topologies: 1, States: 5, Bound: "memory",
		Swarmed: []finding.Swarmed{{Nodes: 3, Pods: 8, Steps: 50_000}, {Nodes: 3, Pods: 2, Steps: 500}}}
	if s := coverageSentence(&c); !strings.Contains(s, "Random runs took 50,500 steps at the declared size") ||
		!strings.Contains(s, "may hold violations.") {
		t.Error(s)
	}
	c.Swarmed = nil
	if s := coverageSentence(&c); strings.Contains(s, "drawn") {
		t.Error(s)
	}
	if s := takes(&finding.Finding{FoundBy: "runs", Certainty: finding.Possible}); !strings.Contains(s, "found by random runs") {
		t.Error(s)
	}
}
