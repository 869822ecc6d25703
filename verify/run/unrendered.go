package run

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// unrendered are remarks on the charts and kustomizations that base renders and head does not, because of their
// content. With undeclared values, such a chart does not count as a release that could not be analysed; else exit code
// 3 gates it.
func unrendered(ch *object.Changes, ties *slice.Neighbours) []static.Remark {
	var out []static.Remark
	if ch.Base == nil {
		return nil
	}
	for _, p := range slice.Pairs(ch) {
		if !hiddenFailure(p) && !brokenByHead(p) || ties.Idle(p.Head) {
			continue
		}
		had := p.Base
		if had == nil { // a new chart, which renders without the setting
			i := slices.IndexFunc(ch.Head.Releases, func(r *object.Rendered) bool { return r.ID == p.Head.Path })
			if i < 0 {
				continue
			}
			had = ch.Head.Releases[i]
		}
		if len(had.Objects) == 0 {
			continue
		}
		f := p.Head.Err
		lost := had.Objects[0]
		for _, o := range had.Objects {
			if o.Source.File == f.Where.File {
				lost = o
				break
			}
		}
		out = append(out, static.Unrendered(p.ID, lost, p.Base != nil, f, nearestEdit(ch, f.Where)))
	}
	return out
}

// hiddenFailure reports whether a chart comes to fail with undeclared values.
func hiddenFailure(p slice.Pair) bool {
	if p.Head == nil || p.Head.Switched == "" || p.Head.Err == nil || p.Head.Err.Skipped || p.Head.Err.Cut ||
		helm.Asks(p.Head.Err) {
		return false
	}
	if p.Base == nil {
		return p.Head.Tried()
	}
	return p.Head.Switched == p.Base.Switched && p.Base.Lacks() == nil
}

// brokenByHead reports whether a chart or kustomization renders on base and fails on head for a mistake in its files,
// and not for a demanded value or a missing file.
func brokenByHead(p slice.Pair) bool {
	return p.Head != nil && p.Base != nil && p.Head.Switched == "" && (p.Head.Kind == object.Helm ||
		p.Head.Kind == object.Kustomize) && p.Head.Err != nil && p.Base.Err == nil && !p.Head.Err.Skipped &&
		!p.Head.Err.Cut && p.Head.Err.Where.File != "" && !helm.Asks(p.Head.Err)
}

// nearestEdit is the line of a file that the change edits and that is nearest to a place: the place of the error is
// known from the rendered text, which may stand in several places.
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
