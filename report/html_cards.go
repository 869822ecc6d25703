package report

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// pageLine is a finding in one line.
type pageLine struct {
	ID, Severity, SeverityClass, Rule, Headline, Workload string
	Where                                                 place
}

// waived are cards of one finding, as each says why it is waived.
func (m *pageMaker) waived() {
	var cs []cause
	for i := range m.r.Waived {
		cs = append(cs, cause{m.r.Waived[i].Finding})
	}
	m.group("waived", "Waived findings", len(cs), cs, 0)
	g := &m.Groups[len(m.Groups)-1]
	for i := range g.Findings {
		g.Findings[i].Waiver = waiverText(&m.r.Waived[i])
	}
}

// group adds cards, of which the first so many are unfolded. Findings of another status may be part of a card, so
// that the title's n is not the number of findings in it.
func (m *pageMaker) group(id, title string, n int, cs []cause, unfolded int) {
	g := pageGroup{ID: id, Title: fmt.Sprintf("%s (%s)", title, thousands(n))}
	left := 0
	for i, c := range cs {
		switch {
		case g.full < htmlFindings:
			g.Findings = append(g.Findings, m.card(&g, c, i+1, i >= unfolded))
		case len(g.Lines)+len(c) <= htmlLines:
			for k := range c {
				g.Lines = append(g.Lines, m.line(&c[k], fmt.Sprintf("%s-%d-%d", id, i+1, k+1)))
			}
		default:
			left += len(c)
		}
	}
	if left > 0 {
		g.More = count(left, "more finding") + " left out; the JSON report has all."
	}
	m.Groups = append(m.Groups, g)
}

// card is the cause numbered n from 1: its first finding, and in it the other findings of the cause.
func (m *pageMaker) card(g *pageGroup, c cause, n int, fold bool) pageFinding {
	id := fmt.Sprintf("%s-%d", g.ID, n)
	out := m.finding(&c[0], id, fold)
	g.full++
	if len(c) == 1 {
		return out
	}
	out.Others = c.others(4, 160)
	out.PartsTitle = count(len(c)-1, "more finding") + " of this cause"
	for i := range c[1:] {
		f, part := &c[i+1], fmt.Sprintf("%s-%d", id, i+2)
		if i < htmlParts && g.full < htmlFindings {
			out.Parts = append(out.Parts, m.finding(f, part, true))
			g.full++
			continue
		}
		out.Lines = append(out.Lines, m.line(f, part))
	}
	if n := len(out.Lines) - htmlLines; n > 0 {
		out.Lines = out.Lines[:htmlLines]
		out.PartsTitle += ", of which the last " + thousands(n) + " are left out; the JSON report has all"
	}
	return out
}

// size is how many findings the causes have.
func size(cs []cause) int {
	n := 0
	for _, c := range cs {
		n += len(c)
	}
	return n
}

func (m *pageMaker) line(f *finding.Finding, id string) pageLine {
	l := pageLine{ID: id, Severity: line(f.Severity), SeverityClass: severityClass(f), Rule: line(f.Rule),
		Headline: sentence(title(f)), Workload: line(f.Workload)}
	if len(f.Locations) > 0 {
		l.Where = m.place(&f.Locations[0])
	}
	return l
}

// severityClass is a severity that may stand in a class name.
func severityClass(f *finding.Finding) string {
	return [...]string{"error", "warning", "note"}[severityRank(f.Severity)]
}
