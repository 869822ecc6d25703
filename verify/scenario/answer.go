package scenario

import "context"

// Answer is that of a question to searches with a budget. The zero value says that the budget did not last: it is
// neither yes nor no, and whoever asks has to do without.
type Answer uint8

const (
	Undecided Answer = iota
	No
	Yes
)

// answerTo is that of a question which was decided.
func answerTo(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// shows reports whether a variant at a topology breaks the rule of a violation with its events or fewer: along the same
// actions, or found by a search of few states.
func (c *Checker) shows(ctx context.Context, j Task, found Violation) Answer {
	if _, ok := c.directedAt(ctx, j.Variant, found); ok {
		return Yes
	}
	o := c.Within(premiseStates).Both(ctx, j)
	switch {
	case o.Err != nil:
		return Undecided
	case found.In(o.Head):
		return Yes
	case Complete(o.Cov):
		return No
	}
	return Undecided
}
