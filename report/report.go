// Package report writes a verdict, one surface per file: text, JSON, SARIF, Code Quality,
// JUnit, pull request comment, job summary, annotations, HTML.
//
// A surface adds words to a [finding.Result] and nothing else: whatever stands in the
// output stands in the result, in the rules' help or in the surface's own fixed text.
// Everything in a result is taken to be hostile; each surface escapes it for its own
// language. Surfaces do not decide: what gates, and with which exit code, is the
// caller's.
package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// InformationURI is where the tool is at home.
const InformationURI = "https://github.com/kubesettle/kubesettle"

// Rule is a rule as surfaces explain it. All prose is Markdown.
type Rule struct {
	ID       string
	Class    string
	Title    string   // a clause without a full stop
	Severity string   // error, warning, note
	Real     string   // is it real?
	Bad      string   // how bad is it?
	Now      string   // what now?
	Sources  []string // public addresses
	Own      bool     // the user's: it stands in no documentation of ours
}

// answer is a part of a rule's help: a reader's question, and what is said to it.
type answer struct{ title, text string }

// answers are a rule's help in the order in which a reader asks.
func (r Rule) answers() []answer {
	var out []answer
	for _, a := range []answer{{"Is it real?", r.Real}, {"How bad is it?", r.Bad}, {"What now?", r.Now}} {
		if strings.TrimSpace(a.text) != "" {
			out = append(out, a)
		}
	}
	return out
}

// Rules lists the rules of this build in report order.
func Rules() []Rule {
	var out []Rule
	for _, r := range rules.All() {
		if r.ID == "" {
			continue
		}
		out = append(out, Rule{
			ID: r.ID, Class: string(r.Class), Title: r.Title, Severity: string(r.Severity),
			Real: r.Help.Real, Bad: r.Help.Bad, Now: r.Help.Now, Sources: r.Help.Sources,
		})
	}
	return out
}

// rulesOr gives rules, or those of this build where there are none.
func rulesOr(rules []Rule) []Rule {
	if rules == nil {
		return Rules()
	}
	return rules
}

// titleOf gives the title of a rule, or "" for a rule of the user's own.
func titleOf(rules []Rule, id string) string {
	for _, r := range rules {
		if r.ID == id {
			return r.Title
		}
	}
	return ""
}

// ordered sorts findings worst first: new before existing before fixed, then by
// severity, certainty, timing, scale, clusters and name. It does not change its argument.
func ordered(fs []finding.Finding) []finding.Finding {
	out := slices.Clone(fs)
	slices.SortStableFunc(out, func(a, b finding.Finding) int {
		return cmp.Or(
			cmp.Compare(statusRank(a.Status), statusRank(b.Status)),
			cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
			cmp.Compare(rank(a.Certainty != finding.Inevitable), rank(b.Certainty != finding.Inevitable)),
			cmp.Compare(rank(a.Timing == "arbitrary"), rank(b.Timing == "arbitrary")),
			cmp.Compare(rank(!a.AtDeclaredScale), rank(!b.AtDeclaredScale)),
			slices.Compare(a.Clusters, b.Clusters),
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Workload, b.Workload),
			strings.Compare(a.Release, b.Release),
			strings.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	return out
}

func statusRank(s finding.Status) int {
	switch s {
	case finding.Existing:
		return 1
	case finding.Fixed:
		return 2
	}
	return 0 // new, and what a later version calls otherwise
}

func severityRank(s string) int {
	switch s {
	case "warning":
		return 1
	case "note":
		return 2
	}
	return 0
}

func rank(later bool) int {
	if later {
		return 1
	}
	return 0
}

// declaredAt is where a rule of the user's own stands, or nil.
func declaredAt(f *finding.Finding) *finding.Location {
	for i := range f.Locations {
		if f.Locations[i].Attribution == "policy" {
			return &f.Locations[i]
		}
	}
	return nil
}

// byStatus splits ordered findings.
func byStatus(fs []finding.Finding) (fresh, existing, fixed []finding.Finding) {
	for _, f := range ordered(fs) {
		switch f.Status {
		case finding.Existing:
			existing = append(existing, f)
		case finding.Fixed:
			fixed = append(fixed, f)
		default:
			fresh = append(fresh, f)
		}
	}
	return fresh, existing, fixed
}
