package scenario

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

const ScenarioRevert = "revert"

// restarted is the annotation that `kubectl rollout restart` sets in a pod template.
const restarted = "kubectl.kubernetes.io/restartedAt"

// reverting gives the variant with no event but the apply and the revert.
func (v Variant) reverting() Variant {
	v.Spec.Events = state.Events{Apply: 1, Revert: true}
	return v
}

// restart is base, with a rollout of base that changes only its pods.
func (v Variant) restart() Variant {
	v = v.surrounded(state.Base)
	v.Spec.Events = state.Events{}
	return v.manifests(func(w state.Workload) [2]state.Manifest {
		again := w.Manifests[state.Base]
		if again.Exists() {
			again.OwnObject()
			t := again.Template()
			if t.Annotations == nil {
				t.Annotations = map[string]string{}
			}
			t.Annotations[restarted] = "again"
		}
		return [2]state.Manifest{w.Manifests[state.Base], again}
	}, 1)
}

// revert searches, where the change alone has been applied to base and come to rest, for violations that applying base
// again does not cure.
func (r *scenarioRun) revert(ctx context.Context, v Variant) error {
	own := about(r.Rules, rules.Unreverted)
	if len(own) == 0 || !v.Has(state.Base) || !v.Has(state.Head) || v.repeats() {
		return nil
	}
	v = v.reverting()
	p, err := NewProblem(&v.Spec, r.topology, own, r.Timing)
	if err != nil || len(p.bounds) == 0 {
		return err
	}
	done, err := r.apart(p, false, func(one *Problem) (*search.Result, error) { return r.revertAlone(ctx, one) })
	if err != nil || done {
		return err
	}
	initial, results, err := p.Settle(ctx, state.Base, r.Budget)
	if err != nil {
		return err
	}
	r.cov.addAll(results)
	if len(initial) == 0 {
		return nil
	}
	settled, results, err := p.settledChange(ctx, initial, r.Budget)
	if err != nil {
		return err
	}
	if r.cov.addAll(results); len(settled) == 0 {
		return nil
	}
	found := len(r.found)
	if err := r.explore(ctx, ScenarioRevert, p, settled, 1); err != nil {
		return err
	}
	if len(r.found) == found {
		return nil
	}
	stuck, err := r.restartStuck(ctx, v)
	if err != nil {
		return err
	}
	r.found = slices.DeleteFunc(r.found, func(x Violation) bool {
		w := x.Bound.Workload
		return x.Scenario == ScenarioRevert &&
			(stuck[w] || slices.ContainsFunc(initial,
				func(b []byte) bool { return !rules.Restored(state.State{C: p.Cfg, B: b}, w) }))
	})
	return nil
}

// settledChange gives the states in which the change comes to rest, each with one revert, and the searches for them.
func (p *Problem) settledChange(ctx context.Context, initial [][]byte, bud Budget) ([][]byte, []*search.Result, error) {
	sys := p.System
	sys.Rules, sys.Initial = nil, initial
	opt := bud.options()
	opt.MaxEvents, opt.Settled = 1, true
	res, tries, err := p.search(ctx, bud, question{sys: sys, opt: opt})
	if err != nil {
		return nil, nil, err
	}
	var out [][]byte
	for _, b := range res.Settled {
		s := state.State{C: p.Cfg, B: slices.Clone(b)}
		if s.IsOutgrown() || s.Version() != state.Head {
			continue
		}
		s.Set(p.Cfg.Reverts, 1)
		s.Set(p.Cfg.Applies, 0)
		out = append(out, s.B)
	}
	return out, append(tries, res), nil
}

// restartStuck says of which workloads a rollout of base that changes nothing can get stuck.
func (r *scenarioRun) restartStuck(ctx context.Context, v Variant) (map[int]bool, error) {
	again := v.restart()
	p, err := NewProblem(&again.Spec, r.topology, about(rules.All(), ofRollouts), r.Timing)
	if err != nil {
		return nil, err
	}
	initial, results, err := p.Settle(ctx, state.Base, r.Budget)
	if err != nil {
		return nil, err
	}
	r.cov.addAll(results)
	out := map[int]bool{}
	if len(initial) == 0 {
		return out, nil
	}
	results, err = p.explore(ctx, initial, 1, r.Budget)
	if err != nil {
		return nil, err
	}
	r.cov.addAll(results)
	for _, x := range results[len(results)-1].Violations {
		out[p.bounds[x.Rule].Workload] = true
	}
	return out, nil
}
