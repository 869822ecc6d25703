package verify

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// onTrust keeps of the findings of a slice those that count where it has objects of other releases of which nobody says
// that they run in its cluster: what the change breaks with them and not without. They are warnings at most. What is
// broken without them is told as if they were not there: a neighbour excuses nothing.
func (a *analysis) onTrust(sl *slice.Slice, found []finding.Finding) []finding.Finding {
	others := sl.OnTrust()
	if len(others) == 0 {
		return found
	}
	stands := func(f finding.Finding) bool { return f.Status == finding.New || f.Status == finding.Worsened }
	var out []finding.Finding
	for _, f := range found {
		same := func(g finding.Finding) bool {
			return g.Rule == f.Rule && g.Workload == f.Workload && g.Release == f.Release
		}
		if !stands(f) || slices.ContainsFunc(a.result.Findings, func(g finding.Finding) bool {
			return same(g) && stands(g)
		}) {
			continue
		}
		a.result.Findings = slices.DeleteFunc(a.result.Findings, same) // existing, or fixed: not with the neighbours
		for _, id := range others {
			f.While(fmt.Sprintf("the releases %s and %s run in one cluster", sl.Release, id), "cluster.releases")
		}
		f.AtMostWarning()
		out = append(out, f)
	}
	return out
}
