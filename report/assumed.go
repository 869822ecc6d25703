package report

import (
	"cmp"
	"strings"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// assumption is an undeclared fact that a finding rests on, with the page about it.
type assumption struct {
	Text string
	Page string // of the manual, such as policy.md#timing
}

// URI is the address of the page.
func (a assumption) URI() string { return DocsURI + a.Page }

// assumptionsOf are those of a result that a finding rests on. Assumptions of every result (see [resting]) are left to
// the manual; the others are a release's own, a loop's, or about parts that the whole run leaves out.
func assumptionsOf(r *finding.Result, f *finding.Finding) []assumption {
	var out []assumption
	for _, n := range resting(r) {
		text := NoteText(n)
		switch n.Kind {
		case finding.ArbitraryTiming:
			if f.Timing != "arbitrary" {
				continue
			}
		case finding.DeschedulerAlone:
			if !moves(f, "descheduler") {
				continue
			}
		case finding.PolicyUnsupported:
		case finding.ReleaseNote:
			if n.Release != f.Release {
				continue
			}
			_, text = noteParts(n)
		default:
			if f.Scale.Nodes == 0 { // it shows without a cluster
				continue
			}
		}
		out = append(out, assumption{line(text), cmp.Or(wordsOf[n.Kind].page, "fidelity.md")})
	}
	return out
}

// moves reports whether a control loop takes a step of a finding's run.
func moves(f *finding.Finding, loop string) bool {
	for i := range f.Interleaving {
		if strings.HasPrefix(f.Interleaving[i].Actor, loop) {
			return true
		}
	}
	return false
}

// shownAssumptions is how many of a finding's assumptions are shown with it; --verbose, JSON and HTML have all.
const shownAssumptions = 2
