package pair

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// Scope is monotone: a root of base stays one on head while its files are there, whatever includes, inflates, covers or
// hides them now. A change can add releases; it takes none away by adding files.

// keepUncovered does not let a release be covered here that base has uncovered, if it changes and is not covered
// unchanged, nor one that may be a root of base's in another place.
func keepUncovered(s *side.Side, covered map[int]int, base *side.Side) {
	gone := map[object.ReleaseKind]bool{}
	for _, k := range base.Only(s) {
		gone[base.Releases[k].Kind] = true
	}
	for i, by := range covered {
		r := &s.Releases[i]
		k, had := base.ByID[r.ID]
		switch as := likeDocs(named(s.Outputs[i].Docs), named(s.Outputs[by].Docs)) == 1000 && s.Outputs[i].Err == nil; {
		case as && !s.Outputs[i].Untouched:
			if had {
				s.Stands[r.ID] = s.Releases[by]
			}
		case had && side.Alike(base.Place(k), s.Place(i)):
		case had:
			delete(covered, i)
		case gone[r.Kind] && !s.Src.Twin.HasDir(r.Path):
			r.Kept = true
			delete(covered, i)
		}
	}
}

// FollowCovered compares a root of base with what declares its folder on head for the first time and renders the same
// of it as the root would: a declaration that comes takes no check away.
func FollowCovered(base, head *side.Side) {
	for i, h := range head.Releases {
		for _, id := range slices.Sorted(maps.Keys(head.Stands)) {
			by := head.Stands[id]
			k, there := base.ByID[id]
			_, known := base.ByID[h.ID]
			same := h.By == by.By && h.Path == by.Path && h.Cluster == by.Cluster
			if there && !known && same && head.Outputs[i].Err == nil {
				base.Call(k, h.ID)
			}
		}
	}
}

// KeepMoved compares a root that something else renders on head with the root of base that it was, where that is gone
// and is like it. A root that is like none keeps the kind that discovery gave it.
func KeepMoved(base, head *side.Side) {
	at := map[docName][]int{}
	for i, r := range head.Releases {
		if r.Kept && head.Outputs[i].Err == nil {
			for name := range named(head.Outputs[i].Docs) {
				at[name] = append(at[name], i)
			}
		}
	}
	values := func(r release.Release) string { return strings.TrimPrefix(r.ID, r.Path) }
	was := map[int]move{}
	for _, k := range base.Only(head) {
		for _, m := range movesOf(base, head, k, at) {
			base.Releases[k].Kept = true
			o, ok := was[m.to]
			if !ok || m.like > o.like || m.like == o.like && values(base.Releases[k]) == values(head.Releases[m.to]) {
				was[m.to] = m
			}
		}
	}
	kept := head.Without()
	kept.Ignored, kept.Covered = head.Ignored, head.Covered
	for i, r := range head.Releases {
		if m, moved := was[i]; moved {
			base.Repeat(m.from, r.ID)
		} else if r.Kept {
			continue
		}
		kept.Take(head, i)
	}
	*head = *kept
}

// DropRepeated drops kept releases whose IDs head does not know: their objects are there under other IDs as well.
func DropRepeated(s *side.Side, head *side.Side) {
	for i := len(s.Releases) - 1; i >= 0; i-- {
		if _, known := head.ByID[s.Releases[i].ID]; s.Releases[i].Kept && !known {
			s.Drop(i)
		}
	}
}
