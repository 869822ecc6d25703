package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/state"
)

// daemons are the DaemonSets of a version, by ID.
func (s side) daemons() map[string]*appsv1.DaemonSet {
	out := map[string]*appsv1.DaemonSet{}
	for id, o := range s.byID {
		if d, ok := o.Typed.(*appsv1.DaemonSet); ok {
			out[id] = d
		}
	}
	return out
}

// crowds says whether the DaemonSets of two versions take unequal room on nodes, which the
// pods of every workload feel.
func crowds(sides [2]side) bool {
	base, head := sides[state.Base].daemons(), sides[state.Head].daemons()
	if len(base) != len(head) {
		return true
	}
	for id, d := range head {
		was := base[id]
		if was == nil || !equality.Semantic.DeepEqual(workloads.DaemonRequests(was), workloads.DaemonRequests(d)) ||
			!equality.Semantic.DeepEqual(was.Spec.Template.Spec.NodeSelector, d.Spec.Template.Spec.NodeSelector) ||
			!equality.Semantic.DeepEqual(was.Spec.Template.Spec.Affinity, d.Spec.Template.Spec.Affinity) ||
			!equality.Semantic.DeepEqual(was.Spec.Template.Spec.Tolerations, d.Spec.Template.Spec.Tolerations) {
			return true
		}
	}
	return false
}

// standBeside notes the DaemonSets of the release that are no part of the slice, with what
// they tell nodes apart by.
func (sl *slice) standBeside(sides [2]side) {
	for v, s := range sides {
		all := s.daemons()
		for _, id := range slices.Sorted(maps.Keys(all)) {
			if !sl.isWorkload(id) {
				sl.daemons[v] = append(sl.daemons[v], all[id])
			}
		}
	}
}

// daemonKeys notes which node labels the DaemonSets beside the slice tell nodes apart by;
// where no capacity is known, it makes no difference.
func (sl *slice) daemonKeys() {
	for _, list := range sl.daemons {
		for _, d := range list {
			spec := d.Spec.Template.Spec.DeepCopy()
			for i := range spec.Containers { // their images are nobody's preference
				spec.Containers[i].Image = ""
			}
			spec.InitContainers, spec.TopologySpreadConstraints = nil, nil
			sl.labelKeys(spec)
		}
	}
}

// crowd takes from the nodes what the DaemonSets beside the slice request on them: exact
// while these are settled and do not move. What base's leave is kept for the baseline. It
// returns what it took, as assumptions.
func (sl *slice) crowd(classes []state.NodeClass) []string {
	if len(sl.daemons[state.Base])+len(sl.daemons[state.Head]) == 0 {
		return nil
	}
	taken, same := map[string]bool{}, true
	nodes := make([]*corev1.Node, len(classes))
	for i := range classes {
		if classes[i].Elastic {
			continue
		}
		nodes[i] = classes[i].Node.DeepCopy()
		take(nodes[i], sl.daemons[state.Base], map[string]bool{})
		take(classes[i].Node, sl.daemons[state.Head], taken)
		same = same && equality.Semantic.DeepEqual(nodes[i], classes[i].Node)
	}
	if !same {
		sl.baseNodes = nodes
	}
	return slices.Sorted(maps.Keys(taken))
}

// take lowers a node's allocatable by what the pods of some DaemonSets request of it.
func take(n *corev1.Node, list []*appsv1.DaemonSet, taken map[string]bool) {
	for _, d := range list {
		if puts, _ := workloads.DaemonRuns(d, n); !puts {
			continue
		}
		requests := workloads.DaemonRequests(d)
		var words []string
		for _, name := range slices.Sorted(maps.Keys(requests)) {
			q := requests[name]
			if have, ok := n.Status.Allocatable[name]; ok && !q.IsZero() {
				n.Status.Allocatable[name] = less(have, q)
				words = append(words, q.String()+" "+string(name))
			}
		}
		if pods, ok := n.Status.Allocatable[corev1.ResourcePods]; ok {
			n.Status.Allocatable[corev1.ResourcePods] = less(pods, *resource.NewQuantity(1, resource.DecimalSI))
		}
		if len(words) > 0 {
			taken[fmt.Sprintf("DaemonSet %s/%s has a pod on every node that it is meant for, which takes %s there",
				d.Namespace, d.Name, strings.Join(words, ", "))] = true
		}
	}
}

// less is have without q, and not below 0.
func less(have, q resource.Quantity) resource.Quantity {
	out := have.DeepCopy()
	if out.Sub(q); out.Sign() < 0 {
		out = *resource.NewQuantity(0, have.Format)
	}
	return out
}
