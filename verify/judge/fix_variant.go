package judge

import (
	"slices"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// sameImages reports whether the pods of a release run the images of another rendering of it: an edit of a line may
// take back more than the culprit.
func sameImages(was, is *object.Rendered) bool {
	images := func(r *object.Rendered) map[string][]string {
		out := map[string][]string{}
		for _, o := range r.Objects {
			m, ok := state.ManifestOf(o.Typed)
			if !ok {
				continue
			}
			for _, c := range slices.Concat(m.Pod().InitContainers, m.Pod().Containers) {
				out[o.ID.String()] = append(out[o.ID.String()], c.Name+"\x00"+c.Image)
			}
		}
		return out
	}
	now := images(is)
	for id, list := range images(was) {
		if other, there := now[id]; there && !slices.Equal(list, other) {
			return false
		}
	}
	return true
}

// with gives the variant with other objects as head, and with what a remedy sets on base; false where one of its
// workloads is not among them.
func (d *Judge) with(v scenario.Variant, objects []*object.Object, r remedy) (scenario.Variant, bool) {
	var base []*object.Object
	for _, p := range slice.Pairs(d.Places.pairs()) {
		if p.ID == v.Release {
			p.Instead = d.Instead
			base = p.Objects(state.Base)
		}
	}
	if r.object != nil && r.object.Release != v.Release { // before the change, its own release is the one to say
		base = slices.Concat(base, v.Slice.Lent(state.Base))
	}
	if r.before != nil {
		i := slices.IndexFunc(base, func(o *object.Object) bool { return o.ID == r.object.ID })
		if i < 0 {
			return v, false
		}
		other, err := typed.With(base[i], r.before)
		if err != nil {
			return v, false
		}
		base = slices.Clone(base)
		base[i] = other
	}
	var head []*object.Object
	for _, o := range objects {
		if there, other := d.Instead[o]; other {
			o = there
		}
		if o != nil {
			head = append(head, o)
		}
	}
	return v.WithObjects(base, head, d.Assumed)
}
