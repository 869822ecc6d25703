package finding

import "slices"

// Outcome is one possible outcome of a finding, a workload, a release or a run, with its consequences: this is the only
// place that lists them. The table in README.md is generated from [Outcomes].
type Outcome struct {
	ID    OutcomeID
	Of    string // finding, workload, release or run
	Means string // a clause
	// Verdict is that of a result in which nothing is worse.
	Verdict Verdict
	Output  string // of the action, which counts it; "": none
	// Level is how urgent surfaces show it: error, warning or note; "severity" is the finding's own, "" is not at all.
	Level string
	Shown string // where in text, comment and HTML
	SARIF string // its form in SARIF
}

// OutcomeID names an [Outcome].
type OutcomeID string

// The outcomes, the worst of each kind first.
const (
	Gating       OutcomeID = "gating"
	NewFinding   OutcomeID = "new"
	WorseFinding OutcomeID = "worsened"
	OldFinding   OutcomeID = "existing"
	FixedBy      OutcomeID = "fixed"
	WaivedBy     OutcomeID = "waived"
	Undecided    OutcomeID = "undecided"
	NoModel      OutcomeID = "no model"
	Decided      OutcomeID = "decided"
	Refused      OutcomeID = "refused"
	Unfetchable  OutcomeID = "unfetchable"
	OutOfTime    OutcomeID = "out of time"
	BrokenAlike  OutcomeID = "broken on base too"
	InPart       OutcomeID = "analysed in part"
	Unclaimed    OutcomeID = "of no release"
	NoBaseline   OutcomeID = "no baseline"
	Gone         OutcomeID = "gone"
	Analysed     OutcomeID = "analysed"
	Nothing      OutcomeID = "nothing to check"
)

// Outcomes lists what can become of what a run looks at.
func Outcomes() []Outcome {
	return []Outcome{
		{Gating, "finding", "new or worsened, and at least as severe as `failOn`", Fail, "", "severity", "findings",
			"result"},
		{NewFinding, "finding", "base does not have it", Pass, "new-violations", "severity", "findings",
			"result, `new`"},
		{WorseFinding, "finding", "base has it, and head makes it worse", Pass, "worsened-violations", "severity", "findings",
			"result, `updated`"},
		{OldFinding, "finding", "base has it too, or the baseline file", Pass, "existing-violations", "note",
			"existing findings", "result, `unchanged`"},
		{FixedBy, "finding", "base has it, and head does not", Pass, "fixed-violations", "", "fixed findings", ""},
		{WaivedBy, "finding", "a waiver of base's policy covers it", Pass, "waived", "", "waived",
			"suppressed result"},
		{Undecided, "workload", "a search that ended early", Inconclusive, "", "warning", "not decided", "notification"},
		{NoModel, "workload", "of a kind without a model; inconclusive only if nothing else was searched", Inconclusive,
			"", "warning", "not decided", "notification"},
		{Decided, "workload", "searched to the end", Pass, "workloads-checked", "", "checked", ""},
		{Refused, "release", "head does not render because of the change; or it is new and has an error, or " +
			"needs a program or address that is refused", Errored, "releases-failed", "error", "not analysed", "notification"},
		{Unfetchable, "release", "new, and a part of it was not fetched", Inconclusive,
			"releases-failed", "note", "not checked", "notification"},
		{OutOfTime, "release", "the time budget ended before it was rendered", Inconclusive, "releases-failed", "note",
			"not checked", "notification"},
		{BrokenAlike, "release", "does not render on base either; inconclusive only if nothing else is left, or " +
			"if the change reaches a part that is not in the repository", Inconclusive, "releases-failed", "note", "not checked", "notification"},
		{InPart, "release", "the change may reach an unknown part of it", Inconclusive, "", "warning",
			"analysed in part", "notification"},
		{Unclaimed, "release", "a changed file with a workload, or with values, that belongs to no release", Inconclusive, "", "warning",
			"not analysed", "notification"},
		{NoBaseline, "release", "head renders and base does not: its findings have no baseline", Pass, "releases-failed",
			"warning", "not analysed", "notification"},
		{Gone, "release", "head no longer has it", Pass, "", "", "noted", "notification"},
		{Analysed, "release", "rendered on both sides, or not touched by the change", Pass, "", "", "checked", ""},
		{Nothing, "run", "no release at all, or only files of no release", Errored, "", "error", "verdict", ""},
	}
}

// Of is the entry of an outcome.
func (id OutcomeID) Of() Outcome {
	list := Outcomes()
	return list[slices.IndexFunc(list, func(o Outcome) bool { return o.ID == id })]
}

// Exit is the reason for an exit code.
type Exit struct {
	Code    int
	Verdict Verdict
	When    string
}

// Exits are the exit codes of results; 2 is that of a run that got none for its usage or configuration.
func Exits() []Exit {
	return []Exit{
		{1, Fail, "a finding gates"},
		{3, Errored, "something could not be analysed because of the change; not with `failOn: \"off\"`"},
		{4, Inconclusive, "something was not decided; with `onInconclusive: fail` alone"},
		{0, Pass, "nothing above"},
	}
}

func codeOf(v Verdict, g Gate) int {
	if v == Errored && g.FailOn == off || v == Inconclusive && g.OnInconclusive != "fail" {
		return 0
	}
	list := Exits()
	return list[slices.IndexFunc(list, func(e Exit) bool { return e.Verdict == v })].Code
}

// outcomeOf is what became of a finding that is not waived.
func outcomeOf(s Status) OutcomeID {
	switch s {
	case Existing:
		return OldFinding
	case Worsened:
		return WorseFinding
	case Fixed:
		return FixedBy
	}
	return NewFinding
}

// Outcome is what became of a workload.
func (w *Workload) Outcome() OutcomeID {
	switch {
	case w.Unmodeled:
		return NoModel
	case w.Verdict == Inconclusive, w.Verdict == Errored:
		return Undecided
	}
	return Decided
}

// Outcome is what became of a release.
func (r *ReleaseResult) Outcome() OutcomeID {
	switch {
	case r.HoldsUp():
		return Refused
	case r.Cut:
		return OutOfTime
	case r.Missing() && r.OnBase == "absent":
		return Unfetchable
	case r.Missing():
		return BrokenAlike
	case r.Status == "partial":
		return InPart
	case r.Status == "unclaimed":
		return Unclaimed
	case r.Status == "failed-base":
		return NoBaseline
	case r.Reason == RemovedOnHead:
		return Gone
	}
	return Analysed
}

// RemovedOnHead is the reason of a release that head has no more.
const RemovedOnHead = "removed on head"

// Counts are how often each output of [Outcomes] is counted: in the words of every surface, and in the outputs.
func (r *Result) Counts() map[string]int {
	out := map[string]int{}
	add := func(id OutcomeID) {
		if o := id.Of().Output; o != "" {
			out[o]++
		}
	}
	for _, f := range r.Findings {
		add(outcomeOf(f.Status))
	}
	for range r.Waived {
		add(WaivedBy)
	}
	for i := range r.Workloads {
		add(r.Workloads[i].Outcome())
	}
	for i := range r.Releases {
		add(r.Releases[i].Outcome())
	}
	return out
}
