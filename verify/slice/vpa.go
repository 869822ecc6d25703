package slice

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// isVPA reports whether an object is a VerticalPodAutoscaler of a Deployment.
func isVPA(o *object.Object) bool {
	return o.ID.Group == "autoscaling.k8s.io" && o.ID.Kind == "VerticalPodAutoscaler" &&
		ValueAt(o.Content, "spec", "targetRef", "kind") == string(state.Deployment)
}

// vpasOf lists the VerticalPodAutoscalers of a workload.
func (s side) vpasOf(o *object.Object) []*object.Object { return s.found.vpas[o.ID.String()] }

// vpaObject is what of autoscaling.k8s.io/v1 is read; the names are those of
// vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1.
type vpaObject struct {
	Spec struct {
		UpdatePolicy *struct {
			UpdateMode  *string `json:"updateMode"`
			MinReplicas *int32  `json:"minReplicas"`
		} `json:"updatePolicy"`
		ResourcePolicy *struct {
			ContainerPolicies []struct {
				ContainerName       string                 `json:"containerName"`
				Mode                *string                `json:"mode"`
				MinAllowed          corev1.ResourceList    `json:"minAllowed"`
				MaxAllowed          corev1.ResourceList    `json:"maxAllowed"`
				ControlledResources *[]corev1.ResourceName `json:"controlledResources"`
				ControlledValues    *string                `json:"controlledValues"`
			} `json:"containerPolicies"`
		} `json:"resourcePolicy"`
		Recommenders []map[string]any `json:"recommenders"`
	} `json:"spec"`
}

// vpaOf reads the VerticalPodAutoscaler of a workload; nil where it has none. What cannot
// be read makes the verdict inconclusive.
func vpaOf(objects []*object.Object) *state.VPA {
	if len(objects) == 0 {
		return nil
	}
	out := &state.VPA{Name: objects[0].ID.Name}
	if len(objects) > 1 {
		out.Err = fmt.Errorf("%s targets the same workload: %w", objects[1].ID, actor.ErrUnmodeled)
		return out
	}
	var o vpaObject
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[0].Content, &o); err != nil {
		out.Err = fmt.Errorf("cannot be read: %w", errors.Join(err, actor.ErrUnmodeled))
		return out
	}
	out.Err = o.read(out)
	return out
}

// read fills in a VPA as the API server defaults it.
func (o *vpaObject) read(out *state.VPA) error {
	out.Mode = state.VPARecreate // api.go: GetUpdateMode
	if p := o.Spec.UpdatePolicy; p != nil {
		if p.MinReplicas != nil {
			out.MinReplicas = int(*p.MinReplicas)
		}
		if p.UpdateMode != nil {
			out.Mode = state.VPAMode(*p.UpdateMode)
		}
	}
	switch out.Mode {
	case "Auto", "":
		out.Mode = state.VPARecreate
	case state.VPAOff, state.VPAInitial, state.VPARecreate, state.VPAInPlaceOrRecreate:
	default:
		return fmt.Errorf("spec.updatePolicy.updateMode: %q: %w", out.Mode, actor.ErrUnmodeled)
	}
	if len(o.Spec.Recommenders) > 0 {
		return fmt.Errorf("spec.recommenders: %w", actor.ErrUnmodeled)
	}
	if o.Spec.ResourcePolicy == nil {
		return nil
	}
	for i, c := range o.Spec.ResourcePolicy.ContainerPolicies {
		at := fmt.Sprintf("spec.resourcePolicy.containerPolicies[%d].", i)
		p := state.VPAPolicy{Container: c.ContainerName, MinAllowed: c.MinAllowed, MaxAllowed: c.MaxAllowed,
			Controlled: []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory}}
		if c.ControlledResources != nil {
			p.Controlled = *c.ControlledResources
		}
		for _, name := range p.Controlled {
			if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
				return fmt.Errorf("%scontrolledResources: %q is neither cpu nor memory: %w", at, name, actor.ErrUnmodeled)
			}
		}
		switch value := valueOr(c.Mode, "Auto"); value {
		case "Auto", "Off":
			p.Off = value == "Off"
		default:
			return fmt.Errorf("%smode: %q: %w", at, value, actor.ErrUnmodeled)
		}
		switch value := valueOr(c.ControlledValues, "RequestsAndLimits"); value {
		case "RequestsAndLimits", "RequestsOnly":
			p.RequestsOnly = value == "RequestsOnly"
		default:
			return fmt.Errorf("%scontrolledValues: %q: %w", at, value, actor.ErrUnmodeled)
		}
		if slices.ContainsFunc(out.Policies, func(o state.VPAPolicy) bool { return o.Container == p.Container }) {
			return fmt.Errorf("%scontainerName: %q has two policies: %w", at, p.Container, actor.ErrUnmodeled)
		}
		out.Policies = append(out.Policies, p)
	}
	return nil
}

// valueOr is what a pointer leads to, or a default.
func valueOr(v *string, otherwise string) string {
	if v == nil || *v == "" {
		return otherwise
	}
	return *v
}
