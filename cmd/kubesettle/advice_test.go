package main

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Advice for what is not known works: a check that follows it, on both sides of the same change, decides.
func TestAdviceWorks(t *testing.T) {
	app := func(source string) treeFiles { return treeFiles{"apps/k.yaml": thirdApplication(source, "")} }
	web := treeFiles{"k/web.yaml": strings.Replace(webManifest(100), "100m", "«100m|200m»", 1)}
	chart := treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "k/values.yaml": "cpu: «100m|200m»\n",
		"k/templates/web.yaml": strings.Replace(webManifest(100), "100m", "{{ .Values.cpu }}", 1)}
	const helmRelease = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: k, namespace: default}\nspec: {interval: 5m, values: {cpu: «100m|200m»}, "
	const repository = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: r, namespace: default}\nspec: {interval: 5m, url: \"https://charts.example.com\"}\n"
	helmfile := func(more string) treeFiles {
		return treeFiles{"hf/helmfile.yaml": "repositories: [{name: r, url: \"https://charts.example.com\"}]\nreleases:\n- {name: k, namespace: default, values: [{cpu: «100m|200m»}], " + more + "}\n"}
	}
	compared := web // rendered outside of the repository, before and after
	for name, row := range map[string]struct {
		files  treeFiles
		says   string
		follow treeFiles
		only   bool // of what is followed, and of nothing else
	}{
		"a chart elsewhere, of Argo CD":  {app("chart: k, targetRevision: «1.0.0|2.0.0», repoURL: \"https://charts.example.com\""), "commit the chart, and name its folder instead", chart.with(app("path: k")), false},
		"a chart elsewhere, of Flux":     {treeFiles{"f/k.yaml": helmRelease + "chart: {spec: {chart: k, version: 1.0.0, sourceRef: {kind: HelmRepository, name: r}}}}\n" + repository}, "commit the chart, and name its folder instead", chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n", "f/k.yaml": helmRelease + "chart: {spec: {chart: ./k, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}}\n"}), false},
		"a chart elsewhere, of helmfile": {helmfile("chart: r/k, version: 1.0.0"), "commit the chart, and name its folder instead", chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n"}).with(helmfile("chart: ../k")), false},
		"patches of helmfile":            {chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n"}).with(helmfile("chart: ../k, jsonPatches: [{target: {kind: Deployment, name: web}, patch: []}]")), "render it before and after", compared, true},
		"a command of helmfile":          {treeFiles{"hf/helmfile.yaml": "releases:\n{{ range exec \"a\" (list) | splitList \" \" }}\n- {name: «a|b», chart: ../k}\n{{ end }}\n"}, "render it before and after", compared, true},
		"a plugin":                       {app("path: k, plugin: {name: «a|b»}").with(treeFiles{"k/a.txt": "x"}), "commit the plugin's output, and let the Application name that", web.with(app("path: k")), false},
		"a field of another version":     {app("path: k, helm: {valueFilez: [«a|b»]}").with(chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n"})), "correct its name", app("path: k, helm: {valueFiles: [«a.yaml|b.yaml»]}").with(treeFiles{"k/a.yaml": "cpu: 100m\n", "k/b.yaml": "cpu: 200m\n"}), false},
		"and what it makes":              {app("path: k, helm: {valueFilez: [«a|b»]}").with(chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n"})), "or render the objects before and after", compared, true},
		"values elsewhere":               {app("path: k, helm: {valueFiles: [\"https://example.com/«a|b».yaml\"]}").with(chart.with(treeFiles{"k/values.yaml": "cpu: 100m\n"})), "commit the file, and name it by its path", app("path: k, helm: {valueFiles: [«a|b».yaml]}").with(treeFiles{"k/a.yaml": "cpu: 100m\n", "k/b.yaml": "cpu: 200m\n"}), false},
		"a generator of applications":    {treeFiles{"apps/k.yaml": thirdSet("{pullRequest: {github: {owner: «a|b», repo: c}}}", "  template:\n    metadata: {name: 'k-{{ .number }}'}\n    spec: {project: default, destination: {server: https://kubernetes.default.svc}, source: {repoURL: https://example.com/r.git, path: '{{ .branch }}'}}\n")}, "render what it deploys before and after", compared, true},
		"a generator of manifests":       {treeFiles{"k/kustomization.yaml": "generators: [g.yaml]\n", "k/g.yaml": "apiVersion: x/v1\nkind: G\nmetadata:\n  name: g\n  annotations: {config.kubernetes.io/function: \"exec: {path: ./«a|b».sh}\"}\n"}, "commit what it generates, and list that under resources", web.with(treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n"}), false},
		"a library of Jsonnet":           {app("path: k").with(treeFiles{"k/web.jsonnet": "import '«a|b».libsonnet'\n"}), "commit the library that holds it", treeFiles{"k/a.libsonnet": "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }", "k/b.libsonnet": "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }"}, false},
		"a path out of the repository":   {app("path: k").with(treeFiles{"k/web.jsonnet": "import '../../../«a|b».libsonnet'\n"}), "import it from inside the repository", treeFiles{"k/web.jsonnet": "import '../«a|b».libsonnet'\n", "a.libsonnet": "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }", "b.libsonnet": "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }"}, false},
		"Jsonnet that nothing names":     {treeFiles{"k/web.jsonnet": "{ kind: 'Deployment', n: «1|2» }\n"}, "render its output before and after", compared, true},
		"Terraform":                      {treeFiles{"tf/a.tf": "resource \"helm_release\" \"a\" {\n  chart = \"«a|b»\"\n}\n"}, "render what it installs before and after", compared, true},
		"Terraform that nothing needs":   {treeFiles{"tf/a.tf": "resource \"helm_release\" \"a\" {\n  chart = \"«a|b»\"\n}\n"}, "`parked: ['tf/a.tf']` in the policy", treeFiles{".kubesettle.yaml": "parked: ['tf/a.tf']\n"}, false},
		"values that nothing takes":      {treeFiles{"env/values-prod.yaml": "image: a\nreplicas: «1|2»\n"}, "`parked: ['env/values-prod.yaml']` in the policy", treeFiles{".kubesettle.yaml": "parked: ['env/values-prod.yaml']\n"}, false},
		"a value that is filled in":      {treeFiles{"k/web.yaml": strings.Replace(webManifest(100), "100m", "\"${«A|B»}\"", 1)}, "with the value filled in", compared, true},
		"an upgrade":                     {chart.with(treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "spec:\n", "spec:\n  replicas: {{ if .Release.IsUpgrade }}3{{ else }}2{{ end }}\n", 1)}), "let a value decide it", treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "spec:\n", "spec:\n  replicas: {{ if .Values.up }}3{{ else }}2{{ end }}\n", 1)}, false},
	} {
		check := func(f treeFiles) checked {
			base, _ := f.turned(-1)
			head, ok := f.turned(0)
			if !ok {
				t.Fatalf("%s: nothing changes", name)
			}
			return checkTrees(t, base, head)
		}
		before := check(row.files)
		if said := strings.ToLower(strings.Join(strings.Fields(before.text), " ")); before.result.Verdict == finding.Pass ||
			!strings.Contains(said, strings.ToLower(row.says)) {
			t.Errorf("%s: %s, and %q is not said:\n%s", name, before.result.Verdict, row.says, before.text)
		}
		follow := row.follow
		if !row.only {
			follow = row.files.with(follow)
		}
		if after := check(follow); after.result.Verdict != finding.Pass {
			t.Errorf("%s: %s although %q is followed:\n%s", name, after.result.Verdict, row.says, after.text)
		}
	}
}
