package static

import (
	"fmt"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// aimAt has an object act on a workload that it misses, of a release that Helm applies or not.
func aimAt(o, t *object.Object, helm bool) []Remedy {
	at := "spec.selector"
	if o.ID.Kind == "PodDisruptionBudget" {
		at = "spec.selector.matchLabels"
	}
	switch sel := selectorOf(o); {
	case sel != nil:
		return selectPods(o, t, at, sel)
	case o.ID.Kind == "PodDisruptionBudget" || o.ID.Kind == "Service":
		return byHand(fmt.Sprintf("select the labels that the pods of %s have", shortID(t)))
	}
	ref := "spec." + slice.ScaledBy(o)
	name := Remedy{Say: fmt.Sprintf("name %s as its target", shortID(t)), Object: o, Set: []object.Setting{
		{Path: ref + ".name", Value: t.ID.Name}, {Path: ref + ".kind", Value: t.ID.Kind},
	}}
	return append([]Remedy{name}, readied(name, o, t, helm)...)
}

// readied are ways to name a workload as the target of an autoscaler, and have it be one that can be scaled: its number
// of replicas is the autoscaler's, and it requests what is measured in percent of a request; none where it is one
// already. The last one is for a person.
func readied(name Remedy, o, t *object.Object, helm bool) []Remedy {
	m, ok := state.ManifestOf(t.Typed)
	if !ok || slice.ScaledBy(o) != "scaleTargetRef" {
		return nil
	}
	r, set := name, []object.Setting(nil)
	if h, ok := o.Typed.(*autoscalingv2.HorizontalPodAutoscaler); ok {
		asks, what := judge.Asks(&m, h)
		if set = asks; len(asks) > 0 {
			r.Say += fmt.Sprintf(", and request the resource that is measured in percent for each container (here %s: use its real demand)", what)
			r.Cost = "the nodes keep that much free for each pod"
		}
	}
	_, pinned := t.At("spec.replicas")
	if pinned {
		set = append(set, object.Setting{Path: "spec.replicas"})
		r.Say += fmt.Sprintf(", and remove spec.replicas of %s: the autoscaler owns it", shortID(t))
	}
	if len(set) == 0 {
		return nil
	}
	r.With = []Change{{Object: t, Set: set}}
	if !pinned {
		return []Remedy{r}
	}
	if helm {
		return []Remedy{r, {Say: r.Say, Cost: strings.TrimPrefix(r.Cost+", and "+judge.OnceOne, ", and ")}}
	}
	later := r
	later.Say += "; before that is applied, " + judge.Forgetting(t)
	later.Cost = strings.TrimPrefix(r.Cost+", and one step by hand", ", and ")
	later.With = []Change{{t, set, []object.Setting{{Path: "spec.replicas"}}}}
	return []Remedy{r, later, {Say: later.Say, Cost: later.Cost}}
}
