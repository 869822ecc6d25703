package report

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// failures are the releases that the change touches and that have no result, one of each reason, with the remedy.
func (m *markdown) failures() []piece {
	var out []piece
	for _, g := range reasons(failedReleases(m.r)) {
		rel := &g.first
		s := fmt.Sprintf("- %s: %s", mdCode(Plain(rel.ID, 200)), mdText(releaseStatus(rel)))
		if rel.Where != nil && rel.Where.File != "" {
			s += ", at " + m.link(rel.Where)
		}
		s += "."
		if rel.Reason != "" {
			s += " " + mdText(clip(releaseReason(rel), 600))
		}
		if rel.Remedy != "" {
			s += " Fix: " + mdText(clip(sentence(rel.Remedy), 400))
		}
		if g.more > 0 {
			s += " The same holds for " + count(g.more, "more release") + "."
		}
		out = append(out, only(s+"\n"))
	}
	if b := brokenBeforeIn(m.r); len(b.names) > 0 {
		s := "- " + mdText(clip(b.who(namedReleases), 500)) + ". " + mdText(clip(b.why, 600))
		if b.remedy != "" {
			s += " Fix: " + mdText(clip(b.remedy, 400))
		}
		out = append(out, only(s+"\n"))
	}
	return out
}

// besides are the releases without a result that the change does not touch, in a sentence each.
func (m *markdown) besides() []string {
	var out []string
	for i := range m.r.Releases {
		if rel := &m.r.Releases[i]; !rel.Changed && (rel.Missing() || rel.Status == "failed-base") {
			out = append(out, line(rel.ID)+": "+releaseStatus(rel)+": "+releaseReason(rel))
		}
	}
	return out
}

// changedText names the first objects of the change set, and how many there are.
func changedText(os []changedObject) string {
	var names []string
	for i := range os {
		if n := shortName(os[i].id); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return count(len(os), "object") + ": " + some(names, 3)
}

func alikeTexts(list []alikes) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	return out
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
func (m *markdown) older(fs []finding.Finding) []piece {
	var out []piece
	for i := range fs {
		f := &fs[i]
		p := piece{func() string { return m.item(f) + "\n" }}
		if m.whole && f.Status == finding.Existing {
			p = append(p, func() string { return m.title(f) + m.place(cause{*f}, 0) + m.told(f) + m.remedy(f, true) })
		}
		out = append(out, p)
	}
	return out
}

// item is a finding as a list item, without its newline.
func (m *markdown) item(f *finding.Finding) string {
	s := fmt.Sprintf("- %s %s: %s", mdCode(Plain(f.Rule, 100)), mdCode(Plain(f.Workload, 300)),
		mdText(clip(sentence(title(f)), 400)))
	if len(f.Locations) > 0 && f.Locations[0].File != "" {
		s += " At " + m.link(&f.Locations[0]) + "."
	}
	if f.Baselined {
		s += " In the baseline."
	}
	return s
}

// Undecided is the job summary of a run that could not analyse, with the reason.
func Undecided(err error) string {
	return "## Kubesettle: error\n\n" +
		mdText("This change could not be analysed, so there is no verdict on it: "+err.Error()) + "\n"
}
