package state

import (
	"strconv"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
)

// Gate is a feature gate of Kubernetes that the models follow.
type Gate struct {
	Name string
	// OnSince is the minor version from which on it is on by default; 0: in none up to [NewestMinor].
	OnSince int
	Says    string // what becomes of it in the models where it is on, and where it is off
}

// OldestMinor and NewestMinor bound the minor versions of Kubernetes 1 of which the gates' defaults are known.
const (
	OldestMinor = 31
	NewestMinor = 36
)

// gates are those that the models follow, sorted by name. Defaults are those of kubernetes v1.36.3, pkg/features:
// defaultVersionedKubernetesFeatureGates, with which conformance compares them.
var gates = [...]Gate{
	{"HPAConfigurableTolerance", 35, "an HPA's `behavior.*.tolerance` counts; off: the API server drops it"},
	{"InPlacePodVerticalScaling", 33, "a VPA with `InPlaceOrRecreate` resizes pods in place; off: it evicts them"},
	{"MaxUnavailableStatefulSet", 0, "a StatefulSet's `rollingUpdate.maxUnavailable` counts, and an update waits for every unavailable pod; off: one pod after the other, whatever those below it are"},
}

// Gates lists the feature gates that the models follow.
func Gates() []Gate { return append([]Gate(nil), gates[:]...) }

// Gated says which gates are on in a cluster: those that are so by default in its version, but for those that are set.
type Gated struct {
	Minor int             // 0: [NewestMinor]
	Set   map[string]bool // by name
}

// On reports whether a gate is on.
func (g Gated) On(name string) bool {
	if on, ok := g.Set[name]; ok {
		return on
	}
	minor := g.Minor
	if minor == 0 {
		minor = NewestMinor
	}
	for _, x := range gates {
		if x.Name == name {
			return x.OnSince > 0 && minor >= x.OnSince
		}
	}
	return false
}

// Apply takes out of a manifest what the cluster does not know. The objects that it changes are copied before.
//
// Upstream v1.36.3: pkg/registry/apps/statefulset and autoscaling/horizontalpodautoscaler: dropDisabledFields.
func (g Gated) Apply(m *Manifest) {
	m.MaxUnavailable = m.StatefulSet != nil && g.On("MaxUnavailableStatefulSet")
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

// MinorOf is the minor version of "1.35"; false for what has none, or one whose gates are not known.
func MinorOf(version string) (int, bool) {
	if len(version) < 3 || version[:2] != "1." {
		return 0, false
	}
	n, err := strconv.Atoi(version[2:])
	return n, err == nil && n >= OldestMinor && n <= NewestMinor
}
