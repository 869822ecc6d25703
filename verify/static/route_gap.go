package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/traffic"
)

var switched = Analyzer{Name: "route-gap", Rule: rules.ServiceGap, Run: routeGaps, Compares: true, Whole: true,
	Doc: "a route that is led to pods that are yet to start"}

// routeGaps says which routes come to lead to another Service whose pods are all yet to start: blue/green in one apply,
// say. A route takes effect at once. What a Service selects in its turn is [gaps]' matter.
func routeGaps(p *Pass) []Remark {
	var out []Remark
	told := map[string]bool{}
	for _, v := range p.views() {
		for _, rule := range v.rules() {
			if r, ok := p.routeGap(v, rule); ok && !told[rule.now[0].Rule+r.release] {
				told[rule.now[0].Rule+r.release] = true
				out = append(out, r)
			}
		}
	}
	return out
}

// routedRule is where one rule of a route leads on both sides.
type routedRule struct{ was, now []traffic.Ask }

// rules are those of routes that both sides have and that lead to other Services on head, in order.
func (v *view) rules() []routedRule {
	was := map[string][]traffic.Ask{}
	for _, a := range v.asks(state.Base) {
		if a.Use == traffic.Route {
			was[a.Rule] = append(was[a.Rule], a)
		}
	}
	var out []routedRule
	at := map[string]int{}
	for _, a := range v.asks(state.Head) {
		if a.Use != traffic.Route || len(was[a.Rule]) == 0 {
			continue
		}
		i, known := at[a.Rule]
		if !known {
			i = len(out)
			at[a.Rule] = i
			out = append(out, routedRule{was: was[a.Rule]})
		}
		out[i].now = append(out[i].now, a)
	}
	return slices.DeleteFunc(out, func(r routedRule) bool {
		return slices.ContainsFunc(r.now, func(a traffic.Ask) bool {
			return slices.ContainsFunc(r.was, func(b traffic.Ask) bool {
				return a.Namespace == b.Namespace && a.Service == b.Service && a.Subset == b.Subset
			})
		})
	})
}

// routeGap tells of a rule that has pods on base, and none of those that run then behind any of its Services on head.
func (p *Pass) routeGap(v *view, rule routedRule) (Remark, bool) {
	var old, next *traffic.Workload
	for _, a := range rule.was {
		if r := v.of[state.Base].Reach(a); r.Answer == traffic.Yes {
			old = firstActive(r.To)
		}
	}
	for _, a := range rule.now {
		r := v.of[state.Head].Reach(a)
		if r.Answer == traffic.No {
			continue
		}
		if r.Service == nil || len(r.To) == 0 || v.runs(r) {
			return Remark{}, false // somebody else's, or there are pods already
		}
		if next == nil {
			next = firstActive(r.To)
		}
	}
	if old == nil || next == nil {
		return Remark{}, false
	}
	a, o := rule.now[0], rule.now[0].By.Object
	starts := []*object.Object{next.Object}
	if p.where().follows(o, starts) {
		return Remark{}, false // the tool waits for the pods
	}
	was := v.counterpart(state.Base, next.Object)
	r := Remark{Object: o, release: o.Release, paths: []string{a.By.Path}, recovers: true, Conditional: was == nil,
		with: v.stranger(o, next.Object), causes: []cause{{next.Object, []string{"spec.replicas"}}},
		remedies: scaleFirst(was, next.Object)}
	if now := v.counterpart(state.Head, old.Object); now == nil || scaledToNothing(now) {
		r.causes = append(r.causes, cause{old.Object, nil})
		if now != nil {
			r.causes[1] = cause{now, []string{"spec.replicas"}}
		}
	}
	r.text = fmt.Sprintf("what %s leads to has no ready pods once applied: it leads to Service %s at once, whose pods, of %s, "+
		"are yet to start (on base: Service %s, %s)", o.ID, a.Service, next.Object.ID, rule.was[0].Service,
		old.Object.ID)
	return r, true
}

// runs reports whether a pod that runs on base, and that head keeps, is behind a Service of head.
func (v *view) runs(r traffic.Reach) bool {
	for _, w := range r.To {
		if w.Idle == traffic.Yes {
			continue
		}
		b := v.of[state.Base].Workload(w.Object.ID)
		if b != nil && b.Idle != traffic.Yes && v.of[state.Head].Selects(r.Service, b) {
			return true
		}
	}
	return false
}

func firstActive(list []*traffic.Workload) *traffic.Workload {
	for _, w := range list {
		if w.Idle == traffic.No {
			return w
		}
	}
	return nil
}

// counterpart is the object of a side with the same ID; nil: there is none.
func (v *view) counterpart(side state.Version, o *object.Object) *object.Object {
	i := slices.IndexFunc(v.objects[side], func(x *object.Object) bool {
		return !x.Hook && x.ID.Kind == o.ID.Kind && x.ID.Name == o.ID.Name && x.ID.Namespace == o.ID.Namespace &&
			x.ID.Group == o.ID.Group
	})
	if i < 0 {
		return nil
	}
	return v.objects[side][i]
}
