package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

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
	ID:       SpreadViolated,
	Class:    Topology,
	Title:    "pods come to rest against their own spread or anti-affinity",
	Severity: Error,
	Facets:   Unspread | AnyRollout,
	Blind:    BlindToStarts | BlindToStops,
	Help: Help{
		Real: `A run ends with all pods placed and no rollout under way, against the workload's own hard spread or
required anti-affinity; against soft ones only if every run ends this way and nothing else favours the node. Check:
` + "`kubectl get pods -o wide`" + ` after a rollout.`,
		Bad: `Losing one domain takes more pods than planned. Rollouts count old pods, scale-downs pick by age.`,
		Now: `- ` + "`matchLabelKeys: [pod-template-hash]`" + `.
- A descheduler with RemovePodsViolatingTopologySpreadConstraint, ` + "`constraints: [DoNotSchedule]`" + `.
- Soft: ` + "`DoNotSchedule`" + `, or a lower weight of ImageLocality.`,
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
			Soft: wish,
			Quiescent: func(s state.State) bool {
				_, _, found := views[s.VersionOf(w)].broken(s, w)
				_, _, single := worst[s.VersionOf(w)].single(s, w)
				return found && !single
			},
			Message: func(s state.State) string {
				_, what, _ := views[s.VersionOf(w)].broken(s, w)
				return fmt.Sprintf("%s of %s can come to rest %s", english.Plural(s.ReadyOf(w), "pod", ""), FullName(c, w), what)
			},
			Which: func(s state.State) string {
				which, _, _ := views[s.VersionOf(w)].broken(s, w)
				return which
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// broken words what a quiescent state breaks of workload w's spread, and names it by kind and topology key.
func (v *spreadView) broken(s state.State, w int) (which, what string, found bool) {
	if v == nil || !v.asks() || halted(s, w) || rolling(s, w) || pendingOf(s, w) > 0 || !undisturbed(s) {
		return "", "", false
	}
	for i := range v.constraints {
		if k := &v.constraints[i]; k.hard != v.soft {
			if what, found := v.skewed(s, k); found {
				return "spread " + k.key, what, true
			}
		}
	}
	for i := range v.apart {
		if k := &v.apart[i]; k.hard != v.soft {
			if what, found := v.together(s, k); found {
				return "apart " + k.key, what, true
			}
		}
	}
	return "", "", false
}

// undisturbed reports whether every node has been there and in service on the whole run.
func undisturbed(s state.State) bool {
	e := &s.C.Spec.Events
	if e.NodePanic > 0 || s.C.Autoscales() { // nodes come back, or came, unnoticed
		return false
	}
	if s.FailuresLeft() < e.NodeFailure || s.PressuresLeft(state.DiskPressure) < e.DiskPressure ||
		s.PressuresLeft(state.MemoryPressure) < e.MemoryPressure ||
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
