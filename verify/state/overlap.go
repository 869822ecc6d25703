package state

import (
	"math"
	"time"

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
)

// ticksLookedAt is how many times a schedule is followed: enough to meet the closest ones of any common schedule.
const ticksLookedAt = 1500

// FewJobs is how many Jobs of one CronJob may run side by side without a sign that they pile up: the third one shows
// that there is no limit.
const FewJobs = 2

// Overlap is how many Jobs of a CronJob can run side by side if none of them ends by itself; [math.MaxInt]: they are
// not bounded.
//
// Upstream: kubernetes v1.36.3, pkg/controller/cronjob: syncCronJob parses the schedule with cron.ParseStandard.
func Overlap(c *batchv1.CronJob) int {
	suspended := c.Spec.Suspend != nil && *c.Spec.Suspend
	if p := c.Spec.ConcurrencyPolicy; suspended || p != "" && p != batchv1.AllowConcurrent {
		return 1
	}
	seconds := c.Spec.JobTemplate.Spec.ActiveDeadlineSeconds
	if seconds == nil {
		return math.MaxInt
	}
	ticks := ticksOf(c.Spec.Schedule)
	if ticks == nil {
		return math.MaxInt
	}
	most, first := 1, 0
	for i, t := range ticks {
		for t.Sub(ticks[first]) >= time.Duration(*seconds)*time.Second {
			first++
		}
		most = max(most, i-first+1)
	}
	if first == 0 && len(ticks) > 1 { // the deadline is later than all of them
		return math.MaxInt
	}
	return most
}

// AlwaysDueWithin reports whether a schedule is due twice more within a period of each time that it is.
func AlwaysDueWithin(schedule string, period time.Duration) bool {
	ticks := ticksOf(schedule)
	for i := 2; i < len(ticks); i++ {
		if ticks[i].Sub(ticks[i-2]) > period {
			return false
		}
	}
	return len(ticks) > 2
}

// ticksOf are times at which a schedule is due, from the beginning of a leap year; nil: it is never due, or no
// schedule.
func ticksOf(schedule string) []time.Time {
	s, err := cron.ParseStandard(schedule)
	if err != nil {
		return nil
	}
	var out []time.Time
	for t := time.Date(2024, 1, 1, 0, 0, 0, -1, time.UTC); len(out) < ticksLookedAt; {
		if t = s.Next(t); t.IsZero() {
			break
		}
		out = append(out, t)
	}
	return out
}

// NeverDue reports whether a schedule that can be read is never due, such as on the 30th of February.
func NeverDue(schedule string) bool {
	_, err := cron.ParseStandard(schedule)
	return err == nil && len(ticksOf(schedule)) == 0
}
