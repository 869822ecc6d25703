package scenario

import (
	"math/rand/v2"
	"testing"

	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestOutgrownScalingsAreGivenUp notes what random tasks came to, in any order, and holds who is given up meanwhile, and who
// is not begun, against the definition: a task is where a smaller topology of its scaling ran out of states.
func TestOutgrownScalingsAreGivenUp(t *testing.T) {
	gave := 0
	for seed := range 400 {
		r := rand.New(rand.NewPCG(31, uint64(seed)))
		tasks := make([]Task, 12)
		for i := range tasks {
			tasks[i] = Task{slice: r.IntN(2), scaling: r.IntN(2), states: uint64(r.IntN(3)), Topology: scale.Topology{1 + r.IntN(4)/3}}
			tasks[i].Variant.Spec.Classes = []state.NodeClass{{Min: 1, Max: 1}}
		}
		given, out := map[int]bool{}, outgrown{cut: map[[2]int]int{}, running: map[int]func(){}}
		for i := range tasks {
			if r.IntN(2) == 0 {
				out.running[i] = func() { given[i] = true }
			}
		}
		cut := map[int]bool{}
		for _, i := range r.Perm(len(tasks))[:6] {
			bound := []search.Bound{search.Complete, search.StateBound, search.TimeBound}[r.IntN(3)]
			delete(out.running, i)
			out.note(tasks, i, Outcome{Cov: Coverage{Bound: bound}})
			cut[i] = bound == search.StateBound && tasks[i].states > 0 && tasks[i].Topology[0] == 1
			for k := range tasks {
				want := false
				for j := range k {
					want = want || cut[j] && tasks[j].slice == tasks[k].slice && tasks[j].scaling == tasks[k].scaling
				}
				if out.before(k, tasks[k]) != want {
					t.Fatalf("seed %d: task %d is useless: %v, want %v", seed, k, !want, want)
				}
				if _, running := out.running[k]; running && given[k] != want {
					t.Fatalf("seed %d: task %d is given up: %v, want %v", seed, k, given[k], want)
				}
			}
		}
		gave += len(given)
	}
	if gave < 100 {
		t.Errorf("%d tasks were given up: the test has lost its teeth", gave)
	}
}
