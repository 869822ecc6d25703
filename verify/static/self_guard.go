package static

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var guards = Analyzer{Name: "self-guard", Rule: rules.NeverReplaced, Run: selfGuards,
	Doc: "a webhook that is asked about the pods that answer it"}

// selfGuards says which webhooks with failurePolicy Fail are asked about the very pods that answer them, where those
// are several: a search loses one pod at a time, and finds it with one. Once all are gone, none is created.
func selfGuards(p *Pass) []Remark {
	was, now := p.guards(state.Base), p.guards(state.Head)
	var out []Remark
	for _, g := range now {
		if !slices.ContainsFunc(was, sameGuard(g)) && g.Least > 1 && !(g.Selects && placeless(p.Head)) {
			r := guardRemark(p.ID, g)
			r.status, r.remedies, r.with = finding.New, spareOwn(g), p.where().open(g.Workload, g.Object)
			out = append(out, r)
		}
	}
	for _, g := range was {
		if !slices.ContainsFunc(now, sameGuard(g)) && g.Least > 1 && !(g.Selects && placeless(p.Base)) {
			r := guardRemark(p.ID, g)
			r.status, r.causes = finding.Fixed, nil
			out = append(out, r)
		}
	}
	return out
}

// guards are those of the release's workloads, by webhooks of all releases that may be in its cluster.
func (p *Pass) guards(v state.Version) []slice.SelfGuard {
	where := p.where()
	if !slices.ContainsFunc(where.objects[v], asksOthers) {
		return nil
	}
	list := slices.Clone(p.Objects(v))
	for _, o := range where.objects[v] {
		_, serves := o.Typed.(*corev1.Service)
		_, labels := o.Typed.(*corev1.Namespace)
		if o.Release != p.ID && (serves || labels || asksOthers(o)) && where.meet(o.Release, p.ID) {
			list = append(list, o)
		}
	}
	return slice.SelfGuards(list)
}

// asksOthers reports whether an object has webhooks.
func asksOthers(o *object.Object) bool { return strings.HasSuffix(o.ID.Kind, "WebhookConfiguration") }

func sameGuard(g slice.SelfGuard) func(slice.SelfGuard) bool {
	return func(o slice.SelfGuard) bool {
		return o.Workload.ID == g.Workload.ID && o.Object.ID == g.Object.ID && o.Name == g.Name
	}
}

// placeless reports whether the namespace of a release is not declared, as of a bare chart: whether a selector of
// namespaces takes it in is not known.
func placeless(r *object.Rendered) bool { return r.Kind == object.Helm && r.Delivery.Tool == "" }

func guardRemark(release string, g slice.SelfGuard) Remark {
	hook := []cause{{g.Object, []string{fmt.Sprintf("webhooks[%d]", g.Index)}}}
	return Remark{
		Rule: rules.NeverReplaced, release: release, Object: g.Workload, Conditional: true,
		paths:  []string{"spec.template.metadata.labels"},
		causes: hook, first: hook,
		text: fmt.Sprintf("the webhook %s of %s (failurePolicy Fail) is asked about the pods of %s that answer it: "+
			"once none of them is ready, as after a restart of the whole cluster, none is ever created again",
			g.Name, g.Object.ID, g.Workload.ID),
	}
}

// spareOwn keeps a webhook from asking about pods of its own namespace.
func spareOwn(g slice.SelfGuard) []Remedy {
	var old []any
	if have, _ := slice.ValueAt(g.Object.Content, "webhooks").([]any); g.Index < len(have) {
		one, _ := have[g.Index].(map[string]any)
		old, _ = slice.ValueAt(one, "namespaceSelector", "matchExpressions").([]any)
	}
	ns := g.Workload.ID.Namespace
	own := map[string]any{"key": corev1.LabelMetadataName, "operator": "NotIn", "values": []any{ns}}
	return []Remedy{{
		Say:  "exclude the webhook's own namespace, so that its pods start without it",
		Cost: "pods of the namespace " + ns + " are not checked", Object: g.Object,
		Set: []object.Setting{{
			Path: fmt.Sprintf("webhooks[%d].namespaceSelector.matchExpressions", g.Index), Value: slices.Concat(old, []any{own}),
		}},
	}}
}
