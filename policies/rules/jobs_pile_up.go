package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// mostOverrun is how many Jobs that never end a CronJob may have side by side: the third
// shows that nothing holds the next one back.
const mostOverrun = 2

// pilesUp is what runaway-scale says of a CronJob: its unfinished Jobs do not become more
// and more. A deadline bounds them, so that there it says nothing.
func pilesUp(c *state.Config, w int) Property {
	m, _ := Newest(c, w)
	if m == nil || c.Spec.Events.JobOverrun <= 0 || m.JobSpec().ActiveDeadlineSeconds != nil {
		return Property{}
	}
	return Property{
		BadStep: func(from, to state.State) bool {
			jobs := unfinishedJobs(to, w)
			return jobs > mostOverrun && jobs > unfinishedJobs(from, w)
		},
		Message: func(s state.State) string {
			return fmt.Sprintf("Jobs of %s can pile up without end: %d that never end run side by side, and nothing stops the next one",
				FullName(c, w), unfinishedJobs(s, w))
		},
		Fields: []string{"Workload:spec.concurrencyPolicy", "Workload:spec.schedule"},
	}
}

// unfinishedJobs is the number of Jobs of workload w that are not finished.
func unfinishedJobs(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Jobs(p)
	}
	return total
}
