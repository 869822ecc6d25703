package judge

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// requestLess lowers a pod's requests to the free room of a node, or to its share of the one node that it is bound to.
// With less than half of its requests it would not be the same program any more.
func requestLess(p patient) []remedy {
	if slices.ContainsFunc(p.classes, func(c state.NodeClass) bool { return c.Elastic }) {
		return nil
	}
	pod := p.manifest.Pod()
	asked := resourcehelper.PodRequests(&corev1.Pod{Spec: *pod}, resourcehelper.PodResourcesOptions{})
	var out []remedy
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		have, own := asked[name], p.roomOnOne(name)
		for _, most := range []int64{own, own / int64(max(p.manifest.Replicas(), 1))} {
			if most <= 0 || have.MilliValue() <= most {
				continue
			}
			i, less := lessened(pod, name, have.MilliValue()-most)
			if less == "" {
				continue
			}
			c := pod.Containers[i]
			path := fmt.Sprintf("%s.containers[%d].resources.requests[%s]", p.pathOfPod(), i, name)
			list := p.of(fmt.Sprintf("request no more %s than the nodes have for it: %s of container %s", name,
				less, c.Name), "less is kept free for the container",
				object.Setting{Path: path, Value: less})
			if p.before == nil || len(p.blame) == 0 || list[0].strange(p.blame) == 0 {
				out = append(out, list...) // else the change asks for too much in another way
			}
		}
	}
	return out
}

// roomOnOne is the most that one node has of a resource beside the DaemonSets of the slice, in thousandths.
func (p patient) roomOnOne(name corev1.ResourceName) int64 {
	var most int64
	for _, c := range p.classes {
		have := c.Node.Status.Allocatable[name]
		most = max(most, have.MilliValue())
	}
	for _, o := range p.beside {
		if m, ok := state.ManifestOf(o.Typed); ok && m.Kind() == state.DaemonSet {
			use := resourcehelper.PodRequests(&corev1.Pod{Spec: *m.Pod()}, resourcehelper.PodResourcesOptions{})
			each := use[name]
			most -= each.MilliValue()
		}
	}
	return most
}

// lessened is the container of a pod that asks for most of a resource, and its request less so many thousandths,
// rounded down to what people write; "": there is too little left.
func lessened(pod *corev1.PodSpec, name corev1.ResourceName, by int64) (int, string) {
	at, most := -1, int64(0)
	for i, c := range pod.Containers {
		if q, ok := c.Resources.Requests[name]; ok && q.MilliValue() > most {
			at, most = i, q.MilliValue()
		}
	}
	left := most - by
	if at < 0 || 2*left < most {
		return 0, ""
	}
	if name == corev1.ResourceCPU {
		if left > 100 {
			left -= left % 50
		}
		return at, resource.NewMilliQuantity(left, resource.DecimalSI).String()
	}
	const mebi = 1 << 20
	return at, resource.NewQuantity(left/1000/mebi*mebi, resource.BinarySI).String()
}

// keepMoreNodes has a pool keep one node more than are too few, or each of them one.
func keepMoreNodes(p patient) []remedy {
	if len(p.at) != len(p.classes) ||
		slices.ContainsFunc(p.classes, func(c state.NodeClass) bool { return c.Elastic || len(c.Names) > 0 }) {
		return nil
	}
	var out []remedy
	offer := func(cost string, more []int) {
		var names []string
		for i, n := range more {
			if n > 0 {
				names = append(names, fmt.Sprintf("%d of %s", p.at[i]+n, p.classes[i].Name))
			}
		}
		out = append(out, remedy{say: "keep at least so many nodes: " + strings.Join(names, ", "), cost: cost,
			object: p.workload, grow: more})
	}
	all := make([]int, len(p.at))
	for i := range p.at {
		one := make([]int, len(p.at))
		one[i], all[i] = 1, 1
		offer("one more node", one)
	}
	if len(all) > 1 {
		offer(fmt.Sprintf("%d more nodes", len(all)), all)
	}
	return out
}

// grown gives a topology more nodes, and lets a cluster have as many.
func grown(s *state.Spec, at scale.Topology, more []int) scale.Topology {
	at = slices.Clone(at)
	s.Classes = slices.Clone(s.Classes)
	for i, n := range more {
		if at[i] += n; n == 0 {
			continue
		}
		c := &s.Classes[i]
		c.Min = max(c.Min, at[i])
		short := max(0, at[i]-c.Max)
		c.Max += short
		for k := range s.Classes {
			if of := &s.Classes[k]; c.Pool != "" && of.Pool == c.Pool {
				of.PoolMin, of.PoolMax = of.PoolMin+n, of.PoolMax+n
			}
		}
	}
	for i := range s.Classes { // a pool that must have more can
		of := &s.Classes[i]
		of.PoolMin = min(of.PoolMin, of.PoolMax)
	}
	return at
}

// giveLostNodesUp has the pods of a node that is lost for good taken away, which its kubelet will not confirm.
//
// Upstream: the documentation of nodes ("Non-graceful node shutdown handling").
func giveLostNodesUp(p patient) []remedy {
	if p.manifest.StatefulSet == nil || p.events.NodeFailure == 0 || p.events.OutOfService {
		return nil
	}
	return []remedy{{
		say:  "taint a node that is lost for good (kubectl taint nodes NODE node.kubernetes.io/out-of-service=nodeshutdown:NoExecute), by hand or by a health check of nodes, and the StatefulSet creates its pods again",
		cost: "one step by hand for each lost node, once it is known to be off", object: p.workload,
		tune: func(s *state.Spec) { s.Events.OutOfService = true },
	}}
}

// tolerateWhereItIs is for pods that name their node, which no scheduler keeps from a taint that evicts them.
func tolerateWhereItIs(p patient) []remedy {
	pod := p.manifest.Pod()
	if pod.NodeName == "" {
		return nil
	}
	for _, c := range p.classes {
		if !slices.Contains(c.Names, pod.NodeName) && c.Node.Name != pod.NodeName {
			continue
		}
		var list []any
		content, _ := p.workload.At(p.pathOfPod() + ".tolerations")
		had, _ := content.([]any)
		list = slices.Clone(had)
		for _, t := range c.Node.Spec.Taints {
			if t.Effect != corev1.TaintEffectNoExecute || tolerated(pod, t) {
				continue
			}
			one := map[string]any{"key": t.Key, "operator": "Exists", "effect": string(t.Effect)}
			if t.Value != "" {
				one["operator"], one["value"] = "Equal", t.Value
			}
			list = append(list, one)
		}
		if len(list) > len(had) {
			return p.of("tolerate the taints of the node that the pods name, or they are evicted from it as soon as they come",
				"the pods stay on a node that was to be left", object.Setting{Path: p.pathOfPod() + ".tolerations", Value: list})
		}
	}
	return nil
}

func tolerated(pod *corev1.PodSpec, t corev1.Taint) bool {
	return slices.ContainsFunc(pod.Tolerations, func(x corev1.Toleration) bool {
		return (x.Effect == "" || x.Effect == t.Effect) && (x.Key == "" || x.Key == t.Key) &&
			(x.Operator == corev1.TolerationOpExists || x.Value == t.Value)
	})
}
