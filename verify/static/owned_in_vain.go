package static

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

var ownedInVain = Analyzer{Name: "owned-in-vain", Rule: rules.DeletedOnTheWay, Run: namedOwners,
	Doc: "an object that comes to name an owner by its UID, which the API server draws"}

// namedOwners says which objects come to name owners, none of which base names: unless the cluster has one of them with
// that very UID, the garbage collector deletes it, each time that it is applied. It leaves alone an object without a
// namespace that names an owner of a kind with namespaces.
//
// Upstream: kubernetes v1.36.3, pkg/controller/garbagecollector: (*GarbageCollector).attemptToDeleteItem (an object
// with no owner that exists is deleted), isDangling (one with another UID does not exist).
func namedOwners(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		owners, known := ownerReferences(o.Content), false
		hasNamespace := func(owner map[string]any) bool {
			yes, known := hasNoNamespace(p, owner)
			return !yes && known
		}
		if len(owners) == 0 || o.Maker != nil || o.ID.Namespace == "" && slices.ContainsFunc(owners, hasNamespace) {
			continue
		}
		if was := p.once().again(o); was != nil {
			for _, had := range ownerReferences(was.Content) {
				for _, owner := range owners {
					known = known || reflect.DeepEqual(had["uid"], owner["uid"])
				}
			}
		}
		if known {
			continue
		}
		var names []string
		unless := ""
		for _, owner := range owners {
			names = append(names, fmt.Sprintf("%v %v", owner["kind"], owner["name"]))
			if _, known := hasNoNamespace(p, owner); o.ID.Namespace == "" && !known {
				unless = fmt.Sprintf(" (if the kind %v has no namespace)", owner["kind"])
			}
		}
		out = append(out, Remark{
			Object: o, Conditional: true, paths: []string{"metadata.ownerReferences"},
			text: fmt.Sprintf("the garbage collector deletes %s unless its owner is there with the UID of metadata.ownerReferences, which the API server draws: %s",
				o.ID, strings.Join(names, ", ")) + unless,
			remedies: byHand("remove metadata.ownerReferences"),
		})
	}
	return out
}

// hasNoNamespace reports whether an owner is of a kind without namespaces, as the kind itself or a definition of the
// cluster says, and whether that is known.
func hasNoNamespace(p *Pass, owner map[string]any) (yes, known bool) {
	gv, _ := schema.ParseGroupVersion(fmt.Sprint(owner["apiVersion"]))
	kind := fmt.Sprint(owner["kind"])
	if o := lastOf(p.definitions(state.Head)[schema.GroupKind{Group: gv.Group, Kind: kind}]); o != nil {
		return slice.ValueAt(o.Content, "spec", "scope") == "Cluster", true
	}
	return object.ClusterScoped(gv.Group, kind)
}

// ownerReferences are the owners that an object names.
func ownerReferences(content map[string]any) []map[string]any {
	meta, _ := content["metadata"].(map[string]any)
	list, _ := meta["ownerReferences"].([]any)
	var out []map[string]any
	for _, e := range list {
		if owner, ok := e.(map[string]any); ok {
			out = append(out, owner)
		}
	}
	return out
}
