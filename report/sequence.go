package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

const (
	mostMessages = 12 // of a sequence diagram
	messageWide  = 40 // runes of a line of a message
	messageLines = 3
)

// sequence draws an interleaving as Mermaid's sequence diagram, which GitHub and GitLab show: a lifeline for each loop
// and each workload or node, an arrow for each line that is told, at most [mostMessages] of them. The decisive step is
// on coloured ground, and a lasso's loop in a box. "" where there is nothing to draw.
func sequence(f *finding.Finding) string {
	all := tell(f)
	if len(all) < 3 || retold(f, all) {
		return ""
	}
	var names []string
	lifelineOf := func(name string) string {
		k := slices.Index(names, name)
		if k < 0 {
			k, names = len(names), append(names, name)
		}
		return fmt.Sprintf("L%d", k)
	}
	var b strings.Builder
	box := func(open bool, what string) {
		if open {
			b.WriteString("  " + what + "\n")
		}
	}
	looping := false
	for _, l := range decisive(f, all, mostMessages) {
		s := &f.Interleaving[l.Last]
		from := l.Actor
		if from == "" {
			from = "controllers" // several carry out what one has decided
		}
		to := lifeline(s.Object)
		if to == "" {
			to = from
		}
		box(l.InLoop && !looping, "loop repeats forever")
		looping = looping || l.InLoop
		box(l.Decides, "rect rgb(255, 221, 150)")
		fmt.Fprintf(&b, "  %s->>%s: %s\n", lifelineOf(from), lifelineOf(to), message(toldText(f, &l)))
		box(l.Decides, "end")
	}
	box(looping, "end")
	if t := turnText(f); t != "" {
		fmt.Fprintf(&b, "  Note over L0,L%d: %s\n", len(names)-1, message(sentence(t)))
	}
	s := "sequenceDiagram\n"
	for k, name := range names {
		s += fmt.Sprintf("  participant L%d as %s\n", k, mermaidText(clip(name, messageWide)))
	}
	return s + b.String()
}

// message is a text on at most [messageLines] lines, cut at words.
func message(text string) string {
	lines := inLines(clip(line(text), messageWide*messageLines), messageWide, messageLines+1)
	for i := range lines {
		lines[i] = mermaidText(lines[i])
	}
	return strings.Join(lines, "<br/>")
}

// mermaidMarks are what Mermaid would not take for text, as entities of its own.
var mermaidMarks = strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", `"`, "#quot;", "&", "#amp;",
	"`", "'", "\\", "#92;", "{", "#123;", "}", "#125;", "%", "#37;", "$", "#36;")

// mermaidText is a text that no diagram takes for anything else.
func mermaidText(s string) string { return mermaidMarks.Replace(line(s)) }
