package search

// Walker gives the steps of single states, for whoever follows one run. It is not safe for concurrent use.
type Walker struct{ w *worker }

// NewWalker makes one. [System.Ample] is not heeded: the steps of a state are all that there are.
func NewWalker(sys System) (*Walker, error) {
	sys.Ample, sys.Measure = nil, nil
	c, err := compile(sys, &Options{MaxEvents: -1})
	if err != nil {
		return nil, err
	}
	return &Walker{newWorker(c)}, nil
}

// Loops lists what the loops may do in a state, in the order of the actors: the patient ones only where no prompt one
// is enabled.
func (k *Walker) Loops(s []byte) ([]Step, error) { return k.w.successors(s, false) }

// Events lists what the environment may do in a state.
func (k *Walker) Events(s []byte) ([]Step, error) { return k.w.successors(s, true) }
