package state

import (
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/verify/kube"
)

// Gate is a feature gate of Kubernetes that the models follow.
type Gate struct {
	Name string
	// OnSince is the minor version from which on it is on by default; 0: in none up to [NewestMinor].
	OnSince int
	// LockedSince is the one from which on no cluster sets it otherwise; 0: every one may.
	LockedSince int
	Says        string // what becomes of it in the models where it is on, and where it is off
}

// OldestMinor and NewestMinor bound the minor versions of Kubernetes 1 of which the gates' defaults are known;
// ModeledMinor is the one that the models were read from, and that holds where none is named.
const (
	OldestMinor  = 31
	ModeledMinor = 36
	NewestMinor  = 37
)

// gates are those that the models follow, sorted by name. Defaults are those of kubernetes v1.36.3, pkg/features:
// defaultVersionedKubernetesFeatureGates, with which conformance compares them; of 1.37 those of v1.37.2.
var gates = [...]Gate{
	{"HPAConfigurableTolerance", 35, 37, "an HPA's `behavior.*.tolerance` counts; off: the API server drops it"},
	{"HPAScaleToZero", 37, 0,
		"an HPA may have `minReplicas: 0`; off: refused, and reported if the version or the gate is declared"},
	{"InPlacePodVerticalScaling", 33, 35, "a VPA with `InPlaceOrRecreate` resizes pods in place; off: it evicts them"},
	{"JobPodReplacementPolicy", 29, 34, "a Job's `podReplacementPolicy` counts; off: the API server drops it"},
	{"MatchLabelKeysInPodAffinity", 31, 33,
		"`matchLabelKeys` and `mismatchLabelKeys` of pod (anti-)affinity count; off: dropped"},
	{"MatchLabelKeysInPodTopologySpread", 27, 0, "`matchLabelKeys` of spread constraints count; off: dropped"},
	{"MaxUnavailableStatefulSet", 37, 0, "a StatefulSet's `rollingUpdate.maxUnavailable` counts, and an update waits for every unavailable pod; off: one pod after the other, whatever those below it are. From 1.37 on a Parallel set first replaces old pods that are unavailable"},
	{"NodeInclusionPolicyInPodTopologySpread", 26, 33, "`nodeAffinityPolicy` and `nodeTaintsPolicy` count; off: dropped"},
	{"SidecarContainers", 29, 33,
		"an init container with `restartPolicy: Always` adds its requests to the pod's; off: it counts as one that ends"},
}

// Gates lists the feature gates that the models follow.
func Gates() []Gate { return append([]Gate(nil), gates[:]...) }

// Gated says which gates are on in a cluster: the defaults of its version, overridden by those that are set.
type Gated struct {
	Minor int             // 0: [ModeledMinor]
	Set   map[string]bool // by name
}

// On reports whether a gate is on.
func (g Gated) On(name string) bool {
	if on, ok := g.Set[name]; ok {
		return on
	}
	minor := g.minor()
	for _, x := range gates {
		if x.Name == name {
			return x.OnSince > 0 && minor >= x.OnSince
		}
	}
	return false
}

// Locked lists the gates that are set as no cluster of the version can set them, sorted by name; where no version is
// named, as none can since the newest that is known.
func (g Gated) Locked() []Gate {
	var out []Gate
	for _, x := range gates {
		on, set := g.Set[x.Name]
		if set && !on && x.LockedSince > 0 && (g.Minor == 0 || g.Minor >= x.LockedSince) {
			out = append(out, x)
		}
	}
	return out
}

func (g Gated) minor() int {
	if g.Minor == 0 {
		return ModeledMinor
	}
	return g.Minor
}

// Apply takes fields that the cluster does not know out of a manifest. The objects that it changes are copied before.
//
// Upstream v1.36.3: pkg/registry/apps/statefulset and autoscaling/horizontalpodautoscaler: dropDisabledFields.
func (g Gated) Apply(m *Manifest) {
	m.MaxUnavailable = m.StatefulSet != nil && g.On("MaxUnavailableStatefulSet")
	m.ReplacesUnavailable = m.MaxUnavailable && g.minor() >= 37
	g.dropFromPods(m)
	if j := m.JobSpec(); j != nil && j.PodReplacementPolicy != nil && !g.On("JobPodReplacementPolicy") {
		m.OwnObject()
		m.JobSpec().PodReplacementPolicy = nil
	}
	if b := m.HPA; b != nil && b.Spec.Behavior != nil && !g.On("HPAConfigurableTolerance") {
		m.HPA = b.DeepCopy()
		for _, r := range []**autoscalingv2.HPAScalingRules{&m.HPA.Spec.Behavior.ScaleUp, &m.HPA.Spec.Behavior.ScaleDown} {
			if *r != nil {
				(*r).Tolerance = nil
			}
		}
	}
	if m.VPA != nil && m.VPA.Mode == VPAInPlaceOrRecreate && !g.On("InPlacePodVerticalScaling") {
		v := *m.VPA
		v.Mode = VPARecreate
		m.VPA = &v
	}
}

// dropFromPods takes fields that the cluster does not know out of the pod template.
//
// Upstream v1.32: pkg/api/pod: dropDisabledFields.
func (g Gated) dropFromPods(m *Manifest) {
	if !m.Exists() {
		return
	}
	affinity, spread := !g.On("MatchLabelKeysInPodAffinity"), !g.On("MatchLabelKeysInPodTopologySpread")
	inclusion, sidecars := !g.On("NodeInclusionPolicyInPodTopologySpread"), !g.On("SidecarContainers")
	if !affinity && !spread && !inclusion && !sidecars {
		return
	}
	m.OwnObject()
	pod := m.Pod()
	for _, c := range kube.Spreads(pod) {
		if spread {
			c.MatchLabelKeys = nil
		}
		if inclusion {
			c.NodeAffinityPolicy, c.NodeTaintsPolicy = nil, nil
		}
	}
	for i := range pod.InitContainers {
		if sidecars {
			pod.InitContainers[i].RestartPolicy = nil
		}
	}
	if affinity {
		for _, t := range kube.Terms(pod) {
			t.MatchLabelKeys, t.MismatchLabelKeys = nil, nil
		}
	}
}

// MinorOf is the minor version of "1.35"; false for a text without one, or one whose gates are not known.
func MinorOf(version string) (int, bool) {
	if len(version) < 3 || version[:2] != "1." {
		return 0, false
	}
	n, err := strconv.Atoi(version[2:])
	return n, err == nil && n >= OldestMinor && n <= NewestMinor
}
