package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var gapped = Analyzer{Name: "gap", Rule: rules.ServiceGap, Run: gaps,
	Doc: "a Service without a pod until new ones are ready"}

// gaps says which Services have no pod from the apply until new ones are ready: what base runs they no longer select,
// or it is deleted, and what they select is yet to start.
func gaps(p *Pass) []Remark {
	where := p.where()
	base, head := p.before(), p.after()
	steps := newSteps(p.Head)
	var out []Remark
	for _, o := range head.objects {
		s, ok := o.Typed.(*corev1.Service)
		b := base.counterpart(o)
		if !ok || o.Hook || b == nil || len(s.Spec.Selector) == 0 || s.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		was, next := backers(base, b), backers(head, o)
		if len(was) == 0 || len(next) == 0 || slices.ContainsFunc(next, recreated) {
			continue
		}
		sel := labels.SelectorFromSet(s.Spec.Selector)
		running := backersOf(base, o.ID.Namespace, sel)
		stays := func(w *object.Object) bool {
			h := head.counterpart(w)
			if h != nil && scaledToNothing(h) {
				return false
			}
			return h != nil || where.elsewhere(w) || kept(w) || miscalled(w, head.objects)
		}
		if slices.ContainsFunc(running, stays) {
			continue
		}
		r := Remark{Object: o, paths: []string{"spec.selector"}, recovers: true}
		idled := slices.IndexFunc(running, func(w *object.Object) bool { return head.counterpart(w) != nil })
		switch gone := slices.IndexFunc(was, func(w *object.Object) bool { return slices.Contains(running, w) }); {
		case idled >= 0:
			old := head.counterpart(running[idled])
			if steps.follows(old, next) {
				continue
			}
			r.first = []cause{{old, []string{"spec.replicas"}}}
			r.causes = append(r.first, cause{next[0], []string{"spec.replicas"}})
			r.remedies = scaleFirst(base.counterpart(next[0]), next[0])
			r.text = fmt.Sprintf("%s has no ready pods once applied: %s, whose pods it selects, is scaled to nothing while %s has yet to start",
				o.ID, old.ID, next[0].ID)
		case gone >= 0 && !p.Head.Delivery.Last:
			old := was[gone]
			r.causes = []cause{{object: old}}
			r.text = fmt.Sprintf("%s has no ready pods once applied: %s, whose pods it selects, is deleted while %s has yet to start", o.ID, old.ID, next[0].ID)
			if yes, known := prunes(p.Head); known && !yes {
				continue
			}
			r.Conditional = true
		case gone >= 0 || steps.follows(o, next) && allFit(selectorOf(b), next):
			continue // the tool waits for the new pods
		default:
			r.beside[state.Head] = next[0]
			r.remedies = selectLater(o, b, next)
			r.text = fmt.Sprintf("%s has no ready pods once applied: it selects %s at once, and no running pod has these labels until %s has rolled out",
				o.ID, words(s.Spec.Selector), next[0].ID)
		}
		out = append(out, r)
	}
	return out
}

// backers are the workloads whose pods a Service selects, those that are scaled to nothing left out.
func backers(x *aimIndex, service *object.Object) []*object.Object {
	return backersOf(x, service.ID.Namespace, labels.SelectorFromSet(selectorOf(service)))
}

func backersOf(x *aimIndex, namespace string, sel labels.Selector) []*object.Object {
	var out []*object.Object
	for _, i := range x.pods.Candidates(namespace, sel) {
		o := x.objects[i]
		if !o.Hook && runsOn(o) && selects(sel, o) && !scaledToNothing(o) {
			out = append(out, o)
		}
	}
	return out
}

// scaledToNothing reports whether a workload is declared to have no pods.
func scaledToNothing(o *object.Object) bool {
	return fmt.Sprint(slice.ValueAt(o.Content, "spec", "replicas")) == "0"
}

// scaleFirst has a workload that base has start its pods in a separate change.
func scaleFirst(b, o *object.Object) []Remedy {
	say := fmt.Sprintf("scale up %s in a separate change that is applied first", shortID(o))
	if b == nil {
		return byHand(say)
	}
	return append([]Remedy{{Say: say, Cost: "two changes in place of one", First: true, Object: b,
		Set: []object.Setting{{Path: "spec.replicas", Value: slice.ValueAt(o.Content, "spec", "replicas")}}}},
		byHand(say)...)
}

// recreated reports whether a rollout of an object takes all of its pods away first.
func recreated(o *object.Object) bool {
	d, ok := o.Typed.(*appsv1.Deployment)
	return ok && d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
}

// allFit reports whether a selector matches the pods of every workload.
func allFit(sel map[string]string, list []*object.Object) bool {
	return !slices.ContainsFunc(list, func(o *object.Object) bool { return !selects(labels.SelectorFromSet(sel), o) })
}

// words are the terms of a selector, in order.
func words(sel map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(sel)) {
		out = append(out, k+"="+sel[k])
	}
	return strings.Join(out, ",")
}
