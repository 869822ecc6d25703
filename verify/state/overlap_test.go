package state

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
)

func TestOverlap(t *testing.T) {
	for _, x := range []struct {
		schedule string
		seconds  int64 // 0: no deadline
		policy   batchv1.ConcurrencyPolicy
		want     int
	}{
		{"*/5 * * * *", 0, "", math.MaxInt},
		{"*/5 * * * *", 0, batchv1.ForbidConcurrent, 1},
		{"*/5 * * * *", 0, batchv1.ReplaceConcurrent, 1},
		{"*/5 * * * *", 60, "", 1},
		{"*/5 * * * *", 300, batchv1.AllowConcurrent, 1},
		{"*/5 * * * *", 301, "", 2},
		{"*/5 * * * *", 86400, "", 288},
		{"@hourly", 86400, "", 24},
		{"0,1,2 4 * * *", 3600, "", 3},
		{"0 4 * * *", 3600, "", 1},
		{"0 0 30 2 *", 60, "", math.MaxInt}, // never due
		{"*/x * * * *", 60, "", math.MaxInt},
	} {
		c := &batchv1.CronJob{}
		c.Spec.Schedule, c.Spec.ConcurrencyPolicy = x.schedule, x.policy
		if x.seconds > 0 {
			c.Spec.JobTemplate.Spec.ActiveDeadlineSeconds = &x.seconds
		}
		if got := Overlap(c); got != x.want {
			t.Errorf("%q for %d s, %q: %d, want %d", x.schedule, x.seconds, x.policy, got, x.want)
		}
	}
}

// A longer deadline never leaves fewer Jobs side by side, and none leaves the most.
func TestOverlapGrowsWithTheDeadline(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 36))
	for range 200 {
		c, last := &batchv1.CronJob{}, 0
		c.Spec.Schedule = "@every " + (time.Duration(1+r.IntN(600)) * time.Second).String()
		for seconds := int64(1); seconds < 1_000_000; seconds *= 1 + r.Int64N(9) + 1 {
			c.Spec.JobTemplate.Spec.ActiveDeadlineSeconds = &seconds
			n := Overlap(c)
			if n < last {
				t.Fatalf("%s for %d s: %d, fewer than %d", c.Spec.Schedule, seconds, n, last)
			}
			last = n
		}
	}
}
