package finding

import "slices"

// Certainty is how sure it is that a set of events ends in a violation. The zero value is the careful one.
type Certainty int

const (
	Unknown    Certainty = iota // the search was cut before it could tell
	Possible                    // by particular choices: a tie of the scheduler, a race
	Inevitable                  // in every fair run
)

var certainties = []string{"unknown", "possible", "inevitable"}

// String is the name that results and reports have.
func (c Certainty) String() string {
	if c < 0 || int(c) >= len(certainties) {
		c = Unknown
	}
	return certainties[c]
}

// MarshalText gives the name.
func (c Certainty) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a name; one that there is none of is not known.
func (c *Certainty) UnmarshalText(b []byte) error {
	*c = Certainty(max(slices.Index(certainties, string(b)), int(Unknown)))
	return nil
}
