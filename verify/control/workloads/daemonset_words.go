package workloads

import (
	"fmt"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

func (d *daemonSet) Describe(from, to state.State, _ search.Move) actor.Words {
	c := from.C
	wl := &c.Spec.Workloads[d.workload]
	w := actor.Words{Action: "create-pod", Object: wl.ID}
	var parts []string
	for _, p := range c.ClassesOf[d.workload] {
		var made, gone []string
		for n := range c.Nodes {
			if to.Awaited(n, p) > from.Awaited(n, p) {
				made = append(made, c.Nodes[n].Name)
			}
			if to.Awaited(n, p)+to.LiveOn(n, p) < from.Awaited(n, p)+from.LiveOn(n, p) {
				gone = append(gone, c.Nodes[n].Name)
			}
		}
		if len(made) > 0 {
			parts = append(parts,
				fmt.Sprintf("creates %s for %s", objects.Article(objects.Revised(c, p, "pod")), strings.Join(made, ", ")))
		}
		if len(gone) > 0 {
			w.Action = "delete-pod"
			parts = append(parts, fmt.Sprintf("deletes the %s on %s", objects.Revised(c, p, "pod"), strings.Join(gone, ", ")))
		}
	}
	w.Text = "DaemonSet " + objects.ShortName(wl) + " " + strings.Join(parts, " and ")
	if c.Revisions(d.workload) > 1 {
		w.Because = []actor.Ref{{Object: wl.ID, Version: from.VersionOf(d.workload), Field: "spec.updateStrategy"}}
	}
	return w
}

func (d *daemonSet) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/controller/daemon: manage, podsShouldBeOnNode, NodeShouldRunDaemonPod, rollingUpdate, updatedDesiredNodeCounts",
		Exact: []string{
			"which nodes have a pod, with the tolerations of every DaemonSet pod; which pods a rolling update deletes or makes next, with every choice of nodes; OnDelete",
			"a pod is bound to its node or nowhere; drains leave it",
			"which pods ResourceQuotas, LimitRanges and webhooks refuse: every choice",
		},
		MayInvent: []string{
			"a failed pod is made again at once, without back-off of up to 15 minutes",
			"its pods' topology spread constraints count all nodes, not only the pod's own",
		},
		MayHide: []string{
			"one sync is one step; with maxSurge, which unneeded node loses its pod first is fixed",
		},
		Refused: []string{"spec.template.spec.nodeName, an update strategy that is neither RollingUpdate nor OnDelete, a cluster autoscaler or Karpenter beside it, and a VerticalPodAutoscaler on it"},
	}
}
