package verify

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// switchedLast puts the slices of charts that were switched on behind all others: where time runs
// out, it is theirs.
func switchedLast(picked []*slice.Slice, head *object.Revision) []*slice.Slice {
	with := settings(head)
	var first, last []*slice.Slice
	for _, sl := range picked {
		if with[sl.Release] == "" {
			first = append(first, sl)
		} else {
			last = append(last, sl)
		}
	}
	return append(first, last...)
}

// settings are those with which charts were rendered that nobody declared with them, by release.
func settings(head *object.Revision) map[string]string {
	out := map[string]string{}
	for _, r := range head.Releases {
		if r.Switched != "" {
			out[r.ID] = r.Switched
		}
	}
	return out
}

// hedgeSwitched words what is found of such a chart: it holds for who installs the chart so, and
// is no error. What base had as well is not said: nobody asked for that part of the chart.
func (a *analysis) hedgeSwitched(head *object.Revision) {
	with := settings(head)
	a.result.Findings = slices.DeleteFunc(a.result.Findings, func(f finding.Finding) bool {
		return with[f.Release] != "" && f.Status == finding.Existing
	})
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		if with[f.Release] == "" {
			continue
		}
		if f.Severity == string(rules.Error) {
			f.Severity = string(rules.Warning)
		}
		f.Message = fmt.Sprintf("with %s, %s", with[f.Release], f.Message)
	}
	judge.SortFindings(a.result.Findings)
}
