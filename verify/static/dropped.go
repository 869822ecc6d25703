package static

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// The origins of errors about a field that the type does not have, about one that stands twice, of which whoever reads
// the YAML keeps the last value, and about an element that stands twice, which a client's apply merges into one.
const (
	surplus     = "unknown-field"
	twiceThere  = "twice"
	mergedTwice = "merged"
)

// Parts are the errors for which an object is refused, and its fields that are only dropped, each by itself: either
// part alone leaves the other unknown.
//
// Helm 3 asks for no field validation when it creates or patches, so that the API server warns and drops the field;
// Helm's own validation is left to a server that can do it.
//
// Upstream: helm, pkg/kube/client.go: Build, createResource, at v3.21.4; kubectl, pkg/validation/schema.go:
// (paramVerifyingSchema).ValidateBytes, at v0.36.3.
func (x *Applied) Parts(errs field.ErrorList) []field.ErrorList {
	var refused, dropped field.ErrorList
	for _, e := range errs {
		if x.drop(e) {
			dropped = append(dropped, e)
		} else {
			refused = append(refused, e)
		}
	}
	return slices.DeleteFunc([]field.ErrorList{refused, dropped}, func(l field.ErrorList) bool { return len(l) == 0 })
}

// Drops reports whether the API server drops the fields of some errors, and takes the object.
func (x *Applied) Drops(errs field.ErrorList) bool {
	return !slices.ContainsFunc(errs, func(e *field.Error) bool { return !x.drop(e) })
}

func (x *Applied) drop(e *field.Error) bool {
	return e.Origin == twiceThere || e.Origin == mergedTwice || x.warns && e.Origin == surplus
}

// onlyDropped makes a finding one of fields that are dropped.
func onlyDropped(f *finding.Draft, rule rules.Rule) {
	f.Severity = string(judge.Lower(rule.Severity))
	f.Shape = append(f.Shape, "dropped")
}

// dropText says that a field of an object is dropped.
func dropText(o *object.Object, e *field.Error) string {
	switch e.Origin {
	case mergedTwice:
		list := sourceField(e.Field)
		return fmt.Sprintf("%s of %s stands twice in its list: the apply merges both into what is there, and whoever creates "+
			"it anew is refused", list, o.ID)
	case twiceThere:
		return fmt.Sprintf("%s of %s stands twice, and only the last value is applied", sourceField(e.Field), o.ID)
	}
	return fmt.Sprintf("the API server drops %s of %s, as Helm has it warn only: %s", sourceField(e.Field), o.ID, e.Detail)
}
