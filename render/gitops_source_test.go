package render

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// A chart that cannot be had changes with the object that names its version, which is
// not the one that declares the release.
func TestRemoteChartReadsItsSource(t *testing.T) {
	rev := renderFiles(t, map[string]string{
		"app/kustomization.yaml": "resources: [release.yaml, source.yaml, other.yaml]\npatches: [{path: version.yaml}]\n",
		"app/release.yaml": `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web}
spec: {chartRef: {kind: OCIRepository, name: chart}, values: {replicas: 2}}
`,
		"app/source.yaml": `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: chart}
spec: {url: "oci://example.com/web", ref: {tag: "1.0.0"}}
`,
		"app/version.yaml": `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: chart}
spec: {ref: {tag: "1.0.1"}}
`,
		"app/other.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n",
	})
	for _, r := range rev.Releases {
		if r.Kind != object.Helm {
			continue
		}
		want := []string{"app/release.yaml", "app/source.yaml", "app/version.yaml"}
		if r.Err == nil || !r.Err.Skipped || !slices.Equal(r.Reads, want) {
			t.Errorf("%s reads %q, failed with %v; want %q", r.ID, r.Reads, r.Err, want)
		}
		return
	}
	t.Error("no release of a HelmRelease")
}
