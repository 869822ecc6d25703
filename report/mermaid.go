package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/verify"
)

// Limits of a diagram: GitHub draws with Mermaid's own defaults, which are larger, and
// a reader follows fewer.
const (
	mermaidSteps        = 40
	mermaidParticipants = 10
	mermaidBytes        = 5000
	mermaidLabel        = 72 // bytes of a label
)

// mermaid draws an interleaving as a sequence diagram, or gives "" where there is
// nothing to draw. Labels are made of an allow-list of characters; the numbered list
// beside the diagram has the exact text.
func mermaid(f *verify.Finding) string {
	for steps := mermaidSteps; steps >= 4; steps /= 2 {
		if d := sequence(f, steps); len(d) < mermaidBytes {
			return d
		}
	}
	return ""
}

func sequence(f *verify.Finding, limit int) string {
	if len(f.Interleaving) == 0 {
		return ""
	}
	p := &participants{ids: map[string]string{}}
	var body strings.Builder
	indent := "  "
	last := ""
	for _, s := range elide(f, limit) {
		from := p.id(role(s.Step), s.Class == "event")
		to := from
		if s.Object != "" {
			to = p.id(lifeline(s.Object), false)
		}
		if s.Gap > 0 {
			fmt.Fprintf(&body, "%sNote over %s: %s left out\n", indent, from, count(s.Gap, "step"))
		}
		if s.Loops {
			body.WriteString("  loop for ever\n")
			indent = "    "
		}
		fmt.Fprintf(&body, "%s%s->>%s: %d. %s\n", indent, from, to, s.Index+1, label(stepText(s.Step)))
		last = to
	}
	if _, loops := cycle(f); loops {
		body.WriteString("  end\n")
	} else {
		fmt.Fprintf(&body, "  Note over %s: %s\n", last, label(headline(f)))
	}
	return "sequenceDiagram\n" + p.String() + body.String()
}

// participants numbers the lifelines of a diagram in order of appearance; those past
// the limit share one.
type participants struct {
	ids   map[string]string
	lines []string
}

func (p *participants) id(name string, environment bool) string {
	name = label(name)
	if id, ok := p.ids[name]; ok {
		return id
	}
	id := fmt.Sprintf("p%d", len(p.lines)+1)
	if len(p.lines) >= mermaidParticipants {
		id = fmt.Sprintf("p%d", mermaidParticipants+1)
		if len(p.lines) == mermaidParticipants {
			p.lines = append(p.lines, "  participant "+id+" as others\n")
		}
		p.ids[name] = id
		return id
	}
	p.ids[name] = id
	kind := "participant"
	if environment {
		kind = "actor" // drawn as a figure
	}
	p.lines = append(p.lines, "  "+kind+" "+id+" as "+name+"\n")
	return id
}

func (p *participants) String() string { return strings.Join(p.lines, "") }

// role is the lifeline of an actor: one for each kind of control loop, as the cluster
// has one of each, and one for all that the environment does. A diagram of few lifelines
// stays wide enough to be read.
func role(s *verify.Step) string {
	if s.Class == "event" {
		return "environment"
	}
	name, _, _ := strings.Cut(actor(s), "@")
	if strings.HasPrefix(name, "kubelet") {
		return "kubelet"
	}
	name, _, _ = strings.Cut(name, "/")
	return name
}

// lifeline is the name of an object without its API group and revision, as in "Node a-1";
// a workload, its ReplicaSets and its pods share one, "default/web".
func lifeline(object string) string {
	object, _, _ = strings.Cut(line(object), " (")
	kind, name, ok := strings.Cut(object, " ")
	if i := strings.LastIndexByte(kind, '/'); ok && i >= 0 {
		kind = kind[i+1:]
	}
	switch kind {
	case "Deployment", "ReplicaSet", "Pod":
		if ok {
			return strings.TrimSpace(name)
		}
	}
	return strings.TrimSpace(kind + " " + name)
}

var (
	notAllowed = regexp.MustCompile(`[^A-Za-z0-9 ._/,:=()%+-]+`)
	endWord    = regexp.MustCompile(`(?i)\b(end)\b`)
	runs       = regexp.MustCompile(`-{2,}|%{2,}`) // arrows and comments
)

// label is s in the characters that mean nothing to Mermaid.
func label(s string) string {
	s = strings.NewReplacer("->", "to", "→", "to", "…", "...").Replace(line(s))
	s = notAllowed.ReplaceAllString(s, " ")
	s = runs.ReplaceAllStringFunc(s, func(m string) string { return m[:1] })
	s = endWord.ReplaceAllString(s, "($1)") // a bare "end" closes a block
	s = strings.TrimLeft(strings.Join(strings.Fields(s), " "), ": ")
	if len(s) > mermaidLabel {
		s = strings.TrimSpace(s[:mermaidLabel-3]) + "..."
	}
	if s == "" {
		return "unnamed"
	}
	return s
}
