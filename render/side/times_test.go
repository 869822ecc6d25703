package side

import (
	"testing"
	"time"
)

// A change answers for the time that it takes, not for that of a slow machine.
func TestSlower(t *testing.T) {
	of := func(spent ...time.Duration) *Side {
		s := &Side{Spent: &Times{}}
		for i, d := range spent {
			id := string(rune('a' + i))
			if s.Spent.have(id); d > 0 {
				s.Spent.add(id, d)
			}
		}
		return s
	}
	unread := of(0, 3)
	delete(unread.Spent.had, "a")
	for _, tt := range []struct {
		name       string
		base, head *Side
		want       bool
	}{
		{"alike", of(3, 3), of(4, 3), false},
		{"all of head's first, none of base's in time", of(0, 0, 0), of(9, 9, 9), false},
		{"head takes the time of the rest", of(1, 0, 0), of(9, 0, 0), true},
		{"shared", of(5, 5), of(0, 5), false},
		{"new and slow", of(1), of(1, 9), true},
		{"new, and no more than what there is", of(5), of(5, 4), false},
		{"base is not read, head is slow", unread, of(9, 3), true},
		{"a moment more, of much that is shared", of(1, 90), of(5), false},
		{"nothing", of(0), of(0), false},
	} {
		if got := Slower(tt.base, tt.head); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
