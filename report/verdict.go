package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify"
)

// verdictSentence says the verdict in one sentence that claims no more than was done.
func verdictSentence(r *verify.Result) string {
	t := tallyOf(r)
	switch r.Verdict {
	case verify.Fail:
		return capital(subject(r)) + " is held back." + openSentence(r)
	case verify.Errored:
		return unanalysedSentence(r, t)
	case verify.Inconclusive:
		found := "No new violation was found, but "
		if t.fresh > 0 {
			found = capital(count(t.fresh, "new finding")) + " found, and "
		}
		if r.Coverage.Bound == "complete" {
			return found + fmt.Sprintf("%s could not be decided.", count(len(undecided(r)), "workload"))
		}
		return found + "the search ended before everything within the bound was explored."
	case verify.Pass:
		switch {
		case t.fresh > 0:
			return fmt.Sprintf("%s that %s not hold %s back.", capital(count(t.fresh, "new finding")), plural(t.fresh, "does", "do"), subject(r))
		case len(r.Workloads) == 0 && isCheck(r):
			return "No workload changed, so there was nothing to check."
		case len(r.Workloads) == 0:
			return "There is no workload in it, so there was nothing to check."
		}
		return "No new violation was found within the bound."
	}
	return "The verdict is " + Plain(string(r.Verdict), 60) + "."
}

// unanalysedSentence says what was not analysed, and what the rest shows.
func unanalysedSentence(r *verify.Result, t tally) string {
	if len(r.Releases) == 0 {
		return "Nothing was found to check: no chart, no kustomization and no Kubernetes manifest."
	}
	if len(r.Workloads) == 0 {
		return capital(subject(r)) + " could not be analysed, so nothing is said about it."
	}
	missed := missedReleases(r)
	rest := "no new violation was found in the rest"
	if t.fresh > 0 {
		rest = count(t.fresh, "new finding") + " in the rest"
	}
	return fmt.Sprintf("%s could not be analysed, so nothing is said about %s; %s.",
		capital(count(missed, "release")), plural(missed, "it", "them"), rest)
}

// missedReleases counts the releases that hold the change up.
func missedReleases(r *verify.Result) int {
	n := 0
	for i := range r.Releases {
		if holdsUp(&r.Releases[i]) {
			n++
		}
	}
	return n
}

// openSentence says what else is open where a finding alone holds the change back, or "".
func openSentence(r *verify.Result) string {
	var open []string
	if n := missedReleases(r); n > 0 {
		open = append(open, count(n, "release")+" could not be analysed")
	}
	if n := len(undecided(r)); n > 0 {
		open = append(open, count(n, "workload")+" could not be decided")
	}
	if len(open) == 0 {
		return ""
	}
	return " " + capital(strings.Join(open, ", and ")) + "."
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// isCheck says whether there was a base to compare with.
func isCheck(r *verify.Result) bool { return r.Base.Name != "" || r.Base.Commit != "" }

func subject(r *verify.Result) string {
	if isCheck(r) {
		return "this change"
	}
	return "this state"
}

// holdsUp says whether a release is one that the change touches and that has no result.
func holdsUp(rel *verify.ReleaseResult) bool {
	return rel.Changed && (rel.Status == "failed-head" || rel.Status == "skipped")
}

// failedReleases are those that did not render on both sides, first the ones that the
// change touches.
func failedReleases(r *verify.Result) []verify.ReleaseResult {
	var out []verify.ReleaseResult
	for _, rel := range r.Releases {
		if rel.Status != "ok" {
			out = append(out, rel)
		}
	}
	slices.SortStableFunc(out, func(a, b verify.ReleaseResult) int { return rank(!a.Changed) - rank(!b.Changed) })
	return out
}

// releaseStatus words the status of a release.
func releaseStatus(rel *verify.ReleaseResult) string {
	var s string
	switch rel.Status {
	case "failed-head":
		s = "failed to render on head"
		if !rel.Changed {
			s = "does not render"
		}
	case "failed-base":
		return "failed to render on base; its findings have no baseline"
	case "skipped":
		s = "skipped"
	default:
		return Plain(rel.Status, 60)
	}
	if !rel.Changed {
		s += "; the change does not touch it"
	}
	return s
}

// releaseReason is why a release has no result, without the place that is said beside it.
func releaseReason(rel *verify.ReleaseResult) string {
	s := rel.Reason
	if l := rel.Where; l != nil && l.File != "" {
		s = strings.TrimPrefix(s, fileLine(l.File, l.StartLine)+": ")
	}
	return sentence(s)
}
