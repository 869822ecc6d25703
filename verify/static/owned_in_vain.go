package static

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/state"
)

var ownedInVain = Analyzer{Name: "owned-in-vain", Rule: rules.DeletedOnTheWay, Run: namedOwners,
	Doc: "an object that comes to name an owner by its UID, which the API server draws"}

// namedOwners says which objects come to name owners, none of which base names: unless the cluster has one of them with
// that very UID, the garbage collector deletes it, each time that it is applied. Objects without a namespace are left
// out: the collector leaves alone those that name an owner of a kind with namespaces. It deletes those whose owner is
// of a kind without; that is not told yet.
//
// Upstream: kubernetes v1.36.3, pkg/controller/garbagecollector: (*GarbageCollector).attemptToDeleteItem (an object
// with no owner that exists is deleted), isDangling (one with another UID does not exist).
func namedOwners(p *Pass) []Remark {
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		owners, known := ownerReferences(o.Content), false
		if o.ID.Namespace == "" || len(owners) == 0 || o.Maker != nil {
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
		for _, owner := range owners {
			names = append(names, fmt.Sprintf("%v %v", owner["kind"], owner["name"]))
		}
		out = append(out, Remark{
			Object: o, Conditional: true, paths: []string{"metadata.ownerReferences"},
			text: fmt.Sprintf("the garbage collector deletes %s unless its owner is there with the UID of metadata.ownerReferences, which the API server draws: %s",
				o.ID, strings.Join(names, ", ")),
			remedies: byHand("remove metadata.ownerReferences"),
		})
	}
	return out
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
