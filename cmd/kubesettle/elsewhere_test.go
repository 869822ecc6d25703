package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A knob of a delivery is what it says of something outside the repository: «as base has it|as head has it».
var knob = regexp.MustCompile(`«([^|»]*)\|([^»]*)»`)

// turned is a tree with knob n as head has it and the others as base has them; -1: all as base has them. It reports
// whether there is such a knob.
func (f treeFiles) turned(n int) (treeFiles, bool) {
	out, at, found := treeFiles{}, -1, false
	for _, name := range slices.Sorted(maps.Keys(f)) {
		out[name] = knob.ReplaceAllStringFunc(f[name], func(k string) string {
			at++
			side := 1
			if at == n {
				side, found = 2, true
			}
			return knob.FindStringSubmatch(k)[side]
		})
	}
	return out, found
}

// elsewhere are deliveries of what is not in the repository.
func elsewhere() map[string]treeFiles {
	flux := func(kind, spec, path string) treeFiles {
		api := "source.toolkit.fluxcd.io/v1"
		return treeFiles{"clusters/a.yaml": "apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: src, namespace: flux-system}\nspec:\n  interval: 5m\n" + spec +
			"---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: out, namespace: flux-system}\n" +
			"spec:\n  interval: 5m\n  prune: true\n  path: " + path + "\n  sourceRef: {kind: " + kind + ", name: src}\n"}
	}
	helm := func(source, chart, more string) treeFiles {
		return treeFiles{"clusters/a.yaml": source + "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: out, namespace: default}\n" +
			"spec:\n  interval: 5m\n" + chart + more}
	}
	app := func(source string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: out, namespace: argocd}\nspec:\n  project: default\n" +
			"  destination: {server: https://kubernetes.default.svc, namespace: default}\n" + source
	}
	object := func(api, kind, spec string) treeFiles {
		return treeFiles{"clusters/a.yaml": "apiVersion: " + api + "\nkind: " + kind + "\nmetadata: {name: out, namespace: default}\nspec:\n" + spec}
	}
	const repository = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: src, namespace: default}\nspec: {interval: 5m, url: \"https://charts.example.«com|org»\"}\n"
	const chart = "  chart: {spec: {chart: «web|api», version: «1.0.0|2.0.0», sourceRef: {kind: HelmRepository, name: src}}}\n"
	return map[string]treeFiles{
		"flux: OCI artifact":        flux("OCIRepository", "  url: oci://ghcr.io/example/«m|n»\n  ref: {tag: «v1|v2»}\n", "./«a|b»"),
		"flux: OCI artifact, range": flux("OCIRepository", "  url: oci://ghcr.io/example/m\n  ref: {semver: \"«>=1.0.0|>=2.0.0»\"}\n", "./"),
		"flux: bucket":              flux("Bucket", "  endpoint: «s3|minio».example.com\n  bucketName: «a|b»\n", "./"),
		"flux: git elsewhere":       flux("GitRepository", "  url: https://github.com/example/«m|n»\n  ref: {branch: «main|next»}\n", "./«x|y»"),
		"flux: git at a tag":        flux("GitRepository", "  url: https://github.com/example/m\n  ref: {tag: «v1|v2»}\n", "./x"),
		"flux: no source": {"clusters/a.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: out, namespace: flux-system}\n" +
			"spec: {interval: 5m, prune: true, path: ./«x|y», sourceRef: {kind: «OCIRepository|Bucket», name: src}}\n"},
		"flux: chart": helm(repository, chart, "  values: {replicas: «1|2»}\n"),
		"flux: chart, values beside": helm(repository, chart, "  valuesFrom: [{kind: ConfigMap, name: v}]\n").with(treeFiles{
			"clusters/v.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: default}\ndata: {values.yaml: \"replicas: «1|2»\"}\n"}),
		"flux: chart of no source": helm("", chart, "  valuesFrom: [{kind: ConfigMap, name: v}]\n").with(treeFiles{
			"clusters/v.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: default}\ndata: {values.yaml: \"replicas: «1|2»\"}\n"}),
		"flux: chart of an OCI artifact": helm("apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: src, namespace: default}\nspec: {interval: 5m, url: oci://ghcr.io/example/«web|api», ref: {tag: «1.0.0|2.0.0»}}\n",
			"  chartRef: {kind: OCIRepository, name: src}\n", "  values: {replicas: «1|2»}\n"),
		"flux: HelmChart": helm(repository+"---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmChart\nmetadata: {name: c, namespace: default}\nspec: {interval: 5m, chart: web, version: «1.0.0|2.0.0», sourceRef: {kind: HelmRepository, name: src}}\n",
			"  chartRef: {kind: HelmChart, name: c}\n", "  values: {replicas: «1|2»}\n"),
		"argo: chart": {"clusters/a.yaml": app("  source: {repoURL: \"https://charts.example.«com|org»\", chart: «web|api», targetRevision: «1.0.0|2.0.0», helm: {valuesObject: {replicas: «1|2»}}}\n")},
		"argo: chart, values beside": {"clusters/a.yaml": app("  sources:\n  - {repoURL: \"https://charts.example.com\", chart: web, targetRevision: «1.0.0|2.0.0», helm: {valueFiles: [$v/values/web.yaml]}}\n  - {repoURL: \"https://github.com/example/r\", targetRevision: HEAD, ref: v}\n"),
			"values/web.yaml": "replicas: «1|2»\n"},
		"argo: git elsewhere":   {"clusters/a.yaml": app("  source: {repoURL: \"https://github.com/example/«m|n»\", targetRevision: «v1|v2», path: «x|y»}\n")},
		"argo: root of another": {"clusters/a.yaml": app("  source: {repoURL: \"https://github.com/example/«m|n»\", targetRevision: «v1|v2», path: ./}\n")},
		"argo: set": {"clusters/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: out, namespace: argocd}\nspec:\n  generators: [{list: {elements: [{v: «1.0.0|2.0.0»}]}}]\n" +
			"  template:\n    metadata: {name: \"out\"}\n    spec: {project: default, destination: {server: \"https://kubernetes.default.svc\", namespace: default}, source: {repoURL: \"https://charts.example.com\", chart: web, targetRevision: \"{{v}}\"}}\n"},
		"argo: set of elsewhere": {"clusters/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: out, namespace: argocd}\nspec:\n  generators: [{list: {elements: [{v: «v1|v2»}]}}]\n" +
			"  template:\n    metadata: {name: \"out\"}\n    spec: {project: default, destination: {server: \"https://kubernetes.default.svc\", namespace: default}, source: {repoURL: \"https://github.com/example/«m|n»\", path: x, targetRevision: \"{{v}}\"}}\n"},
		"argo: set of clusters": {"clusters/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: out, namespace: argocd}\nspec:\n  generators: [{clusters: {selector: {matchLabels: {a: «b|c»}}}}]\n" +
			"  template:\n    metadata: {name: \"out-{{name}}\"}\n    spec: {project: default, destination: {server: \"{{server}}\", namespace: default}, sources: [{repoURL: \"https://charts.example.com\", chart: web, targetRevision: «1.0.0|2.0.0», helm: {valueFiles: [$v/values/web.yaml, \"$v/values/{{metadata.labels.env}}.yaml\"]}}, {repoURL: \"https://github.com/example/r\", targetRevision: HEAD, ref: v}]}\n",
			"values/web.yaml": "replicas: «1|2»\n", "values/prod.yaml": "replicas: «1|2»\n"},
		"argo: set of pull requests": {"clusters/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: out, namespace: argocd}\nspec:\n  generators: [{pullRequest: {github: {owner: «a|b», repo: c}}}]\n" +
			"  template:\n    metadata: {name: \"out-{{number}}\"}\n    spec: {project: default, destination: {server: \"https://kubernetes.default.svc\", namespace: default}, source: {repoURL: \"https://github.com/example/«m|n»\", path: \"{{branch}}/x\", targetRevision: \"{{head_sha}}\"}}\n"},
		"jsonnet": {"lib/web.libsonnet": "{ deployment: { replicas: «1|2», args: [importstr 'start.sh'] } }\n", "lib/start.sh": "echo «1|2»\n", "env/main.jsonnet": "import '../lib/«web|api».libsonnet'\n"},
		"kcl":     {"app/kcl.mod": "[package]\nname = \"app\"\n", "app/main.k": "import k8s.api.apps.v1\nv1.Deployment {replicas = «1|2»}\n"},
		"dhall":   {"app/web.dhall": "let k = https://kubernetes.example.org/package.dhall\nin k.Deployment::{ replicas = «1|2» }\n"},
		"olm: version": {"clusters/a.yaml": "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: out, namespace: default}\nspec:\n" +
			"  install: {spec: {deployments: [{name: web, spec: {replicas: «1|2», template: {spec: {containers: [{name: web, image: \"web:«1|2»\"}]}}}}]}}\n"},
		"helmfile": {"hf/helmfile.yaml": "repositories: [{name: r, url: \"https://charts.example.«com|org»\"}]\nreleases:\n- {name: out, namespace: default, chart: r/«web|api», version: «1.0.0|2.0.0», values: [v.yaml]}\n",
			"hf/v.yaml": "replicas: «1|2»\n"},
		"helmfile, no repository": {"hf/helmfile.yaml": "releases:\n- {name: out, namespace: default, chart: r/«web|api», version: «1.0.0|2.0.0», values: [v.yaml]}\n",
			"hf/v.yaml": "replicas: «1|2»\n"},
		"kustomize: base":      {"k/kustomization.yaml": "resources: [\"https://github.com/example/«m|n»//x?ref=«v1|v2»\"]\n"},
		"kustomize: file":      {"k/kustomization.yaml": "resources: [\"https://example.com/«v1|v2»/install.yaml\"]\n"},
		"kustomize: component": {"k/kustomization.yaml": "resources: [web.yaml]\ncomponents: [\"https://github.com/example/m//x?ref=«v1|v2»\"]\n", "k/web.yaml": webManifest(100)},
		"kustomize: chart":     {"k/kustomization.yaml": "helmCharts: [{name: «web|api», repo: \"https://charts.example.«com|org»\", version: «1.0.0|2.0.0», releaseName: out, valuesFile: v.yaml}]\n", "k/v.yaml": "replicas: «1|2»\n"},
		"chart: dependency":    {"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{name: web, version: «1.0.0|2.0.0», repository: \"https://charts.example.«com|org»\"}]\n", "c/values.yaml": "web: {replicas: «1|2»}\n"},
		"k3s: chart":           object("helm.cattle.io/v1", "HelmChart", "  {repo: \"https://charts.example.com\", chart: web, version: «1.0.0|2.0.0», valuesContent: \"replicas: «1|2»\"}\n"),
		"k3s: configuration":   object("helm.cattle.io/v1", "HelmChartConfig", "  {valuesContent: \"replicas: «1|2»\"}\n"),
		"fleet: repository":    object("fleet.cattle.io/v1alpha1", "GitRepo", "  {repo: \"https://github.com/example/m\", revision: «v1|v2», paths: [«x|y»]}\n"),
		"fleet: chart":         object("fleet.cattle.io/v1alpha1", "HelmOp", "  {helm: {repo: \"https://charts.example.com\", chart: web, version: «1.0.0|2.0.0»}}\n"),
		"crossplane: package":  object("pkg.crossplane.io/v1", "Provider", "  {package: \"xpkg.upbound.io/example/m:«v1|v2»\"}\n"),
		"crossplane: chart":    object("helm.crossplane.io/v1beta1", "Release", "  {forProvider: {chart: {name: web, repository: \"https://charts.example.com\", version: «1.0.0|2.0.0»}}}\n"),
		"carvel: app":          object("kappctrl.k14s.io/v1alpha1", "App", "  {fetch: [{git: {url: \"https://github.com/example/m\", ref: «v1|v2»}}]}\n"),
		"carvel: package":      object("packaging.carvel.dev/v1alpha1", "PackageInstall", "  {packageRef: {refName: web.example.com, versionSelection: {constraints: «1.0.0|2.0.0»}}}\n"),
		"olm: subscription":    object("operators.coreos.com/v1alpha1", "Subscription", "  {name: web, source: s, sourceNamespace: olm, channel: «stable|next»}\n"),
		"config sync":          object("configsync.gke.io/v1beta1", "RootSync", "  {sourceType: git, git: {repo: \"https://github.com/example/m\", revision: «v1|v2», dir: x}}\n"),
		"flux operator: set":   object("fluxcd.controlplane.io/v1", "FluxInstance", "  {distribution: {version: «2.4|2.5», registry: ghcr.io/fluxcd}}\n"),
		"cluster api: chart":   object("addons.cluster.x-k8s.io/v1alpha1", "HelmChartProxy", "  {repoURL: \"https://charts.example.com\", chartName: web, version: «1.0.0|2.0.0»}\n"),
		"sveltos: charts":      object("config.projectsveltos.io/v1beta1", "ClusterProfile", "  {helmCharts: [{repositoryURL: \"https://charts.example.com\", chartName: web, chartVersion: «1.0.0|2.0.0»}]}\n"),
	}
}

