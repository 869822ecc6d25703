package policies

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/google/cel-go/common/types"

	"github.com/kubesettle/kubesettle/verify/state"
)

// at is where the controller is declared, as texts have it.
func (o *OwnController) at() string { return o.File + ":" + strconv.Itoa(o.Line) }

// loopExpression is what a declared controller goes by.
type loopExpression struct {
	*expression
	place string // for errors
}

// Content implements [state.Expression].
func (e *loopExpression) Content() string { return e.text }

// For implements [state.Expression].
func (e *loopExpression) For(c *state.Config, self int) (state.Reading, bool) {
	r := &reading{loopExpression: e, numbers: make([]int, len(e.reads)), said: map[string]int{}}
	for _, o := range e.reads {
		of := self
		if slices.Contains(e.workloads(), o.of) {
			of = slices.IndexFunc(c.Spec.Workloads, func(w state.Workload) bool { return w.Namespace+"/"+w.Name == o.of })
			if of < 0 {
				return nil, false
			}
		}
		switch o.field {
		case "zones", "nodes", "maxPerNode", "maxPerZone", readyOn:
			r.placed = r.placed || o.isPlace() && o.of != varNodes
		}
		if o.of == varChanged {
			r.observers = append(r.observers, nil)
			continue
		}
		r.observers = append(r.observers, o.observe(c, of))
	}
	return r, true
}

// reading is an expression in the states of one problem. Its value depends only on the numbers that it looks at, and is
// evaluated once for each combination of them.
type reading struct {
	*loopExpression
	observers []observer // nil: whether the watched object has changed
	placed    bool

	mu      sync.Mutex
	numbers []int
	key     []byte
	said    map[string]int
	failure error
}

// Placed implements [state.Reading].
func (r *reading) Placed() bool { return r.placed }

// Err implements [state.Reading].
func (r *reading) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// Of implements [state.Reading].
func (r *reading) Of(s state.State, noticed bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.key = r.key[:0]
	for i, f := range r.observers {
		n := 0
		switch {
		case f != nil:
			n = f(s)
		case noticed:
			n = 1
		}
		r.numbers[i] = n
		r.key = append(r.key, byte(n), byte(n>>8))
	}
	if v, ok := r.said[string(r.key)]; ok {
		return v
	}
	v, err := r.evaluate()
	if err != nil && r.failure == nil {
		r.failure = fmt.Errorf("%s: %w", r.place, err)
	}
	if len(r.said) >= mostSaid {
		clear(r.said)
	}
	r.said[string(r.key)] = v
	return v
}

// evaluate runs the program on the numbers that were observed.
func (r *reading) evaluate() (int, error) {
	value, _, err := r.program.Eval(r.activation(r.numbers))
	if err != nil {
		return 0, fmt.Errorf("%s: correct the expression; it can never be evaluated", oneLine(err.Error()))
	}
	switch v := value.(type) {
	case types.Bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case types.Int:
		return int(min(max(v, 0), mostOwnReplicas)), nil
	}
	return 0, fmt.Errorf("gives %s where it must give a number, or say true or false", value.Type().TypeName())
}
