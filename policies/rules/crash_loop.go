package rules

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/state"
)

// crashLoop says that placement does not kill forever: ◇□(no node goes down under the
// workload's pods), once no event happens any more, and □◇(no node refuses its pods).
//
// Intent: where pods are put, they can run.
// Class: liveness; the counterexample is a lasso in whose loop a node goes down and takes
// ready pods of the workload with it. For pods that name their node it is a run that ends,
// or goes on forever, with a pod that its node refuses: what fails and what is created in
// its place are one state.
// Assumes: weak fairness of every actor; a node that restarts by itself went down under
// its pods.
// Does not say: that a program does not crash of itself: no placement is to blame for it.
var crashLoop = Rule{
	ID:       CrashLoop,
	Class:    Oscillation,
	Title:    "placement kills a node or pods again and again",
	Severity: Error,
	Facets:   NodesGoDown,
	Blind:    BlindToStarts | BlindToStops,
	Help: Help{
		Real: `A node goes down under pods that use more CPU than they request, again and again: real if
` + "`events.nodePanic`" + ` and ` + "`events.startupSpike`" + ` are as measured. Or the node in
` + "`spec.nodeName`" + ` refuses the pods forever (` + "`OutOfcpu`" + `, ` + "`NodePorts`" + `,
` + "`Evicted`" + `). A note: a hasty liveness probe.`,
		Bad: `A few pods take down a machine. Refused pods pile up, several a second.`,
		Now: `- Request the startup CPU, or set a CPU limit.
- Keep them apart: hard spread over ` + "`kubernetes.io/hostname`" + `.
- ` + "`kubeReserved`" + ` and ` + "`systemReserved`" + `.
- ` + "`nodeSelector`" + ` instead of ` + "`nodeName`" + `.`,
		Sources: []string{
			"https://www.usenix.org/conference/atc24/presentation/liu-bingzhe",
			"https://updates.moonlightwork.com/outage-post-mortem-87370",
			"https://github.com/kubernetes/kubernetes/issues/38806",
			"https://github.com/kubernetes/kubernetes/issues/134712",
			"https://github.com/kubernetes/kubernetes/issues/94245",
			"https://kubernetes.io/docs/tasks/administer-cluster/reserve-compute-resources/",
		},
	},
	New: func(c *state.Config, w int) Property {
		d, _ := Newest(c, w)
		if d == nil || !c.Panics() && !bound(c, w) {
			return Property{}
		}
		out := Property{
			Recurs: func(from, to state.State) bool {
				return to.PanickedNodes() > from.PanickedNodes() && to.ReadyOf(w) < from.ReadyOf(w)
			},
			Message: func(s state.State) string {
				return fmt.Sprintf("nodes can go down under the pods of %s again and again with no event left to happen: the loop starts at %s, %d ready",
					FullName(c, w), wanted(s, w), s.ReadyOf(w))
			},
			Fields: append(PlacementFields(d), sizeFields(c, w)...),
		}
		if bound(c, w) {
			out.Recurs, out.Persists = nil, func(s state.State) bool { return refused(s, w) > 0 }
			out.Fields = append([]string{"Workload:spec.template.spec.nodeName"}, out.Fields...)
			out.Message = func(s state.State) string {
				return fmt.Sprintf("%s of %s can be refused by the node and created again forever: %d of %s %s",
					english.Plural(refused(s, w), "pod", ""), FullName(c, w), s.ReadyOf(w), outOf(s, w),
					english.PluralWord(s.ReadyOf(w), "runs", "run"))
			}
		}
		return out
	},
}

// bound reports whether pods of workload w name their node, and skip the scheduler.
func bound(c *state.Config, w int) bool {
	return slices.ContainsFunc(c.ClassesOf[w], func(p int) bool { return c.Pods[p].Template.Spec.NodeName != "" })
}

// refused is the number of pods of workload w that the node which they name refuses.
func refused(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		if s.C.Pods[p].Template.Spec.NodeName != "" {
			total += s.Pending(p)
		}
	}
	return total
}
