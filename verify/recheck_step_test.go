package verify

import (
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Step says what of a step Kubernetes would not do.
func Step(before, after *Frame, m Move) []string {
	var wrong []string
	say := func(format string, args ...any) {
		wrong = append(wrong, m.Actor+" ("+m.Action+"): "+fmt.Sprintf(format, args...))
	}
	placed(before, after, say)
	madePods(before, after, m, say)
	started(before, after, say)
	for w := range after.Workloads {
		rolled(before, after, w, m, say)
		ordered(before, after, w, m, say)
		onEachNode(before, after, w, m, say)
	}
	evicted(before, after, m, say)
	preempted(before, after, m, say)
	return wrong
}

type saying func(format string, args ...any)

// placed holds every pod that has a node from this step on against what the node has room for.
func placed(before, after *Frame, say saying) {
	at := before.copy()
	for k := range after.Kinds {
		for n := range after.Nodes {
			for range after.of(k, n, every) - before.of(k, n, every) - updated(before, after, k, n) {
				if why := at.Unfit(k, n); why != "" {
					say("a pod of %s is placed on %s: %s", before.name(k), before.Nodes[n].Name, why)
				}
				at.Pods[Group{k, n, Starting}]++
			}
		}
	}
}

// updated counts the pods of a kind that were on the node already, as another kind: Pods without a controller, which an
// update changes where they are ("Pods: Pod update and replacement"). The scheduler is not asked again.
func updated(before, after *Frame, kind, node int) int {
	w := after.Kinds[kind].Workload
	if w >= len(after.Workloads) || !after.Workloads[w].Bare {
		return 0
	}
	n := 0
	for k := range after.Kinds {
		if k != kind && after.Kinds[k].Workload == w {
			n += max(before.of(k, node, every)-after.of(k, node, every), 0)
		}
	}
	return n
}

func (f *Frame) copy() *Frame {
	c := *f
	c.Pods = maps.Clone(f.Pods)
	return &c
}

func (f *Frame) name(k int) string {
	p := f.Kinds[k].Pod
	return p.Namespace + "/" + p.Name
}

// madePods holds every pod that is created against the quotas of its namespace, and against what its
// ReplicaSet asks for.
func madePods(before, after *Frame, m Move, say saying) {
	for k := range after.Kinds {
		if after.of(k, anywhere, every) <= before.of(k, anywhere, every) || m.Event {
			continue
		}
		for i := range before.Quotas {
			q := &before.Quotas[i]
			if q.Namespace != after.Kinds[k].Pod.Namespace || len(q.Spec.Scopes) > 0 || q.Spec.ScopeSelector != nil {
				continue
			}
			used := after.usage(q)
			for name, limit := range q.Spec.Hard {
				if u, ok := used[name]; ok && u.Cmp(limit) > 0 {
					say("a pod of %s is created: %s of %s, where the quota %s allows %s", after.name(k), u.String(), name,
						q.Name, limit.String())
				}
			}
		}
		w := &after.Workloads[after.Kinds[k].Workload]
		if set := after.Kinds[k].Set; w.Sizes != nil && strings.HasPrefix(m.Actor, "replicaset/") {
			if n := after.alive(set); n > w.Sizes[set] {
				say("%d pods of a ReplicaSet of %s that asks for %d", n, w.ID, w.Sizes[set])
			}
		}
	}
}

// usage is what pods of a namespace take of the resources that a quota names; pods on deletion
// are left out, as they may be on either side of it.
func (f *Frame) usage(q *Quota) corev1.ResourceList {
	sum := corev1.ResourceList{}
	add := func(name corev1.ResourceName, n int, each resource.Quantity) {
		total := sum[name]
		for range n {
			total.Add(each)
		}
		sum[name] = total
	}
	for name, n := range q.Others {
		add(name, 1, n)
	}
	for k := range f.Kinds {
		n := f.of(k, anywhere, alive)
		if n == 0 || f.Kinds[k].Pod.Namespace != q.Namespace {
			continue
		}
		for _, name := range []corev1.ResourceName{corev1.ResourcePods, "count/pods"} {
			add(name, n, *resource.NewQuantity(1, resource.DecimalSI))
		}
		for name, each := range requests(f.Kinds[k].Pod) {
			add(name, n, each)
			add("requests."+name, n, each)
		}
	}
	return sum
}

// alive counts the pods of a set that are not on deletion.
func (f *Frame) alive(set int) int {
	total := 0
	for k := range f.Kinds {
		if f.Kinds[k].Set == set {
			total += f.of(k, anywhere, alive)
		}
	}
	return total
}

// started holds that a pod becomes ready only where a kubelet works.
func started(before, after *Frame, say saying) {
	for k := range after.Kinds {
		for n := range after.Nodes {
			if after.of(k, n, up) > before.of(k, n, up) && (before.Nodes[n].Down || before.Nodes[n].Absent) {
				say("a pod of %s becomes ready on %s, which is lost", after.name(k), after.Nodes[n].Name)
			}
		}
	}
}

// preempted holds that pods make way only for others of a higher priority. Kueue goes by priorities of its own, which
// no pod has, and by whose quota it is.
func preempted(before, after *Frame, m Move, say saying) {
	if m.Action != "preempt" || strings.HasPrefix(m.Actor, "kueue/") {
		return
	}
	most, waits := int32(0), false
	for k := range before.Kinds {
		if before.Pods[Group{k, -1, Pending}] > 0 && (!waits || before.Kinds[k].Priority[1] > most) {
			most, waits = before.Kinds[k].Priority[1], true
		}
	}
	for k := range after.Kinds {
		for n := range after.Nodes {
			if after.of(k, n, alive) < before.of(k, n, alive) && (!waits || before.Kinds[k].Priority[0] >= most) {
				say("a pod of %s with priority %d is preempted for one with %d", before.name(k), before.Kinds[k].Priority[0], most)
			}
		}
	}
}

// Rest says what of a cluster at rest cannot be: a pod without a node that some node has room for.
// The pods that skip names are left out.
func Rest(f *Frame, skip func(kind int) bool) []string {
	var wrong []string
	for k := range f.Kinds {
		if f.Pods[Group{k, -1, Pending}] == 0 || skip(k) || len(f.Kinds[k].Pod.Spec.SchedulingGates) > 0 {
			continue
		}
		for n := range f.Nodes {
			if f.Unfit(k, n) == "" {
				wrong = append(wrong,
					fmt.Sprintf("at rest: a pod of %s stays pending, and %s has room for it", f.name(k), f.Nodes[n].Name))
			}
		}
	}
	return wrong
}
