package report

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// verdictSentence says the verdict in one sentence that claims no more than was done.
func verdictSentence(r *finding.Result) string {
	t := tallyOf(r)
	switch r.Verdict {
	case finding.Fail:
		return capital(subject(r)) + " is blocked." + openSentence(r)
	case finding.Errored:
		return unanalysedSentence(r, t)
	case finding.Inconclusive:
		found := "No new violation was found, but "
		switch open := openReleases(r); {
		case open > 0 && len(undecided(r)) == 0:
			if t.fresh > 0 {
				found = capital(count(t.fresh, "new finding")) + " found, and "
			}
			return found + "the change may reach unknown parts in " + count(open, "release") + "."
		case len(r.Workloads) == 0:
			if b := brokenBeforeIn(r); b.absent+b.renders > 0 {
				return "Nothing that the change touches could be analysed."
			}
			return "Nothing that the change touches could be analysed, on base or on head."
		}
		if t.fresh > 0 {
			found = capital(t.news()) + " found, and "
		}
		if r.Coverage.Bound == "complete" && len(undecided(r)) == 0 {
			if n := missing(r); n > 0 {
				return found + count(n, "changed release") + " could not be analysed."
			}
			return found + "not all that changes could be analysed."
		}
		if r.Coverage.Bound == "complete" {
			return found + fmt.Sprintf("%s could not be decided.", count(len(undecided(r)), "workload"))
		}
		return found + "the search ended before everything within the bound was explored."
	case finding.Pass:
		switch {
		case t.fresh > 0:
			does := english.PluralWord(t.fresh, "it does", "they do")
			return fmt.Sprintf("%s; %s not block %s.", capital(t.news()), does, subject(r))
		case len(r.Workloads) == 0 && isCheck(r):
			return sentence(noneChanged(r) + ", so there was nothing to check")
		case len(r.Workloads) == 0:
			return "There is no workload in it, so there was nothing to check."
		}
		return "No new violation was found within the bound." + openSentence(r)
	}
	return "The verdict is " + Plain(string(r.Verdict), 60) + "."
}

// unanalysedSentence says what was not analysed, and what the rest shows.
func unanalysedSentence(r *finding.Result, t tally) string {
	if len(r.Releases) == 0 {
		return "Nothing was found to check: no chart, kustomization or Kubernetes manifest; give the path of one."
	}
	if len(r.Workloads) == 0 {
		return capital(subject(r)) + " could not be analysed, so there is no verdict on it."
	}
	missed := missedReleases(r)
	rest := "no new violation was found in the rest"
	if t.fresh > 0 {
		rest = t.news() + " in the rest"
	}
	return fmt.Sprintf("%s could not be analysed, so there is no verdict on %s; %s.",
		capital(count(missed, "release")), english.PluralWord(missed, "it", "them"), rest)
}

// missedReleases counts the releases that hold the change up.
func missedReleases(r *finding.Result) int {
	n := 0
	for i := range r.Releases {
		if r.Releases[i].HoldsUp() {
			n++
		}
	}
	return n
}

// missing counts the changed releases that have no result, whether the change is the reason or not.
func missing(r *finding.Result) int {
	n := 0
	for i := range r.Releases {
		if r.Releases[i].Changed && r.Releases[i].Missing() {
			n++
		}
	}
	return n
}

// openReleases counts those of which the change may reach a part that is unknown.
func openReleases(r *finding.Result) int {
	n := 0
	for i := range r.Releases {
		if r.Releases[i].Open() {
			n++
		}
	}
	return n
}

// openSentence says what else is open where a finding alone holds the change back, or "".
func openSentence(r *finding.Result) string {
	var open []string
	if n := missedReleases(r); n > 0 {
		open = append(open, count(n, "release")+" could not be analysed")
	}
	if n := len(undecided(r)); n > 0 {
		open = append(open, count(n, "workload")+" could not be decided")
	}
	if n := openReleases(r); n > 0 {
		open = append(open, count(n, "release")+" could be analysed in part only")
	}
	if len(open) == 0 {
		return ""
	}
	return " " + capital(strings.Join(open, ", and ")) + "."
}

// isCheck reports whether there was a base to compare with.
func isCheck(r *finding.Result) bool { return r.Base.Name != "" || r.Base.Commit != "" }

