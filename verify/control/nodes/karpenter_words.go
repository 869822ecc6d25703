package nodes

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

func (a *karpenter) Describe(from, to state.State, m search.Move) actor.Words {
	c := from.C
	if m.Kind == karpenterBeyond {
		return actor.Words{Action: "scale-up", Object: "the cluster",
			Text: "Karpenter wants more nodes than are explored here"}
	}
	n := int(m.Args[0])
	w := actor.Words{Object: "Node " + c.Nodes[n].Name, Because: a.because(c, n)}
	if m.Kind == karpenterAdds {
		p := int(m.Args[1])
		w.Action = "scale-up"
		w.Text = "Karpenter makes " +
			madeNodes(from, to) + fmt.Sprintf(" for pending pods, such as a %s of %s; it treats what they prefer as required",
			objects.Revised(c, p, "pod"), objects.ShortName(&c.Spec.Workloads[c.Pods[p].Workload]))
		for _, r := range scheduler.WhyPending(from, p) {
			w.Because = actor.AppendNew(w.Because, r.Ref)
		}
		return w
	}
	w.Action = "scale-down"
	w.Text = fmt.Sprintf("Karpenter disrupts node %s (taint %s): ", c.Nodes[n].Name, scheduler.KarpenterDisrupted)
	if m.Kind == karpenterEmpties {
		w.Text += "it is empty"
		return w
	}
	live := 0
	for p := range c.Pods {
		live += from.LiveOn(n, p)
	}
	w.Text += fmt.Sprintf("its %s fit on other nodes, with what they prefer treated as required",
		english.Plural(live, "pod", ""))
	return w
}

// madeNodes lists the nodes that came: "node a-1", "nodes a-1 and a-2".
func madeNodes(from, to state.State) string {
	var names []string
	for n := range from.C.Nodes {
		if from.Gone(n) && !to.Gone(n) {
			names = append(names, from.C.Nodes[n].Name)
		}
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	text := fmt.Sprintf("%d nodes", len(names))
	for i, name := range names {
		switch i {
		case 0:
			text += " (" + name
		default:
			text += ", " + name
		}
	}
	return text + ")"
}

// because names the NodePool's disruption settings.
func (a *karpenter) because(c *state.Config, n int) []actor.Ref {
	pool := c.Spec.Classes[c.Nodes[n].Class].Karpenter
	if pool == nil {
		return nil
	}
	return []actor.Ref{{Object: KarpenterObject(pool.NodePool), Version: state.Head,
		Field: "spec.disruption.consolidationPolicy"}}
}

// KarpenterObject is what references to a NodePool of Karpenter name.
func KarpenterObject(name string) string { return "karpenter.sh/NodePool " + name }

func (a *karpenter) Model() *actor.Model {
	return &actor.Model{
		Upstream: "sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning/scheduling: (*Scheduler).Solve, (*Preferences).Relax; pkg/controllers/disruption: SimulateScheduling, (*consolidation).computeConsolidation, (*Emptiness).ComputeCommands; read, not compared",
		Exact: []string{
			"preferred affinities, the heaviest preferred node affinity and ScheduleAnyway are required, then dropped in upstream's order",
			"a node name always has a domain without pods; every zone of the pools is a domain",
			"consolidationPolicy, consolidateAfter: Never, budgets by reason, do-not-disrupt, PodDisruptionBudgets",
		},
		MayInvent: []string{
			"consolidateAfter is over at once, a new node is there at once",
			"budgets with a schedule are never in force",
			"pods are placed on existing nodes in any order; any node that may be disrupted is, not the one that saves most",
		},
		MayHide: []string{
			"all nodes cost the same: no replacement by a cheaper node, spot to spot, or of several nodes at once",
			"one node is disrupted at a time, none while pods are pending that a new node would help; no drift",
			"no replacement node is sought ahead of an eviction",
			"a pool keeps count.min nodes; DaemonSets take no room; PreferNoSchedule taints of a NodePool are ignored",
			"of more than 5,000 ways to place the pods of a node the rest is not tried: the node stays",
		},
	}
}
