package scenario

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
)

// The result of a search is a function of the compiled problem and of the question, so it is kept from run to run (see
// [Budget.Kept]) in its raw form: words, judgement and blame come later, as they depend on files and lines. A question
// that an earlier run came to the end of, of another branch or in another environment, is answered with the same bytes.
// Blame and fixes ask the same kind of questions.

// question is one search of a problem.
type question struct {
	sys  search.System
	opt  search.Options
	calm bool   // sys is the problem's still system
	of   string // what tells the rules of sys from the problem's own; "": they are, or it has none
}

// answer is what a search gave, and the searches before it that count only for the work.
type answer struct {
	Result *search.Result
	Tries  []*search.Result
}

// asking is a question as a key sees it, beside the problem.
type asking struct {
	Options  search.Options
	Calm     bool
	Of       string
	Width    int
	Initial  [][]byte
	Actors   []string
	Rules    []string
	Has      []bool // which of the system's functions there are
	Compiles string // how a problem of the same configuration is compiled and judged
}

// derived are the fields that a key leaves out.
func derived() memo.Derived {
	return memo.Derived{
		// An answer is kept only where none of these has ended the search, and is not used where the memory may.
		reflect.TypeFor[search.Options](): {"Workers", "MaxBytes", "MaxTime", "Progress", "sizes"},
		// How a quantity is written, which String remembers.
		reflect.TypeFor[resource.Quantity](): {"s"},
	}
}

// keyOf is the key of an answer; false if the problem has a rule of unknown content.
func (p *Problem) keyOf(q question) (memo.Key, bool) {
	judged, ok := p.judgedAs()
	if !ok {
		return memo.Key{}, false
	}
	a := asking{Options: q.opt, Calm: q.calm, Of: q.of, Width: q.sys.Width, Initial: q.sys.Initial, Compiles: judged}
	for _, x := range q.sys.Actors {
		a.Actors = append(a.Actors, fmt.Sprint(x.Urgency(), " ", x.Name()))
	}
	for _, r := range q.sys.Rules {
		a.Rules = append(a.Rules,
			fmt.Sprint(r.Name, r.Bad != nil, r.BadStep != nil, r.Quiescent != nil, r.Persists != nil, r.Settles != nil,
				r.Recurs != nil, r.Footprint))
	}
	s := &q.sys
	a.Has = []bool{s.Canon != nil, s.MovesActors, s.Independent != nil, s.Confluent != nil, s.Wakes != nil,
		s.Ample != nil, s.Spent != nil, s.Local != nil, s.Measure != nil}
	d := memo.NewDigest(derived())
	d.Add("config", p.Cfg)
	d.Add("question", a)
	k, err := d.Key()
	return k, err == nil
}

// judgedAs lists the inputs of a problem beside its configuration: its rules, whose content is the program's or in
// their keys, with the objects that they are on and the parts that they ignore; its timing; and whether it is that of
// one workload by itself.
func (p *Problem) judgedAs() (string, bool) {
	out := fmt.Sprintf("timing %d alone %v blind %d foresee %v room %v",
		p.timing, p.alone, p.blind, p.foresee, p.room != nil)
	for _, b := range p.bounds {
		content, known := b.content()
		if !known {
			return "", false
		}
		out += "\n" + content
	}
	return out, true
}

// pack names what the answers of one slice lie together in, whatever its objects say.
func (p *Problem) pack() string {
	var ids []string
	for _, w := range p.Cfg.Spec.Workloads {
		ids = append(ids, w.ID)
	}
	return strings.Join(ids, "\n")
}

// kept gives the answer of an earlier search of the same question, or searches and keeps the answer if the search came
// to its end.
func (p *Problem) kept(bud Budget, q question, do func() (answer, error)) (answer, error) {
	if bud.Kept == nil {
		return bud.Recall.ask(p, q, do)
	}
	key, ok := p.keyOf(q)
	if !ok {
		return do()
	}
	var a answer
	if bud.Kept.Find(p.pack(), key, &a, func() bool { return a.sound(q, bud) }) {
		return a, nil
	}
	a, err := do() // whatever was read
	if err == nil && a.ended() && len(p.unanswered()) == 0 {
		bud.Kept.Keep(p.pack(), key, a)
	}
	return a, err
}

// ended reports whether a search came to its end, and no clock and no memory decided on the way.
func (a *answer) ended() bool {
	first := a.Result != nil && a.Result.Bound == search.FirstFound && len(a.Result.Violations) > 0 // all it was asked for
	return a.Result != nil && (a.Result.Bound == search.Complete || first) &&
		!slices.ContainsFunc(a.Tries,
			func(r *search.Result) bool { return r.Bound != search.Complete && r.Bound != search.StateBound })
}

// sound reports whether an answer can be one to the question: it came to its end with no more memory than there is
// now, it is one about such states, actors and rules, and every violation in it is one that the system shows.
func (a *answer) sound(q question, bud Budget) bool {
	if !a.ended() || slices.Contains(a.Tries, nil) {
		return false
	}
	for _, r := range append(slices.Clone(a.Tries), a.Result) {
		if bud.Bytes > 0 && r.Bytes >= bud.Bytes {
			return false
		}
		for _, s := range r.Settled {
			if len(s) != q.sys.Width {
				return false
			}
		}
		for _, v := range r.Violations {
			if v.CycleStart < -1 || search.Confirm(q.sys, v) != nil {
				return false
			}
		}
	}
	return true
}

// content is a rule's statement about one workload; false if it is unknown.
func (b BoundRule) content() (string, bool) {
	text, known := b.Rule.Content()
	return fmt.Sprintf("%q %d %d", text, b.Workload, b.half), known
}

// Recall remembers, within one run, what its larger searches gave: environments of one chart, blame and fixes ask the
// same question again. It saves work only, as an answer is a function of the question, and of a search that any budget
// but that of states ended nothing is remembered. A nil *Recall remembers nothing. It is safe for concurrent use.
type Recall struct {
	from  uint64 // states of the least search that is remembered: a digest takes as long as a few hundred
	found atomic.Int64

	mu      sync.Mutex
	glances map[uint64]bool // of remembered answers: most questions need no digest
	answers map[memo.Key]answer
	held    int // bytes of the states in answers
}

// Bounds of the memory: a search of fewer states is repeated as quickly; and bytes that one run holds.
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

// glance is equal for equal questions, and cheap.
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

// clone gives an answer to somebody who may reorder or shorten its lists; states are never written to.
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
