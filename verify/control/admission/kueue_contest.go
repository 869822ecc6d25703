package admission

import (
	"cmp"
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// Contest is the ClusterQueues of one cohort, or one without, with the workloads admitted to them: the input of Kueue's
// preemption. Resources are numbered; amounts are in thousandths of their unit.
//
// Upstream: kueue v0.19.2, pkg/scheduler/preemption: (*Preemptor).GetTargets, classicalPreemptions, workloadFits,
// fillBackWorkloads, queueUnderNominalInResourcesNeedingPreemption; preemption/classical: NewCandidateIterator,
// candidateIsValid, classifyPreemptionVariant, collectCandidatesForHierarchicalReclaim; preemption/common:
// CandidatesOrdering, SatisfiesPreemptionPolicy; pkg/scheduler/flavorassigner: fitsResourceQuota.
//
// Abstraction: exact for one flavor, cohorts without an object of their own, and Kueue without fair sharing.
type Contest struct {
	Queues   []Contender
	Admitted []Entrant

	order, hierarchy, priority, own, targets []int
	while                                    []bool // by entrant: it may be preempted while the preemptor's queue borrows
	needs                                    []bool
}

// Contender is one ClusterQueue of a [Contest].
type Contender struct {
	Queue  *state.Queue
	Limits []*state.QueueLimit // by resource; nil: not covered
	Used   []int64             // by resource
}

// Entrant is one Workload of Kueue: a pod of a Deployment, or a Job.
type Entrant struct {
	Queue         int // its place in [Contest.Queues]
	Priority      int32
	Queued, Since int64   // when it came, and when it got its quota; in any unit
	Uses          []int64 // by resource
	Evicted       bool    // it is on its way out, and still has its quota
	Class         int     // for the caller
}

// Fit is what a workload finds in its ClusterQueue.
type Fit uint8

// What a workload may find, from worst to best.
const (
	NoFit   Fit = iota // nothing that preemption could give, either
	Preempt            // others would have to go
	Fits
)

// Fit says what a workload finds, and which resources others would have to give back ([Contest.Needs]).
//
// Upstream: fitsResourceQuota, RepresentativeMode.
func (c *Contest) Fit(w *Entrant) Fit {
	q := &c.Queues[w.Queue]
	c.needs = grown(c.needs, len(w.Uses))
	out := Fits
	for r, asked := range w.Uses {
		switch {
		case asked <= 0:
		case q.Limits[r] == nil || asked > c.potential(w.Queue, r):
			return NoFit
		case asked <= c.available(w.Queue, r):
		case asked <= q.Limits[r].Nominal || q.Queue.Cohort != "" && !c.borrows(w.Queue, r, asked) || q.Queue.WhileBorrowing:
			c.needs[r], out = true, Preempt
		default:
			return NoFit
		}
	}
	return out
}

// Targets gives the places of those in Admitted that have to go so that a workload fits; none where it fits as it is,
// or cannot. The list is valid until the next call.
func (c *Contest) Targets(w *Entrant) []int {
	if c.Fit(w) != Preempt {
		return nil
	}
	c.collect(w)
	queue := c.Queues[w.Queue].Queue
	others := len(c.hierarchy)+len(c.priority) > 0
	attempts := [2]bool{true, false}
	tries := 2
	switch {
	case !others || !queue.WhileBorrowing && !c.underNominal(w):
		tries = 1
	case !queue.WhileBorrowing && len(c.hierarchy) == 0:
		attempts = [2]bool{false, true}
	}
	for _, borrow := range attempts[:tries] {
		if targets := c.attempt(w, borrow); targets != nil {
			return targets
		}
	}
	return nil
}

// attempt takes candidates in order until the workload fits, and gives back who need not go.
func (c *Contest) attempt(w *Entrant, borrow bool) []int {
	c.targets = c.targets[:0]
	found := false
	for _, i := range c.order {
		if !c.valid(w, i, borrow) {
			continue
		}
		c.use(i, -1)
		if c.targets = append(c.targets, i); c.fits(w, borrow) {
			found = true
			break
		}
	}
	for k := len(c.targets) - 2; found && k >= 0; k-- {
		if c.use(c.targets[k], 1); c.fits(w, borrow) {
			last := len(c.targets) - 1
			c.targets[k] = c.targets[last]
			c.targets = c.targets[:last]
			continue
		}
		c.use(c.targets[k], -1)
	}
	for _, i := range c.targets {
		c.use(i, 1)
	}
	if !found {
		return nil
	}
	return c.targets
}

// collect finds the candidates and puts them in order.
func (c *Contest) collect(w *Entrant) {
	q := &c.Queues[w.Queue]
	c.hierarchy, c.priority, c.own = c.hierarchy[:0], c.priority[:0], c.own[:0]
	c.while = grown(c.while, len(c.Admitted))
	advantage := true
	for r, asked := range w.Uses {
		if asked > 0 {
			advantage = advantage && !c.borrows(w.Queue, r, asked)
		}
	}
	for i := range c.Admitted {
		x := &c.Admitted[i]
		policy := q.Queue.Within
		if x.Queue != w.Queue {
			policy = q.Queue.Reclaim
		}
		if !c.uses(x) || !policy.Allows(w.Priority, x.Priority, w.Queued, x.Queued) ||
			x.Queue != w.Queue && (q.Queue.Cohort == "" || c.withinNominal(x.Queue)) {
			continue
		}
		switch {
		case x.Queue == w.Queue:
			c.own = append(c.own, i)
		case advantage:
			c.hierarchy = append(c.hierarchy, i)
			c.while[i] = true
		default:
			c.priority = append(c.priority, i)
			c.while[i] = q.Queue.WhileBorrowing && x.Priority < w.Priority &&
				(q.Queue.Threshold == nil || x.Priority <= *q.Queue.Threshold)
		}
	}
	c.order = c.order[:0]
	for _, list := range [...][]int{c.hierarchy, c.priority, c.own} {
		slices.SortFunc(list, func(i, j int) int { return c.before(w, i, j) })
	}
	for _, evicted := range [...]bool{true, false} {
		for _, list := range [...][]int{c.hierarchy, c.priority, c.own} {
			for _, i := range list {
				if c.Admitted[i].Evicted == evicted {
					c.order = append(c.order, i)
				}
			}
		}
	}
}

// before is upstream's order of candidates: CandidatesOrdering.
func (c *Contest) before(w *Entrant, i, j int) int {
	a, b := &c.Admitted[i], &c.Admitted[j]
	return cmp.Or(
		first(a.Evicted, b.Evicted),
		first(b.Queue == w.Queue, a.Queue == w.Queue),
		cmp.Compare(a.Priority, b.Priority),
		cmp.Compare(b.Since, a.Since),
		cmp.Compare(i, j),
	)
}

// first orders true before false.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// valid reports whether a candidate may go as things stand in an attempt.
func (c *Contest) valid(w *Entrant, i int, borrow bool) bool {
	x := &c.Admitted[i]
	return x.Queue == w.Queue || !(borrow && !c.while[i]) && !c.withinNominal(x.Queue)
}

// fits is workloadFits.
func (c *Contest) fits(w *Entrant, borrow bool) bool {
	for r, asked := range w.Uses {
		if asked > 0 && (!borrow && c.borrows(w.Queue, r, asked) || asked > c.available(w.Queue, r)) {
			return false
		}
	}
	return true
}

func (c *Contest) use(i int, sign int64) {
	x := &c.Admitted[i]
	for r, n := range x.Uses {
		c.Queues[x.Queue].Used[r] += sign * n
	}
}

// uses reports whether a workload has some of a resource that is short.
func (c *Contest) uses(x *Entrant) bool {
	for r, n := range x.Uses {
		if n > 0 && c.needs[r] {
			return true
		}
	}
	return false
}

func (c *Contest) underNominal(w *Entrant) bool {
	q := &c.Queues[w.Queue]
	for r, short := range c.needs {
		if short && q.Limits[r].Nominal <= q.Used[r] {
			return false
		}
	}
	return true
}

// withinNominal reports whether a queue borrows none of the resources that are short.
func (c *Contest) withinNominal(k int) bool {
	for r, short := range c.needs {
		if short && c.borrows(k, r, 0) {
			return false
		}
	}
	return true
}

// borrows reports whether a queue takes more than its own with so much more.
func (c *Contest) borrows(k, r int, more int64) bool {
	nominal := int64(0)
	if l := c.Queues[k].Limits[r]; l != nil {
		nominal = l.Nominal
	}
	return nominal < c.Queues[k].Used[r]+more
}

// Borrows reports whether a workload's queue would borrow for it.
func (c *Contest) Borrows(w *Entrant) bool {
	for r, asked := range w.Uses {
		if asked > 0 && c.borrows(w.Queue, r, asked) {
			return true
		}
	}
	return false
}

// available is how much more a queue may take of a resource; less than 0 where too much is admitted.
func (c *Contest) available(k, r int) int64 {
	q := &c.Queues[k]
	if q.Queue.Cohort == "" {
		return q.Limits[r].Nominal - q.Used[r]
	}
	return q.Limits[r].Unused(q.Used[r], c.lent(r, true))
}

// potential is how much a queue could ever take of a resource.
func (c *Contest) potential(k, r int) int64 {
	q := &c.Queues[k]
	if q.Queue.Cohort == "" {
		return q.Limits[r].Nominal
	}
	return q.Limits[r].Unused(0, c.lent(r, false))
}

// lent is the amount of a resource that the cohort has left, or its total.
func (c *Contest) lent(r int, used bool) int64 {
	total := int64(0)
	for i := range c.Queues {
		l, taken := c.Queues[i].Limits[r], int64(0)
		if l == nil {
			continue
		}
		if used {
			taken = c.Queues[i].Used[r]
		}
		total += l.Lent(taken)
	}
	return total
}

// grown gives n times false in a slice that is kept.
func grown(list []bool, n int) []bool {
	if cap(list) < n {
		return make([]bool, n)
	}
	list = list[:n]
	clear(list)
	return list
}