// places are where a delivery may stand: as it is, behind a kustomization, in a chart with the knobs among its values,
// beside other documents.
func places(f treeFiles) map[string]treeFiles {
	out := map[string]treeFiles{"as it is": f}
	object, ok := f["clusters/a.yaml"]
	if !ok {
		return out
	}
	listed := []string{}
	for name := range f {
		if rest, ok := strings.CutPrefix(name, "clusters/"); ok {
			listed = append(listed, rest)
		}
	}
	slices.Sort(listed)
	out["a kustomization"] = f.with(treeFiles{"clusters/kustomization.yaml": "resources: [" + strings.Join(listed, ", ") + "]\n"})
	out["an overlay"] = out["a kustomization"].with(treeFiles{"over/kustomization.yaml": "resources: [../clusters]\ncommonAnnotations: {a: b}\n"})
	out["many documents"] = f.with(treeFiles{"clusters/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, namespace: default}\n---\n" + object})
	n, values := 0, ""
	template := knob.ReplaceAllStringFunc(strings.ReplaceAll(object, "{{", "{{ \"{{\" }}"), func(k string) string {
		n++
		values += fmt.Sprintf("k%d: \"%s\"\n", n, k)
		return fmt.Sprintf("{{ .Values.k%d }}", n)
	})
	out["a chart"] = f.with(treeFiles{"clusters/a.yaml": "", "chart/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 1.0.0\n",
		"chart/templates/a.yaml": template, "chart/values.yaml": values})
	return out
}

