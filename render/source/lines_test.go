package source

import (
	"fmt"
	"testing"
)

// Edited lines are those that a line diff adds, whatever the rest looks like.
func TestLineEdits(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", "[]"},
		{"a\nb\n", "a\nb\n", "[]"},
		{"a\nb\n", "a\nx\nb\n", "[{2 2}]"},
		{"a\nb\nc\n", "a\nc\n", "[]"},
		{"a\nb", "a\nc", "[{2 2}]"},
		{"", "a\nb\n", "[{1 2}]"},
		{"a\nb\nc\nd\n", "x\nb\nc\ny\nz\n", "[{1 1} {4 5}]"},
	} {
		if got := fmt.Sprint(lineEdits(c.a, c.b)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

func TestHunks(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", "[]"},
		{"a\nb\n", "a\nb\n", "[]"},
		{"a\nb\n", "a\nx\nb\n", "[{2 2 2 1 []}]"},
		{"a\nb\nc\n", "a\nc\n", "[{2 1 2 2 [b]}]"},
		{"a\nb\nc", "a\nx\ny\nc", "[{2 3 2 2 [b]}]"},
		{"a\r\nb\r\n", "a\r\nc\r\n", "[{2 2 2 2 [b]}]"},
		{"a\nb", "a\nc", "[{2 2 2 2 [b]}]"},
		{"a\nb\nc\nd\ne\n", "x\nb\nc\ny\n", "[{1 1 1 1 [a]} {4 4 4 5 [d e]}]"},
	} {
		if got := fmt.Sprint(Hunks(c.a, c.b)); got != c.want {
			t.Errorf("%q to %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
