package run

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// open enters the parts of a release that are unknown, and marks the release if the change may reach one: it differs
// between the sides, or a changed object may act on it, or it on a changed object.
func enterUnknown(rel *finding.ReleaseResult, p slice.Pair, ch *object.Changes, changes []*object.Change) {
	if rel.Missing() || rel.Status == "untouched" || p.Head == nil {
		return
	}
	pl := judge.Places{Changes: ch}
	var was []object.Hole
	if p.Base != nil {
		was = p.Base.Holes
	}
	whole := p.Base == nil || p.Base.Err != nil // nothing to compare with
	first := -1
	may := map[int]bool{}
	enter := func(side string, list, other []object.Hole) {
		for _, h := range list {
			same := slices.ContainsFunc(other, h.Same)
			if side == "base" && same || (h.Kind == object.Values || h.May) && (same || whole) {
				continue // it was entered for head, or is as it was
			}
			at := pl.Location(h.Where, side)
			u := finding.Unread{Kind: string(h.Kind), What: h.What, Where: &at, Remedy: h.Remedy, Differs: !same && !whole}
			if u.Differs && (first < 0 || !rel.Unknown[first].Differs) {
				first = len(rel.Unknown)
			}
			may[len(rel.Unknown)] = h.May
			rel.Unknown = append(rel.Unknown, u)
		}
	}
	enter("head", slices.Concat(movedAway(p, ch), resumed(p), p.Head.Holes), was)
	if !whole {
		enter("base", was, p.Head.Holes)
	}
	if first < 0 {
		first = slices.IndexFunc(rel.Unknown, func(u finding.Unread) bool { return u.Differs })
	}
	acts := func(c *object.Change) bool { return !inert(c) }
	if first < 0 && len(rel.Unknown) > 0 && (ch.Base == nil || slices.ContainsFunc(changes, acts)) {
		first = 0
	}
	if first < 0 {
		first = enterValues(rel, p, pl, changes)
	}
	if first < 0 || rel.Status != "ok" {
		return
	}
	u := &rel.Unknown[first]
	rel.Status, rel.Where, rel.Remedy, rel.Changed = "partial", u.Where, u.Remedy, true
	rel.Before = ch.Base != nil && !render.Broke(ch, p.Base, p.Head)
	rel.Reason = fmt.Sprintf("%s is unknown (%s)", u.What, u.Kind)
	of := slices.IndexFunc(rel.Unknown, func(x finding.Unread) bool {
		return x.Kind != u.Kind && x.Remedy == u.Remedy
	})
	if u.Kind == string(object.Dependent) && of >= 0 {
		verb := "needs"
		if may[first] {
			verb = "may act on"
		}
		rel.Reason = fmt.Sprintf("%s %s %s, which is unknown (%s)", u.What, verb, rel.Unknown[of].What, rel.Unknown[of].Kind)
	}
	if n := len(rel.Unknown) - 1; n == 1 {
		rel.Reason += ", and so is 1 more part"
	} else if n > 1 {
		rel.Reason += fmt.Sprintf(", and so are %d more parts", n)
	}
}

// resumed says that head lifts a suspension: the cluster has the objects applied before it, whatever base says now.
func resumed(p slice.Pair) []object.Hole {
	if p.Base == nil || !p.Base.Delivery.Suspended || p.Head.Delivery.Suspended {
		return nil
	}
	h := object.Hole{Kind: object.Cluster, What: "what the cluster has of it since it was suspended",
		Where: p.Head.Delivery.At, Remedy: "compare it with the cluster before it is resumed, with `flux diff`"}
	return []object.Hole{h}
}

// movedAway says that head takes a release from another repository, or another revision of it, than base: from one that
// no release of base comes from. Its content is not compared here.
func movedAway(p slice.Pair, ch *object.Changes) []object.Hole {
	if p.Base == nil || ch.Base == nil || p.Base.Delivery.From.Same(p.Head.Delivery.From) ||
		p.Head.Delivery.From.Read && !p.Base.Delivery.From.Guessed {
		return nil
	}
	to := p.Head.Delivery.From
	if slices.ContainsFunc(ch.Base.Releases, func(r *object.Rendered) bool {
		f := r.Delivery.From
		return f.Repository == to.Repository && f.Revision == to.Revision
	}) {
		return nil
	}
	h := object.Hole{Kind: object.Elsewhere, What: to.String(), Where: to.At, Remedy: "check it in that repository",
		Reason: fmt.Sprintf("%s comes from %s, and from %s on base", p.ID, to, p.Base.Delivery.From)}
	if to.Repository == p.Base.Delivery.From.Repository {
		h.Where, h.Remedy = to.RevisionAt, "compare the two revisions, with --base and --head"
	}
	return []object.Hole{h}
}

var withoutEffect = regexp.MustCompile(`annotations|ontainers\[\d+\]\.(image|env|args|command|name|workingDir)\b`)

// inert reports whether nothing unknown can matter to a change: the content of a ConfigMap or Secret that stays, or
// what containers run with. A part that is equal on both sides acts on the rollout of such a change as it does on that
// of base with another image, which is the baseline.
func inert(c *object.Change) bool {
	if c.Kind != object.Modified {
		return false
	}
	id := c.ID()
	return id.Group == "" && (id.Kind == "ConfigMap" || id.Kind == "Secret") ||
		!slices.ContainsFunc(c.Fields, func(f object.FieldChange) bool { return !withoutEffect.MatchString(f.Path) })
}
