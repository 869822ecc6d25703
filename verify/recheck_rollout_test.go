package verify

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// share is a number of pods, or a percentage of all of them.
func share(v *intstr.IntOrString, of int, up bool, otherwise int) int {
	if v == nil {
		return otherwise
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(v, of, up)
	if err != nil {
		return otherwise
	}
	return n
}

// pace is what a Deployment's rolling update may do: so many pods above the number asked for, and
// so many of it not available. A percentage of the first rounds up, of the second down, and where
// both come out as none, one pod may be unavailable.
func pace(d *appsv1.Deployment, replicas int) (surge, unavailable int) {
	quarter := intstr.FromString("25%")
	s, u := &quarter, &quarter
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		if r.MaxSurge != nil {
			s = r.MaxSurge
		}
		if r.MaxUnavailable != nil {
			u = r.MaxUnavailable
		}
	}
	surge, unavailable = share(s, replicas, true, 0), share(u, replicas, false, 0)
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return surge, min(unavailable, replicas)
}

// rolled holds a Deployment to its strategy.
func rolled(before, after *Frame, w int, m Move, say saying) {
	wl, was := &after.Workloads[w], &before.Workloads[w]
	if wl.Deployment == nil || m.Event {
		return
	}
	sum, had, grew, shrank := 0, 0, false, false
	for set, n := range wl.Sizes {
		sum, had = sum+n, had+was.Sizes[set]
		grew, shrank = grew || n > was.Sizes[set], shrank || n < was.Sizes[set]
	}
	if wl.Deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if wl.Newest >= 0 && wl.Sizes[wl.Newest] > was.Sizes[wl.Newest] && strings.HasPrefix(m.Actor, "deployment/") {
			for _, k := range before.kindsOf(w) {
				if before.Kinds[k].Set != wl.Newest && before.of(k, anywhere, every) > 0 && was.Sizes[wl.Newest] == 0 {
					say("%s starts its new revision while pods of the old one are there (Recreate)", wl.ID)
				}
			}
		}
		return
	}
	surge, unavailable := pace(wl.Deployment, wl.Replicas)
	if grew && sum > had && sum > wl.Replicas+surge {
		say("the ReplicaSets of %s ask for %d pods, where %d and a surge of %d are allowed", wl.ID, sum, wl.Replicas, surge)
	}
	if shrank && had <= wl.Replicas+surge {
		left, were := 0, 0
		for set, n := range wl.Sizes {
			available := before.available(set)
			left, were = left+min(n, available), were+min(was.Sizes[set], available)
		}
		if left < min(were, wl.Replicas-unavailable) {
			say("%s keeps %d pods available of %d, where %d may be unavailable", wl.ID, left, wl.Replicas, unavailable)
		}
	}
}

// available counts the pods of a set that have been ready for long enough.
func (f *Frame) available(set int) int {
	total := 0
	for k := range f.Kinds {
		if f.Kinds[k].Set == set {
			total += f.of(k, anywhere, isAvailable)
		}
	}
	return total
}

// ordered holds a StatefulSet to its identities and their order.
func ordered(before, after *Frame, w int, m Move, say saying) {
	wl := &after.Workloads[w]
	if wl.StatefulSet == nil {
		return
	}
	count, ready, was := map[int]int{}, map[int]bool{}, map[int]int{}
	for _, k := range after.kindsOf(w) {
		o := after.Kinds[k].Ordinal
		count[o] += after.of(k, anywhere, every)
		was[o] += before.of(k, anywhere, every)
		ready[o] = ready[o] || before.of(k, anywhere, up) > 0
	}
	for o, n := range count {
		if n > 1 {
			say("%d pods of %s have the ordinal %d", n, wl.ID, o)
		}
	}
	if m.Event || !strings.HasPrefix(m.Actor, "statefulset/") {
		return
	}
	first, parallel := 0, wl.StatefulSet.Spec.PodManagementPolicy == appsv1.ParallelPodManagement
	if s := wl.StatefulSet.Spec.Ordinals; s != nil {
		first = int(s.Start)
	}
	partition, atOnce := 0, 1
	if r := wl.StatefulSet.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		partition = int(*r.Partition)
	}
	if r := wl.StatefulSet.Spec.UpdateStrategy.RollingUpdate; r != nil {
		atOnce = share(r.MaxUnavailable, wl.Replicas, true, 1)
	}
	for _, k := range after.kindsOf(w) {
		o := after.Kinds[k].Ordinal
		if !parallel && count[o] > was[o] {
			for lower := first; lower < o; lower++ {
				if !ready[lower] {
					say("%s creates the pod %d before its predecessor %d is ready", wl.ID, o, lower)
				}
			}
		}
		if before.of(k, anywhere, up) > after.of(k, anywhere, up) && atOnce <= 1 && o < first+wl.Replicas {
			for higher := max(o+1, partition); higher < first+wl.Replicas; higher++ {
				if !ready[higher] {
					say("%s replaces the pod %d before its successor %d is ready", wl.ID, o, higher)
				}
			}
		}
	}
}

// onEachNode holds a DaemonSet to one pod a node, and to its strategy.
func onEachNode(before, after *Frame, w int, m Move, say saying) {
	wl := &after.Workloads[w]
	if wl.DaemonSet == nil || m.Event || !strings.HasPrefix(m.Actor, "daemonset/") {
		return
	}
	surge := 0
	nodes := 0
	for n := range after.Nodes {
		if before.onNode(w, n, every) > 0 {
			nodes++
		}
	}
	var unavailable *intstr.IntOrString
	if r := wl.DaemonSet.Spec.UpdateStrategy.RollingUpdate; r != nil {
		unavailable = r.MaxUnavailable
		if share(r.MaxSurge, nodes, true, 0) > 0 {
			surge = 1
		}
	}
	down, took := 0, false
	for n := range after.Nodes {
		if k := after.onNode(w, n, alive); k > 1+surge {
			say("%d pods of %s on %s", k, wl.ID, after.Nodes[n].Name)
		}
		if before.onNode(w, n, every) > 0 && after.onNode(w, n, up) == 0 {
			down++
		}
		for _, k := range before.kindsOf(w) {
			ok, _ := nodeaffinity.GetRequiredNodeAffinity(before.Kinds[k].Pod).Match(before.Nodes[n].Node)
			took = took || ok && before.Kinds[k].Set != wl.Newest && before.of(k, n, up) > after.of(k, n, up)
		}
	}
	if most := share(unavailable, nodes, true, 1); took && surge == 0 && down > max(most, 1) {
		say("%s has no ready pod on %d nodes, where %d may be without", wl.ID, down, most)
	}
}

// onNode counts the pods of a workload on a node.
func (f *Frame) onNode(w, n int, is func(Phase) bool) int {
	total := 0
	for _, k := range f.kindsOf(w) {
		total += f.of(k, n, is)
	}
	return total
}
