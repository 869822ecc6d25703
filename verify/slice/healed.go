package slice

import (
	"reflect"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
)

// healing is what the GitOps object that declares a release says of drift; nil: it corrects none,
// or no such object is among the manifests.
func healing(rel *object.Rendered) *policies.GitOps {
	l := rel.Delivery.Loops
	if rel.Delivery.Tool == "" || !l.Heals && !l.Keeps {
		return nil
	}
	g := &policies.GitOps{SelfHeal: l.Heals, RespectIgnore: l.Keeps, File: rel.Delivery.At.File,
		Line: rel.Delivery.At.StartLine}
	if len(l.Ignores) == 0 {
		return g
	}
	g.IgnoreDifferences = []string{"/spec/replicas"}
	ids := map[string]bool{}
	for _, o := range rel.Objects {
		if slices.ContainsFunc(l.Ignores, func(i object.Ignores) bool { return i.Of(o.ID) }) {
			ids[o.ID.String()] = true
		}
	}
	g.Of = func(id string) bool { return ids[id] }
	return g
}

// Healed says that head's GitOps controller corrects drift of a release otherwise than base's, in
// words; "" is as before.
func (b *Besides) Healed(release string) string {
	if !b.Compared || b.policy.Controllers.GitOps != nil || !b.policy.Controllers.Discover {
		return ""
	}
	if reflect.DeepEqual(b.Base.loops[release], b.Head.loops[release]) {
		return ""
	}
	return "how the GitOps controller corrects drift of its release changed"
}
