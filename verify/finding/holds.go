package finding

import (
	"fmt"
	"slices"
)

// Premised words a finding that rests on there being no further device, or on nodes of a size, or full, or tainted.
func (f *Finding) Premised(premise string) {
	f.Certainty = Possible
	f.While(premise, "cluster.nodes, cluster.nodePools or --snapshot")
}

// Unlent words a finding that rests on there being no further ClusterQueue of a cohort, or Cohort, that lends: they may
// be in another repository. It is no error.
func (f *Finding) Unlent(cohort string) {
	f.AtMostWarning()
	f.While("no other ClusterQueue lends to cohort "+cohort, "cluster.nodes, cluster.nodePools or --snapshot")
}

// Translated words a finding that rests on a ClusterQueue covering none of an extended resource: Kueue's own
// configuration, which is not read, says which resources it converts and which it leaves out.
func (f *Finding) Translated(resource string) {
	f.AtMostWarning()
	f.While("Kueue's configuration neither transforms nor leaves out "+resource, "")
}

// While adds a condition, in the message as well.
func (f *Finding) While(what, declare string) {
	f.Holds = append(f.Holds, Condition{what, declare})
	f.Message += " (while " + what + ")"
}

// Together words a finding that rests on two releases running in one cluster, which is not declared. It is no error.
func (f *Finding) Together(a, b string) {
	f.AtMostWarning()
	f.While(fmt.Sprintf("the releases %s and %s run in one cluster", a, b), "cluster.releases")
}

// OnTrust reports whether a finding rests on two releases running in one cluster, see [Finding.Together].
func (f *Finding) OnTrust() bool {
	return slices.ContainsFunc(f.Holds, func(c Condition) bool { return c.Declare == "cluster.releases" })
}

// AtMostWarning lowers the severity of a finding that rests on undeclared facts.
func (f *Finding) AtMostWarning() {
	if f.Severity == "error" {
		f.Severity = "warning"
	}
}
