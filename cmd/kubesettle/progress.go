package main

import (
	"fmt"
	"io"
	"time"

	"github.com/kubesettle/kubesettle/verify"
)

// progressLine shows a running check on one line of a terminal. A nil *progressLine
// shows nothing, as in CI.
type progressLine struct {
	w       io.Writer
	columns int
	shown   bool
}

func newProgressLine(w io.Writer, columns int) *progressLine {
	if columns == 0 {
		return nil
	}
	return &progressLine{w: w, columns: columns}
}

// show redraws the line.
func (l *progressLine) show(p verify.Progress) {
	l.say(fmt.Sprintf("%s: %d of %d searches, %s states, %s/s, %s",
		p.Workload, p.Done, p.Of, short(float64(p.States)), short(p.StatesPerSecond), p.Elapsed.Round(time.Second)))
}

// say replaces the line by a text, cut to the terminal's width.
func (l *progressLine) say(text string) {
	if l == nil {
		return
	}
	runes := []rune(printable(text))
	if len(runes) >= l.columns {
		runes = append(runes[:l.columns-2], '…')
	}
	fmt.Fprintf(l.w, "\r\x1b[K%s", string(runes))
	l.shown = true
}

// clear removes the line, so that what follows starts in its place.
func (l *progressLine) clear() {
	if l != nil && l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// hook is what the check calls, or nil.
func (l *progressLine) hook() func(verify.Progress) {
	if l == nil {
		return nil
	}
	return l.show
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
