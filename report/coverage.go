package report

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// tally counts what a result holds.
type tally struct {
	fresh, worsened, existing, fixed, waived int    // fresh are the new and the worsened ones
	causes                                   int    // of fresh ones
	by                                       [6]int // fresh ones by severity: three numbers of new ones, three of worsened
}

func tallyOf(r *finding.Result) tally {
	n := func(id finding.OutcomeID) int { return r.Counts()[id.Of().Output] }
	t := tally{worsened: n(finding.WorseFinding), existing: n(finding.OldFinding), fixed: n(finding.FixedBy),
		waived: n(finding.WaivedBy)}
	t.fresh = n(finding.NewFinding) + t.worsened
	fresh, existing, _ := byStatus(r.Findings)
	now, _ := causes(fresh, existing)
	t.causes = len(now)
	for i := range fresh {
		at := severityRank(fresh[i].Severity)
		if fresh[i].Status == finding.Worsened {
			at += 3
		}
		t.by[at]++
	}
	return t
}

// nouns are what tally.by counts.
func nouns(what string) []string {
	var out []string
	for _, status := range []string{"new", "worsened"} {
		for _, severity := range []string{"error", "warning", "note"} {
			out = append(out, strings.NewReplacer("STATUS", status, "SEVERITY", severity).Replace(what))
		}
	}
	return out
}

// counted lists what is counted of some, by nouns.
func (t tally) counted(from, to int, what string) string {
	var out []string
	for i, noun := range nouns(what)[from:to] {
		if n := t.by[from+i]; n > 0 {
			out = append(out, count(n, noun))
		}
	}
	return strings.Join(out, ", ")
}

// news counts new findings and, if there are any, worsened ones: "1 new finding", "1 new and 2 worsened findings".
func (t tally) news() string {
	switch {
	case t.worsened == 0:
		return count(t.fresh, "new finding")
	case t.worsened == t.fresh:
		return count(t.worsened, "worsened finding")
	}
	return fmt.Sprintf("%s new and %s", thousands(t.fresh-t.worsened), count(t.worsened, "worsened finding"))
}

// String lists the counts: "1 new finding (1 error), 1 worsened (1 error), 2 existing, 0 fixed, 1 waived".
func (t tally) String() string {
	s := count(t.fresh-t.worsened, "new finding")
	if by := t.counted(0, 3, "SEVERITY"); by != "" {
		s += " (" + by + ")"
	}
	if t.worsened > 0 {
		s += fmt.Sprintf(", %s worsened (%s)", thousands(t.worsened), t.counted(3, 6, "SEVERITY"))
	}
	return s + fmt.Sprintf(", %s existing, %s fixed, %s waived",
		thousands(t.existing), thousands(t.fixed), thousands(t.waived))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// coverageSentence says what was explored, and never more.
func coverageSentence(c *finding.Coverage) string {
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
		runs = fmt.Sprintf(" Random runs took %s at the declared size: they find, and show nothing by not finding.",
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
func undecided(r *finding.Result) []finding.Workload {
	var out []finding.Workload
	for _, w := range r.Workloads {
		if w.Verdict == finding.Inconclusive || w.Verdict == finding.Errored {
			out = append(out, w)
		}
	}
	return out
}
