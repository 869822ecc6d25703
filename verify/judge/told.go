package judge

import (
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// Told words the steps of the likeliest run.
func (d *Judge) Told(run scenario.Likely) []finding.Step {
	w := newWording(scenario.Violation{Problem: run.Problem, Variant: run.Variant}, run.Variant.Slice, d.Places, false)
	var out []finding.Step
	for _, st := range run.Steps {
		out = append(out, w.stepOf(run.Problem.Loop(st.Actor), w.state(st.From), w.state(st.To), st))
	}
	return out
}
