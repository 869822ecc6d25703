package control_test

import (
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// reused is a sink that keeps nothing.
type reused struct{ buf []byte }

func (r *reused) Copy(s []byte) []byte {
	copy(r.buf, s)
	return r.buf
}

func (r *reused) Move(search.Move) {}

// StepAllocs is the number of allocations of one step of a in each of the given states,
// once its scratch memory has grown.
func StepAllocs(a actor.Actor, in []state.State) float64 {
	var scratch actor.Scratch
	e := actor.NewEmit(&reused{buf: make([]byte, len(in[0].B))}, in[0].C, &scratch)
	return testing.AllocsPerRun(2, func() {
		for _, s := range in {
			a.Step(s, e)
		}
	})
}
