package static

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

var doubles = Analyzer{Name: "twice", Rule: rules.ApplyRejected, Run: twice,
	Doc: "an object that stands twice in a release"}

// twice says which objects stand twice in a release, and the effect of applying them. Where the last one wins, two that
// are alike do no harm; names that every render draws again are not the same; and plain files that are not known to be
// applied together may be meant one at a time.
//
// Upstream: helm v3.20, pkg/kube: (*Client).Create (the second one is there already) and Update (what the last manifest
// lacks and the cluster has is an error); kustomize, api/resmap: (*resWrangler).Append, which kustomize-controller runs
// for plain files, too; argo-cd, controller: DeduplicateTargetObjects; kubectl apply sends one after the other.
func twice(p *Pass) []Remark {
	if p.Head.Switched != "" {
		return nil // with values that were not set
	}
	var out []Remark
	for _, o := range p.Head.Objects {
		was := counterpart(p.Base, o)
		if o.Twin == nil || o.Hook || was != nil && was.Twin != nil || o.IsVolatile("metadata.name") {
			continue
		}
		says, refused := "", false
		switch {
		case p.Head.Delivery.Tool == object.ArgoCD:
			says = "Argo CD applies the last one alone (RepeatedResourceWarning)"
		case p.Head.Kind == object.Helm && was == nil:
			says, refused = "Helm creates the first one and fails at the second, which is there already", true
		case p.Head.Kind == object.Helm:
			says = "Helm applies one after the other, and the last one stays"
		case p.Head.Delivery.Tool == object.Flux:
			says, refused = "Flux applies nothing of the release, as Kustomize refuses an ID that is registered already", true
		case p.Head.Delivery.Tool != "" || o.Source.File == o.Twin.Source.File || oneDestination(o, o.Twin):
			says = "kubectl applies one after the other, and the last one stays"
		}
		if says == "" || !refused && object.Same([]*object.Object{o}, []*object.Object{o.Twin}) {
			continue
		}
		first := fmt.Sprintf("%s:%d", o.Twin.Source.File, max(o.Twin.Source.StartLine, 1))
		out = append(out, Remark{
			Object: o, paths: []string{"metadata.name"}, Conditional: !refused,
			text: fmt.Sprintf("%s is declared twice, in %s and %s:%d: %s", o.ID, first, o.Source.File,
				max(o.Source.StartLine, 1), says),
			remedies: byHand(fmt.Sprintf("give one of them its own name, or remove the one in %s", first)),
		})
	}
	return out
}

// oneDestination reports whether two objects have a GitOps tool deliver something else to one place: plain files of
// them are applied together, as the tool knows one object of a name.
func oneDestination(a, b *object.Object) bool {
	to := map[string]string{"argoproj.io/Application": "destination",
		"kustomize.toolkit.fluxcd.io/Kustomization": "kubeConfig",
		"helm.toolkit.fluxcd.io/HelmRelease":        "kubeConfig"}[a.ID.Group+"/"+a.ID.Kind]
	return to != "" &&
		reflect.DeepEqual(slice.ValueAt(a.Content, "spec", to), slice.ValueAt(b.Content, "spec", to))
}

// Doubled lists what stands twice in a release of head and did not on base, with where, and is no finding of [twice].
func Doubled(p slice.Pair) []string {
	if p.Head.Switched != "" {
		return nil
	}
	told := twice(&Pass{Pair: p})
	var out []string
	for _, o := range p.Head.Objects {
		was := counterpart(p.Base, o)
		if o.Twin == nil || was != nil && was.Twin != nil || o.IsVolatile("metadata.name") ||
			slices.ContainsFunc(told, func(r Remark) bool { return r.Object == o }) {
			continue
		}
		out = append(out, fmt.Sprintf("%s (%s:%d and %s:%d)", o.ID, o.Twin.Source.File, max(o.Twin.Source.StartLine, 1),
			o.Source.File, max(o.Source.StartLine, 1)))
	}
	return out
}

// counterpart is base's version of an object of a release; nil: there is none, or the release did not render.
func counterpart(base *object.Rendered, o *object.Object) *object.Object {
	if base == nil || base.Err != nil {
		return nil
	}
	for _, b := range base.Objects {
		if keyOf(b) == keyOf(o) && b.Hook == o.Hook {
			return b
		}
	}
	return nil
}
