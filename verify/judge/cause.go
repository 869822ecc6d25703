package judge

import (
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/state"
)

// oneRun enters which findings of a slice come of one run.
func oneRun(fs []finding.Finding, of []scenario.Violation) {
	join := finding.NewGroups(len(fs))
	for i := range fs {
		for j := range fs[:i] {
			if happens(of[i], of[j]) || happens(of[j], of[i]) || turns(&fs[i], of[i], &fs[j]) || turns(&fs[j], of[j], &fs[i]) {
				join.Unite(i, j)
			}
		}
	}
	for _, group := range join.List() {
		for _, i := range group {
			if len(group) > 1 {
				fs[i].Cause = fs[group[0]].Fingerprint
			}
		}
	}
}

// happens reports whether the rule of a violation is broken in the run of another one, too: by one of its steps, or by
// how it ends.
func happens(v, in scenario.Violation) bool {
	c := in.Problem.Cfg
	w := slices.IndexFunc(c.Spec.Workloads, func(x state.Workload) bool { return x.ID == v.Key().Workload })
	if w < 0 {
		return false
	}
	at := func(b []byte) state.State { return state.State{C: c, B: b} }
	last := at(in.Start)
	if n := len(in.Steps); n > 0 {
		last = at(in.Steps[n-1].To)
	}
	own := in.Bound.Property
	rests := in.CycleStart < 0 && (own.Quiescent != nil || own.Persists != nil || own.Settles != nil)
	return slices.ContainsFunc(v.Bound.Rule.Properties(c, w), func(p rules.Property) bool {
		if p.Rest != nil {
			return false // it asks more than the states of the run
		}
		for i, s := range in.Steps {
			from, to := at(s.From), at(s.To)
			switch {
			case p.Bad != nil && p.Bad(to), p.BadStep != nil && p.BadStep(from, to):
				return true
			case p.Recurs != nil && in.CycleStart >= 0 && i >= in.CycleStart && p.Recurs(from, to):
				return true
			}
		}
		return rests && (p.Quiescent != nil && p.Quiescent(last) || p.Persists != nil && p.Persists(last))
	})
}

// turns reports whether the step that breaks a finding, of a rule on steps, is one of another finding's loop.
func turns(f *finding.Finding, v scenario.Violation, other *finding.Finding) bool {
	n := len(v.Steps)
	if v.Bound.Property.BadStep == nil || n == 0 || n > len(f.Interleaving) || other.CycleStart == nil {
		return false
	}
	by := &f.Interleaving[n-1]
	return slices.ContainsFunc(other.Interleaving[*other.CycleStart:], func(s finding.Step) bool {
		return s.Actor == by.Actor && s.Action == by.Action && s.Object == by.Object
	})
}
