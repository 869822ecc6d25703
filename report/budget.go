package report

import (
	"maps"
	"slices"
	"strings"
)

// minBudget is what the head, the notice and the foot of a document need at most.
const minBudget = 8192

// document is Markdown made of whole pieces, so that a part can be left out without
// cutting a fence, a fold or a rune.
type document struct {
	head, foot string  // always there; both bounded by their makers
	groups     []group // in the order in which they get their share of the budget
	elsewhere  string  // where the rest can be read, for the notice; a sentence or ""
}

// group is a list of like pieces, worst first, within a heading or a fold.
type group struct {
	noun        string // of one piece, for the notice: "new finding"
	open, close string // stand when any piece does
	pieces      []piece
	max         int // pieces shown at most; 0: no separate limit
	stands      int // place on the page: before groups of a higher number
	first       int // pieces that take their longest form before the others get any
}

// piece is one part in several forms, from the shortest to the longest; a form is made
// when it may be needed. One form always gives the same text.
type piece []func() string

// only is a piece of one form.
func only(s string) piece { return piece{func() string { return s }} }

// leftOut counts what a group lost.
type leftOut struct {
	noun           string
	whole, shorter int
}

// render writes the document in at most budget bytes (at least 8 kB): first every group's shortest forms, worst first,
// then longer ones while they fit. A notice, whose place was kept free, counts the omitted pieces.
func (d *document) render(budget int) string {
	var worst []leftOut
	for _, g := range d.groups {
		worst = append(worst, leftOut{g.noun, len(g.pieces), len(g.pieces)})
	}
	left := max(budget, minBudget) - len(d.head) - len(d.foot) - len(d.notice(worst))
	texts := map[int]string{} // by where they stand
	var out []leftOut
	for i := range d.groups {
		text, lost := d.groups[i].fit(&left)
		texts[d.groups[i].stands] += text
		out = append(out, lost)
	}
	body := ""
	for _, at := range slices.Sorted(maps.Keys(texts)) {
		body += texts[at]
	}
	return d.head + d.notice(out) + body + d.foot
}

// fit chooses the forms of a group and takes their bytes from left.
func (g *group) fit(left *int) (string, leftOut) {
	lost := leftOut{noun: g.noun, whole: len(g.pieces)}
	shown := g.pieces
	if g.max > 0 {
		shown = shown[:min(len(shown), g.max)]
	}
	wrap := len(g.open) + len(g.close)
	var out []string
	longest := func(i int) bool { // whether it stands in its longest form
		for k := len(shown[i]) - 1; k > 0; k-- {
			if s := shown[i][k](); len(s)-len(out[i]) <= *left {
				*left -= len(s) - len(out[i])
				out[i] = s
				return k == len(shown[i])-1
			}
		}
		return len(shown[i]) == 1
	}
	for i, p := range shown {
		s := p[0]()
		if len(s)+wrap > *left {
			break
		}
		*left -= len(s) + wrap
		wrap = 0 // paid with the first piece
		out = append(out, s)
		if i < g.first && !longest(i) {
			lost.shorter++
		}
	}
	if len(out) == 0 {
		return "", lost
	}
	for i := g.first; i < len(out); i++ {
		if !longest(i) {
			lost.shorter++
		}
	}
	lost.whole -= len(out)
	return g.open + strings.Join(out, "") + g.close, lost
}

// notice says what was left out, or nothing.
func (d *document) notice(lost []leftOut) string {
	var whole, shorter []string
	for _, l := range lost {
		if l.whole > 0 {
			whole = append(whole, count(l.whole, l.noun))
		}
		if l.shorter > 0 {
			shorter = append(shorter, count(l.shorter, l.noun))
		}
	}
	var parts []string
	if len(whole) > 0 {
		parts = append(parts, "left out: "+strings.Join(whole, ", "))
	}
	if len(shorter) > 0 {
		parts = append(parts, "shortened: "+strings.Join(shorter, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	s := "> This page has a size limit. " + capital(strings.Join(parts, "; ")) + "."
	if d.elsewhere != "" {
		s += " " + d.elsewhere
	}
	return s + "\n\n"
}
