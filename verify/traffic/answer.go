package traffic

// Answer is one of three: what hangs on something that no manifest says is [Unknown], the zero value.
type Answer uint8

const (
	Unknown Answer = iota
	Yes
	No
)

func (a Answer) String() string { return [...]string{"unknown", "yes", "no"}[a] }

func answer(yes bool) Answer {
	if yes {
		return Yes
	}
	return No
}

// and is yes where both are.
func (a Answer) and(b Answer) Answer {
	switch {
	case a == No || b == No:
		return No
	case a == Yes && b == Yes:
		return Yes
	}
	return Unknown
}

// or is yes where one of them is.
func (a Answer) or(b Answer) Answer { return a.not().and(b.not()).not() }

func (a Answer) not() Answer { return [...]Answer{Unknown, No, Yes}[a] }

// outcomes are the ways in which a connection may be judged, where it is not known which one: a set of allow and deny.
type outcomes uint8

const (
	allow outcomes = 1 << iota
	deny
	passed // policies below decide
	next   // no rule has it
)

func (o outcomes) answer() Answer {
	switch o {
	case allow:
		return Yes
	case deny:
		return No
	}
	return Unknown
}
