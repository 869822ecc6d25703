package report

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Every surface says which two commits it compares, a pass too; annotations stand in the
// log, whose text says it, and GitLab's format has no place for it.
func TestEverySurfaceNamesBothRevisions(t *testing.T) {
	for _, s := range surfaces() {
		for name, r := range map[string]*finding.Result{"findings": spreadResult(), "pass": emptyResult()} {
			if s.name == "annotations" || s.name == "codequality" || s.name == "resolved.md" && name == "findings" {
				continue
			}
			r.Base.Commit, r.Head.Commit = "0123456789abcdef0123456789abcdef01234567", "fedcba9876543210fedcba9876543210fedcba98"
			text := s.write(t, r)
			for side, commit := range map[string]string{"base": "0123456789ab", "head": "fedcba987654"} {
				if !strings.Contains(text, commit) {
					t.Errorf("%s, %s: %s is not named in\n%s", s.name, name, side, clip(text, 2000))
				}
			}
		}
	}
}
