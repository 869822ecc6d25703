package run

import (
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// unrendered are remarks on the charts that base renders with values that nobody declared, and head does not: they are
// no release that could not be analysed.
func unrendered(ch *object.Changes) []static.Remark {
	var out []static.Remark
	if ch.Base == nil {
		return nil
	}
	for _, p := range slice.Pairs(ch) {
		if !hiddenFailure(p) || len(p.Base.Objects) == 0 {
			continue
		}
		f := p.Head.Err
		lost := p.Base.Objects[0]
		for _, o := range p.Base.Objects {
			if o.Source.File == f.Where.File {
				lost = o
				break
			}
		}
		out = append(out, static.Unrendered(p.ID, lost, f, nearestEdit(ch, f.Where)))
	}
	return out
}

// hiddenFailure reports whether a chart comes to fail with values that nobody declared.
func hiddenFailure(p slice.Pair) bool {
	return p.Head != nil && p.Base != nil && p.Head.Switched != "" && p.Head.Switched == p.Base.Switched &&
		p.Head.Err != nil && p.Base.Lacks() == nil && !p.Head.Err.Skipped && !p.Head.Err.Cut && !helm.Asks(p.Head.Err)
}

// nearestEdit is the line of a file that the change edits and that is nearest to a place: where the text breaks is
// known by what was rendered of it, and that may stand in several places.
func nearestEdit(ch *object.Changes, at object.Location) object.Location {
	ranges := ch.Lines[at.File]
	if len(ranges) == 0 || ch.Edited(at.File, at.StartLine) {
		return at
	}
	best := 0
	for _, r := range ranges {
		line := min(max(at.StartLine, r.First), r.Last)
		if best == 0 || abs(line-at.StartLine) < abs(best-at.StartLine) {
			best = line
		}
	}
	return object.LineOf(at.File, best, at.Rung)
}

func abs(n int) int { return max(n, -n) }
