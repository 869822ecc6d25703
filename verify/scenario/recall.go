package scenario

import (
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
)

// Recall remembers, within one run, what its larger searches gave: environments of one chart, blame and fixes ask the
// same question again. It saves work only, as an answer is a function of the question, and of a search that any budget
// but that of states ended nothing is remembered. A nil *Recall remembers nothing. It is safe for concurrent use.
type Recall struct {
	from  uint64 // states of the least search that is remembered: a digest takes as long as a few hundred
	found atomic.Int64

	mu      sync.Mutex
	glances map[uint64]bool // of what is remembered: most questions need no digest
	answers map[memo.Key]answer
	held    int // bytes of the states in answers
}

// Bounds of what is remembered: a search of fewer states is as soon made again; and bytes that one run holds.
const (
	recallFrom = 1_000
	mostRecall = 64 << 20
)

// NewRecall remembers searches of so many states or more; 0: what pays.
func NewRecall(states uint64) *Recall {
	if states == 0 {
		states = recallFrom
	}
	return &Recall{from: states, glances: map[uint64]bool{}, answers: map[memo.Key]answer{}}
}

// Found is how many searches were not made again.
func (r *Recall) Found() int64 { return r.found.Load() }

// glance is what two equal questions have in common, at no cost.
func (p *Problem) glance(q question) uint64 {
	h := fnv.New64a()
	fmt.Fprintln(h, q.calm, q.of, q.opt.MaxEvents, q.opt.MaxStates, q.opt.Settled, q.sys.Width, len(q.sys.Actors),
		len(q.sys.Initial), p.Cfg.MaxPods)
	for _, r := range q.sys.Rules {
		fmt.Fprintln(h, r.Name)
	}
	for _, b := range q.sys.Initial {
		h.Write(b)
	}
	return h.Sum64()
}

// ask answers a question from memory, or by a search.
func (r *Recall) ask(p *Problem, q question, do func() (answer, error)) (answer, error) {
	if r == nil {
		return do()
	}
	at := p.glance(q)
	r.mu.Lock()
	maybe := r.glances[at]
	r.mu.Unlock()
	var key memo.Key
	known := false
	if maybe {
		if key, known = p.keyOf(q); known {
			r.mu.Lock()
			a, ok := r.answers[key]
			r.mu.Unlock()
			if ok {
				r.found.Add(1)
				return a.clone(), nil
			}
		}
	}
	a, err := do()
	if err != nil || !a.ended() || a.states() < r.from || len(p.unanswered()) > 0 {
		return a, err
	}
	if !known {
		if key, known = p.keyOf(q); !known { // nothing that a question is made of changes while it is searched
			return a, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if size := a.size(); r.held+size <= mostRecall {
		if _, twice := r.answers[key]; !twice { // two workers may have asked at the same time
			r.answers[key], r.glances[at], r.held = a.clone(), true, r.held+size
		}
	}
	return a, nil
}

// all are the results in an answer.
func (a *answer) all() []*search.Result { return append(slices.Clone(a.Tries), a.Result) }

// states are those of all searches of an answer.
func (a *answer) states() uint64 {
	n := uint64(0)
	for _, r := range a.all() {
		n += r.States
	}
	return n
}

// size is about how many bytes an answer holds.
func (a *answer) size() int {
	n := 0
	for _, r := range a.all() {
		for _, s := range r.Settled {
			n += len(s)
		}
		for _, v := range r.Violations {
			n += len(v.Start)
			for _, s := range v.Steps {
				n += len(s.From) + len(s.To)
			}
		}
	}
	return n
}

// clone gives an answer to somebody who may reorder or shorten its lists; nobody writes to a state.
func (a *answer) clone() answer {
	one := func(r *search.Result) *search.Result {
		out := *r
		out.Settled, out.Violations = slices.Clone(r.Settled), slices.Clone(r.Violations)
		for i := range out.Violations {
			out.Violations[i].Steps = slices.Clone(out.Violations[i].Steps)
		}
		return &out
	}
	out := answer{Result: one(a.Result)}
	for _, r := range a.Tries {
		out.Tries = append(out.Tries, one(r))
	}
	return out
}
