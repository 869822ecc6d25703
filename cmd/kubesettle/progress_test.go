package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/scenario"
)

func watched(columns int, env map[string]string) (*progress, *bytes.Buffer) {
	var b bytes.Buffer
	return newProgress(&process{stderr: &b, columns: columns, getenv: func(k string) string { return env[k] }}), &b
}

var someProgress = scenario.Progress{Done: 14, Of: 60, Releases: 2, OfReleases: 5, States: 1_234_567, StatesPerSecond: 98_765}

// One line, redrawn in place, no wider than the terminal, with the time that is left however
// narrow that is, gone at the end.
func TestProgressOnATerminal(t *testing.T) {
	now := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	for columns := 20; columns <= 120; columns++ {
		l, b := watched(columns, nil)
		l.now = func() time.Time { return now }
		for _, do := range []func(){
			func() { l.begin("rendering main and a-branch-with-a-name-of-some-length", now.Add(105*time.Second)) },
			l.render, func() { l.search(someProgress) },
		} {
			b.Reset()
			l.drawn = time.Time{}
			do()
			drawn := strings.TrimPrefix(b.String(), "\r\x1b[K")
			if drawn == b.String() || strings.ContainsAny(drawn, "\n\r\x1b") {
				t.Errorf("not one line in place: %q", b.String())
			}
			if n := utf8.RuneCountInString(drawn); n >= columns || !strings.HasSuffix(drawn, ", 1m45s left") {
				t.Errorf("%d columns of %d: %q", n, columns, drawn)
			}
		}
		l.end()
		if !strings.HasSuffix(b.String(), "\r\x1b[K") {
			t.Errorf("it is still there: %q", b.String())
		}
	}
}

// The line says the phase, how far it is and how much time is left of the budget.
func TestProgressSaysWhatIsLeft(t *testing.T) {
	now := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	l, b := watched(200, nil)
	l.now = func() time.Time { return now }
	steps := []struct {
		do   func()
		want string
	}{
		{func() { l.begin("rendering main and topic", now.Add(2*time.Minute)) }, "rendering main and topic, 2m0s left"},
		{func() { now = now.Add(3 * time.Second); l.render() }, "rendering main and topic: 1 rendered, 1m57s left"},
		{func() { l.begin("comparing", now.Add(117*time.Second)) }, "comparing, 1m57s left"},
		{func() { now = now.Add(12 * time.Second); l.search(someProgress) },
			"searching: 2/5 releases, 14/60 topologies, 98.8k/s, 1.23M states, 1m45s left"},
		{func() { now = now.Add(time.Hour); l.search(someProgress) },
			"searching: 2/5 releases, 14/60 topologies, 98.8k/s, 1.23M states, 0s left"},
		{func() { l.begin("rendering x", time.Time{}) }, "rendering x"},
	}
	for _, s := range steps {
		if s.do(); !strings.HasSuffix(b.String(), "\x1b[K"+s.want) {
			t.Errorf("got %q, want %q", b.String(), s.want)
		}
	}
}

// In a workflow's log each phase is a line of one group, and a revision's name no command.
func TestProgressInAWorkflow(t *testing.T) {
	l, b := watched(0, map[string]string{"GITHUB_ACTIONS": "true"})
	l.begin("rendering main and\n::error::x", time.Time{})
	l.render()
	l.begin("comparing", time.Time{})
	for range 3 {
		l.search(someProgress)
	}
	l.end()
	want := "::group::kubesettle: phases of the check\nrendering main and\n. ::error::x\ncomparing\nsearching 60 topologies of 5 releases\n::endgroup::\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// In any other log there is nothing, and no hook that could write it.
func TestNoProgressInALog(t *testing.T) {
	l, b := watched(0, nil)
	l.begin("rendering", time.Time{})
	l.render()
	l.search(someProgress)
	l.end()
	if l.searchHook() != nil || l.renderHook() != nil || b.Len() > 0 {
		t.Errorf("shown: %q", b.String())
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
