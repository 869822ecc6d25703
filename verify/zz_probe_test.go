package verify

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/scenario"
)

func TestZZProbe(t *testing.T) {
	var with, without, zero time.Duration
	var n, n0 int64
	for _, tt := range documentedCases {
		for _, side := range []string{"violating", "repaired"} {
			for _, m := range modes {
				dir := filepath.Join("../testdata", tt.dir, side)
				r, r0 := scenario.NewRecall(0), scenario.NewRecall(1)
				mk := func(f bool, r *scenario.Recall) func() *Result {
					return caseRunWith(t, dir, func(o *Options) { o.Policy = m.policy(t, o.Policy); o.forgets = f; o.Workers = 1; o.recall = r })
				}
				a, b, c := mk(true, nil), mk(false, r), mk(false, r0)
				without += spentBy(t, func() { a() })
				with += spentBy(t, func() { b() })
				zero += spentBy(t, func() { c() })
				n += r.Found()
				n0 += r0.Found()
			}
		}
	}
	t.Logf("cases: without %v with %v (%d) every one %v (%d)", without, with, n, zero, n0)
}
