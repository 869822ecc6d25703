package rules

import (
	"fmt"

	"github.com/dustin/go-humanize/english"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rolling reports whether a rollout of workload w is under way: the template in the API
// server is not the only one that pods run or are to run from. Pods that only
// terminate, and a rollout that was paused on purpose, do not count.
func rolling(s state.State, w int) bool {
	m := s.Manifest(w)
	if !m.Exists() || m.Paused() || s.AbortedTo(w) >= 0 {
		return false
	}
	for _, p := range s.C.ClassesOf[w] {
		if !s.HasTemplate(p) && (s.Get(s.C.Class[p].Size) > 0 || s.Active(p) > 0) && !keepsOld(s, w, p) {
			return true
		}
	}
	return false
}

// keepsOld reports whether a workload leaves the pod of class p at its old revision: the
// kind has no rollout, the pod is below the partition, or waits for somebody to delete it
// (OnDelete) where no declared loop does.
func keepsOld(s state.State, w, p int) bool {
	m := s.Manifest(w)
	if pace := m.Pace(); pace.Keeps || pace.Awaits && !s.Rolls(w) {
		return true
	}
	return m.Kind() == state.StatefulSet && s.C.Pods[p].Ordinal < m.FirstOrdinal()+m.Partition()
}

// newestPods sums up a count of the pods of workload w's current template.
func newestPods(s state.State, w int, of func(p int) int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		if s.HasTemplate(p) {
			total += of(p)
		}
	}
	return total
}

// halted reports whether workload w waits for somebody to fix or revert its current revision, which is a bad one: that
// its rollout stays unfinished is the revision's fault. The fate of the old pods meanwhile is not.
func halted(s state.State, w int) bool {
	current := s.NewClass(w)
	return current >= 0 && s.Bad(current)
}

// pendingOf is the number of pods of workload w without a node, of all its revisions.
func pendingOf(s state.State, w int) int {
	total := 0
	for _, p := range s.C.ClassesOf[w] {
		total += s.Pending(p)
	}
	return total
}

// wanted words the pods that workload w is to have: "1 replica", or "2 pods" of one that has
// them one a node.
func wanted(s state.State, w int) string {
	if s.C.PerNode(w) {
		return english.Plural(s.Wanted(w), "pod", "")
	}
	return english.Plural(s.Replicas(w), "replica", "")
}

// outOf words them after "0 of": "1 replicas".
func outOf(s state.State, w int) string {
	if s.C.PerNode(w) {
		return fmt.Sprintf("%d pods", s.Wanted(w))
	}
	return fmt.Sprintf("%d replicas", s.Replicas(w))
}

// FullName is "namespace/name".
func FullName(c *state.Config, w int) string {
	return c.Spec.Workloads[w].Namespace + "/" + c.Spec.Workloads[w].Name
}

// ofRevision is " (new revision)" or " (old revision)", or "" where there is only one.
func ofRevision(c *state.Config, p int) string {
	if r := c.Revision(p); r != "" {
		return " (" + r + " revision)"
	}
	return ""
}

// Newest is the manifest of workload w in the latest version that has it, with its
// version.
func Newest(c *state.Config, w int) (*state.Manifest, state.Version) {
	m := &c.Spec.Workloads[w].Manifests
	switch {
	case m[state.Head].Exists():
		return &m[state.Head], state.Head
	case m[state.Base].Exists():
		return &m[state.Base], state.Base
	}
	return nil, state.Base
}

// PlacementFields names what a workload's pods ask of a node, as far as it is set.
func PlacementFields(m *state.Manifest) []string {
	const at = "Workload:spec.template.spec."
	pod := m.Pod()
	var out []string
	add := func(set bool, field string) {
		if set {
			out = append(out, at+field)
		}
	}
	add(pod.NodeName != "", "nodeName")
	add(len(kube.Spreads(pod)) > 0, "topologySpreadConstraints")
	add(pod.Affinity != nil && pod.Affinity.PodAntiAffinity != nil, "affinity.podAntiAffinity")
	add(pod.Affinity != nil && pod.Affinity.PodAffinity != nil, "affinity.podAffinity")
	add(pod.Affinity != nil && pod.Affinity.NodeAffinity != nil, "affinity.nodeAffinity")
	add(len(pod.NodeSelector) > 0, "nodeSelector")
	for i := range pod.Containers {
		c := &pod.Containers[i]
		add(asksPort(c), fmt.Sprintf("containers[%d].ports", i))
		add(len(c.Resources.Requests) > 0, fmt.Sprintf("containers[%d].resources.requests", i))
	}
	add(len(pod.Tolerations) > 0, "tolerations")
	return out
}

func asksPort(c *corev1.Container) bool {
	for _, p := range c.Ports {
		if p.HostPort != 0 {
			return true
		}
	}
	return false
}

// sizeFields names what sets the number of a workload's pods.
func sizeFields(c *state.Config, w int) []string {
	_, v := Newest(c, w)
	m := &c.Spec.Workloads[w].Manifests[v]
	var out []string
	if m.HPA != nil {
		out = append(out, "HorizontalPodAutoscaler:spec.maxReplicas", "HorizontalPodAutoscaler:spec.minReplicas")
	}
	if m.DeclaresReplicas {
		out = append(out, "Workload:spec.replicas")
	}
	return out
}
