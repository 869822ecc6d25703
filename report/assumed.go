package report

import (
	"strings"

	"github.com/kubesettle/kubesettle/verify"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// assumption is what a finding rests on and nobody declared, with the page about it.
type assumption struct {
	Text string
	Page string // of the manual, such as policy.md#timing
}

// URI is the address of the page.
func (a assumption) URI() string { return DocsURI + a.Page }

// assumptionsOf are those of a result that a finding rests on. What stands beside every
// result (see [resting]) is the manual's to tell; the others are a release's own, a loop's,
// or about what the whole run leaves out.
func assumptionsOf(r *verify.Result, f *finding.Finding) []assumption {
	var out []assumption
	for _, s := range resting(r) {
		page := "policy.md"
		release, note, ofRelease := strings.Cut(s, ": ")
		switch {
		case strings.HasPrefix(s, arbitraryTiming):
			if f.Timing != "arbitrary" {
				continue
			}
			page = "policy.md#timing"
		case strings.HasPrefix(s, descheduled):
			if !moves(f, "descheduler") {
				continue
			}
			page = "fidelity.md#actor-by-actor"
		case strings.HasPrefix(s, "in the policy but not checked yet"):
		case ofRelease && isRelease(r, release):
			if release != f.Release {
				continue
			}
			s, page = note, "rendering.md"
		case f.Scale.Nodes == 0: // it shows without a cluster
			continue
		default:
			page = "fidelity.md"
		}
		out = append(out, assumption{line(s), page})
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

func isRelease(r *verify.Result, id string) bool {
	for i := range r.Releases {
		if r.Releases[i].ID == id {
			return true
		}
	}
	return false
}

// shownAssumptions is how many of a finding's assumptions stand beside it; --verbose, JSON
// and HTML have all.
const shownAssumptions = 2
