package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/validation"
)

var takeovers = Analyzer{Name: "takeover", Rule: rules.ApplyRejected, Run: takenOver, Compares: true, Whole: true,
	Doc: "an object that comes from another release, which the API server refuses to change as it does"}

// takenOver lists the objects of head that another release of base in the cluster has, and no longer has on head, where
// what is there cannot become what they are: whether they stand in its place or come after it is not known.
func takenOver(p *Pass) []Remark {
	where := p.where()
	had, has := holdings(where.ch.Base), holdings(where.ch.Head)
	left := map[object.ID][]*object.Object{} // that their release has no more
	for _, r := range where.ch.Base.Releases {
		if now, stays := has[r.ID]; stays && now == nil {
			continue
		}
		again := where.declaredAgain(r, had)
		for _, o := range r.Objects {
			if r.Err == nil && o.Typed != nil && !o.Hook && (again || !has[r.ID][keyOf(o)]) && canBe(o) {
				left[keyOf(o)] = append(left[keyOf(o)], o)
			}
		}
	}
	var out []Remark
	for _, h := range where.ch.Head.Releases {
		for _, o := range h.Objects {
			if h.Delivery.Forces || had[h.ID][keyOf(o)] || o.Typed == nil || o.Hook || runsOnce(o) ||
				replaced(h.Delivery.Tool, o) {
				continue
			}
			if x, ok := takes(where, h, o, left[keyOf(o)]); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// takes is about an object of head in the place of one of those that left their releases.
func takes(where *whereabouts, h *object.Rendered, o *object.Object, left []*object.Object) (Remark, bool) {
	i := slices.IndexFunc(left, func(b *object.Object) bool {
		return where.meet(b.Release, o.Release) || where.renames(b.Release, h) || where.declares(b.Release, h)
	})
	if i < 0 {
		return Remark{}, false
	}
	b := left[i]
	errs := without(steadyErrors(o, validation.Update(o.Typed, b.Typed)), created(o))
	if len(errs) == 0 {
		return Remark{}, false
	}
	at := sourceField(errs[0].Field)
	return Remark{
		release: o.Release, Object: o, status: finding.New, paths: []string{at}, Conditional: true, with: where.open(o, b),
		text: fmt.Sprintf("%s comes from release %s, and the API server refuses to change it so unless it is deleted first: %s",
			o.ID, b.Release, refusalText(errs[0], false)),
		remedies: byHand("leave " + at + " as release " + b.Release + " has it, or delete the " + o.ID.Kind +
			" in a separate change that is applied first"),
	}, true
}

// declaredAgain reports whether head declares a release of base in one more place, under the same name.
func (w *whereabouts) declaredAgain(r *object.Rendered, had map[string]map[object.ID]bool) bool {
	return r.Delivery.Tool != "" && slices.ContainsFunc(delivered(w.ch.Head)[deliverer(r, r.Delivery.Name)],
		func(h *object.Rendered) bool { return had[h.ID] == nil && h.ID != r.ID && w.together(r, h) })
}

// declares reports whether a release of head is declared under the name of one of base, in one cluster.
func (w *whereabouts) declares(was string, h *object.Rendered) bool {
	return h.Delivery.Tool != "" && slices.ContainsFunc(delivered(w.ch.Base)[deliverer(h, h.Delivery.Name)],
		func(r *object.Rendered) bool { return r.ID == was && w.together(r, h) })
}

// renames reports whether a release of head stands in the place of one of base that is gone, in the file that declared
// it: of one chart are both, and so are those of several clusters.
func (w *whereabouts) renames(gone string, h *object.Rendered) bool {
	i := slices.IndexFunc(w.ch.Base.Releases, func(r *object.Rendered) bool { return r.ID == gone })
	if i < 0 || slices.ContainsFunc(w.ch.Head.Releases, func(r *object.Rendered) bool { return r.ID == gone }) {
		return false
	}
	b := w.ch.Base.Releases[i]
	return h.By.File != "" && h.By.File == b.By.File && h.Cluster == b.Cluster
}

// holdings are the objects of each release, by identity; nil of those that are not known.
func holdings(rev *object.Revision) map[string]map[object.ID]bool {
	out := map[string]map[object.ID]bool{}
	for _, r := range rev.Releases {
		if out[r.ID] = nil; r.Err != nil || r.Untouched {
			continue
		}
		out[r.ID] = map[object.ID]bool{}
		for _, o := range r.Objects {
			out[r.ID][keyOf(o)] = true
		}
	}
	return out
}
