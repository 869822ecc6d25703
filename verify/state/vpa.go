package state

import corev1 "k8s.io/api/core/v1"

// VPA is a VerticalPodAutoscaler (autoscaling.k8s.io/v1), defaulted.
type VPA struct {
	Name        string
	Mode        VPAMode
	MinReplicas int // live pods of a ReplicaSet below which none is evicted; 0: the updater's default
	Policies    []VPAPolicy
	// Err says what cannot be read, or is not modeled: an object and field, and why.
	Err error
}

// VPAMode is spec.updatePolicy.updateMode.
type VPAMode string

// Auto is the deprecated name of Recreate.
const (
	VPAOff               VPAMode = "Off"
	VPAInitial           VPAMode = "Initial"
	VPARecreate          VPAMode = "Recreate"
	VPAInPlaceOrRecreate VPAMode = "InPlaceOrRecreate"
)

// VPAPolicy is one of spec.resourcePolicy.containerPolicies, or the default one.
type VPAPolicy struct {
	Container              string // "*": of those that have none of their own
	Off                    bool   // mode: Off
	MinAllowed, MaxAllowed corev1.ResourceList
	Controlled             []corev1.ResourceName // cpu and memory, unless given
	RequestsOnly           bool                  // controlledValues
}

// Policy is that of a container (vpa_api_util.GetContainerResourcePolicy).
func (v *VPA) Policy(container string) VPAPolicy {
	out := VPAPolicy{Controlled: []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}}
	for _, p := range v.Policies {
		if p.Container == container {
			return p
		}
		if p.Container == "*" {
			out = p
		}
	}
	return out
}
