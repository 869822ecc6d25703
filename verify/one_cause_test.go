package verify

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// One cause is one finding, over everything in testdata: what blames the same fields of one object, and what a
// counterexample shows of another rule beside its own, has one cause. This is told from what the surfaces get, pictures
// included, and not from the searches. No finding is lost for it, and the gate stands as if there were no causes.
func TestOneCauseIsOneFinding(t *testing.T) {
	several, held := 0, 0
	for _, c := range documentedCases {
		for _, m := range modes {
			run := caseIn(t, filepath.Join("../testdata", c.dir, "violating"), m)
			r, own := run.result, run.policy
			where := c.dir + ", " + m.name
			hits(t, where, r.Findings)
			causes := finding.ByCause(r.Findings)
			for _, group := range causes {
				if len(group) > 1 {
					several++
				}
			}
			for i := range r.Findings {
				for j := range r.Findings {
					a, b := &r.Findings[i], &r.Findings[j]
					if i == j || a.Release != b.Release || a.Status == finding.Fixed || b.Status == finding.Fixed || !sameBlame(a, b) && !shownIn(a, b) {
						continue
					}
					if held++; a.Cause == "" || a.Cause != b.Cause {
						t.Errorf("%s: %s of %s and %s of %s have one cause", where, a.Rule, a.Workload, b.Rule, b.Workload)
					}
				}
			}
			gates := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return own.Gate.Fails(&f) })
			if gates != (r.Verdict == finding.Fail) && r.Verdict != finding.Inconclusive && r.Verdict != finding.Errored {
				t.Errorf("%s: %s, and a finding gates: %v", where, r.Verdict, gates)
			}
		}
	}
	t.Logf("%d causes of several findings, %d pairs", several, held)
	if several < 20 || held < 10 {
		t.Errorf("%d causes of several findings, %d pairs: the test has lost its teeth", several, held)
	}
}

// hits holds that each finding is the gravest of its cause or is named by that, and once.
func hits(t *testing.T, where string, fs []finding.Finding) {
	t.Helper()
	named := map[string]int{}
	id := func(rule, workload, release, cause string) string {
		return fmt.Sprint(rule, "|", workload, "|", release, "|", cause)
	}
	for i := range fs {
		for _, h := range fs[i].Hits {
			named[id(h.Rule, h.Workload, h.Release, fs[i].Fingerprint)]++
		}
	}
	for i := range fs {
		f := &fs[i]
		if f.Cause == "" || len(f.Hits) > 0 {
			continue
		}
		k := id(f.Rule, f.Workload, f.Release, f.Cause)
		if named[k]--; named[k] < 0 {
			t.Errorf("%s: nobody names %s of %s", where, f.Rule, f.Workload)
		}
	}
	for k, n := range named {
		if n != 0 {
			t.Errorf("%s: %s is named %d times too often", where, k, n)
		}
	}
}

// sameBlame reports whether two findings blame the same fields of the same objects.
func sameBlame(a, b *finding.Finding) bool {
	of := func(f *finding.Finding) []string {
		var out []string
		for _, x := range f.Blame {
			if x.Path == "" {
				return nil
			}
			out = append(out, x.Object+" "+x.Path)
		}
		slices.Sort(out)
		return out
	}
	return a.Status == b.Status && len(a.Blame) > 0 && of(a) != nil && slices.Equal(of(a), of(b))
}

// shownIn reports whether the picture of one run shows what another finding is about: its replicas at or below where
// they fall, or its pods still pending when the run has come to rest.
func shownIn(a, b *finding.Finding) bool {
	var fallsTo, floor int
	var name string
	falls, _ := fmt.Sscanf(a.Message, "ready replicas of %s can fall to %d, below the floor of %d", &name, &fallsTo, &floor)
	for i := range b.Interleaving {
		after := b.Interleaving[i].After
		if after == nil {
			return false
		}
		if falls == 3 && i > 0 {
			ready := func(s *finding.Snapshot) int {
				k := slices.IndexFunc(s.Workloads, func(w finding.WorkloadSnapshot) bool { return w.Workload == a.Workload })
				if k < 0 {
					return floor
				}
				return s.Workloads[k].Ready
			}
			if before := b.Interleaving[i-1].After; a.Scenario == b.Scenario && before != nil && ready(before) > fallsTo && ready(after) <= fallsTo {
				return true
			}
		}
	}
	if n := len(b.Interleaving); n > 0 && a.Rule == "unschedulable" && b.Rule == "rollout-stuck" && b.CycleStart == nil {
		return a.Workload == b.Workload && b.Interleaving[n-1].Action == "no-feasible-node"
	}
	return false
}
