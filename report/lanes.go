package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Sizes of a space-time diagram, in CSS pixels.
const (
	laneWide  = 30
	laneHigh  = 22
	laneLine  = 15     // between two lines of a step's text
	laneText  = 56     // runes of a line of it
	laneLines = 7      // of a step's text, fewer where the diagram has no room
	laneRune  = 6.8    // the width of a rune
	mostLanes = 9      // further loops share the last one
	laneBytes = 30_000 // of a diagram
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
		name := laneName(s.Step)
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

// laneName is the role of an actor in words.
func laneName(s *finding.Step) string {
	name := role(s)
	if said, ok := map[string]string{"environment": "events", "tainteviction": "taint eviction",
		"tainteviction-timed": "taint eviction", "deployment": "Deployment",
		"replicaset": "ReplicaSet", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "job": "Job", "cronjob": "CronJob",
		"hpa": "autoscaler", "karpenter": "Karpenter", "attachdetach": "volumes"}[name]; ok {
		return said
	}
	return strings.ReplaceAll(name, "-", " ")
}

// svg is the diagram, with as much of the texts as there is room for.
func (l *lanes) svg() template.HTML {
	for text, lines := laneText, laneLines; ; text /= 2 {
		if s := l.drawn(text, lines); len(s) <= laneBytes || text < 8 {
			return template.HTML(s)
		}
		if lines > 2 {
			text, lines = 2*laneText, 2
		}
	}
}

func (l *lanes) drawn(text, lines int) string {
	head, longest := 0, 0
	for _, name := range l.names {
		head = max(head, int(float64(utf8.RuneCountInString(clip(name, 22)))*5.6)+20)
	}
	said, y, bottom := make([][]string, len(l.steps)), make([]int, len(l.steps)), head
	for i, s := range l.steps {
		said[i] = inLines(stepText(s.Step), text, lines)
		y[i] = bottom + laneHigh/2
		bottom += laneHigh + laneLine*max(len(said[i])-1, 0)
		for _, t := range said[i] {
			n := utf8.RuneCountInString(t)
			if i == l.turn { // in bold
				n += n / 8
			}
			longest = max(longest, n)
		}
	}
	left, width := 26, 26+laneWide*len(l.names)
	wide := width + 12 + int(float64(longest)*laneRune)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="lanes" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="Steps by loop, time runs down">`, wide, bottom+6, wide, bottom+6)
	x := func(lane int) int { return left + laneWide*lane + laneWide/2 }
	for k, name := range l.names {
		fmt.Fprintf(&b, `<text class="head" transform="translate(%d %d) rotate(-50)">%s</text><path class="lane" d="M%d %dV%d"/>`,
			x(k)+2, head-6, html.EscapeString(clip(name, 22)), x(k), head-2, bottom)
	}
	for i := range l.steps {
		for _, from := range l.wrote(i) {
			b.WriteString(arrow(x(l.at[from]), y[from], x(l.at[i]), y[i]))
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
			class, l.id, s.Index+1, y[i]-laneHigh/2, laneHigh+laneLine*max(len(said[i])-1, 0))
		fmt.Fprintf(&b, `<text class="n" x="%d" y="%d">%d</text>%s`, left-6, y[i]+4, s.Index+1, l.mark(i, x(l.at[i]), y[i]))
		for k, t := range said[i] {
			fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`, width+6, y[i]+4+laneLine*k, html.EscapeString(t))
		}
		b.WriteString("</a>")
	}
	b.WriteString("</svg>")
	return b.String()
}

// arrow leads from the mark of one step to that of another, and ends with a head before it.
func arrow(x1, y1, x2, y2 int) string {
	dx, dy := float64(x2-x1), float64(y2-y1)
	n := max(math.Hypot(dx, dy), 1)
	dx, dy = dx/n, dy/n
	at := func(back, aside float64) (int, int) { // from the end of the line
		return int(math.Round(float64(x2) - back*dx - aside*dy)), int(math.Round(float64(y2) - back*dy + aside*dx))
	}
	ex, ey := at(8, 0)
	ax, ay := at(14, 3.5)
	bx, by := at(14, -3.5)
	return fmt.Sprintf(`<path class="arrow" d="M%d %dL%d %dM%d %dL%d %dL%d %d"/>`, x1, y1, ex, ey, ax, ay, ex, ey, bx, by)
}

// inLines is a text on at most so many lines of so many runes, cut at words.
func inLines(text string, wide, most int) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		n := len(out)
		if n > 0 && utf8.RuneCountInString(out[n-1])+1+utf8.RuneCountInString(w) <= wide {
			out[n-1] += " " + w
			continue
		}
		if n == most {
			last := out[n-1]
			if at := strings.LastIndexByte(last, ' '); at > 0 && utf8.RuneCountInString(last)+2 > wide {
				last = last[:at]
			}
			out[n-1] = strings.TrimSuffix(last, ellipsis) + " " + ellipsis
			break
		}
		out = append(out, clipRunes(w, wide))
	}
	return out
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
