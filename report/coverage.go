package report

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// tally counts what a result holds.
type tally struct {
	fresh, existing, fixed, waived int
	errors, warnings, notes        int // of the new ones
	causes                         int // of the new ones
}

func tallyOf(r *verify.Result) tally {
	t := tally{waived: len(r.Waived)}
	fresh, existing, _ := byStatus(r.Findings)
	now, _ := causes(fresh, existing)
	t.causes = len(now)
	for i := range r.Findings {
		f := &r.Findings[i]
		switch f.Status {
		case finding.Existing:
			t.existing++
			continue
		case finding.Fixed:
			t.fixed++
			continue
		}
		t.fresh++
		switch severityRank(f.Severity) {
		case 0:
			t.errors++
		case 1:
			t.warnings++
		default:
			t.notes++
		}
	}
	return t
}

// String lists the counts: "1 new finding (1 error), 2 existing, 0 fixed, 1 waived".
func (t tally) String() string {
	s := count(t.fresh, "new finding")
	if t.fresh > 0 {
		var by []string
		for _, p := range []struct {
			n    int
			noun string
		}{{t.errors, "error"}, {t.warnings, "warning"}, {t.notes, "note"}} {
			if p.n > 0 {
				by = append(by, count(p.n, p.noun))
			}
		}
		s += " (" + strings.Join(by, ", ") + ")"
	}
	return s + fmt.Sprintf(", %s existing, %s fixed, %s waived",
		thousands(t.existing), thousands(t.fixed), thousands(t.waived))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// coverageSentence says what was explored, and never more.
func coverageSentence(c *verify.Coverage) string {
	if c.Topologies == 0 && c.States == 0 {
		return "Nothing was explored."
	}
	size := fmt.Sprintf("%s of up to %s and %s, at most %s on a run (%s, %s)",
		count(c.Topologies, "topology"), count(c.MaxNodes, "node"), count(c.MaxPods, "pod"),
		count(c.MaxEvents, "event"), count(c.States, "state"), count(c.Transitions, "transition"))
	runs := ""
	if n := len(c.Swarmed); n > 0 {
		steps := uint64(0)
		for _, s := range c.Swarmed {
			steps += s.Steps
		}
		runs = fmt.Sprintf(" Runs in drawn orders took %s at the declared size: they find, and show nothing by not finding.",
			count(steps, "step"))
	}
	why, limited := map[string]string{
		"time": "the time budget", "memory": "the memory budget", "states": "the state budget",
	}[c.Bound]
	switch {
	case c.Bound == "complete":
		return "Every interleaving was explored on " + size + ". No claim beyond this bound." + runs
	case limited:
		return "Not every interleaving was explored: " + why + " ended the search on " + size +
			". What it did not reach may hold violations." + runs
	}
	return "Explored: " + size + "; ended by: " + Plain(c.Bound, 60) + "." + runs
}

// undecided are the workloads that have no verdict.
func undecided(r *verify.Result) []verify.Workload {
	var out []verify.Workload
	for _, w := range r.Workloads {
		if w.Verdict == verify.Inconclusive || w.Verdict == verify.Errored {
			out = append(out, w)
		}
	}
	return out
}
