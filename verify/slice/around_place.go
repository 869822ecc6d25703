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

// place puts the pods of releases on empty nodes.
func place(releases []*object.Rendered, nodes []*corev1.Node, p *policies.Policy, tight bool) *cast {
	out := &cast{tight: tight, on: map[string][]standing{}}
	spec := state.Spec{Scheduler: p.Controllers.Scheduler, Namespaces: map[string]map[string]string{},
		PriorityClasses: map[string]int32{}, NeverPreempt: map[string]bool{}}
	room := make([]*corev1.Node, len(nodes))
	for i, n := range nodes {
		room[i] = n.DeepCopy()
	}
	slices.SortStableFunc(room, func(a, b *corev1.Node) int { return cmp.Compare(nodeKey(a), nodeKey(b)) })
	var pods []standing
	for _, r := range releases {
		if r.Err != nil || r.Untouched {
			continue
		}
		s := NewSide(r.Objects)
		for name, value := range s.priorities.spec.PriorityClasses {
			spec.PriorityClasses[name], spec.NeverPreempt[name] = value, s.priorities.spec.NeverPreempt[name]
		}
		spec.DefaultPriority = [2]string{cmp.Or(spec.DefaultPriority[0], s.priorities.fallback),
			cmp.Or(spec.DefaultPriority[1], s.priorities.fallback)}
		for name, labels := range s.namespaces {
			spec.Namespaces[name] = labels
		}
		for _, id := range sortedIDs(s.daemons) {
			out.daemon(r.ID, id, s.daemons[id], room)
		}
		for _, id := range sortedIDs(s.Workloads) {
			if n := s.declares(s.Workloads[id]); n > 0 {
				o := s.Workloads[id]
				pod := &corev1.Pod{ObjectMeta: *templateOf(o).ObjectMeta.DeepCopy(), Spec: *templateOf(o).Spec.DeepCopy()}
				pod.Namespace, pod.Spec.Volumes = o.ID.Namespace, nil
				pods = append(pods, standing{release: r.ID, id: id, pod: pod, count: n})
			}
		}
	}
	for i := range p.Cluster.Workloads {
		w := &p.Cluster.Workloads[i]
		pods = append(pods, standing{id: w.ID(), pod: w.Pod(), count: w.Count})
	}
	total := 0
	for i := range pods {
		total += pods[i].count
		pods[i].share = shareOf(requestsOf(&pods[i].pod.Spec), nodes[0])
		pods[i].priority, _ = scheduler.PriorityOf(&spec, pods[i].pod, state.Base)
		if n := pods[i].pod.Spec.Priority; pods[i].release == "" && n != nil { // as it runs, whatever the default is
			pods[i].priority = *n
		}
	}
	slices.SortStableFunc(pods, func(x, y standing) int {
		larger := 0
		if tight { // the largest first, as best-fit decreasing has it
			larger = cmp.Compare(y.share, x.share)
		}
		return cmp.Or(larger, cmp.Compare(y.priority, x.priority), cmp.Compare(y.share, x.share),
			cmp.Compare(y.count, x.count),
			cmp.Compare(podKey(&x.pod.Spec), podKey(&y.pod.Spec)), cmp.Compare(x.release, y.release), cmp.Compare(x.id, y.id))
	})
	for _, n := range room {
		spec.Classes = append(spec.Classes, state.NodeClass{Name: n.Name, Node: n, Names: []string{n.Name}, Min: 1, Max: 1})
	}
	if total > maxPlaced {
		out.err = fmt.Errorf("they are %d pods, more than %d", total, maxPlaced)
		return out
	}
	for len(pods) > 0 {
		bad, err := out.schedule(&spec, pods)
		if err == nil {
			break
		}
		if bad < 0 {
			out.err = err
			return out
		}
		pods = slices.Delete(pods, bad, bad+1) // the scheduler of the model cannot place it
	}
	return out
}

// nodeKey orders nodes by what they are, so that neither their names nor the order of their documents decide
// where a pod goes that fits several alike.
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
	pod := &corev1.Pod{Spec: d.Spec.Template.Spec}
	for _, n := range nodes {
		if puts, _ := workloads.DaemonRuns(d, n); puts {
			take(n, []*appsv1.DaemonSet{d}, map[string]finding.Note{})
			out.on[n.Name] = append(out.on[n.Name],
				standing{release: release, id: id, priority: math.MaxInt32, pod: pod, count: 1})
		}
	}
}

// schedule places pods one after the other. Where the scheduler of the model refuses some kind of
// pod as a whole it says which.
func (out *cast) schedule(spec *state.Spec, pods []standing) (bad int, err error) {
	most := 1
	spec.Workloads = nil
	for i := range pods {
		d := &appsv1.Deployment{}
		d.Namespace, d.Name = pods[i].pod.Namespace, fmt.Sprint(i)
		d.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: pods[i].pod.ObjectMeta, Spec: pods[i].pod.Spec}
		m, _ := state.ManifestOf(d)
		spec.Workloads = append(spec.Workloads,
			state.Workload{ID: pods[i].id, Namespace: d.Namespace, Name: d.Name, Manifests: [2]state.Manifest{m, m}})
		most = max(most, pods[i].count)
	}
	topology := make([]int, len(spec.Classes))
	for i := range topology {
		topology[i] = 1
	}
	b, err := state.NewBuilder(spec, topology, most)
	if err != nil {
		return -1, err
	}
	sched, err := scheduler.New(b)
	if err != nil {
		return refusedBy(spec, pods, topology, most), err
	}
	c, err := b.Freeze()
	if err != nil {
		return -1, err
	}
	s := state.State{C: c, B: make([]byte, c.Width())}
	taken := make([]float64, len(c.Nodes))
	for w := range pods {
		class, requests := s.NewClass(w), requestsOf(&pods[w].pod.Spec)
		for range pods[w].count {
			s.Set(c.Class[class].Pending, 1)
			n := out.choose(sched[0].(*scheduler.Scheduler).Decide(s, class), func(n int) float64 { return -taken[n] })
			s.Set(c.Class[class].Pending, 0)
			if n < 0 {
				out.left = append(out.left, pods[w])
				break
			}
			s.Add(n, class, state.Ready, 1)
			taken[n] += shareOf(requests, spec.Classes[c.Nodes[n].Class].Node)
			name := c.Nodes[n].Name
			list := out.on[name]
			if k := len(list) - 1; k >= 0 && list[k].id == pods[w].id && list[k].release == pods[w].release {
				list[k].count++
				continue
			}
			one := pods[w]
			one.count = 1
			out.on[name] = append(list, one)
		}
	}
	return -1, nil
}

// choose gives the node of a decision; -1: it has none.
func (out *cast) choose(d scheduler.Decision, free func(node int) float64) int {
	switch {
	case len(d.Feasible) == 0:
		return -1
	case !out.tight:
		return d.Best[0]
	}
	return slices.MinFunc(d.Feasible,
		func(a, b int) int { return cmp.Or(cmp.Compare(free(a), free(b)), cmp.Compare(a, b)) })
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
