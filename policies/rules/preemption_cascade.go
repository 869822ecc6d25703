package rules

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/state"
)

// preemptionCascade says that preemption leaves a workload the ready replicas that it was
// promised: □¬(a preemption takes ready pods, and fewer than the floor are left).
//
// Intent: what one team calls urgent does not take down what another one runs.
// Class: safety; the counterexample ends with the preemption.
// Assumes: only preemption nominates pods to nodes, so a step that does is one.
// Does not say: anything of pods that are preempted again and again (see eviction-loop),
// or that wait for ever for another node (see unschedulable).
var preemptionCascade = Rule{
	ID:       "preemption-cascade",
	Class:    Lifecycle,
	Title:    "pods of higher priority take a workload below its floor",
	Severity: Error,
	Help: Help{
		What: `No preemption may leave the workload with fewer ready pods than before and fewer than its floor: the
scheduler deletes pods of lower priority to make room for one that fits nowhere.

The floor is what every PodDisruptionBudget of the workload keeps. Of a workload whose pods name no
PriorityClass of their own, it is at least what ` + "`below-floor`" + ` derives for evictions: nobody said that they may be given
up. One that names a class has agreed to its rank, so that without a budget nothing is said of it.
Pods of an older revision of the same workload count as well.

The rule needs nodes whose capacity is declared, and PriorityClasses that are among the objects or
Kubernetes' own two. Steps that it judges are none of ` + "`below-floor`" + `'s, but for a ` + "`minReady`" + `.`,
		Why: `A PodDisruptionBudget does not stop preemption: the scheduler prefers victims that no budget
protects, and takes the others where there are none. A rollout's surge pods are enough on a full
cluster, and a ` + "`globalDefault`" + ` class that is added later ranks every new pod above all that run
already: each new pod displaces an old one, whose replacement displaces the next. It is over when
somebody looks: the end state is fine, or the pods that were lost are pending.`,
		Mend: `- ` + "`preemptionPolicy: Never`" + ` on the new class: its pods go first in the queue, and delete nobody.
- Give what has to stay up a class of its own before anything else gets a higher one.
- ` + "`maxSurge: 0`" + ` for what is urgent, so that its rollouts ask for no extra room. That alone is not enough:
  the replacement is created while the old pod still terminates.
- Leave room: an autoscaled pool does not help the victim, as preemption comes before a new node.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
			"https://grafana.com/blog/2019/07/24/how-a-production-outage-was-caused-using-kubernetes-pod-priorities/",
			"https://github.com/kubernetes/kubernetes/issues/91492",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		floors := [2]int{withstood(c, w, state.Base), withstood(c, w, state.Head)}
		if d == nil || !mayBePreempted(c) || floors[state.Base] <= 0 && floors[state.Head] <= 0 {
			return Property{}
		}
		return Property{
			BadStep: func(from, to state.State) bool {
				ready := to.ReadyOf(w)
				return ready < from.ReadyOf(w) && ready < floors[to.Version()] && preempted(from, to)
			},
			Mended: func(before, s state.State) bool { return s.ReadyOf(w) >= min(before.ReadyOf(w), floors[s.Version()]) },
			Message: func(s state.State) string {
				return fmt.Sprintf("preemption by pods of higher priority can leave %s with %s, under the floor of %d",
					FullName(c, w), Count(s.ReadyOf(w), "ready replica"), floors[s.Version()])
			},
			Fields: append([]string{"Workload:spec.template.spec.priorityClassName"}, floorFields(c, w)...),
		}
	},
}

// withstood is the number of ready pods of workload w that no preemption may take while
// version v is applied; 0 is none.
func withstood(c *state.Config, w int, v state.Version) int {
	m := &c.Spec.Workloads[w].Manifests[v]
	if !m.Exists() {
		return 0
	}
	floor := 0
	if m.Pod().PriorityClassName == "" {
		floor = keptFromEvictions(c, w, v)
	}
	for _, pdb := range m.PDBs {
		floor = max(floor, healthy(pdb, leastDesired(m)))
	}
	return floor
}

// mayBePreempted says whether any pod may preempt another in this problem.
func mayBePreempted(c *state.Config) bool {
	for p := range c.Pods {
		if c.Preempts(p) {
			return true
		}
	}
	return false
}

// preempted says whether a step is a preemption: it nominates one more pod to a node.
func preempted(from, to state.State) bool {
	for p := range to.C.Pods {
		if to.C.Preempts(p) && to.NominatedOf(p) > from.NominatedOf(p) {
			return true
		}
	}
	return false
}
