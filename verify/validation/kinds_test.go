package validation

import (
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
)

// TestMeant tells kinds that no API server has from those of somebody else.
func TestMeant(t *testing.T) {
	for of, want := range map[string]string{
		"autoscaling/v2 horizontalPodAutoscaler":   "autoscaling/v2 HorizontalPodAutoscaler",
		"autoscaling/v2 HorizontalPodAutoScaler":   "autoscaling/v2 HorizontalPodAutoscaler",
		"policy/v1 PodDistruptionBudget":           "policy/v1 PodDisruptionBudget",
		"v1 Deployment":                            "apps/v1 Deployment",
		"extensions/v1 DaemonSet":                  "apps/v1 DaemonSet",
		"app/v1 StatefulSet":                       "apps/v1 StatefulSet",
		"apps/v2 Deployment":                       "apps/v1 Deployment",
		"apps/v1 Ingress":                          "networking.k8s.io/v1 Ingress",
		"networking.k8s.io/v1 NetworkPolcy":        "networking.k8s.io/v1 NetworkPolicy",
		"apps/v1 Deployment":                       "",
		"apps/v1beta1 Deployment":                  "", // not served any more, which is told of otherwise
		"policy/v1beta1 PodSecurityPolicy":         "",
		"v1 RoleBinding":                           "", // as OpenShift 3 had it
		"v1 DeploymentConfig":                      "",
		"v1 Template":                              "",
		"v1 Config":                                "",
		"apps.openshift.io/v1 DeploymentConfig":    "",
		"apps.kruise.io/v1beta1 StatefulSet":       "",
		"autoscaling.k8s.io/v1 HorizontalPodTuner": "",
		"autoscaling/v1 VerticalPodAutoscaler":     "",
		"storage.k8s.io/v1 VolumeSnapshotClass":    "",
		"serving.knative.dev/v1 Service":           "",
		"networking.k8s.io/v1beta7 NetworkPolicy":  "",
		"${GROUP}/v1 Deployment":                   "",
		"REPLACED Deployment":                      "",
	} {
		version, kind, _ := strings.Cut(of, " ")
		content := map[string]any{"apiVersion": version, "kind": kind}
		meant, ok := Meant(content)
		got := ""
		if ok {
			got = meant.GroupVersion().String() + " " + meant.Kind
		}
		if got != want {
			t.Errorf("%s: %q, not %q", of, got, want)
		}
		if refused := len(CreateCustom(content)) > 0; refused != ok || ok != KnowsCustom(content) {
			t.Errorf("%s: refused %v", of, refused)
		}
	}
	for gvk := range scheme.Scheme.AllKnownTypes() { // what there is is as it is meant
		content := map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind}
		if meant, ok := Meant(content); ok {
			t.Errorf("%s is taken for %s", gvk, meant)
		}
	}
}
