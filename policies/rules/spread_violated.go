package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// spreadViolated says that pods come to rest as their workload asks to be spread: no
// quiescent state breaks a topology spread constraint or an anti-affinity term.
//
// Intent: what was asked for at the moment of placing is so afterwards.
// Class: safety of quiescent states; the counterexample ends in one.
// Assumes: nothing moves a running pod but what is modeled; pods of other slices are not
// selected.
// Does not say: anything of a run on which a node was out of service, came or went, as
// pods are not moved back then (see single-domain); nor while pods are pending or a
// rollout is under way.
var spreadViolated = Rule{
	ID:       "spread-violated",
	Class:    Topology,
	Title:    "pods come to rest against their own spread or anti-affinity",
	Severity: Error,
	Help: Help{
		What: `No run may come to rest, with all pods placed and no rollout under way, in a state that breaks what
the workload asks of its placement:

    hard  maxSkew of a topology spread constraint with ` + "`DoNotSchedule`" + `, counted as the scheduler counts
          (minDomains, matchLabelKeys, nodeAffinityPolicy, nodeTaintsPolicy); required anti-affinity
    soft  the same with ` + "`ScheduleAnyway`" + `, and preferred anti-affinity

The soft ones are looked at where the workload has no hard one, and only what every run ends in
counts, where it need not be: another node of a less filled domain is up, open to the pods and has
room, and no other wish of the manifest (preferred node or pod affinity) speaks for the node that was
taken. It is one severity lower.

Once a node was drained, lost, added or removed on the run, the rule says nothing, nor where the
cluster autoscaler runs or nodes go down under load: Kubernetes does not move pods back. ` + "`single-domain`" + ` judges the worst of what that leaves,
and in its place a state in which all ready pods are in one domain.`,
		Why: `Constraints are looked at when a pod is placed, and never again. A rollout counts old pods that are
about to go, so that the new ones can end as 2, 1 and 0 on three nodes. A scale-down picks its pods by
age and by how many stand on one node; zones it does not know. The scheduler's scores add up: an
image that a node has already, or a strategy that packs, can weigh more than a soft constraint. The
pods then stand together where somebody counted on one domain being expendable.`,
		Mend: `- ` + "`matchLabelKeys: [pod-template-hash]`" + ` on the constraint: a rollout counts its own pods only.
- After a scale-down, a descheduler with RemovePodsViolatingTopologySpreadConstraint, with
  ` + "`constraints: [DoNotSchedule]`" + `, or taking away one pod at a time (an HPA's ` + "`behavior.scaleDown`" + `), which
  keeps nodes level, though not zones.
- ` + "`DoNotSchedule`" + ` where the spread matters more than the pod's running at all.
- Where an image outweighs the spread: have it on every node, or give ImageLocality a lower weight.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#known-limitations",
			"https://github.com/kubernetes/kubernetes/issues/98215",
			"https://github.com/kubernetes/kubernetes/issues/105661",
			"https://github.com/kubernetes/kubernetes/issues/115911",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || c.PerNode(w) {
			return Property{}
		}
		var views [2]*spreadView
		var worst [2]domainView // where single-domain tells more
		any, wish := false, false
		for v := range views {
			views[v] = newSpreadView(c, w, state.Version(v))
			worst[v] = newDomainView(c, w, state.Version(v))
			if views[v].asks() {
				any, wish = true, views[v].soft
			}
		}
		if !any {
			return Property{}
		}
		return Property{
			Wish: wish,
			Quiescent: func(s state.State) bool {
				_, found := views[s.Version()].broken(s, w)
				_, _, single := worst[s.Version()].single(s, w)
				return found && !single
			},
			Message: func(s state.State) string {
				what, _ := views[s.Version()].broken(s, w)
				return fmt.Sprintf("%s of %s can come to rest %s", Count(s.ReadyOf(w), "pod"), FullName(c, w), what)
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// broken words what a quiescent state breaks of workload w's spread.
func (v *spreadView) broken(s state.State, w int) (what string, found bool) {
	if v == nil || !v.asks() || halted(s, w) || rolling(s, w) || pendingOf(s, w) > 0 || !undisturbed(s) {
		return "", false
	}
	for i := range v.constraints {
		if k := &v.constraints[i]; k.hard != v.soft {
			if what, found := v.skewed(s, k); found {
				return what, true
			}
		}
	}
	for i := range v.apart {
		if k := &v.apart[i]; k.hard != v.soft {
			if what, found := v.together(s, k); found {
				return what, true
			}
		}
	}
	return "", false
}

// undisturbed says that every node has been there and in service on the whole run.
func undisturbed(s state.State) bool {
	e := &s.C.Spec.Events
	if e.NodePanic > 0 || s.C.Autoscales() { // nodes come back, or came, unnoticed
		return false
	}
	if s.FailuresLeft() < e.NodeFailure || s.PressuresLeft(state.DiskPressure) < e.DiskPressure || s.PressuresLeft(state.MemoryPressure) < e.MemoryPressure ||
		s.AdditionsLeft() < e.NodeAdded || s.RemovalsLeft() < e.NodeRemoved ||
		s.C.Reclaimable() && s.ReclaimsLeft() < e.SpotReclaim {
		return false
	}
	for n := range s.C.Nodes {
		if s.Maintenance(n) != state.Untouched || !s.InService(n) {
			return false
		}
	}
	return true
}
