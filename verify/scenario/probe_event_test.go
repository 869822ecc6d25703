package scenario

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/state"
)

// TestDeadlocks: some webhooks keep each other's servers away exactly where, once all pods are gone and every workload
// that may start does so again and again, one of them still has nobody to answer.
func TestDeadlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 38))
	stuck, rings := 0, 0
	for range 3000 {
		workloads := 1 + r.IntN(4)
		hooks := make([]state.Webhook, 1+r.IntN(4))
		alone := false
		for i := range hooks {
			h := &hooks[i]
			h.Servers = r.Perm(workloads)[:1+r.IntN(min(workloads, 2))]
			if r.IntN(8) == 0 {
				continue // not on head
			}
			by := make([][2]bool, workloads)
			for w := range by {
				by[w] = [2]bool{r.IntN(2) == 0, r.IntN(3) == 0}
			}
			h.Guards[state.Head] = by
			alone = alone || !slices.ContainsFunc(h.Servers, func(w int) bool { return !by[w][state.Head] })
		}
		want := comesBack(hooks, workloads)
		if got := !deadlocks(hooks); got != want {
			t.Fatalf("all come back: %t, want %t: %+v", got, want, hooks)
		}
		if !want {
			stuck++
			if !alone {
				rings++
			}
		}
	}
	if stuck < 100 || rings < 100 {
		t.Errorf("%d are stuck, %d of them with no webhook that guards itself", stuck, rings)
	}
}

// comesBack starts what may start, until nothing more does, and reports whether every webhook is answered then.
func comesBack(hooks []state.Webhook, workloads int) bool {
	up := make([]bool, workloads)
	answered := func(h state.Webhook) bool {
		return h.Guards[state.Head] == nil || slices.ContainsFunc(h.Servers, func(w int) bool { return up[w] })
	}
	for more := true; more; {
		more = false
		for w := range up {
			refused := slices.ContainsFunc(hooks, func(h state.Webhook) bool {
				return !answered(h) && h.Guards[state.Head][w][state.Head]
			})
			if !up[w] && !refused {
				up[w], more = true, true
			}
		}
	}
	return !slices.ContainsFunc(hooks, func(h state.Webhook) bool { return !answered(h) })
}
