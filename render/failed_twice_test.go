package render

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestOneFailureCountsOnce: a folder that does not render as it is declared, and not by itself either, is one release that
// fails; one that rendered by itself before is broken.
func TestOneFailureCountsOnce(t *testing.T) {
	const flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app, namespace: a}\n" +
		"spec: {path: ./app, sourceRef: {kind: GitRepository, name: flux-system}}\n"
	const argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: app, namespace: a}\n" +
		"spec: {source: {repoURL: 'https://github.com/a/b', path: app}, destination: {namespace: a}}\n"
	for name, declared := range map[string]string{"flux": flux, "argo": argo} {
		good := map[string]string{"declared/app.yaml": declared, "app/kustomization.yaml": "resources: [web.yaml]\n",
			"app/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"}
		bad := maps.Clone(good)
		delete(bad, "app/web.yaml")
		was := maps.Clone(bad)
		was["app/kustomization.yaml"] = "# another\nresources: [web.yaml]\n"
		alone := maps.Clone(good)
		delete(alone, "declared/app.yaml")
		for what, c := range map[string]struct {
			base map[string]string
			want int
		}{"renders on base": {good, 1}, "fails on both sides": {was, 1}, "is declared on head": {alone, 2}} {
			var failed []string
			for _, r := range bothOf(t, c.base, bad, Options{}).Head.Releases {
				if r.Err != nil {
					failed = append(failed, r.ID)
				}
			}
			if len(failed) != c.want || !slices.ContainsFunc(failed, func(id string) bool { return strings.Contains(id, ":") }) {
				t.Errorf("%s, %s: %q fail, want %d", name, what, failed, c.want)
			}
		}
	}
}
