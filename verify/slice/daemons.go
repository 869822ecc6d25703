package slice

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// crowds reports whether the DaemonSets of two versions take unequal room on nodes, which the
// pods of every workload feel.
func crowds(sides [2]side) bool {
	base, head := sides[state.Base].daemons, sides[state.Head].daemons
	if len(base) != len(head) {
		return true
	}
	for id, d := range head {
		if was := base[id]; was == nil || takesOther(was, d) {
			return true
		}
	}
	return false
}

// takesOther reports whether two versions of a DaemonSet take unequal room, or on other nodes.
func takesOther(was, d *appsv1.DaemonSet) bool {
	a, b := &was.Spec.Template.Spec, &d.Spec.Template.Spec
	return !equality.Semantic.DeepEqual(workloads.DaemonRequests(was), workloads.DaemonRequests(d)) ||
		!equality.Semantic.DeepEqual(a.NodeSelector, b.NodeSelector) ||
		!equality.Semantic.DeepEqual(a.Affinity, b.Affinity) ||
		!equality.Semantic.DeepEqual(a.Tolerations, b.Tolerations)
}

// standBeside notes the DaemonSets of the release that are no part of the slice, with what
// they tell nodes apart by.
func (sl *Slice) standBeside(sides [2]side) {
	for v, s := range sides {
		for _, id := range sortedIDs(s.daemons) {
			if sl.IsWorkload(id) {
				continue
			}
			sl.daemons[v] = append(sl.daemons[v], s.daemons[id])
			if was, is := sides[state.Base].daemons[id], sides[state.Head].daemons[id]; was == nil || is == nil ||
				takesOther(was, is) {
				sl.keep(v, s.byID[id])
			}
		}
	}
}

// DaemonKeys notes which node labels the DaemonSets beside the slice tell nodes apart by;
// where no capacity is known, it makes no difference.
func (sl *Slice) DaemonKeys() {
	for _, list := range sl.daemons {
		for _, d := range list {
			spec := d.Spec.Template.Spec.DeepCopy()
			for i := range spec.Containers { // no preference looks at their images
				spec.Containers[i].Image = ""
			}
			spec.InitContainers = nil
			kube.DropSpreads(spec)
			sl.labelKeys(spec)
		}
	}
}

// Crowd takes from the nodes what the DaemonSets beside the slice request on them: exact
// while these are settled and do not move. What base's leave is kept for the baseline. It
// returns what it took, as assumptions.
func (sl *Slice) Crowd(classes []state.NodeClass) []finding.Note {
	if len(sl.daemons[state.Base])+len(sl.daemons[state.Head]) == 0 {
		return nil
	}
	taken, same := map[string]finding.Note{}, true
	nodes := make([]*corev1.Node, len(classes))
	for i := range classes {
		if classes[i].Elastic {
			continue
		}
		nodes[i] = classes[i].Node.DeepCopy()
		take(nodes[i], sl.daemons[state.Base], map[string]finding.Note{})
		take(classes[i].Node, sl.daemons[state.Head], taken)
		same = same && equality.Semantic.DeepEqual(nodes[i], classes[i].Node)
	}
	if !same {
		sl.BaseNodes = nodes
	}
	var out []finding.Note
	for _, k := range slices.Sorted(maps.Keys(taken)) {
		out = append(out, taken[k])
	}
	return out
}

// BesideDaemons reports whether DaemonSets that are no part of the slice take room on head's nodes.
func (sl *Slice) BesideDaemons() bool { return len(sl.daemons[state.Head]) > 0 }

// take lowers a node's allocatable by what the pods of some DaemonSets request of it.
func take(n *corev1.Node, list []*appsv1.DaemonSet, taken map[string]finding.Note) {
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
				words = append(words, objects.Quantity(name, q.MilliValue())+" "+string(name))
			}
		}
		if pods, ok := n.Status.Allocatable[corev1.ResourcePods]; ok {
			n.Status.Allocatable[corev1.ResourcePods] = less(pods, *resource.NewQuantity(1, resource.DecimalSI))
		}
		if len(words) > 0 {
			n := finding.Say(finding.DaemonTakes).On("DaemonSet " + d.Namespace + "/" + d.Name).With(words...)
			taken[n.Key()] = n
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
