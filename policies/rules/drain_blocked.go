package rules

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// drainBlocked says that maintenance gets done: □◇(no node under maintenance has a ready
// pod of the workload), where a PodDisruptionBudget may refuse its eviction.
//
// Intent: nodes can be upgraded without a person's help.
// Class: liveness; the counterexample ends quiescent, or in a loop, with a cordoned node.
// Assumes: weak fairness of every actor; who drains asks again forever.
// Does not say: how long a drain takes that ends; nor anything of pods that no budget
// selects, which always go.
var drainBlocked = Rule{
	ID:       DrainBlocked,
	Class:    Lifecycle,
	Title:    "a node can never be drained",
	Severity: Error,
	Facets:   Undrained,
	Blind:    BlindToStops,
	Help: Help{
		Real: `A run ends with a node under maintenance whose pods a PodDisruptionBudget (or
` + "`karpenter.sh/do-not-disrupt`" + `) keeps. Check: ` + "`kubectl get pdb`" + ` says 0 ALLOWED DISRUPTIONS. Not
real if pods are deleted by hand.`,
		Bad: `Upgrades and scale-down wait: an eviction does not create a replacement first.`,
		Now: `- ` + "`maxUnavailable: 1`" + ` instead of ` + "`minAvailable`" + `, whose percentages round up (75% of 3 is 3); or one
  replica more, also at ` + "`minReplicas`" + `.
- Two budgets on one pod: disjoint selectors.
- Unready pods: ` + "`unhealthyPodEvictionPolicy: AlwaysAllow`" + `.
- DaemonSets: no budget.
- Bare Pods: a number as ` + "`minAvailable`" + `.`,
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
			"https://kubernetes.io/docs/tasks/administer-cluster/safely-drain-node/",
			"https://github.com/kubernetes/kubernetes/issues/48307",
			"https://github.com/kubernetes/kubernetes/issues/75957",
			"https://github.com/istio/istio/issues/12602",
			"https://github.com/kubernetes/kubernetes/issues/72320",
		},
	},
	New: func(c *state.Config, w int) Property {
		e := &c.Spec.Events
		_, v := Newest(c, w)
		m := &c.Spec.Workloads[w].Manifests
		kept := e.KeepsBare && e.Drain > 0 && m[v].Kind().Bare()
		nobody := len(m[state.Base].PDBs)+len(m[state.Head].PDBs) == 0 && !undisrupted(c, w) // no budget objects
		if !kept && (c.PerNode(w) || e.Drain <= 0 && e.NodeRemoved <= 0 || e.IgnorePDB || nobody) {
			return Property{}
		}
		fields := []string{"PodDisruptionBudget:spec.minAvailable", "PodDisruptionBudget:spec.maxUnavailable"}
		if m[v].HPA != nil {
			fields = append(fields, "HorizontalPodAutoscaler:spec.minReplicas")
		}
		return Property{
			Persists: func(s state.State) bool {
				n, _ := undrained(s, w)
				return n >= 0 && (len(s.Manifest(w).PDBs) > 0 || kept || keptByKarpenter(s, w, n))
			},
			Message: func(s state.State) string {
				n, held := undrained(s, w)
				if n < 0 {
					return fmt.Sprintf("a node with pods of %s can stay undrained forever", FullName(c, w))
				}
				what := "ready pod"
				if halted(s, w) {
					what = "unready pod"
				}
				return fmt.Sprintf("node %s can stay undrained forever: %s of %s %s on it, %d of %s %s ready",
					c.Nodes[n].Name, english.Plural(held, what, ""), FullName(c, w), english.PluralWord(held, "stays", "stay"),
					s.ReadyOf(w), outOf(s, w), english.PluralWord(s.ReadyOf(w), "is", "are"))
			},
			Fields: append(fields, "Workload:spec.replicas"),
		}
	},
}

// undisrupted reports whether pods of workload w ask Karpenter to leave their node alone, and
// it has nodes that it then never takes.
func undisrupted(c *state.Config, w int) bool {
	asks := slices.ContainsFunc(c.ClassesOf[w],
		func(p int) bool { return c.Pods[p].Template.Annotations[doNotDisrupt] == "true" })
	return asks && slices.ContainsFunc(c.Spec.Classes,
		func(k state.NodeClass) bool { return k.Karpenter != nil && k.Karpenter.Patient })
}

// doNotDisrupt is the annotation of pods that Karpenter does not evict.
const doNotDisrupt = "karpenter.sh/do-not-disrupt"

// keptByKarpenter reports whether a pod of workload w on node n, which Karpenter drains, is one
// that it does not evict, and nothing ends its patience.
func keptByKarpenter(s state.State, w, n int) bool {
	if k := s.C.Spec.Classes[s.C.Nodes[n].Class].Karpenter; k == nil || !k.Patient || s.Tenure(n) != state.Removing {
		return false
	}
	return slices.ContainsFunc(s.C.ClassesOf[w], func(p int) bool {
		return s.C.Pods[p].Template.Annotations[doNotDisrupt] == "true" && s.LiveOn(n, p) > 0
	})
}

// undrained is a node under maintenance with pods of workload w that a budget can hold,
// and how many; or -1. They are the ready ones, and those of a bad revision in their place.
func undrained(s state.State, w int) (node, held int) {
	for n := range s.C.Nodes {
		if !s.Cordoned(n) {
			continue
		}
		for _, p := range s.C.ClassesOf[w] {
			switch {
			case s.Bad(p):
				held += s.On(n, p, state.Starting)
			case !halted(s, w) || s.Strands(w): // it is not the bad revision that keeps them
				held += s.ReadyOn(n, p)
			}
		}
		if held > 0 {
			return n, held
		}
	}
	return -1, 0
}
