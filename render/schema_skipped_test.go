package render

import (
	"maps"
	"strings"
	"testing"
)

// Values are compared with the schema of a chart unless what renders it is told to leave that out: each tool by its own
// name, and Flux in the install and the upgrade.
func TestSchemaIsSkipped(t *testing.T) {
	flux := func(spec string) map[string]string {
		return map[string]string{"r.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: c}\nspec:\n" +
			"  interval: 1h\n  chart: {spec: {chart: ./c, sourceRef: {kind: GitRepository, name: here}}}\n" + spec}
	}
	argo := func(helm string) map[string]string {
		return map[string]string{"a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c}\nspec:\n" +
			"  destination: {namespace: shop}\n  source: {path: c, repoURL: https://example.com/r.git, helm: {" + helm + "}}\n"}
	}
	helmfile := func(defaults, release string) map[string]string {
		return map[string]string{"helmfile.yaml": "helmDefaults: {" + defaults + "}\nreleases:\n- {name: c, chart: ./c" + release + "}\n"}
	}
	script := func(flags string) map[string]string {
		return map[string]string{"deploy.sh": "helm upgrade --install c ./c " + flags + "\n"}
	}
	for _, c := range []struct {
		id            string
		asked, not    map[string]string
		leavesOneAway map[string]string
	}{
		{"helmrelease:", flux(""),
			flux("  install: {disableSchemaValidation: true}\n  upgrade: {disableSchemaValidation: true}\n"),
			flux("  install: {disableSchemaValidation: true}\n")},
		{"argocd:", argo("skipTests: true"), argo("skipSchemaValidation: true"), argo("skipSchemaValidation: false")},
		{"helmfile:", helmfile("", ""), helmfile("", ", skipSchemaValidation: true"),
			helmfile("skipSchemaValidation: true", ", skipSchemaValidation: false")},
		{"helmfile:", helmfile("wait: true", ""), helmfile("skipSchemaValidation: true", ""), helmfile("args: [--wait]", "")},
		{"helmfile:", helmfile("", ""), helmfile("args: [--skip-schema-validation]", ""), helmfile("", "")},
		{"deploy:", script("--wait"), script("--skip-schema-validation"), script("--skip-schema-validation=false")},
	} {
		for _, way := range []struct {
			files  map[string]string
			passes bool
		}{{c.asked, false}, {c.not, true}, {c.leavesOneAway, false}} {
			files := map[string]string{
				"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "c/values.yaml": "size: big\n",
				"c/values.schema.json": `{"properties": {"size": {"type": "integer"}}}`,
				"c/templates/a.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {size: {{ .Values.size }}}\n",
			}
			maps.Copy(files, way.files)
			seen := false
			for _, r := range renderWith(t, files, Options{}).Releases {
				if !strings.HasPrefix(r.ID, c.id) {
					continue
				}
				if seen = true; (r.Err == nil) != way.passes {
					t.Errorf("%s with %v: %v", r.ID, way.files, r.Err)
				}
			}
			if !seen {
				t.Errorf("no release %s of %v", c.id, way.files)
			}
		}
	}
}
