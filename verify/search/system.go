package search

import (
	"fmt"
	"runtime"
)

// compiled is a system that was checked, with the answers that are needed again and again.
type compiled struct {
	System
	prompt, patient, environment []int // actors by urgency
	// rules by what they look at
	bad, badStep, quiet, lasso []int
	clusters                   clusters
	packing                    *packing // nil: states are kept as they are
}

func compile(sys System, opt *Options) (*compiled, error) {
	if err := checkOptions(opt); err != nil {
		return nil, err
	}
	c := &compiled{System: sys}
	switch {
	case sys.Width < 1:
		return nil, fmt.Errorf("%w: Width is %d, want at least 1", ErrSystem, sys.Width)
	case len(sys.Initial) == 0:
		return nil, fmt.Errorf("%w: no initial state", ErrSystem)
	}
	for i, s := range sys.Initial {
		if len(s) != sys.Width {
			return nil, fmt.Errorf("%w: initial state %d has %d bytes, Width says %d", ErrSystem, i, len(s), sys.Width)
		}
	}
	if err := c.sortActors(); err != nil {
		return nil, err
	}
	if err := c.sortRules(); err != nil {
		return nil, err
	}
	if c.Ample != nil && len(c.bad)+len(c.badStep) > 0 {
		return nil, fmt.Errorf("%w: System.Ample leaves out states and steps that rules on them look at", ErrSystem)
	}
	if len(c.environment) == 0 {
		opt.MaxEvents = 0
	}
	if opt.Compact && (len(c.lasso) > 0 || opt.Settled) {
		return nil, fmt.Errorf("%w: hash compaction forgets states, so cycles cannot be sought: no Persists, Settles, Recurs or Settled with it", ErrSystem)
	}
	if sys.Most != nil {
		c.packing = newPacking(sys.Width, sys.Most)
	}
	if opt.Reduce && sys.Measure != nil {
		return nil, fmt.Errorf("%w: an ample set of the actors does not reach all states that System.Measure measures", ErrSystem)
	}
	if opt.Reduce {
		return c, c.reduce(opt)
	}
	return c, nil
}

func checkOptions(opt *Options) error {
	switch {
	case opt.MaxEvents < -1:
		return fmt.Errorf("%w: MaxEvents is %d, want -1 (no bound) or more", ErrSystem, opt.MaxEvents)
	case opt.MaxTime < 0:
		return fmt.Errorf("%w: MaxTime is %v, want 0 (no bound) or more", ErrSystem, opt.MaxTime)
	case opt.Workers < 0:
		return fmt.Errorf("%w: Workers is %d, want 0 (one per processor) or more", ErrSystem, opt.Workers)
	}
	if opt.Workers == 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	return nil
}

func (c *compiled) sortActors() error {
	names := map[string]bool{}
	for i, a := range c.Actors {
		if a == nil {
			return fmt.Errorf("%w: actor %d is nil", ErrSystem, i)
		}
		name := a.Name()
		if names[name] {
			return fmt.Errorf("%w: two actors are named %q", ErrSystem, name)
		}
		names[name] = true
		switch a.Urgency() {
		case Prompt:
			c.prompt = append(c.prompt, i)
		case Patient:
			c.patient = append(c.patient, i)
		case Environment:
			c.environment = append(c.environment, i)
		default:
			return fmt.Errorf("%w: actor %s has the unknown urgency %d", ErrSystem, name, a.Urgency())
		}
	}
	return nil
}

func (c *compiled) sortRules() error {
	names := map[string]bool{}
	for i := range c.Rules {
		r := &c.Rules[i]
		if names[r.Name] {
			return fmt.Errorf("%w: two rules are named %q", ErrSystem, r.Name)
		}
		names[r.Name] = true
		n := 0
		for _, p := range []struct {
			set  bool
			list *[]int
		}{
			{r.Bad != nil, &c.bad}, {r.BadStep != nil, &c.badStep}, {r.Quiescent != nil, &c.quiet},
			{r.Persists != nil, &c.lasso}, {r.Settles != nil, &c.lasso}, {r.Recurs != nil, &c.lasso},
		} {
			if p.set {
				n++
				*p.list = append(*p.list, i)
			}
		}
		if n != 1 {
			return fmt.Errorf("%w: rule %s sets %d predicates, want exactly one", ErrSystem, r.Name, n)
		}
		if c.MovesActors && (r.Persists != nil || r.Settles != nil || r.Recurs != nil) {
			return fmt.Errorf("%w: rule %s asks for fairness per actor, which is lost where Canon exchanges actors (MovesActors)", ErrSystem, r.Name)
		}
	}
	return nil
}

// badEnd reports whether ending in the quiescent state s violates a rule.
func (r *Rule) badEnd(s []byte) bool {
	switch {
	case r.Quiescent != nil:
		return r.Quiescent(s)
	case r.Persists != nil:
		return r.Persists(s)
	case r.Settles != nil:
		return !r.Settles(s)
	}
	return false
}
