package main

import (
	"fmt"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/scenario"
)

// progress shows how far a check is: on a terminal on one line that is redrawn, in a
// workflow's log as a group with a line for each phase. A nil *progress shows nothing.
type progress struct {
	w       io.Writer
	columns int // of the terminal; 0 for a workflow's log
	now     func() time.Time

	mu       sync.Mutex // renderers report from several goroutines
	phase    string
	deadline time.Time // of the time budget; zero: there is none
	drawn    time.Time // when the line was drawn last
	shown    bool      // the line, or the group, is there
	rendered int       // in this phase
	searches bool      // the log has a line for the searches
}

// newProgress watches for a person at a terminal, or for a workflow's log.
func newProgress(p *process) *progress {
	if p.columns == 0 && p.getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	return &progress{w: p.stderr, columns: p.columns, now: time.Now}
}

// begin starts a phase.
func (l *progress) begin(phase string, deadline time.Time) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phase, l.deadline, l.rendered = phase, deadline, 0
	if l.columns > 0 {
		l.draw(phase)
		return
	}
	l.logged(phase)
}

// logged adds a line to the group, which it opens first.
func (l *progress) logged(text string) {
	if !l.shown {
		fmt.Fprintln(l.w, "::group::kubesettle: phases of the check")
		l.shown = true
	}
	fmt.Fprintln(l.w, printable(text))
}

// render counts a release that was rendered.
func (l *progress) render() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rendered++
	if l.columns > 0 && l.now().Sub(l.drawn) >= 100*time.Millisecond {
		l.draw(l.phase, fmt.Sprintf(": %d rendered", l.rendered))
	}
}

// search shows how far the searches are.
func (l *progress) search(p scenario.Progress) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.columns > 0 {
		l.draw(fmt.Sprintf("searching: %d/%d releases, %d/%d topologies", p.Releases, p.OfReleases, p.Done, p.Of),
			fmt.Sprintf(", %s/s", short(p.StatesPerSecond)), fmt.Sprintf(", %s states", short(float64(p.States))))
		return
	}
	if !l.searches {
		l.searches = true
		l.logged(fmt.Sprintf("searching %s of %s", english.Plural(p.Of, "topology", ""),
			english.Plural(p.OfReleases, "release", "")))
	}
}

// left is the time that is left of the budget, in words.
func (l *progress) left() string {
	if l.deadline.IsZero() {
		return ""
	}
	return fmt.Sprintf(", %s left", max(l.deadline.Sub(l.now()), 0).Round(time.Second))
}

// draw replaces the line by a text, as much of more as there is room for, and the remaining time, which goes last: the
// text is cut for it.
func (l *progress) draw(text string, more ...string) {
	left := l.left()
	room := l.columns - 1 - utf8.RuneCountInString(left)
	runes := []rune(printable(text))
	if len(runes) > room {
		runes = append(runes[:max(room-1, 0)], '…')
	}
	line := string(runes)
	for _, m := range more {
		if utf8.RuneCountInString(line+m) <= room {
			line += m
		}
	}
	line = string([]rune(line + left)[:min(l.columns-1, utf8.RuneCountInString(line+left))])
	fmt.Fprintf(l.w, "\r\x1b[K%s", line)
	l.shown, l.drawn = true, l.now()
}

// end removes the line, or ends the group, so that what follows starts in its place.
func (l *progress) end() {
	if l == nil || !l.shown {
		return
	}
	if l.columns > 0 {
		fmt.Fprint(l.w, "\r\x1b[K")
	} else {
		fmt.Fprintln(l.w, "::endgroup::")
	}
	l.shown = false
}

// searchHook is what the check calls, or nil.
func (l *progress) searchHook() func(scenario.Progress) {
	if l == nil {
		return nil
	}
	return l.search
}

// renderHook is what the renderer calls, or nil.
func (l *progress) renderHook() func() {
	if l == nil {
		return nil
	}
	return l.render
}

// short writes a large number in three digits: 12.3k, 4.56M.
func short(v float64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if v < 1000 || unit == "G" {
			if unit == "" {
				return fmt.Sprintf("%.0f", v)
			}
			return fmt.Sprintf("%.3g%s", v, unit)
		}
		v /= 1000
	}
	return ""
}
