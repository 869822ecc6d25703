package static

import (
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// phaseApart keeps the waves of one phase apart from those of the next; a wave is smaller.
const phaseApart = 1 << 20

// Waves is the order in which Argo CD or Flux applies the objects of a release, and deletes those that leave it. No
// other tool applies them in steps, except for hooks.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).getSyncTasks (waves of pruned objects are reversed;
// PruneLast: one after the last) and Sync. kustomize-controller v1.9, (*KustomizationReconciler).reconcile (apply, then
// prune, then health), and fluxcd/pkg, ssa: (*ResourceManager).ApplyAllStaged, utils: IsClusterDefinition,
// IsClassDefinition.
type Waves struct {
	steps
	flux   bool
	pruned map[int]int // by wave: the one in which deletions happen
	last   int         // after all others
	all    bool        // everything is deleted last
}

// Stages of a Kustomization of Flux; prune is no stage, and comes after all of them.
const (
	definitions = iota
	classes
	resources
	prune
)

// stageOf is the stage that Flux applies an object in. Which kinds its custom stage has is a flag of the controller; by
// default it has none.
func stageOf(o *object.Object) int {
	switch kind := strings.ToLower(o.ID.Kind); {
	case kind == "customresourcedefinition" && o.ID.Group == "apiextensions.k8s.io",
		kind == "namespace" && o.ID.Group == "" && o.ID.Version == "v1",
		kind == "clusterrole" && o.ID.Group == "rbac.authorization.k8s.io":
		return definitions
	case strings.HasSuffix(o.ID.Kind, "Class"):
		return classes
	}
	return resources
}

// Waits reports whether the tool goes on only once all that came before is healthy. Flux waits for definitions and
// classes, which are healthy at once, and for all else after its last step.
func (w *Waves) Waits() bool { return !w.flux }

// NewWaves reads the order from a release of both revisions; false where there is none.
func NewWaves(p slice.Pair) (*Waves, bool) {
	w := &Waves{steps: newSteps(p.Head), pruned: map[int]int{}}
	w.flux = p.Head.Delivery.Tool == object.Flux
	if !w.argo && !w.flux || p.Head.Err != nil {
		return nil, false
	}
	if w.flux {
		return w, true
	}
	w.all = p.Head.Delivery.Last
	have := map[object.ID]bool{}
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
func (w *Waves) wave(o *object.Object) int {
	if at, ok := w.of(o); ok && at.phase == main {
		return at.wave
	}
	return 0
}

// Of is the step that an object comes with or, where head lacks it, is deleted in.
func (w *Waves) Of(base, head *object.Object) int {
	switch {
	case w.flux && head != nil:
		return stageOf(head)
	case w.flux && base != nil:
		return prune
	}
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
func syncOption(o *object.Object, option string) bool {
	return slices.ContainsFunc(strings.Split(annotation(o, "argocd.argoproj.io/sync-options"), ","), func(s string) bool {
		return strings.TrimSpace(s) == option
	})
}

// Replaces reports whether an apply puts an object in the place of the live one, so that no field of somebody else's
// stays.
//
// Upstream: argo-cd and gitops-engine, pkg/sync: (*syncContext).applyObject (the object's annotation, or the option of
// all).
func Replaces(r *object.Rendered, o *object.Object) bool {
	return r != nil && r.Delivery.Replaces || newSteps(r).argo && syncOption(o, "Replace=true")
}
