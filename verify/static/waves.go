package static

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// phaseApart keeps the waves of one phase apart from those of the next; a wave is smaller.
const phaseApart = 1 << 20

// Waves is the order in which Argo CD applies the objects of a release, and deletes those that leave it. No other tool
// waits between two objects that are no hooks.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).getSyncTasks (waves of pruned objects are reversed;
// PruneLast: one after the last) and Sync.
type Waves struct {
	steps
	pruned map[int]int // by wave: the one that what is deleted is deleted in
	last   int         // after all others
	all    bool        // everything is deleted last
}

// NewWaves reads the order from a release of both revisions; false where there is none.
func NewWaves(p slice.Pair) (*Waves, bool) {
	w := &Waves{steps: newSteps(p.Head), pruned: map[int]int{}}
	if !w.argo || p.Head.Err != nil {
		return nil, false
	}
	w.all = p.Head.Delivery.Last
	have := map[render.ObjectID]bool{}
	for _, o := range p.Objects(state.Head) {
		have[keyOf(o)] = true
		w.last = max(w.last, w.wave(o))
	}
	var list []int
	for _, o := range p.Objects(state.Base) {
		if !have[keyOf(o)] && !o.Hook && !kept(o) {
			list = append(list, w.wave(o))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for i, wave := range list {
		w.pruned[wave] = list[len(list)-1-i]
		w.last = max(w.last, wave)
	}
	w.last++
	return w, true
}

// wave is that of an object of the main phase; 0 for all else.
func (w *Waves) wave(o *render.Object) int {
	if at, ok := w.of(o); ok && at.phase == main {
		return at.wave
	}
	return 0
}

// Of is the step that an object comes with or, where head lacks it, is deleted in.
func (w *Waves) Of(base, head *render.Object) int {
	if head != nil {
		at, _ := w.of(head)
		return at.phase*phaseApart + at.wave
	}
	if base == nil {
		return 0
	}
	if w.all || syncOption(base, "PruneLast=true") {
		return w.last
	}
	wave := w.wave(base)
	if to, ok := w.pruned[wave]; ok {
		return to
	}
	return wave
}

// syncOption reports whether an object's own annotation has an option of Argo CD.
func syncOption(o *render.Object, option string) bool {
	return slices.ContainsFunc(strings.Split(annotation(o, "argocd.argoproj.io/sync-options"), ","), func(s string) bool {
		return strings.TrimSpace(s) == option
	})
}

// Replaces reports whether an apply puts an object in the place of the live one, so that no field of somebody else's
// stays.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).applyObject (the object's annotation, or the option of
// all).
func Replaces(r *render.Rendered, o *render.Object) bool {
	return r != nil && r.Delivery.Replaces || newSteps(r).argo && syncOption(o, "Replace=true")
}
