package scenario

import (
	"context"
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/search"
)

// SparedStates bounds the search for what any rollout may break, where the change is a rollout like any other. What it
// finds is existing, so that nothing but a finding that gates nobody is lost with the rest.
const SparedStates = 10_000

// spare searches the rollout of such a change within few states, with all rules. It reports whether that is all there
// is to do: the search came to its end, or nothing but rules that any rollout may break is left. They are dropped from
// the problem otherwise.
func (r *scenarioRun) spare(ctx context.Context, p *Problem, initial [][]byte) (done bool, err error) {
	latent := map[judgment]bool{}
	for _, b := range p.bounds {
		if b.Rule.Facets.Any(rules.AnyRollout) {
			latent[b.judgment()] = true
		}
	}
	if len(latent) == 0 || r.Budget.States > 0 && r.Budget.States <= r.Spares {
		return false, nil
	}
	few := r.Budget
	few.States = r.Spares
	results, err := p.explore(ctx, initial, -1, few)
	if err != nil {
		return false, err
	}
	last := results[len(results)-1]
	if last.Bound != search.StateBound {
		return true, r.enter(ctx, ScenarioChange, p, initial, results)
	}
	seen, part := *p, *last
	part.Bound, part.Violations = search.Complete, slices.DeleteFunc(slices.Clone(last.Violations),
		func(x search.Violation) bool { return !latent[p.bounds[x.Rule].judgment()] })
	results = append(slices.Clone(results[:len(results)-1]), &part)
	if err := r.enter(ctx, ScenarioChange, &seen, initial, results); err != nil {
		return false, err
	}
	r.cov.spare(latent)
	p.drop(latent)
	return len(p.bounds) == 0, nil
}

// spare notes the rules that were searched in part.
func (c *Coverage) spare(rules map[judgment]bool) {
	for j := range rules {
		c.spares(map[string]bool{j.rule: true})
	}
}

// spares takes over what another one notes.
func (c *Coverage) spares(rules map[string]bool) {
	if c.spared == nil {
		c.spared = map[string]bool{}
	}
	maps.Copy(c.spared, rules)
}

// Spared reports whether a rule was searched in part only, as whatever breaks it is existing.
func (c *Coverage) Spared(rule string) bool { return c.spared[rule] }
