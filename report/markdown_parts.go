package report

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify"
)

// failures are the releases that did not render, with what to do, and how many others
// there are.
func (m *markdown) failures() []piece {
	var out []piece
	for _, rel := range failedReleases(m.r) {
		s := fmt.Sprintf("- %s: %s", mdCode(Plain(rel.ID, 200)), mdText(releaseStatus(&rel)))
		if rel.Where != nil && rel.Where.File != "" {
			s += ", at " + m.link(rel.Where)
		}
		s += "."
		if rel.Reason != "" {
			s += " " + mdText(clip(releaseReason(&rel), 600))
		}
		if rel.Remedy != "" {
			s += " What to do: " + mdText(clip(sentence(rel.Remedy), 400))
		}
		out = append(out, only(s+"\n"))
	}
	return append(out, lines([]string{brokenBefore(m.r)})...)
}

func (m *markdown) undecided() []piece {
	var out []piece
	for _, w := range undecided(m.r) {
		s := "- " + mdCode(Plain(w.ID, 300))
		if w.Reason != "" {
			s += ": " + mdText(clip(sentence(w.Reason), 400))
		}
		out = append(out, only(s+"\n"))
	}
	return out
}

// lines are sentences as list items.
func lines(items []string) []piece {
	var out []piece
	for _, s := range items {
		if t := sentence(s); t != "" {
			out = append(out, piece{func() string { return "- " + mdText(clip(t, 500)) + "\n" }})
		}
	}
	return out
}

func (m *markdown) waived() []piece {
	var out []piece
	for i := range m.r.Waived {
		w := &m.r.Waived[i]
		out = append(out, piece{func() string {
			return m.item(&w.Finding) + " " + mdText(clip(waiverText(w), 500)) + "\n"
		}})
	}
	return out
}

// older are existing or fixed findings: one line each, and where there is room to read
// the interleaving too.
func (m *markdown) older(fs []verify.Finding) []piece {
	var out []piece
	for i := range fs {
		f := &fs[i]
		p := piece{func() string { return m.item(f) + "\n" }}
		if !m.folded && f.Status == verify.Existing {
			p = append(p, func() string { return m.title(f) + m.facts(f, 10) + m.steps(f, 40) + m.remedy(f, true) })
		}
		out = append(out, p)
	}
	return out
}

// item is a finding as a list item, without its newline.
func (m *markdown) item(f *verify.Finding) string {
	s := fmt.Sprintf("- %s %s: %s", mdCode(Plain(f.Rule, 100)), mdCode(Plain(f.Workload, 300)), mdText(clip(sentence(headline(f)), 400)))
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		s += " At " + m.link(&f.Locations[0]) + "."
	}
	return s
}

// Undecided is the job summary of a run that could not analyse, with the reason.
func Undecided(err error) string {
	return "## Kubesettle: error\n\n" + mdText("This change could not be analysed, so nothing is said about it: "+err.Error()) + "\n"
}
