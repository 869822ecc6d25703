package slice

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
	corehelpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// AsIs gives the policy with the cluster of its snapshot as a slice meets it: on each node what
// pods beside the slice take, and without the nodes that make no difference to it.
func (sl *Slice) AsIs(p *policies.Policy) *policies.Policy {
	shot := p.Cluster.Snapshot
	if shot == nil {
		return p
	}
	sl.asInCluster(shot)
	sl.daemonsAsTheyAre(shot)
	own := *p
	own.Cluster.Beside = sl.loads(shot)
	own.Cluster.Nodes = slices.DeleteFunc(slices.Clone(p.Cluster.Nodes), func(n *corev1.Node) bool {
		return !sl.touches(n, own.Cluster.Beside[n.Name])
	})
	if len(own.Cluster.Nodes) == 0 { // none that any pod fits: the largest stands for them
		own.Cluster.Nodes = p.Cluster.Nodes[:1]
	}
	own.Cluster.Pools = sl.mayCome(own.Cluster.Pools)
	sl.hold(&own, sl.outsideOf(shot))
	return &own
}

// mostToCome is how many nodes of an undeclared pool are searched at most beside the existing ones; a pod that needs
// more is a warning, which such a pool always leaves.
const mostToCome = 8

// mayCome are the pools of a cluster; an undeclared pool has at most one node for each of the slice's pods.
func (sl *Slice) mayCome(pools []policies.NodePool) []policies.NodePool {
	pods := 0
	for i := range sl.Spec.Workloads {
		m := &sl.Spec.Workloads[i].Manifests
		most := 0
		for v := range m {
			if m[v].Exists() {
				most = max(most, m[v].MostReplicas())
			}
		}
		pods += most
	}
	out := slices.Clone(pools)
	for i := range out {
		if out[i].Derived {
			out[i].Max = min(out[i].Max, pods, mostToCome)
		}
	}
	return out
}

// asInCluster takes the cluster's version of objects that name or bound those of the slice.
func (sl *Slice) asInCluster(shot *snapshot.Snapshot) {
	sl.shot = shot
	sl.meet(shot)
	sl.quotasAsTheyAre(shot)
	sl.volumesAsTheyAre(shot)
}

// meet takes what the cluster knows and the manifests do not: PriorityClasses that they name.
func (sl *Slice) meet(shot *snapshot.Snapshot) {
	for _, c := range shot.PriorityClasses {
		if _, declared := sl.Spec.PriorityClasses[c.Name]; declared {
			continue
		}
		sl.Spec.PriorityClasses[c.Name], sl.Spec.NeverPreempt[c.Name] = c.Value, c.Never
		for v := range sl.Spec.DefaultPriority {
			if c.Default && sl.Spec.DefaultPriority[v] == "" {
				sl.Spec.DefaultPriority[v] = c.Name
			}
		}
	}
}

// loads are the other pods of the cluster, by node: the pods of every workload that is no part of it.
func (sl *Slice) loads(shot *snapshot.Snapshot) map[string]*state.Beside {
	parts := map[string]map[int32]*state.BesidePods{}
	marks := map[string][]string{}
	for i := range shot.Workloads {
		w := &shot.Workloads[i]
		if sl.isDaemon(w.ID()) {
			continue // as its manifests have it: see crowd
		}
		mine := sl.IsWorkload(w.ID())
		for k := range w.Pods {
			for _, on := range w.Pods[k].On {
				if mine {
					marks[on.Node] = append(marks[on.Node], fmt.Sprintf("%s %q %+v", w.ID(), w.Pods[k].Revision, placement(on)))
					continue
				}
				if parts[on.Node] == nil {
					parts[on.Node] = map[int32]*state.BesidePods{}
				}
				if parts[on.Node][w.Pods[k].Priority] == nil {
					parts[on.Node][w.Pods[k].Priority] = &state.BesidePods{Priority: w.Pods[k].Priority,
						Requests: corev1.ResourceList{}}
				}
				addBeside(parts[on.Node][w.Pods[k].Priority], &w.Pods[k], on.Total())
			}
		}
	}
	out := map[string]*state.Beside{}
	for node := range union(keysIn(parts), keysIn(marks)) {
		b := &state.Beside{Mark: strings.Join(marks[node], "; ")}
		for _, priority := range slices.Sorted(maps.Keys(parts[node])) {
			b.Pods = append(b.Pods, *parts[node][priority])
		}
		out[node] = b
	}
	return out
}

// outsideOf are the other pods on each node of a snapshot.
func (sl *Slice) outsideOf(shot *snapshot.Snapshot) func(node string) []outside {
	on := map[string][]outside{}
	for i := range shot.Workloads {
		w := &shot.Workloads[i]
		if sl.isDaemon(w.ID()) || sl.IsWorkload(w.ID()) {
			continue
		}
		for _, pods := range w.Pods {
			for _, at := range pods.On {
				on[at.Node] = append(on[at.Node], outside{w.ID(), pods.Priority})
			}
		}
	}
	return func(node string) []outside { return on[node] }
}

// placement leaves out on which node.
func placement(on snapshot.Placed) snapshot.Placed {
	on.Node = ""
	return on
}

