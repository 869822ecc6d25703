package static

import (
	"math/rand/v2"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestSelectPods holds each way to have a selector select a workload's pods against the pods: after it the selector
// matches them, and selects something. The first keeps out whoever lacks a label that the selector was given.
func TestSelectPods(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	keys := []string{"app", "app.kubernetes.io/name", "app.kubernetes.io/component", "app.kubernetes.io/components", "component",
		"release", "tier"}
	draw := func(least int) map[string]string {
		out := map[string]string{}
		for len(out) < least || r.IntN(3) > 0 && len(out) < 5 {
			out[keys[r.IntN(len(keys))]] = []string{"web", "api", "x"}[r.IntN(3)]
		}
		return out
	}
	offered := 0
	for range 2000 {
		pod, sel, own := draw(1), draw(1), map[string]string{}
		for k, v := range pod {
			if len(own) == 0 || r.IntN(2) == 0 {
				own[k] = v
			}
		}
		content := map[string]any{}
		for k, v := range pod {
			content[k] = v
		}
		workload := &object.Object{ID: object.ID{Kind: "Deployment", Name: "web"},
			Typed: &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: own}}},
			Content: map[string]any{"spec": map[string]any{"template": map[string]any{
				"metadata": map[string]any{"labels": content}}}}}
		service := &object.Object{Typed: &corev1.Service{Spec: corev1.ServiceSpec{Selector: sel}}}
		for _, way := range aimAt(service, workload, false) {
			offered++
			got := map[string]string{}
			for k, v := range sel {
				got[k] = v
			}
			for _, s := range way.Set {
				k := strings.TrimSuffix(strings.TrimPrefix(s.Path, "spec.selector["), "]")
				if delete(got, k); s.Value != nil {
					got[k] = s.Value.(string)
				}
			}
			if len(got) == 0 || !labels.SelectorFromSet(got).Matches(labels.Set(pod)) {
				t.Fatalf("%v of pods %v becomes %v", sel, pod, got)
			}
		}
		if missed := !labels.SelectorFromSet(sel).Matches(labels.Set(pod)); missed != (len(aimAt(service, workload, false)) > 0) {
			t.Fatalf("%v of pods %v: missed %v", sel, pod, missed)
		}
	}
	if offered < 1000 {
		t.Errorf("%d were offered", offered)
	}
}

// TestSupported takes the one value that was meant, and none where two may be.
func TestSupported(t *testing.T) {
	always := field.NotSupported(field.NewPath("spec"), "Always", []string{"AlwaysAllow", "IfHealthyBudget"})
	for e, want := range map[*field.Error]string{
		always: "AlwaysAllow",
		field.NotSupported(field.NewPath("spec"), "rollingupdate", []string{"RollingUpdate", "Recreate"}): "RollingUpdate",
		field.NotSupported(field.NewPath("spec"), "Recreat", []string{"RollingUpdate", "Recreate"}):       "Recreate",
		field.NotSupported(field.NewPath("spec"), "OnDelete", []string{"RollingUpdate", "Recreate"}):      "",
		field.NotSupported(field.NewPath("spec"), "R", []string{"RollingUpdate", "Recreate"}):             "",
		field.NotSupported(field.NewPath("spec"), "", []string{"RollingUpdate", "Recreate"}):              "",
		field.Invalid(field.NewPath("spec"), "Always", "supported values: \"AlwaysAllow\""):               "",
	} {
		if got := supported(e); got != want {
			t.Errorf("%v: %q, not %q", e, got, want)
		}
	}
}
