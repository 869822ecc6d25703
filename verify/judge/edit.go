package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Edit is a replacement of whole lines in a file of head.
type Edit struct {
	file        string
	First, Last int      // lines of head, from 1; at least one
	Lines       []string // in their place, without ends; none takes them out
	say         string   // its effect, as an imperative
}

// mostLines bounds the lines of an edit, those of both sides.
const mostLines = 40

// difference is the edit that makes one text of another: the lines between the first and
// the last one that differ, with a line beside them where none goes.
func difference(was, is string) Edit {
	a, b := SplitLines(was), SplitLines(is)
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	i, j := len(a), len(b)
	for i > from && j > from && a[i-1] == b[j-1] {
		i, j = i-1, j-1
	}
	if i == from { // lines that only come
		switch {
		case from > 0:
			from--
		case i < len(a):
			i, j = i+1, j+1
		}
	}
	e := Edit{First: from + 1, Last: i}
	for _, l := range b[from:j] {
		e.Lines = append(e.Lines, strings.TrimRight(l, "\r\n"))
	}
	return e
}

// Difference is the edit that makes one text of a file of another, with its effect as an imperative; false if it is too
// long or may not be shown.
func Difference(file, was, is, say string) (Edit, bool) {
	e := difference(was, is)
	e.file, e.say = file, say
	return e, len(e.Lines)+e.Last-e.First <= mostLines && redact.Plain(e.Lines)
}

// Fix words an edit that was proven.
func (pl Places) Fix(e Edit) *finding.Fix {
	l := pl.Location(object.Location{File: e.file, StartLine: e.First, EndLine: e.Last, Rung: "file"}, "head")
	if lines := pl.linesOf(e.file); e.Last <= len(lines) {
		l.EndColumn = len([]rune(strings.TrimRight(lines[e.Last-1], "\r\n"))) + 1
	}
	replacement := ""
	for _, line := range e.Lines {
		replacement += line + "\n"
	}
	return &finding.Fix{Text: e.say, Location: &l, Replacement: replacement, Mechanical: true, Verified: true}
}

// Apply makes the edit in a text, whose line ends it keeps.
func (e Edit) Apply(text string) (string, bool) {
	lines := SplitLines(text)
	if e.First < 1 || e.Last < e.First || e.Last > len(lines) {
		return "", false
	}
	end := "\n"
	if strings.HasSuffix(lines[e.First-1], "\r\n") {
		end = "\r\n"
	}
	var in []string
	for _, l := range e.Lines {
		in = append(in, l+end)
	}
	if n := len(in); n > 0 && e.Last == len(lines) && !strings.HasSuffix(text, "\n") {
		in[n-1] = e.Lines[n-1]
	}
	return strings.Join(slices.Replace(lines, e.First-1, e.Last, in...), ""), true
}

// SplitLines gives lines with their ends.
func SplitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	return slices.DeleteFunc(lines, func(l string) bool { return l == "" })
}

// edits lists base's lines in the place of head's, as far as they are to blame.
func (pl Places) edits(blame []finding.Blame) []Edit {
	var out []Edit
	add := func(list []Edit) {
		for _, e := range list {
			same := func(o Edit) bool {
				return o.file == e.file && o.First == e.First && o.Last == e.Last && slices.Equal(o.Lines, e.Lines)
			}
			if redact.Plain(e.Lines) && !slices.ContainsFunc(out, same) {
				out = append(out, e)
			}
		}
	}
	for _, b := range blame {
		if b.Path != "" { // an object that came: its first line alone is none to take out
			add(pl.putBack(b))
		}
	}
	return out
}

// putBack puts base's lines where head has others: those of the field alone where the
// diff tells them apart, then all that were edited together.
func (pl Places) putBack(b finding.Blame) []Edit {
	if b.Location == nil {
		return nil
	}
	hunks, err := pl.Changes.Hunks(b.Location.File)
	if err != nil {
		return nil
	}
	for _, h := range hunks {
		if b.Location.Side == "head" && h.HeadFirst <= b.Location.StartLine && b.Location.EndLine <= h.HeadLast {
			return headEdits(b.Location, h)
		}
		if b.Location.Side == "base" && h.BaseFirst <= b.Location.StartLine && b.Location.StartLine <= h.BaseLast {
			return []Edit{pl.reinsert(b.Location.File, h)}
		}
	}
	return nil
}

func headEdits(l *finding.Location, h object.Hunk) []Edit {
	whole := Edit{file: l.File, First: h.HeadFirst, Last: h.HeadLast, Lines: h.Base}
	narrow := Edit{file: l.File, First: l.StartLine, Last: l.EndLine}
	out := []Edit{whole}
	switch {
	case len(h.Base) == 0:
		out = []Edit{narrow, whole}
	case len(h.Base) == h.HeadLast-h.HeadFirst+1:
		narrow.Lines = h.Base[l.StartLine-h.HeadFirst : l.EndLine-h.HeadFirst+1]
		out = []Edit{narrow, whole}
	}
	for i := range out {
		out[i].say = "put " + out[i].span() + " back to base's version"
		if len(out[i].Lines) == 0 {
			out[i].say = "remove " + out[i].span() + " (added here)"
		}
	}
	return out
}

// reinsert puts lines back that the change took out, beside a line that is there.
func (pl Places) reinsert(file string, h object.Hunk) Edit {
	if h.HeadLast >= h.HeadFirst {
		e := Edit{file: file, First: h.HeadFirst, Last: h.HeadLast, Lines: h.Base}
		e.say = "put " + e.span() + " back to base's version"
		return e
	}
	at := max(h.HeadLast, 1)
	e := Edit{file: file, First: at, Last: at, say: fmt.Sprintf("restore base's lines after line %d", at)}
	lines := pl.linesOf(file)
	if at > len(lines) {
		return e
	}
	beside := strings.TrimRight(lines[at-1], "\r\n")
	e.Lines = append([]string{beside}, h.Base...)
	if h.HeadLast < 1 {
		e.say, e.Lines = "restore what base begins with", append(slices.Clone(h.Base), beside)
	}
	return e
}

func (e Edit) span() string {
	if e.First == e.Last {
		return fmt.Sprintf("line %d", e.First)
	}
	return fmt.Sprintf("lines %d to %d", e.First, e.Last)
}
