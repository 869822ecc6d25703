package scenario

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// rests are the states that a problem comes to rest in: what the search of an installation explores is what the
// scenario that begins where it has settled would explore once more. A search that was cut off by the number of its
// states gives those that it saw, which the other one would see as well.
type rests struct {
	p      *Problem
	states [][]byte
}

// of gives the states in which a scenario of head alone begins, where they are known: those that [Problem.Settle] would
// give. A search with rules gives the same ones where it lumps the same pods: quiescence and terminal cycles are no
// matter of rules, and of a cycle both give the least state.
func (r *rests) of(p *Problem, scenario string) (states [][]byte, known bool) {
	if r == nil || scenario != ScenarioSteady || !r.p.lumps.Same(p.calmLumps) {
		return nil, false
	}
	return slices.DeleteFunc(slices.Clone(r.states),
		func(b []byte) bool { return state.State{C: p.Cfg, B: b}.IsOutgrown() }), true
}
