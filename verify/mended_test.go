package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// quicklyMended are the documented cases of which a commit waits for the searches; the first three were once fixed as an
// error without a condition, where who makes the mistake is told a warning with one.
var quicklyMended = []string{
	"failures/f01", "failures/f02", "failures/f55", "failures/f06", "failures/g21",
}

// TestMendedIsToldAsPlanted: what a merge is credited with, the way back is told of, on the same condition and as
// gravely. The other way it need not be: base alone is searched as it starts and as it stands where head breaks a rule
// there, and what is refused or lost on the way of one change is no matter of the other.
func TestMendedIsToldAsPlanted(t *testing.T) {
	all := *morePairs > 0 // nightly
	told := 0
	for _, c := range documentedCases {
		if !all && !slices.Contains(quicklyMended, c.dir) {
			continue
		}
		for _, m := range []mode{modes[0], asDeclared} {
			opt := caseOptions(t, filepath.Join("../testdata", c.dir, "violating"))
			opt.Policy, opt.Plain = m.policy(t, opt.Policy), true
			planted := toldBetween(t, opt, c.dir, "repaired", "violating")
			for who, f := range toldBetween(t, opt, c.dir, "violating", "repaired") {
				if f.Status != finding.Fixed {
					continue
				}
				told++
				g, ok := planted[who]
				if !ok || g.Status == finding.Fixed || g.Status == finding.Existing {
					t.Errorf("%s, %s: %s is fixed, and the way back is not told of it", c.dir, m.name, who)
				} else if f, g := condition(f), condition(g); f != g && !takesGuard(c.dir) {
					t.Errorf("%s, %s: %s is fixed as %s, and told on the way back as %s", c.dir, m.name, who, f, g)
				}
			}
		}
	}
	if told < 8 {
		t.Errorf("%d findings are fixed", told)
	}
}

// takesGuard reports whether the mistake of a case is to take away what kept a failure harmless: that is graver than to
// have been without it.
func takesGuard(dir string) bool { return dir == "failures/f18" }

// condition is what a finding rests on, and how grave it is.
func condition(f finding.Finding) string {
	var while []string
	for _, c := range f.Holds {
		while = append(while, c.While)
	}
	return fmt.Sprintf("%s while [%s], at a declared scale %t", f.Severity, strings.Join(while, "; "), f.AtDeclaredScale)
}

// toldBetween are the findings of a change between the variants of a case, by rule and workload.
func toldBetween(t testing.TB, opt Options, dir, base, head string) map[string]finding.Finding {
	t.Helper()
	side := func(variant string) *object.Revision {
		part := "manifests"
		if at, _ := filepath.Glob(filepath.Join("../testdata", dir, variant, "head")); len(at) > 0 {
			part = "head"
		}
		return caseRevision(t, filepath.Join("../testdata", dir, variant, part))
	}
	ch, err := render.Diff(side(base), side(head))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]finding.Finding{}
	for _, f := range verdict(t)(Check(context.Background(), ch, opt)).Findings {
		if have, ok := out[f.Rule+" of "+f.Workload]; !ok || have.Status == finding.Fixed {
			out[f.Rule+" of "+f.Workload] = f
		}
	}
	return out
}