func subject(r *finding.Result) string {
	if isCheck(r) {
		return "this change"
	}
	return "this state"
}

// failedReleases are those that the change touches and that have no result, or no
// baseline, because of it.
func failedReleases(r *finding.Result) []finding.ReleaseResult {
	var out []finding.ReleaseResult
	for _, rel := range r.Releases {
		if rel.HoldsUp() || rel.Open() || rel.Changed && rel.Status == "failed-base" {
			out = append(out, rel)
		}
	}
	return out
}

// namedReleases is how many releases a counted line names.
const namedReleases = 5

// brokenBefore are the releases that the change touches and that base does not render either.
type brokenBefore struct {
	names       []string
	why, remedy string // of the first one
	late        bool   // for want of time, all of them
	absent      int    // are new: base has no such release
	renders     int    // have a result on base
	alone       bool   // there is no base
}

func brokenBeforeIn(r *finding.Result) brokenBefore {
	out := brokenBefore{late: true, alone: !isCheck(r)}
	for i := range r.Releases {
		rel := &r.Releases[i]
		if !rel.Changed || !rel.Missing() || !rel.Before {
			continue
		}
		out.late = out.late && rel.Cut
		switch rel.OnBase {
		case "absent":
			out.absent++
		case "renders":
			out.renders++
		}
		if out.names = append(out.names, line(rel.ID)); len(out.names) == 1 {
			out.why, out.remedy = sentence(strings.TrimPrefix(rel.Reason, rel.ID+": ")), sentence(rel.Remedy) // with its place
		}
	}
	if len(out.names) > 1 {
		out.why = sentence("the first one: " + out.why)
	}
	return out
}

// who counts the releases and names at most so many; "" for none.
func (b brokenBefore) who(limit int) string {
	if len(b.names) == 0 {
		return ""
	}
	return b.counted() + ": " + some(b.names, limit)
}

// counted counts the releases, and says no more of base than holds.
func (b brokenBefore) counted() string {
	n := len(b.names)
	switch {
	case b.absent == n:
		return count(n, "new release") + " " + b.status()
	case b.absent > 0:
		return fmt.Sprintf("%s %s, %s of them new", count(n, "release"), b.status(), thousands(b.absent))
	default:
		return count(n, "release") + " " + b.status()
	}
}

// status is what became of them: on either side is said only where both have them.
func (b brokenBefore) status() string {
	if b.alone || b.absent+b.renders > 0 {
		return "not analysed"
	}
	return "not analysed on either side"
}

// String is all of it, as sentences; "" for none.
func (b brokenBefore) String() string {
	s := sentence(b.who(namedReleases))
	if s == "" || b.why == "" {
		return s
	}
	if s += " " + b.why; b.remedy != "" {
		s += " What to do: " + b.remedy
	}
	return s
}

// untouched counts the releases that the change does not touch; "" for none.
func untouched(r *finding.Result) string {
	all, silent := 0, 0
	for i := range r.Releases {
		if rel := &r.Releases[i]; !rel.Changed {
			all++
			if rel.Missing() || rel.Status == "failed-base" {
				silent++
			}
		}
	}
	if all == 0 || !isCheck(r) {
		return ""
	}
	s := count(all, "release") + " untouched"
	if silent > 0 {
		s += fmt.Sprintf(", %s %s not render", english.PluralWord(all, "which", fmt.Sprintf("%d of them", silent)),
			english.PluralWord(silent, "does", "do"))
	}
	return sentence(s)
}

// releaseStatus words the status of a release.
func releaseStatus(rel *finding.ReleaseResult) string {
	var s string
	switch rel.Status {
	case "failed-head":
		s = "failed to render on head"
	case "failed-base":
		return "failed to render on base; its findings have no baseline"
	case "skipped":
		s = "skipped"
	case "partial":
		s = "analysed in part"
	case "unclaimed":
		s = "a change that belongs to no release"
	default:
		return Plain(rel.Status, 60)
	}
	return s
}

// releaseReason is why a release has no result, without the place that is said beside it.
func releaseReason(rel *finding.ReleaseResult) string {
	s := rel.Reason
	if l := rel.Where; l != nil && l.File != "" {
		s = strings.TrimPrefix(s, fileLine(l.File, l.StartLine)+": ")
	}
	return sentence(strings.TrimPrefix(s, rel.ID+": "))
}
