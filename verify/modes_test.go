package verify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// mode is how much is declared of a pair of testdata.
type mode struct {
	name   string
	policy func(t testing.TB, own *policies.Policy) *policies.Policy
}

// modes are those of the page on coverage; a pair's own policy is the last one.
var modes = []mode{
	{"nothing declared", undeclared},
	{"nodes only", func(t testing.TB, own *policies.Policy) *policies.Policy {
		p := undeclared(t, own)
		if !own.Cluster.Assumed {
			p.Cluster = own.Cluster
		}
		return p
	}},
	asDeclared,
}

// asDeclared is a pair's own policy.
var asDeclared = mode{"policy", func(_ testing.TB, own *policies.Policy) *policies.Policy { return own }}

// undeclared is the policy of who has none. The configurations of controllers that a pair's own policy names lie in its
// repository, where they are found (see [render.Revision.ConfigFiles]).
func undeclared(t testing.TB, own *policies.Policy) *policies.Policy {
	t.Helper()
	p, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"))
	if err != nil {
		t.Fatal(err)
	}
	to, from := &p.Controllers, &own.Controllers
	to.Descheduler, to.DeschedulerPolicy, to.DeschedulerLines = from.Descheduler, from.DeschedulerPolicy, from.DeschedulerLines
	to.Scheduler, to.SchedulerConfig, to.SchedulerLines = from.Scheduler, from.SchedulerConfig, from.SchedulerLines
	return p
}

// told are the rules of what is new of a case in a mode, at warning or above.
func (m mode) told(t testing.TB, dir string) []string {
	t.Helper()
	return toldOf(caseIn(t, dir, m).result)
}

// toldOf are the rules of what is new of a result, at warning or above.
func toldOf(r *finding.Result) []string {
	var out []string
	for _, f := range r.Findings {
		if (f.Status == finding.New || f.Status == finding.Worsened) && f.Severity != "note" && !slices.Contains(out, f.Severity+" "+f.Rule) {
			out = append(out, f.Severity+" "+f.Rule)
		}
	}
	return out
}

// gravest words the gravest of what is told in the modes before the last, where the repaired variant
// tells nothing: what is told is then what was repaired.
func gravest(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, m := range modes[:len(modes)-1] {
		if noise := m.told(t, filepath.Join(dir, "repaired")); len(noise) > 0 {
			t.Errorf("%s repaired, %s: %s", dir, m.name, strings.Join(noise, ", "))
		}
		out = append(out, gravestOf(m.told(t, filepath.Join(dir, "violating"))))
	}
	return out
}

// gravestOf is the gravest severity of a list of rules with their severities; "": there is none.
func gravestOf(told []string) string {
	word := ""
	for _, s := range told {
		if severity, _, _ := strings.Cut(s, " "); word != "error" {
			word = severity
		}
	}
	return word
}
