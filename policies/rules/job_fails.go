package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// failsOfDisruption is what never-replaced says of a Job of which no pod may fail: nothing evicts one of its pods, or
// deletes it on a node that is lost, as the Job fails for good then. What the Job controller deletes itself, or Kueue
// by suspending the Job, is no failure. It is mild: who tries once only may mean it.
//
// Upstream: kubernetes v1.36.3, pkg/controller/job: isPodFailed, deleteJobPods, syncJob.
func failsOfDisruption(c *state.Config, w int) Property {
	if m, _ := Newest(c, w); m == nil || !m.DiesOfDisruption() {
		return Property{}
	}
	return Property{
		Mild: true,
		BadStep: func(from, to state.State) bool {
			if from.VersionOf(w) != to.VersionOf(w) || !from.Manifest(w).Exists() || !from.Manifest(w).DiesOfDisruption() {
				return false
			}
			for _, p := range from.C.ClassesOf[w] {
				if disrupted(from, to, p) {
					return true
				}
			}
			return false
		},
		Unsure: func(s state.State) bool { return s.Manifest(w).Exists() && s.Manifest(w).AwaitsFailure() },
		Message: func(state.State) string {
			return fmt.Sprintf("%s can fail for good when one of its pods is evicted: it counts as failed, and backoffLimit 0 tries no other",
				FullName(c, w))
		},
		Fields: []string{"Workload:spec.backoffLimit"},
	}
}

// disrupted reports whether a step takes a pod of class p, of a Job, that its own controller wants.
func disrupted(from, to state.State, p int) bool {
	lost := from.Active(p) - to.Active(p)
	if lost <= 0 || to.Outstanding(p) != from.Outstanding(p) {
		return false
	}
	m := from.JobManifest(p)
	if m.Suspended() || from.Active(p) > min(m.Parallelism(), from.Outstanding(p)) {
		return false
	}
	return to.Evicted(p) == from.Evicted(p) && to.DisplacedOf(p) <= from.DisplacedOf(p)
}
