package judge

import (
	"fmt"
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

// atMostWarning is the severity of a finding that rests on what nobody declared.
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
