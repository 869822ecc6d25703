package slice

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// maxPlaced is the most pods that are placed to learn what room they leave.
const maxPlaced = 5000

// place gives the placements that the pods of releases can settle in on nodes; more are pods that come on top.
func (a *Around) place(together []*object.Rendered, nodes []*corev1.Node, p *policies.Policy, late []standing) *casts {
	start := &cast{on: map[string][]standing{}}
	spec := state.Spec{Scheduler: p.Controllers.Scheduler, Namespaces: map[string]map[string]string{},
		PriorityClasses: map[string]int32{}, NeverPreempt: map[string]bool{}}
	room := make([]*corev1.Node, len(nodes))
	for i, n := range nodes {
		room[i] = n.DeepCopy()
	}
	slices.SortStableFunc(room, func(a, b *corev1.Node) int { return cmp.Compare(nodeKey(a), nodeKey(b)) })
	var pods []standing
	for _, r := range together {
		s, ok := a.side(r)
		if !ok {
			continue
		}
		for name, value := range s.priorities.spec.PriorityClasses {
			spec.PriorityClasses[name], spec.NeverPreempt[name] = value, s.priorities.spec.NeverPreempt[name]
		}
		spec.DefaultPriority = [2]string{cmp.Or(spec.DefaultPriority[0], s.priorities.fallback),
			cmp.Or(spec.DefaultPriority[1], s.priorities.fallback)}
		for name, labels := range s.namespaces {
			spec.Namespaces[name] = labels
		}
		for _, id := range sortedIDs(s.daemons) {
			start.daemon(r.ID, id, s.daemons[id], room)
		}
		pods = append(pods, s.standings(r.ID)...)
	}
	for i := range p.Cluster.Workloads {
		w := &p.Cluster.Workloads[i]
		pods = append(pods, standingOf("", w.ID(), w.Pod(), w.Count))
	}
	pods = append(pods, late...)
	total := 0
	for i := range pods {
		total += pods[i].count
		pods[i].share = shareOf(pods[i].use.requests, nodes[0])
		pods[i].priority, _ = scheduler.PriorityOf(&spec, pods[i].pod, state.Base)
		if n := pods[i].pod.Spec.Priority; pods[i].release == "" && n != nil { // as it runs, whatever the default is
			pods[i].priority = *n
		}
	}
	for _, n := range room {
		spec.Classes = append(spec.Classes, state.NodeClass{Name: n.Name, Node: n, Names: []string{n.Name}, Min: 1, Max: 1})
	}
	if total > maxPlaced {
		return &casts{err: fmt.Errorf("they are %d pods, more than %d", total, maxPlaced)}
	}
	for {
		out, bad, err := settle(&spec, pods, start)
		switch {
		case err == nil:
			return out
		case bad < 0:
			return &casts{err: err}
		}
		pods = slices.Delete(pods, bad, bad+1) // the scheduler of the model cannot place it
	}
}

// side is what a release declares; false where that is not known.
func (a *Around) side(r *object.Rendered) (side, bool) {
	if r.Err != nil || r.Untouched {
		return side{}, false
	}
	s, known := a.sides[r]
	if !known {
		s = NewSide(r.Objects)
		a.sides[r] = s
	}
	return s, true
}

// standings are the pods that the workloads of a release ask for, except for those of DaemonSets.
func (s side) standings(release string) (out []standing) {
	for _, id := range sortedIDs(s.Workloads) {
		o := s.Workloads[id]
		n := s.declares(o)
		if n == 0 {
			continue
		}
		pod := &corev1.Pod{ObjectMeta: *templateOf(o).ObjectMeta.DeepCopy(), Spec: *templateOf(o).Spec.DeepCopy()}
		pod.Namespace, pod.Spec.Volumes = o.ID.Namespace, nil
		out = append(out, standingOf(release, id, pod, n))
	}
	return out
}

// nodeKey orders nodes by their properties. So neither their names nor the order of their documents decide on the node
// of a pod that fits several equally.
func nodeKey(n *corev1.Node) string {
	own := corev1.Node{Spec: n.Spec, Status: corev1.NodeStatus{Allocatable: n.Status.Allocatable}}
	own.Labels = maps.Clone(n.Labels)
	delete(own.Labels, corev1.LabelHostname)
	return keyOf(own)
}

// podKey orders pods by what they ask of a node, before their names do.
func podKey(pod *corev1.PodSpec) string {
	own := corev1.PodSpec{NodeSelector: pod.NodeSelector, Tolerations: pod.Tolerations, HostNetwork: pod.HostNetwork}
	for _, c := range pod.Containers {
		own.Containers = append(own.Containers, corev1.Container{Resources: c.Resources, Ports: c.Ports})
	}
	return keyOf(own)
}

// keyOf writes an object down, the same for equal ones.
func keyOf(o any) string {
	b, err := json.Marshal(o)
	if err != nil {
		return err.Error() // API types have nothing that JSON cannot hold
	}
	return string(b)
}

// declares is how many pods of a workload that does not end a release asks for; 0 for a DaemonSet,
// whose pods the nodes make.
func (s side) declares(o *object.Object) int {
	m, ok := state.ManifestOf(o.Typed)
	switch {
	case !ok || m.Kind().Ends():
		return 0
	case m.Bare != nil && !m.Bare.Ends():
		return 1
	case m.ReplicasField() == nil:
		return 0
	}
	n := 1
	if f := *m.ReplicasField(); f != nil {
		n = int(*f)
	}
	hpas, _ := s.targets(o)
	for _, h := range hpas {
		if h := h.Typed.(*autoscalingv2.HorizontalPodAutoscaler); h.Spec.MinReplicas != nil {
			n = max(n, int(*h.Spec.MinReplicas))
		}
	}
	return n
}

// daemon puts the pods of a DaemonSet on the nodes that it is meant for.
func (out *cast) daemon(release, id string, d *appsv1.DaemonSet, nodes []*corev1.Node) {
	one := standingOf(release, id, &corev1.Pod{Spec: d.Spec.Template.Spec}, 1)
	one.priority = math.MaxInt32
	for _, n := range nodes {
		if puts, _ := workloads.DaemonRuns(d, n); puts {
			take(n, []*appsv1.DaemonSet{d}, map[string]finding.Note{})
			out.on[n.Name] = append(out.on[n.Name], one)
		}
	}
}

// shareOf is what part of a node's CPU and memory, added up, a pod requests.
func shareOf(requests corev1.ResourceList, n *corev1.Node) float64 {
	sum := 0.0
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		want, have := requests[name], n.Status.Allocatable[name]
		if total := have.AsApproximateFloat64(); total > 0 {
			sum += want.AsApproximateFloat64() / total
		}
	}
	return sum
}

// refusedBy is the first kind of pod that has no model; -1: each has one alone.
func refusedBy(spec *state.Spec, pods []standing, topology []int, most int) int {
	for i := range pods {
		alone := *spec
		alone.Workloads = spec.Workloads[i : i+1]
		b, err := state.NewBuilder(&alone, topology, most)
		if err != nil {
			return -1
		}
		if _, err := scheduler.New(b); errors.Is(err, actor.ErrUnmodeled) {
			return i
		}
	}
	return -1
}
