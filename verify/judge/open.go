package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// open are the questions about one finding that searches did not last to answer. Undecided is neither yes nor no: the
// finding has the severity that is sure, and where the answers could make it an error, its workload is inconclusive.
type open struct {
	questions []string
	capped    bool // the finding is no error whatever the answers are
}

// ask takes in an answer, and gives it back.
func (o *open) ask(a scenario.Answer, question string) scenario.Answer {
	if a == scenario.Undecided {
		o.questions = append(o.questions, question)
	}
	return a
}

// atMostWarning is the severity of a finding that rests on undeclared facts.
func (o *open) atMostWarning(s rules.Severity) rules.Severity {
	o.capped = true
	return atMostWarning(s)
}

// why says why a finding may be an error and is none; "": it is one, or cannot be.
func (d *Judge) why(o *open, j judged, f *finding.Finding, was finding.Finding) string {
	if len(o.questions) == 0 || o.capped || f.Status == finding.Existing || f.Severity == string(rules.Error) {
		return ""
	}
	was.AtDeclaredScale = true
	if was.Certainty == finding.Unknown {
		was.Certainty = finding.Inevitable
	}
	if d.unlessFailed(j.Violation, severity(j.Violation, was, d.Assumed)) != rules.Error {
		return ""
	}
	return fmt.Sprintf("%s at %d nodes: not searched far enough to tell %s",
		f.Rule, j.Topology().Total(), strings.Join(o.questions, ", nor "))
}

// asked is a finding of which the provisos are asked.
type asked struct {
	d   *Judge
	ctx context.Context
	j   judged
	f   *finding.Finding
	on  string // what it rests on, as the proviso at hand found it
}

// proviso is something that a finding rests on beside its run: while it holds the finding is a warning at most,
// whatever is answered to the open questions.
type proviso struct {
	holds func(x *asked) bool
	say   func(x *asked) // says so in the finding
}

// provisos are all of them, in the order in which a finding says them.
var provisos = []proviso{
	{ // a fast loop sleeps through a slow one
		func(x *asked) bool { return !x.d.Checker.Paced(x.ctx, x.j.Violation) },
		func(x *asked) { x.f.Timing = "arbitrary" },
	},
	{
		func(x *asked) bool { return slices.Contains(x.j.Happened, "controller-restart") },
		func(x *asked) { x.f.Timing = "crash" },
	},
	{
		func(x *asked) bool { return slices.Contains(x.j.Happened, "stale-view") },
		func(x *asked) {
			if x.f.Timing == "crash" {
				x.f.Timing = "crash and stale"
			} else {
				x.f.Timing = "stale"
			}
		},
	},
	{
		func(x *asked) bool { return x.j.Cold },
		func(x *asked) { x.f.Message += "; only a cluster that starts from nothing leads there, not the change" },
	},
	{
		func(x *asked) bool { return x.j.OnAssumed() != nil },
		func(x *asked) {
			x.f.Message += fmt.Sprintf(" (if %s, which is not among the objects, is ReadWriteOnce)", x.j.OnAssumed().ID())
		},
	},
	{
		func(x *asked) bool { return x.j.Idle() > 0 },
		func(x *asked) {
			x.f.While(fmt.Sprintf("pods without load use %d%% of the memory that they ask for", x.j.Idle()),
				"events.loadChange.idleMemory")
		},
	},
	{ // base was not searched far enough, or an autoscaler repairs it once more after each apply
		func(x *asked) bool { return x.j.unsure || x.j.Retakes() },
		func(*asked) {},
	},
	{
		func(x *asked) bool {
			if x.on = ""; x.d.Assumed {
				x.on = x.d.Checker.RestsOnCohort(x.ctx, x.j.Violation)
			}
			return x.on != ""
		},
		func(x *asked) { x.f.Unlent(x.on) },
	},
	{
		func(x *asked) bool {
			x.on = x.d.Checker.RestsOnUncovered(x.ctx, x.j.Violation)
			return x.on != ""
		},
		func(x *asked) { x.f.Translated(x.on) },
	},
}
