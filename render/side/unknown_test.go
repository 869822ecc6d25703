package side

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// What something fills in before the API server sees it is unknown, wherever it stands; what others read is not, and
// of what Argo CD or Flux apply as it is written, what they alone fill in.
func TestUnknown(t *testing.T) {
	t.Parallel()
	declared := object.Location{File: "app.yaml"}
	for text, want := range map[string][3]bool{ // plain manifests, a chart, declared
		"${APP}": {true, true, false}, "${APP:=web}": {true, true, false}, "${{N}}": {true, true, false},
		"${open": {false, false, false}, "web": {false, false, false}, "$APP": {true, false, false},
		"<path:kv/data/web#team>": {true, true, true}, "$ARGOCD_APP_NAME": {true, true, true},
		"<team>": {true, false, false}, "%TEAM%": {true, false, false}, "__team__": {true, false, false},
		"TEAM_NAME": {false, false, false},
	} {
		for i, rel := range []release.Release{
			{Release: object.Release{Kind: object.Manifests}}, {Release: object.Release{Kind: object.Helm}},
			{Release: object.Release{Kind: object.Kustomize, By: declared}},
		} {
			b := &builder{rel: rel}
			o := &object.Object{Typed: &corev1.Pod{}, Content: map[string]any{
				"metadata": map[string]any{"name": "web", "annotations": map[string]any{"a": text}, "labels": map[string]any{"l": text}},
				"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
					map[string]any{"args": []any{text}, "image": text, "name": text}}}}},
				"data": map[string]any{"x": text},
			}}
			var expect []string
			if want[i] {
				expect = []string{"metadata.labels[l]", "spec.template.spec.containers[0].name"}
			}
			if got := b.unknown(o, nil); !slices.Equal(got, expect) {
				t.Errorf("%s in release %d: %v, want %v", text, i, got, expect)
			}
		}
	}
	for name, want := range map[string]bool{"web": false, "web-HOSTNAME": true, "Web": false, "APP_NAME": true} {
		b := &builder{rel: release.Release{Release: object.Release{Kind: object.Manifests}}}
		o := &object.Object{Typed: &corev1.Pod{}, ID: object.ID{Name: name}, Content: map[string]any{"metadata": map[string]any{"name": name}}}
		if got := len(b.unknown(o, nil)) == 1; got != want {
			t.Errorf("name %s: unknown is %v", name, got)
		}
	}
}
