package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
)

// What a search gives is a function of the compiled problem and of what is asked of it, so that it is kept from run to
// run (see [Budget.Kept]) as it is: before anything is worded, judged or blamed, which hangs on files and lines. A
// question that an earlier run came to the end of, of another branch or in another environment, is answered with the
// same bytes. Blame and fixes ask the same kind of questions.

// question is one search of a problem.
type question struct {
	sys  search.System
	opt  search.Options
	calm bool   // sys is the problem's still system
	of   string // what tells the rules of sys from the problem's own; "": they are, or it has none
}

// answer is what a search gave, and the searches before it that count for nothing but the work.
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

// keyOf is what an answer is kept under; false where the problem has a rule whose content nobody knows.
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
		s.Ample != nil, s.Spent != nil, s.Local != nil}
	d := memo.NewDigest(derived())
	d.Add("config", p.Cfg)
	d.Add("question", a)
	k, err := d.Key()
	return k, err == nil
}

// judgedAs says what a problem is made with beside its configuration: its rules, whose content is the program's or in
// their keys, and on what; what they do not look at; its timing; and whether it is that of one workload by itself.
func (p *Problem) judgedAs() (string, bool) {
	out := fmt.Sprintf("timing %d alone %v blind %d", p.timing, p.alone, p.blind)
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

// kept gives what an earlier search of the same question gave, or searches and keeps what that gives if it came to its
// end.
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
	return a.Result != nil && a.Result.Bound == search.Complete &&
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

// content is what a rule says of one workload; false where nobody knows.
func (b BoundRule) content() (string, bool) {
	text, known := b.Rule.Content()
	return fmt.Sprintf("%q %d %d", text, b.Workload, b.half), known
}
