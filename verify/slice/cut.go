package slice

import (
	"maps"
	"slices"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/snapshot"
)

// Cut says which slices a release is cut into. changed says which objects differ, by ID.
type Cut struct {
	Release string
	Changed map[string]bool
	Lent    Lent // by other releases of the cluster
	Scope
}

// Scope says what belongs into a slice: with all, every workload counts as changed. Where
// room is limited, workloads of which one outranks the other belong together, and so do
// those that a rule of the user's own names together, as "namespace/name".
type Scope struct {
	All, Limited bool
	Together     [][]string
	// Beside says why every slice of a release is searched, with whatever it has changed or
	// not; "" is for no such reason.
	Beside func(release string) string
	// Healed says why workloads with an autoscaler are searched, changed or not; "" is for no reason.
	Healed func(release string) string
	// Asked are the workloads, "namespace/name", of which something is asked that may change though they do not.
	Asked map[string]bool
	// Own is the policy with the controllers that it declares; nil: none.
	Own *policies.Policy
	// Shot is the cluster as it is; nil: it is not known.
	Shot *snapshot.Snapshot
	// Loans are the objects that releases lend each other; nil: none.
	Loans Loans
	// Joints are workloads of different releases of one cluster that belong together.
	Joints []Joint
	// Instead maps an object that the API server refuses to the version that the cluster keeps; nil: none is refused.
	Instead map[*object.Object]*object.Object
}

// runsBesideOthers reports whether other controllers run beside the release than on base.
func (c Cut) runsBesideOthers() bool { return c.Beside != nil && c.Beside(c.Release) != "" }

// joins reports whether a rule names both workloads.
func (s Scope) joins(p, q *object.Object) bool {
	return slices.ContainsFunc(s.Together, func(names []string) bool {
		return slices.Contains(names, p.ID.Namespace+"/"+p.ID.Name) && slices.Contains(names,
			q.ID.Namespace+"/"+q.ID.Name)
	})
}

// Slices cuts a release into the slices that its changes call for.
func (c Cut) Slices(base, head []*object.Object) []*Slice {
	sides := c.Lent.sides(c.Shot, base, head)
	ids := slices.Sorted(maps.Keys(union(sides[0].Workloads, sides[1].Workloads)))
	touched := map[string]bool{}
	for _, id := range ids {
		touched[id] = c.touched(id, sides)
	}
	crowded := c.Limited && crowds(sides)
	wanted := func(id string) bool { return (crowded || touched[id]) && !c.Lent.Kin.Left[id] }
	group := components(ids, wanted, c.vicinity(ids, sides).near, func(a, b string) bool {
		return c.related(sides, a,
			b)
	})
	shared := sharedOf(sides)
	var out []*Slice
	for _, members := range group {
		sl := newSlice(c.Release, members, sides, touched, shared)
		sl.lent = c.Lent
		sl.declare(c.Own, sides)
		out = append(out, sl)
	}
	return out
}

// touched reports whether a workload is to be searched: it differs, or something that acts on it does.
func (c Cut) touched(id string, sides [2]side) bool {
	if c.All && !c.Lent.Has(id) || c.Changed[id] || c.runsBesideOthers() || c.Lent.Kin.Stirred[id] {
		return true
	}
	healed := c.Healed != nil && c.Healed(c.Release) != ""
	for _, s := range sides {
		o := s.Workloads[id]
		if o == nil {
			continue
		}
		hpas, pdbs := s.targets(o)
		if c.Asked[o.ID.Namespace+"/"+o.ID.Name] || len(relabelled(o, sides)) > 0 ||
			refusedOtherwise(s.asStored(id), sides) ||
			mutatedOtherwise(id, sides) ||
			healed && len(hpas)+len(s.kedaOf(o)) > 0 || stirsOwn(c.Own, o, sides) {
			return true
		}
		targets := slices.Concat(hpas, pdbs, s.limits(o), s.admission.of(o, s), s.storage.claimsOf(o),
			s.vpasOf(o), s.kedaOf(o), s.queuesOf(o))
		if class := s.priorities.of(&templateOf(o).Spec); class != nil {
			targets = append(targets, class)
		}
		if slices.ContainsFunc(targets, func(t *object.Object) bool { return c.Changed[t.ID.String()] }) {
			return true
		}
	}
	return false
}

// related reports whether two workloads belong together.
func (c Cut) related(sides [2]side, a, b string) bool {
	if c.Lent.Kin.together(a, b) {
		return true
	}
	for _, x := range sides {
		for _, y := range sides {
			p, q := x.Workloads[a], y.Workloads[b]
			switch {
			case p == nil || q == nil:
			case influences(p, q, y) || influences(q, p, x) || x.counts(p, q) || y.counts(q, p) || c.joins(p, q) ||
				share(p, x, q, y) || guardEachOther(p, x, q, y) ||
				haveInCommon(p, x, q, y) || wantOnePort(p, q) || displaces(p, x, q, y) || displaces(q, y, p, x) ||
				x.blocks(p) && y.blocks(q):
				return true
			case c.Limited && (outranks(p, x, q, y) || outranks(q, y, p, x)):
				return true
			}
		}
	}
	return false
}
