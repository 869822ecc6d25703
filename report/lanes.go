package report

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Sizes of a space-time diagram, in CSS pixels.
const (
	laneWide  = 30
	laneHigh  = 22
	laneHead  = 74
	laneText  = 44 // runes of a step's text
	mostLanes = 9  // further loops share the last one
)

// lanes draws an interleaving as a space-time diagram: time runs down, each loop and the events have a lane, and an
// arrow leads from the step that wrote what another one acts on. It is plain SVG, so that it needs no script.
type lanes struct {
	names []string
	at    []int // lane of each step
	steps []shownStep
	id    string // of the finding, for links to its steps
	turn  int    // index of the decisive step among the steps shown, or -1
}

func newLanes(f *finding.Finding, shown []shownStep, id string) *lanes {
	l := &lanes{steps: shown, id: id, turn: -1}
	for i, s := range shown {
		name := role(s.Step)
		k := slices.Index(l.names, name)
		if k < 0 {
			if k = len(l.names); k >= mostLanes {
				k = mostLanes - 1
				l.names[k] = "others"
			} else {
				l.names = append(l.names, name)
			}
		}
		l.at = append(l.at, k)
		if decides(f, s.Index) {
			l.turn = i
		}
	}
	return l
}

// svg is the diagram.
func (l *lanes) svg() template.HTML {
	left, width := 26, 26+laneWide*len(l.names)
	high := laneHead + laneHigh*len(l.steps) + 6
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="lanes" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="Steps by loop, time runs down">`, width+7*laneText, high, width+7*laneText, high)
	x := func(lane int) int { return left + laneWide*lane + laneWide/2 }
	y := func(step int) int { return laneHead + laneHigh*step + laneHigh/2 }
	for k, name := range l.names {
		fmt.Fprintf(&b, `<text class="head" transform="translate(%d %d) rotate(-50)">%s</text><path class="lane" d="M%d %dV%d"/>`,
			x(k)+2, laneHead-6, html.EscapeString(clip(name, 22)), x(k), laneHead-2, high-4)
	}
	for i := range l.steps {
		for _, from := range l.wrote(i) {
			x1, y1, x2, y2 := x(l.at[from]), y(from), x(l.at[i]), y(i)
			tip := 6
			if x2 < x1 {
				tip = -6
			}
			fmt.Fprintf(&b, `<path class="arrow" d="M%d %dL%d %dm%d -3l%d 3l%d 3"/>`, x1, y1+4, x2-tip, y2, -tip, tip, -tip)
		}
	}
	for i, s := range l.steps {
		class := "row"
		switch {
		case i == l.turn:
			class += " turn"
		case s.Class == "event":
			class += " event"
		case s.InLoop:
			class += " loop"
		}
		fmt.Fprintf(&b, `<a class="%s" href="#%s-step-%d"><rect x="0" y="%d" width="100%%" height="%d"/>`,
			class, l.id, s.Index+1, y(i)-laneHigh/2, laneHigh)
		fmt.Fprintf(&b, `<text class="n" x="%d" y="%d">%d</text>%s<text x="%d" y="%d">%s</text></a>`,
			left-6, y(i)+4, s.Index+1, l.mark(i, x(l.at[i]), y(i)), width+6, y(i)+4,
			html.EscapeString(clipRunes(stepText(s.Step), laneText)))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// mark is the glyph of a step: a diamond for the one that decides, a square for an event, a dot else.
func (l *lanes) mark(i, x, y int) string {
	switch {
	case i == l.turn:
		return fmt.Sprintf(`<path class="mark" d="M%d %dl7 7l-7 7l-7 -7z"/>`, x, y-7)
	case l.steps[i].Class == "event":
		return fmt.Sprintf(`<rect class="mark" x="%d" y="%d" width="9" height="9"/>`, x-4, y-4)
	}
	return fmt.Sprintf(`<circle class="mark" cx="%d" cy="%d" r="4.5"/>`, x, y)
}

// wrote lists the steps that wrote what a step acts on: of its object the last one of another lane, and of the nodes
// that it changes the last of another workload, which is what a race is about.
func (l *lanes) wrote(i int) []int {
	var out []int
	s := &l.steps[i]
	own, nodes := lifeline(s.Object), l.changes(i)
	object, node := false, false
	for k := i - 1; k >= 0 && !(object && node); k-- {
		o := lifeline(l.steps[k].Object)
		switch {
		case !object && own != "" && o == own:
			if object = true; l.at[k] != l.at[i] {
				out = append(out, k)
			}
		case !node && o != own && slices.ContainsFunc(l.changes(k),
			func(n string) bool { return slices.Contains(nodes, n) || n == own }):
			node = true
			out = append(out, k)
		}
	}
	return out
}

// changes are the nodes that look otherwise after a step.
func (l *lanes) changes(i int) []string {
	if i == 0 || l.steps[i].After == nil || l.steps[i-1].After == nil {
		return nil
	}
	was, is := l.steps[i-1].After, l.steps[i].After
	var out []string
	for _, n := range nodeNames(was, is) {
		if podsOn(was, n, nil) != podsOn(is, n, nil) || cordoned(was, n) != cordoned(is, n) {
			out = append(out, "Node "+n)
		}
	}
	return out
}

func cordoned(s *finding.Snapshot, node string) bool {
	return slices.ContainsFunc(s.Nodes, func(n finding.NodeSnapshot) bool {
		return line(n.Name) == node && (n.Cordoned || n.Condition != "")
	})
}

// clipRunes is s in at most so many runes.
func clipRunes(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + ellipsis
	}
	return s
}
