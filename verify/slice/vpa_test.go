package slice

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

func vpaFrom(t testing.TB, spec string) *state.VPA {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte("spec:\n"+spec), &content); err != nil {
		t.Skip(err)
	}
	return vpaOf([]*object.Object{{Content: content}})
}

func TestVPA(t *testing.T) {
	for spec, want := range map[string]state.VPAMode{
		"  targetRef: {kind: Deployment, name: web}":      state.VPARecreate,
		"  updatePolicy: {updateMode: Auto}":              state.VPARecreate,
		"  updatePolicy: {updateMode: \"Off\"}":           state.VPAOff,
		"  updatePolicy: {updateMode: Initial}":           state.VPAInitial,
		"  updatePolicy: {updateMode: InPlaceOrRecreate}": state.VPAInPlaceOrRecreate,
	} {
		if v := vpaFrom(t, spec); v.Err != nil || v.Mode != want {
			t.Errorf("%s: %q (%v), want %q", spec, v.Mode, v.Err, want)
		}
	}
	v := vpaFrom(t, `  updatePolicy: {minReplicas: 1}
  resourcePolicy:
    containerPolicies:
    - {containerName: web, minAllowed: {cpu: 50m}, maxAllowed: {cpu: 2, memory: 4Gi}, controlledValues: RequestsOnly}
    - {containerName: "*", mode: "Off"}`)
	web, other := v.Policy("web"), v.Policy("log")
	if v.Err != nil || v.MinReplicas != 1 || web.MinAllowed.Cpu().MilliValue() != 50 || web.MaxAllowed.Cpu().Value() != 2 || !web.RequestsOnly || web.Off || !other.Off {
		t.Errorf("%+v", v)
	}
	for spec, want := range map[string]string{
		"  updatePolicy: {updateMode: InPlace}":                                                   `spec.updatePolicy.updateMode: "InPlace": not modeled`,
		"  recommenders: [{name: own}]":                                                           "spec.recommenders: not modeled",
		"  resourcePolicy: {containerPolicies: [{containerName: a, mode: Sometimes}]}":            `containerPolicies[0].mode: "Sometimes": not modeled`,
		"  resourcePolicy: {containerPolicies: [{containerName: a, controlledValues: All}]}":      `containerPolicies[0].controlledValues: "All": not modeled`,
		"  resourcePolicy: {containerPolicies: [{containerName: a, controlledResources: [gpu]}]}": `"gpu" is neither cpu nor memory: not modeled`,
		"  resourcePolicy: {containerPolicies: [{containerName: a}, {containerName: a}]}":         `containerPolicies[1].containerName: "a" has two policies: not modeled`,
		"  updatePolicy: 3": "cannot be read",
		"  resourcePolicy: {containerPolicies: [{containerName: a, maxAllowed: {cpu: lots}}]}": "cannot be read",
	} {
		v := vpaFrom(t, spec)
		if v.Err == nil || !errors.Is(v.Err, actor.ErrUnmodeled) || !strings.Contains(v.Err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, v.Err, want)
		}
	}
}

// FuzzVPA: whatever stands in a VerticalPodAutoscaler, it is read or said not to be modeled.
func FuzzVPA(f *testing.F) {
	f.Add("  updatePolicy: {updateMode: Auto}\n  resourcePolicy: {containerPolicies: [{containerName: a, maxAllowed: {cpu: 1}}]}")
	f.Add("  resourcePolicy: {containerPolicies: [{minAllowed: {memory: 1e99}}]}")
	f.Fuzz(func(t *testing.T, spec string) {
		if v := vpaFrom(t, spec); v.Err != nil && !errors.Is(v.Err, actor.ErrUnmodeled) {
			t.Error(v.Err)
		}
	})
}
