package scheduler

import (
	"fmt"
	"slices"

	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// FixedNode is the node that the template of pod class p names in spec.nodeName, or -1.
// Such a pod never meets the scheduler: it is bound when it is created.
//
// Upstream: kubernetes v1.36.3, pkg/kubelet/lifecycle: (*predicateAdmitHandler).Admit,
// generalFilter, by which the kubelet refuses what the scheduler would have: resources,
// node affinity, ports, and taints of effect NoExecute. A pod that it refuses fails, and
// its ReplicaSet creates another one.
//
// Errors: [actor.ErrUnmodeled] for a node that is not there, that can be exchanged with others, or whose labels make
// the kubelet refuse the pod.
func FixedNode(c *state.Config, p int) (int, error) {
	name := c.Pods[p].Template.Spec.NodeName
	if name == "" {
		return -1, nil
	}
	refuse := func(what string) error {
		wl := &c.Spec.Workloads[c.Pods[p].Workload]
		return fmt.Errorf("%s: %s: %s: %w", wl.ID, wl.Kind().Own("spec.template.spec.nodeName"), what, actor.ErrUnmodeled)
	}
	n := slices.IndexFunc(c.Nodes, func(n state.Node) bool { return n.Name == name })
	if n < 0 {
		return -1, refuse("the cluster has no node " + name)
	}
	if first, end := c.NodesOf(c.Nodes[n].Class); end-first > 1 {
		return -1, refuse("one node of the class " + c.Spec.Classes[c.Nodes[n].Class].Name + " is singled out")
	}
	object := NodeObject(c, n)
	if ok, _ := nodeaffinity.GetRequiredNodeAffinity(objects.Admitted(c, p)).Match(object); !ok {
		return -1, refuse("the kubelet refuses a pod whose node affinity or selector its node does not match")
	}
	return n, nil
}
