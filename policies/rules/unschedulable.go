package rules

import (
	"fmt"
	"slices"

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
	ID:       Unschedulable,
	Class:    Lifecycle,
	Title:    "a pod can stay pending forever",
	Severity: Error,
	Facets:   Stuck | Unplaced,
	Blind:    BlindToStarts | BlindToStops | BlindToPlace,
	Help: Help{
		Real: `A pod ends pending, or in ` + "`ContainerCreating`" + ` for a volume that another node has. Compare the last
step's reasons with your nodes, or the pod's ` + "`FailedScheduling`" + ` event. Not real if
an undeclared pool fits.`,
		Bad: `Fewer replicas run than declared, and nothing repairs it.`,
		Now: `- Hard spread: make one constraint ` + "`ScheduleAnyway`" + `, or raise ` + "`maxSkew`" + `.
- Required anti-affinity: prefer it, or cap ` + "`maxReplicas`" + `.
- Zonal volume: spare nodes in its zone, or ` + "`ReadWriteMany`" + `.
- Otherwise: declare a pool that fits.`,
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
				return s.Manifest(w).Exists() && !rolling(s, w) &&
					(pendingOf(s, w) > refused(s, w) || waiting(s, w) > 0 || evicted(s, w) != state.In || shutOut(s, w) >= 0)
			},
			Unsure:  func(s state.State) bool { return pendingOf(s, w) == 0 && waiting(s, w) > 0 },
			Message: func(s state.State) string { return pendingMessage(s, w) },
			Fields:  append(PlacementFields(d), sizeFields(c, w)...),
		}
	},
}

// evicted is where a Job is that Kueue evicts because its pods do not all get ready.
func evicted(s state.State, w int) state.Eviction {
	out := state.In
	for _, p := range s.C.ClassesOf[w] {
		out = max(out, s.Evicted(p))
	}
	return out
}

// shutOut is for whose pods Kueue does not admit a Job: a class, or -1.
func shutOut(s state.State, w int) int {
	out := -1
	if s.C.Spec.Workloads[w].Kind() == state.Job {
		for _, p := range s.C.ClassesOf[w] {
			out = max(out, s.ShutOut(p))
		}
	}
	return out
}

func pendingMessage(s state.State, w int) string {
	what := "pod"
	if p := shutOut(s, w); p >= 0 {
		return fmt.Sprintf("Kueue may never admit %s: it admits nothing until all pods of %s are ready again, which it does not evict",
			FullName(s.C, w), FullName(s.C, s.C.Pods[p].Workload))
	}
	if evicted(s, w) == state.GivenUp {
		return fmt.Sprintf("Kueue can give %s up for good: its pods are not all ready in time", FullName(s.C, w))
	}
	if slices.ContainsFunc(s.C.ClassesOf[w], func(p int) bool { return s.C.Class[p].Evicted.Laid() && !s.Lost(p) }) {
		return fmt.Sprintf("Kueue can admit %s again and again, without all of its pods ever being ready", FullName(s.C, w))
	}
	if n := waiting(s, w); n > 0 && pendingOf(s, w) == 0 {
		return fmt.Sprintf("%s of %s can wait forever for a volume that another node has: %d of %s %s",
			english.Plural(n, "pod", ""), FullName(s.C, w), s.ReadyOf(w), outOf(s, w),
			english.PluralWord(s.ReadyOf(w), "runs", "run"))
	}
	for _, p := range s.C.ClassesOf[w] {
		if n := s.Pending(p); n > 0 {
			if n > 1 {
				what = fmt.Sprintf("%d pods", n)
			}
			if s.C.Spec.Workloads[w].Kind().Bare() {
				return fmt.Sprintf("pod %s%s can stay pending forever", FullName(s.C, w), ofRevision(s.C, p))
			}
			if s.C.Spec.Workloads[w].Kind().Ends() {
				return fmt.Sprintf("%s of %s%s can stay pending forever", what, FullName(s.C, w), ofRevision(s.C, p))
			}
			return fmt.Sprintf("%s of %s%s can stay pending forever: %d of %s %s",
				what, FullName(s.C, w), ofRevision(s.C, p), s.ReadyOf(w), outOf(s, w),
				english.PluralWord(s.ReadyOf(w), "runs", "run"))
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
