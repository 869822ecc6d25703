package judge

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// snapshot draws a state for surfaces that show the cluster between two steps.
func snapshot(s state.State) *finding.Snapshot {
	out := &finding.Snapshot{Nodes: []finding.NodeSnapshot{}, Workloads: []finding.WorkloadSnapshot{}}
	for n, node := range s.C.Nodes {
		if s.Gone(n) {
			continue
		}
		class := s.C.Spec.Classes[node.Class]
		x := finding.NodeSnapshot{Name: node.Name, Class: class.Name}
		if class.Node != nil {
			x.Zone = class.Node.Labels[corev1.LabelTopologyZone]
		}
		for p := range s.C.Pods {
			if k := s.On(n, p, state.Starting); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Starting.String(), k))
			}
			if k := s.ReadyOn(n, p); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Ready.String(), k))
			}
			if k := s.On(n, p, state.Terminating); k > 0 {
				x.Pods = withPods(x.Pods, pods(s, p, state.Terminating.String(), k))
			}
		}
		out.Nodes = append(out.Nodes, x)
	}
	for p := range s.C.Pods {
		if k := s.Pending(p); k > 0 {
			out.Pending = withPods(out.Pending, pods(s, p, "pending", k))
		}
	}
	for w, wl := range s.C.Spec.Workloads {
		out.Workloads = append(out.Workloads, finding.WorkloadSnapshot{
			Workload: wl.ID, Replicas: s.Replicas(w), Ready: s.ReadyOf(w), Load: load(s, w),
		})
	}
	return out
}

// load names the demand of an autoscaled workload; "" where there is none.
func load(s state.State, w int) string {
	if m := s.Manifest(w); m.HPA == nil {
		return ""
	}
	return s.Load(w).String()
}

// withPods adds pods to a list, to those that are like them: the ordinals of a StatefulSet
// are not told apart here.
func withPods(list []finding.PodsSnapshot, more finding.PodsSnapshot) []finding.PodsSnapshot {
	for i := range list {
		if o := list[i]; o.Workload == more.Workload && o.Revision == more.Revision && o.Phase == more.Phase {
			list[i].Count += more.Count
			return list
		}
	}
	return append(list, more)
}

func pods(s state.State, p int, phase string, n int) finding.PodsSnapshot {
	c := s.C.Pods[p]
	rev := ""
	switch {
	case c.InBase && !c.InHead:
		rev = "old"
	case c.InHead && !c.InBase && s.C.ByVersion[c.Workload][state.Base] >= 0:
		rev = "new"
	}
	return finding.PodsSnapshot{Workload: s.C.Spec.Workloads[c.Workload].ID, Revision: rev, Phase: phase, Count: n}
}
