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
		for _, o := range r.Objects {
			if r.Err == nil && o.Typed != nil && !o.Hook && !has[r.ID][keyOf(o)] && canBe(o) {
				left[keyOf(o)] = append(left[keyOf(o)], o)
			}
		}
	}
	var out []Remark
	for _, h := range where.ch.Head.Releases {
		for _, o := range h.Objects {
			if h.Delivery.Forces || had[h.ID][keyOf(o)] || o.Typed == nil || o.Hook || runsOnce(o) || replaced(o) {
				continue
			}
			if x, ok := takes(where, o, left[keyOf(o)]); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

// takes is about an object of head in the place of one of those that left their releases.
func takes(where *whereabouts, o *object.Object, left []*object.Object) (Remark, bool) {
	i := slices.IndexFunc(left, func(b *object.Object) bool { return where.meet(b.Release, o.Release) })
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
