package report

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// toldSteps is the interleaving in a person's words: the last lines, at most limit.
func (m *markdown) toldSteps(f *finding.Finding, limit int) string {
	all := tell(f)
	s := ""
	if n := len(all) - limit; n > 0 {
		s = "- *" + count(all[n].First, "step") + " before*\n"
		all = all[n:]
	}
	for i := range all {
		s += m.toldLine(f, &all[i]) + m.because(all[i].Because) + "\n"
	}
	if s == "" {
		return ""
	}
	return s + "\n"
}

// toldLine is one line of an interleaving: its number in bold, and all of it where it decides.
func (m *markdown) toldLine(f *finding.Finding, l *toldLine) string {
	number, text, _ := strings.Cut(toldText(f, l), ". ")
	if text = mdText(clip(text, 300)); l.Decides {
		return "- **" + number + " " + text + "**"
	}
	return "- **" + number + "** " + text
}

// steps is the interleaving as a numbered list; a gap is said between two lists.
func (m *markdown) steps(f *finding.Finding, limit int) string {
	if len(f.Interleaving) == 0 {
		return ""
	}
	var b strings.Builder
	for _, s := range elide(f, limit) {
		if s.Gap > 0 {
			fmt.Fprintf(&b, "\n*%s left out*\n\n", count(s.Gap, "step"))
		}
		fmt.Fprintf(&b, "%d. ", s.Index+1)
		if s.Loops {
			b.WriteString("(the loop begins here) ")
		}
		if decides(f, s.Index) {
			b.WriteString("**(this step decides)** ")
		}
		fmt.Fprintf(&b, "%s: %s", mdCode(clip(actor(s.Step), 100)), mdText(clip(stepText(s.Step), 300)))
		b.WriteString(m.because(s.Because) + "\n")
	}
	return b.String() + "\n"
}

func (m *markdown) because(list []finding.Because) string {
	var out []string
	seen := map[string]bool{}
	for _, b := range list {
		if k := fileLine(b.File, b.Line); b.File == "" || seen[k] || len(out) == 3 {
			continue
		} else {
			seen[k] = true
		}
		one := m.link(&finding.Location{File: b.File, StartLine: b.Line, Side: "head"})
		if b.Field != "" {
			one += " " + mdCode(Plain(b.Field, 150))
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}
