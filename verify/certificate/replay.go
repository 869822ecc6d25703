package certificate

import "maps"

// State are counters and parameters by name, for a test that holds the steps of this package against those of a model.
type State map[string]int64

// Explains reports whether at most so many steps lead from one state to another.
func Explains(from, to State, most int) bool {
	if maps.Equal(from, to) {
		return true
	}
	if most == 0 {
		return false
	}
	for _, t := range rolling() {
		for amount := int64(1); ; amount++ {
			at := maps.Clone(from)
			at[k] = amount
			if !holds(t.guards, at) {
				break
			}
			next := maps.Clone(from)
			for name, s := range t.effect {
				next[name] = value(s, at)
			}
			if Explains(next, to, most-1) {
				return true
			}
			if _, counts := t.effect[created]; counts {
				break
			}
		}
	}
	return false
}

// Able reports whether some step is said to be one that can be taken.
func Able(s State) bool {
	for _, t := range rolling() {
		if t.can != nil && holds(t.can, s) {
			return true
		}
	}
	return false
}

// Starts reports whether a state is the start of a rollout, with parameters that a rollout may have.
func Starts(s State) bool {
	for _, x := range start() {
		if value(x, s) != 0 {
			return false
		}
	}
	return holds(parameters(), s)
}

func holds(sums []Sum, at State) bool {
	for _, s := range sums {
		if value(s, at) < 0 {
			return false
		}
	}
	return true
}

func value(s Sum, at State) int64 {
	total := s[One]
	for name, c := range s {
		total += c * at[name]
	}
	return total
}
