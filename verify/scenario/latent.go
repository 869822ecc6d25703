package scenario

import (
	"context"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

// anyRollout are the rules whose violations any rollout may show: old pods are counted until they are gone, and which
// of the new ones stay hangs on the scheduler's ties.
var anyRollout = []string{"single-domain", "spread-violated"}

// AnyRollout reports whether a violation that a change's rollout leads to comes as easily of a rollout of base, which
// asks for the same: it was there for whichever change comes next, and is none of this one's. Where the budget does not
// last to tell, it is not.
func (c *Checker) AnyRollout(ctx context.Context, found Violation) bool {
	if !slices.Contains(anyRollout, found.Bound.Rule.ID) || found.Scenario != ScenarioChange ||
		!slices.Contains(found.Kinds(), "apply") {
		return false
	}
	if found.Variant.anotherImage() {
		return true // it is one itself
	}
	base := found.Variant.Reapply()
	next := base.next()
	next.Spec.Classes, next.Spec.Events = base.Spec.Classes, base.Spec.Events // as full, and as eventful
	if !next.Has(state.Base) || next.repeats() {
		return false
	}
	own := c.Within(roomyStates)
	own.Rules = slices.DeleteFunc(slices.Clone(own.Rules), func(r rules.Rule) bool { return r.ID != found.Bound.Rule.ID })
	r := scenarioRun{Checker: own, topology: found.Topology()}
	if err := r.settled(ctx, ScenarioChange, next, state.Base); err != nil {
		return false
	}
	return slices.ContainsFunc(r.found, func(x Violation) bool { return x.Covers(found) && x.which() == found.which() })
}

// anotherImage reports whether all that a change makes of a variant is another image, or other annotations, of pods:
// what comes of it comes of any rollout of base. Where nodes are known to have images, the scheduler looks at them.
func (v Variant) anotherImage() bool {
	if slices.ContainsFunc(v.Spec.Classes, func(c state.NodeClass) bool { return len(c.Node.Status.Images) > 0 }) {
		return false
	}
	was, is := v.Reapply().Spec, v.surrounded(state.Head).Spec // and what runs beside, as it was
	was.Workloads, is.Workloads, was.Events = nil, nil, is.Events
	return reflect.DeepEqual(was, is) && !slices.ContainsFunc(v.Spec.Workloads, func(w state.Workload) bool {
		return !sameButImage(w.Manifests[state.Base], w.Manifests[state.Head])
	})
}

// sameButImage reports whether two manifests are the same but for what the objects are called by others, and the images
// and annotations of their pods. What is the same and written otherwise may not count.
func sameButImage(was, is state.Manifest) bool {
	if !was.Exists() || was.Kind() != is.Kind() {
		return !was.Exists() && !is.Exists()
	}
	is.OwnObject()
	switch {
	case is.Deployment != nil:
		is.Deployment.ObjectMeta = was.Deployment.ObjectMeta
	case is.StatefulSet != nil:
		is.StatefulSet.ObjectMeta = was.StatefulSet.ObjectMeta
	}
	t, before := is.Template(), was.Template()
	t.Annotations = before.Annotations
	for _, list := range [][2][]corev1.Container{
		{t.Spec.Containers, before.Spec.Containers}, {t.Spec.InitContainers, before.Spec.InitContainers},
	} {
		for i := range list[0] {
			if i < len(list[1]) {
				list[0][i].Image = list[1][i].Image
			}
		}
	}
	return reflect.DeepEqual(was, is)
}

// which names what a violation breaks of what its manifest asks for; "" where a rule asks for one thing.
func (v Violation) which() string {
	if v.Bound.Property.Which == nil {
		return ""
	}
	return v.Bound.Property.Which(state.State{C: v.Problem.Cfg, B: v.last()})
}
