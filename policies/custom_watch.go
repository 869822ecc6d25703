package policies

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/common/types"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// resting reports whether no loop has work left in a state.
type resting uint8

const (
	asIs   resting = iota // ask, where the expression wants to know
	atRest                // it is
)

// watcher evaluates one expression in the states of one problem. Its value depends on the observations only, of which
// there are few: it is evaluated once for each.
type watcher struct {
	place     string // of the expression, for errors
	e         *expression
	c         *state.Config
	involved  []int // workloads
	observers []observer
	rest      func(state.State) bool

	mu      sync.Mutex
	numbers []int
	key     []byte
	said    map[string]bool
	failure error
}

// mostSaid bounds what one watcher remembers, in answers.
const mostSaid = 1 << 16

// newWatcher gives the watcher of an intent for workload w, or nil where it says nothing
// of it: an expression without self is about the first workload that it names, or else
// about the slice, for which its first workload stands.
func newWatcher(c *state.Config, w int, in *CustomIntent, e *expression) *watcher {
	names := e.workloads()
	subject := -1
	x := &watcher{e: e, c: c, said: map[string]bool{}, numbers: make([]int, len(e.reads))}
	at := func(name string) int {
		return slices.IndexFunc(c.Spec.Workloads, func(o state.Workload) bool {
			return o.Namespace+"/"+o.Name == name && o.Manifests[state.Head].Exists()
		})
	}
	for _, name := range names {
		i := at(name)
		if i < 0 {
			return nil
		}
		x.involved = append(x.involved, i)
	}
	switch {
	case e.speaksOf(varSelf):
		if subject = w; len(in.Workloads) > 0 && !slices.Contains(in.Workloads, rules.FullName(c, w)) {
			return nil
		}
		x.involved = append(x.involved, w)
	case len(x.involved) > 0:
		subject = x.involved[0]
	default:
		subject = slices.IndexFunc(c.Spec.Workloads, func(o state.Workload) bool { return o.Manifests[state.Head].Exists() })
	}
	if subject != w {
		return nil
	}
	for _, o := range e.reads {
		of := w
		if o.of != varSelf && slices.Contains(names, o.of) {
			of = at(o.of)
		}
		if o.of == varQuiescent {
			x.observers = append(x.observers, nil)
			continue
		}
		x.observers = append(x.observers, o.observe(c, of))
	}
	return x
}

// workloads are those that an expression names, in its order.
func (e *expression) workloads() []string {
	var out []string
	for _, o := range e.reads {
		if strings.Contains(o.of, "/") && !slices.Contains(out, o.of) {
			out = append(out, o.of)
		}
	}
	return out
}

func (e *expression) speaksOf(name string) bool {
	return slices.ContainsFunc(e.reads, func(o observation) bool { return o.of == name })
}

// comes reports whether a workload that is looked at comes with the change, so that it has
// not been running before.
func (x *watcher) comes() bool {
	change := slices.ContainsFunc(x.c.Spec.Workloads,
		func(w state.Workload) bool { return w.Manifests[state.Base].Exists() })
	return change && slices.ContainsFunc(x.involved,
		func(w int) bool { return !x.c.Spec.Workloads[w].Manifests[state.Base].Exists() })
}

// restsBy tells how to know whether anything is left to do.
func (x *watcher) restsBy(rest func(state.State) bool) {
	if x.e.speaksOf(varQuiescent) {
		x.rest = rest
	}
}

func (x *watcher) err() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failure
}

// is reports of a state whether the expression gives want there. What cannot be evaluated
// is neither: it is kept for err.
func (x *watcher) is(want bool, rest resting) func(state.State) bool {
	return func(s state.State) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.observe(s, rest)
		x.key = x.key[:0]
		for _, n := range x.numbers {
			x.key = append(x.key, byte(n), byte(n>>8))
		}
		if v, ok := x.said[string(x.key)]; ok {
			return v == want
		}
		v, err := x.evaluate()
		if err != nil {
			if x.failure == nil {
				x.failure = fmt.Errorf("%s: %w", x.place, err)
			}
			return false
		}
		if len(x.said) >= mostSaid {
			clear(x.said)
		}
		x.said[string(x.key)] = v
		return v == want
	}
}

func (x *watcher) observe(s state.State, rest resting) {
	for i, f := range x.observers {
		switch {
		case f != nil:
			x.numbers[i] = f(s)
		case rest == atRest || x.rest != nil && x.rest(s):
			x.numbers[i] = 1
		default:
			x.numbers[i] = 0
		}
	}
}

// evaluate runs the program on the numbers that were observed.
func (x *watcher) evaluate() (bool, error) {
	value, _, err := x.e.program.Eval(x.e.activation(x.numbers))
	if err != nil {
		return false, fmt.Errorf("%s: correct the expression; it can never be evaluated", oneLine(err.Error()))
	}
	v, ok := value.(types.Bool)
	if !ok {
		return false, fmt.Errorf("gives %s where it must say true or false", value.Type().TypeName())
	}
	return bool(v), nil
}

// values words what the expression sees in a state: "default/web ready 2, zones 1".
func (x *watcher) values(s state.State, rests bool) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	rest := asIs
	if rests {
		rest = atRest
	}
	x.observe(s, rest)
	var parts []string
	last := ""
	for i, o := range x.e.reads {
		text := o.worded(x.numbers[i])
		switch {
		case text == "":
			continue
		case o.of == last && o.field != "":
			parts[len(parts)-1] += ", " + text
			continue
		case o.of == varSelf:
			text = rules.FullName(s.C, x.involved[len(x.involved)-1]) + " " + text
		case o.field != "":
			text = o.of + " " + text
		}
		last = o.of
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// worded is one observation as a text.
func (o observation) worded(n int) string {
	switch {
	case o.of == varQuiescent && n == 1:
		return "at rest"
	case o.of == varQuiescent:
		return ""
	case o.of == varApplied && n == 1:
		return "the change is applied"
	case o.of == varApplied:
		return "the change is not applied"
	case o.field == "load":
		return "load " + state.Load(n).String()
	case o.field == readyOn:
		return fmt.Sprintf("ready on %s=%s %d", o.at.key, o.at.value, n)
	}
	return fmt.Sprintf("%s %d", o.field, n)
}

// fields are the manifest fields that the intent rests on.
func (x *watcher) fields(w int) []string {
	if d, _ := rules.Newest(x.c, w); d != nil && slices.ContainsFunc(x.e.reads, observation.isPlace) {
		return rules.PlacementFields(d)
	}
	return []string{string(x.c.Spec.Workloads[w].Manifests[state.Head].Kind()) + ":spec.replicas"}
}
