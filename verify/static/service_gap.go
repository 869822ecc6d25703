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

// gaps says which Services have no pod from the apply until new ones are ready: they no longer select base's pods, or
// these are deleted, and the selected pods have yet to start. Their pods may be of any release of the cluster.
func gaps(p *Pass) []Remark {
	base, head := p.once(), p.everywhere()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		s, ok := o.Typed.(*corev1.Service)
		if !ok || o.Hook || len(s.Spec.Selector) == 0 || s.Spec.Type == corev1.ServiceTypeExternalName {
			continue
		}
		b := p.before().counterpart(o)
		if b == nil {
			continue
		}
		was, next := backers(base, b), backers(head, o)
		if len(was) == 0 || len(next) == 0 || slices.ContainsFunc(next, recreated) {
			continue
		}
		running := backersOf(base, b, labels.SelectorFromSet(s.Spec.Selector))
		if slices.ContainsFunc(running, p.stays) {
			continue
		}
		if r, ok := p.gap(o, b, was, running, next); ok {
			r.with = p.where().open(o, append(r.causedBy(), was[0], next[0])...)
			out = append(out, r)
		}
	}
	return out
}

// gap words that a Service has no ready pods for a while; false where the tool waits for the new ones.
func (p *Pass) gap(o, b *object.Object, was, running, next []*object.Object) (Remark, bool) {
	r := Remark{Object: o, paths: []string{"spec.selector"}, recovers: true}
	idled := slices.IndexFunc(running, func(w *object.Object) bool { return p.everywhere().again(w) != nil })
	switch gone := slices.IndexFunc(was, func(w *object.Object) bool { return slices.Contains(running, w) }); {
	case idled >= 0:
		old := p.everywhere().again(running[idled])
		if p.where().follows(old, next) {
			return r, false
		}
		r.first = []cause{{old, []string{"spec.replicas"}}}
		r.causes = append(r.first, cause{next[0], []string{"spec.replicas"}})
		r.remedies = scaleFirst(p.once().again(next[0]), next[0])
		r.text = fmt.Sprintf("%s has no ready pods once applied: %s, whose pods it selects, is scaled to nothing while %s has yet to start",
			o.ID, old.ID, next[0].ID)
	case gone >= 0:
		old := was[gone]
		of := p.where().releaseOf(old)
		if yes, known := prunes(of); known && !yes || of.Delivery.Last && old.Release == next[0].Release {
			return r, false
		}
		r.Conditional, r.causes = true, []cause{{object: old}}
		r.text = fmt.Sprintf("%s has no ready pods once applied: %s, whose pods it selects, is deleted while %s has yet to start",
			o.ID, old.ID, next[0].ID)
	case p.where().follows(o, next) && (allFit(selectorOf(b), next) || slices.ContainsFunc(was, p.stays)):
		return r, false // the tool waits for the new pods, and base's answer until then
	default:
		r.beside[state.Head] = next[0]
		r.remedies = selectLater(o, b, next)
		r.text = fmt.Sprintf("%s has no ready pods once applied: it selects %s at once, and no running pod has these labels until %s has rolled out",
			o.ID, words(selectorOf(o)), next[0].ID)
	}
	return r, true
}

// causedBy are the objects of the causes of a remark.
func (x Remark) causedBy() []*object.Object {
	var out []*object.Object
	for _, c := range x.causes {
		out = append(out, c.object)
	}
	return out
}

// stays reports whether pods that run on base are still there once head is applied, as far as anybody knows: a release
// that is not rendered has what it had, and so has one that is gone and whose tool leaves behind what it applied.
func (p *Pass) stays(w *object.Object) bool {
	if h := p.everywhere().again(w); h != nil {
		return !scaledToNothing(h)
	}
	if kept(w) || miscalled(w, p.everywhere().objects) {
		return true
	}
	r := p.where().onHeadOf(w)
	if r == nil {
		return !p.where().releaseOf(w).Delivery.Cascades
	}
	return r.Err != nil || r.Untouched || r.Switched != ""
}

// backers are the workloads of its cluster whose pods a Service selects, those that are scaled to nothing left out:
// first those of its own release, then those that surely run beside it.
func backers(x *aimIndex, service *object.Object) []*object.Object {
	return backersOf(x, service, labels.SelectorFromSet(selectorOf(service)))
}

func backersOf(x *aimIndex, service *object.Object, sel labels.Selector) []*object.Object {
	var out []*object.Object
	for _, i := range x.pods.Candidates(service.ID.Namespace, sel) {
		o := x.objects[i]
		if !o.Hook && runsOn(o) && selects(sel, o) && !scaledToNothing(o) && x.joins(o, service) {
			out = append(out, o)
		}
	}
	return x.nearest(service, out)
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
