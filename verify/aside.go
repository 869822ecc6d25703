package verify

import (
	"context"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Searches that stand aside of the others: each has a budget of its own, and where it runs
// out only that search is not finished, and said to be so.
const (
	asideNext  = "the next rollout"
	asideDrain = "the drain of one node"
)

// asideStates bounds the states of each search that stands aside.
const asideStates = 50_000

// aside searches one of them and adds what the others do not have with as few events.
func (r *scenarioRun) aside(ctx context.Context, name, scenario string, v variant, from state.Version, judgedBy []rules.Rule) error {
	if len(judgedBy) == 0 {
		r.cov.closeAside(name, allClosed)
		return nil
	}
	own := *r.checker
	own.rules = judgedBy
	if own.budget.states == 0 || own.budget.states > asideStates {
		own.budget.states = asideStates
	}
	other := scenarioRun{checker: &own, topology: r.topology, running: true}
	err := other.settled(ctx, scenario, v, from)
	cov := other.cov
	closed := allClosed
	switch {
	case cov.closed != nil:
		closed = *cov.closed
	case cov.bound != 0 && cov.bound != search.Complete:
		closed = noneClosed
	}
	if cov.bound != 0 && cov.bound != search.Complete {
		r.cov.cut = appendNew(r.cov.cut, []string{name})
		cov.bound = search.Complete
	}
	r.cov.closeAside(name, closed)
	r.cov.merge(cov)
	if err != nil {
		return err
	}
	had := slices.Clone(r.found)
	for _, x := range other.found {
		if !slices.ContainsFunc(had, func(o violation) bool { return o.key() == x.key() && o.Events <= x.Events }) {
			x.aside = name
			r.found = append(r.found, x)
		}
	}
	return nil
}

// closeAside notes up to how many events a search that stands aside left nothing out.
func (c *coverage) closeAside(name string, n int) {
	if c.closedAside == nil {
		c.closedAside = map[string]int{}
	}
	c.closedAside[name] = n
}

// asideOf is the place under which it is noted how far base was searched for what a search
// that stands aside tells.
func asideOf(p place, name string) place { return p + place(" "+name) }

// keepClosed notes how far base was searched at a place.
func (sr *sliceResult) keepClosed(p place, o outcome) {
	if sr.baseClosed == nil {
		sr.baseClosed = map[place]int{}
	}
	sr.baseClosed[p] = o.closed
	for name, n := range o.closedAside {
		sr.baseClosed[asideOf(p, name)] = n
	}
}
