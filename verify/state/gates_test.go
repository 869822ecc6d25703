package state

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestGatesDrop: what a cluster does not know is dropped from a copy, and nothing where it is on.
func TestGatesDrop(t *testing.T) {
	always, failed, honor := corev1.ContainerRestartPolicyAlways, batchv1.Failed, corev1.NodeInclusionPolicyHonor
	pod := corev1.PodSpec{
		InitContainers:            []corev1.Container{{RestartPolicy: &always}},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{MatchLabelKeys: []string{"a"}, NodeTaintsPolicy: &honor}},
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{MatchLabelKeys: []string{"a"}, MismatchLabelKeys: []string{"b"}}},
		}},
	}
	job := &batchv1.Job{Spec: batchv1.JobSpec{PodReplacementPolicy: &failed, Template: corev1.PodTemplateSpec{Spec: pod}}}
	left := func(m *Manifest) (n int) {
		p := m.Pod()
		term := p.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0]
		for _, is := range []bool{
			p.InitContainers[0].RestartPolicy != nil, p.TopologySpreadConstraints[0].MatchLabelKeys != nil,
			p.TopologySpreadConstraints[0].NodeTaintsPolicy != nil, term.MatchLabelKeys != nil && term.MismatchLabelKeys != nil,
			m.JobSpec().PodReplacementPolicy != nil,
		} {
			if is {
				n++
			}
		}
		return n
	}
	names := []string{"SidecarContainers", "MatchLabelKeysInPodTopologySpread", "NodeInclusionPolicyInPodTopologySpread", "MatchLabelKeysInPodAffinity", "JobPodReplacementPolicy"}
	off := map[string]bool{}
	for i := 0; i <= len(names); i++ {
		m := Manifest{Job: job}
		Gated{Minor: OldestMinor, Set: off}.Apply(&m)
		if got := left(&m); got != len(names)-i {
			t.Errorf("%d gates are off, and %d of %d fields stay", i, got, len(names))
		}
		if left(&Manifest{Job: job}) != len(names) {
			t.Fatal("the object itself was changed")
		}
		if i < len(names) {
			off[names[i]] = false
		}
	}
}

// A gate that is locked to true cannot be false, unless the cluster is older, or no version says which it is.
func TestLockedGates(t *testing.T) {
	set := map[string]bool{"JobPodReplacementPolicy": false, "SidecarContainers": true, "MaxUnavailableStatefulSet": false}
	for minor, want := range map[int]int{0: 1, 33: 0, 34: 1, NewestMinor: 1} {
		if got := (Gated{Minor: minor, Set: set}).Locked(); len(got) != want {
			t.Errorf("1.%d: %v are locked", minor, got)
		}
	}
}
