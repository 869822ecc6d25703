package static_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/static"
)

// TestAnalyzersAreDeclared: each says what it finds, of a rule that there is, and comes after what it requires.
func TestAnalyzersAreDeclared(t *testing.T) {
	seen := map[string]bool{}
	var before []*static.Analyzer
	for _, a := range static.Analyzers() {
		known := slices.ContainsFunc(rules.All(), func(r rules.Rule) bool { return r.ID == a.Rule })
		if seen[a.Name] || !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(a.Name) || a.Doc == "" || a.Run == nil || !known {
			t.Errorf("%+v", a)
		}
		for _, r := range a.Requires {
			if !slices.Contains(before, r) || r.Whole != a.Whole {
				t.Errorf("%s requires %s, which does not run before it", a.Name, r.Name)
			}
		}
		seen[a.Name] = true
		before = append(before, a)
	}
}
