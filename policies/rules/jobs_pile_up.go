package rules

import (
	"fmt"
	"math"

	"github.com/kubesettle/kubesettle/verify/state"
)

// pilesUp is what runaway-scale says of a CronJob: its unfinished Jobs do not become more and more. A deadline bounds
// them where it is over before a third one is due; where more are due, it says how many.
func pilesUp(c *state.Config, w int) Property {
	m, _ := Newest(c, w)
	if m == nil || c.Spec.Events.JobOverrun <= 0 {
		return Property{}
	}
	most := state.Overlap(m.CronJob)
	if most <= state.FewJobs {
		return Property{}
	}
	fields := []string{"Workload:spec.concurrencyPolicy", "Workload:spec.schedule"}
	if m.JobSpec().ActiveDeadlineSeconds != nil {
		fields = append(fields, "Workload:spec.jobTemplate.spec.activeDeadlineSeconds")
	}
	return Property{
		BadStep: func(from, to state.State) bool {
			jobs := unfinishedJobs(to, w)
			return jobs > state.FewJobs && jobs > unfinishedJobs(from, w)
		},
		Message: func(s state.State) string {
			jobs := unfinishedJobs(s, w)
			if most < math.MaxInt {
				return fmt.Sprintf("Jobs of %s can pile up: %d that do not end run side by side, and only activeDeadlineSeconds ends them, when %d do",
					FullName(c, w), jobs, most)
			}
			return fmt.Sprintf("Jobs of %s can pile up without end: %d that never end run side by side, and nothing stops the next one",
				FullName(c, w), jobs)
		},
		Fields: fields,
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
