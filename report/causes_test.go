package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// What is inevitable is said as such wherever a finding is named: no surface says that it can happen.
func TestInevitableIsNoMaybe(t *testing.T) {
	r := spreadResult()
	f := &r.Findings[0]
	f.Certainty, f.Timing, f.Message = finding.Inevitable, "", "pod of default/web can stay pending forever"
	for _, s := range surfaces() {
		got := s.write(t, r)
		if s.name != "json" && strings.Contains(got, "web can stay pending") {
			t.Errorf("%s says that what is inevitable can happen", s.name)
		}
	}
}
