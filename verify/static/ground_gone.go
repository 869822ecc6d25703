package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// groundGone says which objects of head lose what they stand on, and are deleted with it: the definition of custom
// resources, and the namespace of anything, in whatever release of the cluster they are.
//
// Upstream: kubernetes v1.36.3, pkg/controller/namespace/deletion: (*namespacedResourcesDeleter).Delete;
// apiextensions-apiserver, pkg/controller/finalizer: (*CRDFinalizer).deleteInstances.
func groundGone(w *whereabouts) []Remark {
	var out []Remark
	for _, d := range w.removed() {
		what, says := defines(d), "%s%s is deleted with its definition, %s, which the change removes, and can no longer be applied"
		on := func(o *object.Object) bool { return kindOf(o) == what }
		switch kindOf(d) {
		case "apiextensions.k8s.io/CustomResourceDefinition":
		case "/Namespace":
			says = "%s%s is deleted with %s, which the change removes"
			on = func(o *object.Object) bool { return o.ID.Namespace == d.ID.Name }
		default:
			continue
		}
		x, ok := stranded(w, d, on, says)
		if ok && !slices.ContainsFunc(out, func(r Remark) bool { return r.text == x.text && r.Object == x.Object }) {
			out = append(out, x)
		}
	}
	return out
}

// stranded is about the objects of head that stand on one that goes: on d, in a cluster that is d's, before those that
// may be in it.
func stranded(w *whereabouts, d *object.Object, on func(*object.Object) bool, says string) (Remark, bool) {
	var list []*object.Object
	best := slice.Open
	for _, o := range w.objects[1] {
		t := slice.Apart
		if !o.Hook && on(o) {
			t = w.tie(o, d)
		}
		if t > best {
			list, best = nil, t
		}
		if t == best {
			list = append(list, o)
		}
	}
	if len(list) == 0 {
		return Remark{}, false
	}
	o := list[max(slices.IndexFunc(list, slice.RunsPods), 0)]
	more, path := "", "kind"
	if len(list) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(list)-1)
	}
	if d.ID.Kind == "Namespace" {
		path = "metadata.namespace"
	}
	_, known := prunes(w.releaseOf(d))
	r := Remark{Rule: rules.DeletedOnTheWay, release: o.Release, Object: o, status: finding.New, paths: []string{path},
		causes: []cause{{object: d}}, Conditional: !known, text: fmt.Sprintf(says, o.ID, more, d.ID)}
	if !known {
		r.text += " (where what applies it prunes)"
	}
	if best == slice.Open {
		r.with = d.Release
	}
	return r, true
}
