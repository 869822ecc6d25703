package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// unschedulable says that no pod waits for a node forever: □◇(no pod is pending), but
// while a rollout is under way, which is rollout-stuck's to judge.
//
// Intent: every replica that was asked for can run.
// Class: liveness; the counterexample ends quiescent, or in a loop, with a pending pod.
// Assumes: weak fairness of every actor; a node pool does not grow during a run.
// Does not say: how long a pod waits that is scheduled in the end.
var unschedulable = Rule{
	ID:       "unschedulable",
	Class:    Lifecycle,
	Title:    "a pod can stay pending forever",
	Severity: Error,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A run ends, or goes on forever, with a pod of the workload that has no node, or that waits in
` + "`ContainerCreating`" + ` for a volume attached to another node. A pod that is pending for a while and gets a
node in every fair run is no finding. While an old revision has pods, ` + "`rollout-stuck`" + ` judges instead.

The last scheduler step names what refuses each node: compare it with your nodes' labels, taints, zones
and free capacity. If a node that fits can come from a pool the policy does not declare, declare the
pool. In a running cluster the pod's ` + "`FailedScheduling`" + ` event has the same sentence.`,
		Bad: `The workload runs with fewer replicas than declared, and nothing repairs it: no control loop changes the
constraint, and an autoscaler only adds pending pods. It often shows long after the merge, when load
rises or a node is missing.`,
		Now: `- Two hard topology spread constraints can exclude each other: make one ` + "`ScheduleAnyway`" + `, or raise its
  ` + "`maxSkew`" + `.
- Required anti-affinity with as many replicas as domains leaves no room to grow: prefer it, or limit
  ` + "`maxReplicas`" + ` to the domains.
- A volume of one zone or node keeps its pod there: keep spare nodes in every zone, or use volumes that
  all nodes reach. Pods that share a ` + "`ReadWriteOnce`" + ` volume need one node, or ` + "`ReadWriteMany`" + `.
- A node selector, an untolerated taint or a request larger than any node needs a pool that fits.`,
		Sources: []string{
			"https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#known-limitations",
			"https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/",
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil {
			return Property{}
		}
		return Property{
			Persists: func(s state.State) bool {
				return s.Manifest(w).Exists() && !rolling(s, w) && (pendingOf(s, w) > refused(s, w) || waiting(s, w) > 0)
			},
			Unsure:  func(s state.State) bool { return pendingOf(s, w) == 0 && waiting(s, w) > 0 },
			Message: func(s state.State) string { return pendingMessage(s, w) },
			Fields:  append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

func pendingMessage(s state.State, w int) string {
	what := "pod"
	if n := waiting(s, w); n > 0 && pendingOf(s, w) == 0 {
		return fmt.Sprintf("%s of %s can wait forever for a volume that another node has: %d of %s %s",
			english.Plural(n, "pod", ""), FullName(s.C, w), s.ReadyOf(w), wanted(s, w), english.PluralWord(s.ReadyOf(w), "runs", "run"))
	}
	for _, p := range s.C.ClassesOf[w] {
		if n := s.Pending(p); n > 0 {
			if n > 1 {
				what = fmt.Sprintf("%d pods", n)
			}
			if s.C.Spec.Workloads[w].Kind().Ends() {
				return fmt.Sprintf("%s of %s%s can stay pending forever", what, FullName(s.C, w), ofRevision(s.C, p))
			}
			return fmt.Sprintf("%s of %s%s can stay pending forever: %d of %s %s",
				what, FullName(s.C, w), ofRevision(s.C, p), s.ReadyOf(w), wanted(s, w), english.PluralWord(s.ReadyOf(w), "runs", "run"))
		}
	}
	return fmt.Sprintf("pod of %s can stay pending forever", FullName(s.C, w))
}

// waiting is the number of pods of workload w that have a node, and wait for a volume.
func waiting(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Waiting(p)
	}
	return total
}