func keysIn[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// addBeside adds n pods that ask for the same.
func addBeside(to *state.BesidePods, p *snapshot.Pods, n int) {
	to.Count += n
	amount := func(list snapshot.Resources, name string) int64 {
		q, _ := snapshot.Quantity(list[name])
		if name == "cpu" {
			return q.MilliValue()
		}
		return q.Value()
	}
	for name, text := range p.Requests {
		q, _ := snapshot.Quantity(text)
		sum := to.Requests[corev1.ResourceName(name)]
		for range n {
			sum.Add(q)
		}
		to.Requests[corev1.ResourceName(name)] = sum
	}
	for i, name := range []string{"cpu", "memory"} {
		from := p.Requests
		if _, more := p.Scored[name]; more {
			from = p.Scored
		}
		to.Scored[i] += int64(n) * amount(from, name)
	}
	for _, text := range p.HostPorts {
		ip, port, protocol, _ := snapshot.ParsePort(text)
		to.Ports = append(to.Ports, corev1.ContainerPort{HostIP: ip, HostPort: port, Protocol: protocol})
	}
	slices.SortFunc(to.Ports, func(a, b corev1.ContainerPort) int {
		return cmp.Or(cmp.Compare(a.HostPort, b.HostPort), cmp.Compare(a.Protocol, b.Protocol),
			cmp.Compare(a.HostIP, b.HostIP))
	})
}

// touches reports whether a node can make a difference to the slice: it has pods of it, or could take
// one. A pod that counts domains sees nodes that it does not fit on, too.
func (sl *Slice) touches(n *corev1.Node, b *state.Beside) bool {
	if b != nil && b.Mark != "" {
		return true
	}
	class := state.NodeClass{Node: n, Beside: b}
	for i := range sl.Spec.Workloads {
		for v := range sl.Spec.Workloads[i].Manifests {
			m := &sl.Spec.Workloads[i].Manifests[v]
			if !m.Exists() {
				continue
			}
			if len(kube.Spreads(m.Pod())) > 0 || m.Pod().NodeName != "" {
				return true
			}
			if !sl.mayEver(m.Pod(), n) {
				continue
			}
			if m.Kind() == state.DaemonSet || len(sl.Spec.Workloads[i].Sizes) > 0 || m.VPA != nil ||
				fitsIn(class.Free(sl.priority(m.Pod(), state.Version(v))), m.Pod()) {
				return true
			}
		}
	}
	return false
}

// mayEver reports whether a node's labels and taints let a pod in; those that come and go do.
func (sl *Slice) mayEver(pod *corev1.PodSpec, n *corev1.Node) bool {
	full := &corev1.Pod{Spec: *pod}
	named := n.DeepCopy()
	named.Labels[corev1.LabelHostname] = cmp.Or(named.Labels[corev1.LabelHostname], n.Name)
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(full).Match(named); err == nil && !ok {
		return false
	}
	_, untolerated := corehelpers.FindMatchingUntoleratedTaint(klog.Background(), n.Spec.Taints, pod.Tolerations,
		func(t *corev1.Taint) bool {
			return t.Effect == corev1.TaintEffectNoSchedule && !strings.HasPrefix(t.Key, "node.kubernetes.io/") ||
				t.Effect == corev1.TaintEffectNoExecute && !strings.HasPrefix(t.Key, "node.kubernetes.io/")
		}, true)
	return !untolerated
}

// fitsIn reports whether the free resources satisfy the requests of one pod.
func fitsIn(free corev1.ResourceList, pod *corev1.PodSpec) bool {
	if free.Pods().Value() < 1 {
		return false
	}
	spec := pod.DeepCopy()
	objects.DefaultRequests(spec)
	for name, want := range resourcehelper.PodRequests(&corev1.Pod{Spec: *spec}, resourcehelper.PodResourcesOptions{}) {
		if have := free[name]; !want.IsZero() && have.Cmp(want) < 0 {
			return false
		}
	}
	return true
}

// priority is that of a pod in a version; where it is not known, it is one above all.
func (sl *Slice) priority(pod *corev1.PodSpec, v state.Version) int32 {
	priority, known := scheduler.PriorityOf(&sl.Spec, &corev1.Pod{Spec: *pod}, v)
	if !known {
		return math.MaxInt32
	}
	return priority
}

// topPriority is the highest of the slice's pods.
func (sl *Slice) topPriority() int32 {
	top := int32(math.MinInt32)
	for i := range sl.Spec.Workloads {
		for v := range sl.Spec.Workloads[i].Manifests {
			if m := &sl.Spec.Workloads[i].Manifests[v]; m.Exists() {
				top = max(top, sl.priority(m.Pod(), state.Version(v)))
			}
		}
	}
	return top
}

// Free gives classes whose nodes have only what the slice's pods can get.
func (sl *Slice) Free(classes []state.NodeClass) []state.NodeClass {
	top := sl.topPriority()
	for i := range classes {
		if classes[i].Beside != nil {
			n := classes[i].Node.DeepCopy()
			n.Status.Allocatable = classes[i].Free(top)
			classes[i].Node = n
		}
	}
	return classes
}

// daemonsAsTheyAre leaves the DaemonSets beside the slice that the change does not touch to the
// snapshot, which has their pods where they are.
func (sl *Slice) daemonsAsTheyAre(shot *snapshot.Snapshot) {
	id := func(d *appsv1.DaemonSet) string { return "apps/DaemonSet " + d.Namespace + "/" + d.Name }
	all := sl.daemons
	for v := range sl.daemons {
		sl.daemons[v] = slices.DeleteFunc(slices.Clone(sl.daemons[v]), func(d *appsv1.DaemonSet) bool {
			same := slices.ContainsFunc(all[1-v], func(o *appsv1.DaemonSet) bool { return id(o) == id(d) && !takesOther(o, d) })
			return same && liveOf(shot, id(d)) != nil
		})
	}
}

// isDaemon reports whether an ID is of a DaemonSet beside the slice whose room its manifests tell.
func (sl *Slice) isDaemon(id string) bool {
	for _, list := range sl.daemons {
		if slices.ContainsFunc(list,
			func(d *appsv1.DaemonSet) bool { return "apps/DaemonSet "+d.Namespace+"/"+d.Name == id }) {
			return true
		}
	}
	return false
}
