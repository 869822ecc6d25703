package policies

import (
	"strings"
	"testing"
	"time"
)

// Whatever an annotation holds, each of its lines is a waiver with all that one needs, or a problem
// that does not repeat it; never both, never neither.
func FuzzBeside(f *testing.F) {
	for _, s := range []string{
		"unschedulable: a; b; until 2027-01-31", "unschedulable: a", ":;until", "\n\ndrain-blocked: x;until 2027-02-30",
		"unschedulable: : ; until 2027-01-31", "unschedulable:\u2028; until 2027-01-31", strings.Repeat("\n", 100) + "x",
	} {
		f.Add(s)
	}
	p := Default()
	f.Fuzz(func(t *testing.T, text string) {
		list, problems := p.Beside(text)
		lines := 0
		for i, l := range strings.Split(text, "\n") {
			if i < maxBeside && strings.TrimSpace(l) != "" {
				lines++
			}
		}
		if got := len(list) + len(problems); got < lines || got > lines+1 {
			t.Fatalf("%d lines, %d waivers, %d problems", lines, len(list), len(problems))
		}
		for _, w := range list {
			day, err := time.Parse(time.DateOnly, w.Expires)
			if err != nil || w.Reason == "" || strings.TrimSpace(w.Rule) == "" || w.Line < 1 {
				t.Fatalf("%+v: %v", w, err)
			}
			if w.ExpiredOn(day) || !w.ExpiredOn(day.AddDate(0, 0, 1)) {
				t.Fatalf("%s is not its last day", w.Expires)
			}
		}
		for _, s := range problems { // a text of its own kind, such as a password, is not in what is said of it
			if strings.Contains(s, "\x1b") || len(s) > 500 {
				t.Fatalf("a problem repeats the text: %q", s)
			}
		}
	})
}
