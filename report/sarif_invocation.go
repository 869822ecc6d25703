package report

import (
	"fmt"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// sarifNotices bounds the notifications of one file.
const sarifNotices = 200

// sarifInvocation reports whether the run could decide, and what it could not: releases
// that failed, workloads without a verdict, notices, results left out.
func sarifInvocation(r *finding.Result, all, kept int, limit sarifLimit) *sarif.Invocation {
	inv := sarif.NewInvocation().WithExecutionSuccess(r.Verdict != finding.Errored)
	note := func(level, text string, l *finding.Location) {
		if len(inv.ToolExecutionNotifications) >= sarifNotices || text == "" {
			return
		}
		n := sarif.NewNotification().WithLevel(level).WithTextMessage(sarifEscape(clip(text, 2000)))
		if l != nil && uri(l.File) != "" {
			n.AddLocation(sarif.NewLocationWithPhysicalLocation(physical(*l)))
		}
		inv.AddTToolExecutionNotification(n)
	}
	if kept < all {
		note("warning", fmt.Sprintf("This file holds the %s that matter most of %s; the JSON and HTML reports hold all.",
			count(kept, "result"), thousands(all)), nil)
	}
	if limit.flows < kept {
		note("note", fmt.Sprintf("The interleaving is shown for the %s that matter most; the JSON and HTML reports show all.",
			count(limit.flows, "result")), nil)
	}
	for _, rel := range failedReleases(r) {
		text := fmt.Sprintf("Release '%s': %s. %s", line(rel.ID), releaseStatus(&rel), releaseReason(&rel))
		if rel.Remedy != "" {
			text += " What to do: " + sentence(rel.Remedy)
		}
		note(rel.Outcome().Of().Level, text, rel.Where)
	}
	for _, s := range []string{brokenBeforeIn(r).String(), untouched(r)} {
		if s != "" {
			note("note", s, nil)
		}
	}
	for _, w := range undecided(r) {
		note("warning", fmt.Sprintf("Workload '%s' is not decided: %s", line(w.ID), sentence(w.Reason)), nil)
	}
	for _, n := range r.Notices {
		note("note", sentence(NoteText(n)), nil)
	}
	note("note", coverageSentence(&r.Coverage), nil)
	return inv
}
