package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify"
)

// One line, redrawn in place, no wider than the terminal, gone at the end.
func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	l := newProgressLine(&b, 40)
	l.show(verify.Progress{
		Workload: "apps/Deployment default/web", Done: 3, Of: 12, States: 1_234_567, StatesPerSecond: 98_765, Elapsed: 12 * time.Second,
	})
	drawn := strings.TrimPrefix(b.String(), "\r\x1b[K")
	if drawn == b.String() || strings.ContainsAny(drawn, "\n\r\x1b") {
		t.Errorf("not one line in place: %q", b.String())
	}
	if n := utf8.RuneCountInString(drawn); n >= 40 {
		t.Errorf("%d columns of 40: %q", n, drawn)
	}
	l.clear()
	if !strings.HasSuffix(b.String(), "\r\x1b[K") {
		t.Errorf("it is still there: %q", b.String())
	}
	wide := newProgressLine(&b, 200)
	b.Reset()
	wide.show(verify.Progress{Workload: "w", Done: 3, Of: 12, States: 1_234_567, StatesPerSecond: 98_765, Elapsed: 12 * time.Second})
	if want := "w: 3 of 12 searches, 1.23M states, 98.8k/s, 12s"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// In CI there is no line, and no hook that could draw one.
func TestNoProgressLineInCI(t *testing.T) {
	var b bytes.Buffer
	l := newProgressLine(&b, 0)
	l.say("rendering")
	l.clear()
	if l.hook() != nil || b.Len() > 0 {
		t.Errorf("drawn: %q", b.String())
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 999: "999", 1000: "1k", 12_345: "12.3k", 4_560_000: "4.56M", 7e9: "7G", 7e12: "7e+03G"} {
		if got := short(v); got != want {
			t.Errorf("short(%v) is %q, want %q", v, got, want)
		}
	}
}

// What a repository calls its files reaches neither the terminal's controls nor the
// runner's commands.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"plain", "::error::x", "a\n  ::add-mask::b", "\x1b[2J", "##[error]", "\u009b31m", "tab\there"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range strings.Split(printable(s), "\n") {
			if strings.HasPrefix(strings.TrimLeft(l, " \t"), "::") || strings.HasPrefix(l, "##[") {
				t.Errorf("a command: %q", l)
			}
			if strings.ContainsFunc(l, func(r rune) bool { return r != '\t' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0) }) {
				t.Errorf("a control character: %q", l)
			}
		}
	})
}