// What is delivered from elsewhere is unknown: a change of what it is, or of what it is made with, is never a pass, in
// whatever way and wherever it is said. One that stays is not mentioned.
func TestWhatIsElsewhereIsUnknown(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	kinds := elsewhere()
	beside := treeFiles{".kubesettle.yaml": actionPolicy, "other/web.yaml": strings.ReplaceAll(webManifest(100), "web", "beside")}
	changed := treeFiles{"other/web.yaml": strings.ReplaceAll(webManifest(200), "web", "beside")}
	r := rand.New(rand.NewPCG(34, 1))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		all := places(kinds[kind])
		for _, place := range slices.Sorted(maps.Keys(all)) {
			if testing.Short() && (place == "as it is" && r.IntN(2) > 0 || place != "as it is" && r.IntN(80) > 0) { // a check takes a tenth of a second
				continue
			}
			base, _ := all[place].turned(-1)
			base = base.with(beside)
			name := kind + ", " + place
			if still := checkTrees(t, base, base.with(changed)); still.result.Verdict != finding.Pass {
				t.Errorf("%s: it stays, and that is no pass:\n%s", name, still.text)
			}
			if gone := checkTrees(t, base, beside.with(treeFiles{"values/web.yaml": base["values/web.yaml"], "app/kcl.mod": base["app/kcl.mod"]})); gone.result.Verdict == finding.Pass && kind != "olm: version" {
				t.Errorf("%s: it goes, and that is a pass:\n%s", name, gone.text)
			}
			if fresh := checkTrees(t, beside, base); fresh.result.Verdict == finding.Pass {
				t.Errorf("%s: it comes, and that is a pass:\n%s", name, fresh.text)
			}
			for n := 0; ; n++ {
				head, ok := all[place].turned(n)
				if !ok {
					break
				}
				for _, also := range []treeFiles{{}, changed} {
					got := checkTrees(t, base, head.with(beside).with(also))
					named := slices.ContainsFunc(got.result.Releases, func(rel finding.ReleaseResult) bool {
						return rel.Changed && (rel.Missing() || rel.Open()) && rel.Where != nil && rel.Reason != "" && rel.Remedy != ""
					})
					if kind == "olm: version" { // of a kind without a model, which decides beside nothing else
						named = got.result.Verdict != finding.Pass || slices.ContainsFunc(got.result.Workloads, func(w finding.Workload) bool { return w.Unmodeled })
					}
					if got.result.Verdict == finding.Pass && kind != "olm: version" || !named {
						t.Errorf("%s: knob %d turns, beside %d more files, and that is a pass, or not named:\n%s", name, n, len(also), got.text)
					}
				}
			}
		}
	}
}
