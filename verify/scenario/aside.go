package scenario

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
	asideNext   = "the next rollout"
	asideChange = "the rollout of the change"
	asideReload = "the next apply under load"
	asideDrain  = "the drain of one node"
	asideLoss   = "the loss of a webhook's node"
	asideFirst  = "the drain of one node under a bad first revision"
	asideMend   = "the fix of a bad first revision"
	asideJobs   = "what takes pods of a Job that runs"
)

// asideStates bounds the states of each search that stands aside.
const asideStates = 50_000

// aside searches one of them and adds what nothing that the others have covers.
func (r *scenarioRun) aside(ctx context.Context, name, scenario string, v Variant, from state.Version,
	judgedBy []rules.Rule) error {
	return r.beside(name, judgedBy, func(other *scenarioRun) error { return other.settled(ctx, scenario, v, from) })
}

// beside is what such a search has in common with others, but for what it does.
func (r *scenarioRun) beside(name string, judgedBy []rules.Rule, do func(*scenarioRun) error) error {
	if len(judgedBy) == 0 {
		r.cov.closeAside(name, AllClosed)
		return nil
	}
	if r.Expired() {
		r.cov.Cut = AppendNew(r.cov.Cut, []string{name})
		r.cov.closeAside(name, NoneClosed)
		return nil
	}
	own := *r.Checker
	own.Rules = judgedBy
	if own.Budget.States == 0 || own.Budget.States > asideStates {
		own.Budget.States = asideStates
	}
	other := scenarioRun{Checker: &own, topology: r.topology, unfit: pendingAnywhere}
	if name == asideNext || name == asideChange {
		other.unfit = lacking
	}
	err := do(&other)
	cov := other.cov
	closed := AllClosed
	switch {
	case cov.closed != nil:
		closed = *cov.closed
	case cov.Bound != 0 && cov.Bound != search.Complete:
		closed = NoneClosed
	}
	if cov.Bound != 0 && cov.Bound != search.Complete {
		r.cov.Cut = AppendNew(r.cov.Cut, []string{name})
		cov.Bound = search.Complete
	}
	r.cov.closeAside(name, closed)
	r.cov.Merge(cov)
	if err != nil {
		return err
	}
	had := slices.Clone(r.found)
	for _, x := range other.found {
		if !slices.ContainsFunc(had, func(o Violation) bool { return o.hides(x) && x.Comparable(o) }) {
			x.aside = name
			r.found = append(r.found, x)
		}
	}
	return nil
}

// closeAside notes up to how many events a search that stands aside left nothing out.
func (c *Coverage) closeAside(name string, n int) {
	if c.closedAside == nil {
		c.closedAside = map[string]int{}
	}
	c.closedAside[name] = n
}

// asideOf is the place under which it is noted how far base was searched for what a search
// that stands aside tells.
func asideOf(p Place, name string) Place { return p + Place(" "+name) }

// KeepClosed notes how far base was searched at a place.
func (sr *SliceResult) KeepClosed(p Place, o Outcome) {
	if sr.BaseClosed == nil {
		sr.BaseClosed = map[Place]int{}
	}
	sr.BaseClosed[p] = o.closed
	for name, n := range o.closedAside {
		sr.BaseClosed[asideOf(p, name)] = n
	}
}

func AppendNew(have, more []string) []string {
	if have == nil {
		have = []string{}
	}
	for _, s := range more {
		if !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return have
}
