package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// files of a tree, by path; a text that begins with "link:" is a symlink to what follows.
type treeFiles map[string]string

// with is the tree with further files; an empty text takes one away.
func (f treeFiles) with(more treeFiles) treeFiles {
	out := maps.Clone(f)
	for name, text := range more {
		if text == "" {
			delete(out, name)
		} else {
			out[name] = text
		}
	}
	return out
}

// moved is the tree with one folder under another name.
func (f treeFiles) moved(from, to string) treeFiles {
	out := treeFiles{}
	for name, text := range f {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok {
			name = to + "/" + rest
		}
		out[name] = strings.ReplaceAll(text, "./"+from, "./"+to)
	}
	return out
}

func (f treeFiles) put(t *testing.T, dir string) string {
	t.Helper()
	for name, text := range f {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if target, ok := strings.CutPrefix(text, "link:"); ok {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// checked is one check of two trees.
type checked struct {
	code   int
	result finding.Result
	text   string
}

func checkTrees(t *testing.T, base, head treeFiles, args ...string) checked {
	t.Helper()
	dir := t.TempDir()
	var out, said bytes.Buffer
	p := &process{stdin: strings.NewReader(""), stdout: &out, stderr: &said, getenv: func(string) string { return "" }}
	file := filepath.Join(dir, "r.json")
	c := checked{}
	c.code = execute(context.Background(), p, append([]string{"check", "--base-dir", base.put(t, filepath.Join(dir, "base")),
		"--head-dir", head.put(t, filepath.Join(dir, "head")), "--offline", "--output", "json=" + file, "--output", "text"}, args...))
	c.text = out.String() + said.String()
	if b, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(b, &c.result); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// gates are the findings that fail the check, by rule and workload.
func (c checked) gates() []string {
	var out []string
	for _, f := range c.result.Findings {
		if f.Severity == "error" && (f.Status == finding.New || f.Status == finding.Worsened) {
			out = append(out, f.Rule+" of "+f.Workload)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c checked) has(rule string) bool {
	return slices.ContainsFunc(c.result.Findings, func(f finding.Finding) bool { return f.Rule == rule && f.Status != finding.Fixed })
}

// tooLarge is what each of these pull requests breaks: web asks for more than a node has.
const tooLarge = "unschedulable of apps/Deployment default/web"

// deployables are the kinds of releases that a folder k may be, with what web asks for.
func deployables(millicores int) map[string]treeFiles {
	web := webManifest(millicores)
	chart := treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "k/values.yaml": fmt.Sprintf("cpu: %dm\nreplicas: 1\n", millicores),
		"k/templates/web.yaml": strings.Replace(strings.Replace(web, fmt.Sprintf("%dm", millicores), "{{ .Values.cpu }}", 1), "spec:\n", "spec:\n  replicas: {{ .Values.replicas }}\n", 1)}
	kustomization := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": web}
	application := func(source string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k, namespace: argocd}\nspec:\n" +
			"  project: default\n  destination: {server: https://kubernetes.default.svc, namespace: default}\n" +
			"  source: {repoURL: https://example.com/r.git, targetRevision: HEAD, path: ./k" + source + "}\n"
	}
	return map[string]treeFiles{
		"plain":         {"k/web.yaml": web},
		"kustomization": kustomization,
		"chart":         chart,
		"chart with values beside": chart.with(treeFiles{"k/values.yaml": "cpu: 100m\nreplicas: 1\n",
			"k/values-prod.yaml": fmt.Sprintf("cpu: %dm\n", millicores)}),
		"helmfile": chart.with(treeFiles{"k/values.yaml": "cpu: 100m\nreplicas: 1\n",
			"hf/helmfile.yaml": "releases:\n- name: k\n  namespace: default\n  chart: .././k\n  values:\n  - cpu: " + fmt.Sprintf("%dm\n", millicores)}),
		"application of plain files":     treeFiles{"k/web.yaml": web, "apps/k.yaml": application("")},
		"application of a kustomization": kustomization.with(treeFiles{"apps/k.yaml": application("")}),
		"application of a chart":         chart.with(treeFiles{"apps/k.yaml": application("")}),
		"application of Jsonnet": treeFiles{"k/web.jsonnet": "import 'web.libsonnet'\n", "k/web.libsonnet": jsonnetOf(web),
			"apps/k.yaml": application("")},
		"environment of Tanka": treeFiles{"k/main.jsonnet": "{ web: import 'web.libsonnet' }\n", "k/web.libsonnet": jsonnetOf(web),
			"k/jsonnetfile.json": "{}", "k/spec.json": `{"apiVersion": "tanka.dev/v1alpha1", "kind": "Environment", "metadata": {"name": "k"}, "spec": {"namespace": "default"}}`},
		"templated helmfile": chart.with(treeFiles{"k/values.yaml": "cpu: 100m\nreplicas: 1\n",
			"hf/helmfile.yaml.gotmpl": "releases:\n{{ range list \"k\" }}\n- name: {{ . }}\n  namespace: default\n  chart: .././k\n  values: [v.yaml.gotmpl]\n{{ end }}\n",
			"hf/v.yaml.gotmpl":        "cpu: " + fmt.Sprintf("{{ print %d \"m\" }}\n", millicores)}),
		"flux kustomization":              kustomization.with(treeFiles{"clusters/k.yaml": fluxKustomization("k", "")}),
		"flux kustomization, plain files": treeFiles{"k/web.yaml": web, "clusters/k.yaml": fluxKustomization("k", "")},
		"flux helm release": chart.with(treeFiles{"clusters/k.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: k, namespace: default}\n" +
			"spec:\n  interval: 5m\n  chart: {spec: {chart: ./k, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n"}),
	}
}

// jsonnetOf is a program that gives what a manifest says.
func jsonnetOf(manifest string) string {
	return "std.parseYaml(|||\n" + block(2, manifest)[2:] + "|||)\n"
}

func fluxKustomization(name, more string) string {
	return "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: " + name + ", namespace: flux-system}\n" +
		"spec:\n  interval: 5m\n  prune: true\n  path: ./k\n  sourceRef: {kind: GitRepository, name: flux-system}\n" + more
}

// wrappers are what a pull request may add that renders k otherwise: web as it was, or none of it.
func wrappers() map[string]treeFiles {
	const (
		patch = "patches:\n- target: {kind: Deployment, name: web}\n  patch: |-\n    - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}\n"
		sleep = "replicas: [{name: web, count: 0}]\n"
		app   = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: fake, namespace: argocd}\nspec:\n" +
			"  project: default\n  destination: {server: https://kubernetes.default.svc, namespace: default}\n" +
			"  source:\n    repoURL: https://example.com/r.git\n    targetRevision: HEAD\n    path: ./k\n"
	)
	indent := func(s string) string {
		return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
	}
	return map[string]treeFiles{
		"a kustomization with a patch":        {"fake/kustomization.yaml": "resources: [.././k]\n" + patch},
		"a kustomization of files":            {"fake/kustomization.yaml": "resources: [.././k/web.yaml]\n" + patch},
		"a kustomization above":               {"kustomization.yaml": "resources: [./k]\n" + patch},
		"a kustomization above, of files":     {"kustomization.yaml": "resources: [./k/web.yaml]\n" + patch},
		"an overlay without replicas":         {"dev/kustomization.yaml": "resources: [.././k]\n" + sleep},
		"a component":                         {"fake/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nresources: [.././k]\n" + patch},
		"two overlays in a circle":            {"a/kustomization.yaml": "resources: [.././k, ../b]\n" + patch, "b/kustomization.yaml": "resources: [../a]\n"},
		"a kustomization that inflates":       {"fake/kustomization.yaml": "helmGlobals: {chartHome: ../}\nhelmCharts: [{name: k, releaseName: k, valuesInline: {cpu: 100m, replicas: 1}}]\n"},
		"a kustomization above that inflates": {"kustomization.yaml": "helmGlobals: {chartHome: .}\nhelmCharts: [{name: k, releaseName: k, valuesInline: {cpu: 100m, replicas: 1}}]\n"},
		"a kustomization of the applications": {"fake/kustomization.yaml": "resources: [../apps/k.yaml]\npatches:\n- target: {kind: Application}\n  patch: |-\n    - {op: add, path: /spec/source/kustomize, value: {patches: [{target: {kind: Deployment}, patch: '[{\"op\": \"replace\", \"path\": \"/spec/template/spec/containers/0/resources/requests/cpu\", \"value\": \"100m\"}]'}]}}\n"},
		"an umbrella chart":                   {"umbrella/Chart.yaml": "apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: [{name: k, version: 1.0.0, repository: file://../k}]\n", "umbrella/values.yaml": "k: {cpu: 100m, replicas: 1}\n"},
		"a chart above":                       {"Chart.yaml": "apiVersion: v2\nname: above\nversion: 1.0.0\n"},
		"a chart above with its parts":        {"Chart.yaml": "apiVersion: v2\nname: above\nversion: 1.0.0\n", ".helmignore": "k\n"},
		"an application with patches":         {"fake/app.yaml": app + "    kustomize:\n" + indent(indent(indent(patch)))},
		"an application with parameters":      {"fake/app.yaml": app + "    helm: {parameters: [{name: cpu, value: 100m}]}\n"},
		"an application that excludes":        {"fake/app.yaml": app + "    directory: {exclude: 'web.yaml'}\n"},
		"an application as it is":             {"fake/app.yaml": app},
		"a flux kustomization with patches":   {"fake/k.yaml": fluxKustomization("fake", indent(patch))},
		"a flux kustomization, suspended":     {"fake/k.yaml": fluxKustomization("fake", "  suspend: true\n")},
		"a helm release":                      {"fake/k.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: fake, namespace: default}\nspec:\n  interval: 5m\n  chart: {spec: {chart: ./k, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n  values: {cpu: 100m}\n"},
		"a helmfile":                          {"fake/helmfile.yaml": "releases:\n- name: k\n  namespace: default\n  chart: .././k\n  values: [{cpu: 100m}]\n"},
		"a set of applications":               {"fake/s.yaml": thirdSet("{list: {elements: [{name: fake}]}}", thirdTemplate("k", ", helm: {parameters: [{name: cpu, value: 100m}]}"))},
		"a set of no applications":            {"fake/s.yaml": thirdSet("{list: {elements: []}}", thirdTemplate("k", ""))},
		"a chart of k3s":                      {"fake/c.yaml": "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: fake, namespace: kube-system}\nspec: {chart: ../k, targetNamespace: default, valuesContent: 'cpu: 100m'}\n"},
		"a bundle of Fleet":                   {"fake/fleet.yaml": "defaultNamespace: default\nhelm: {chart: ../k, releaseName: k, values: {cpu: 100m}}\n"},
		"a bundle of Fleet, paused":           {"k/fleet.yaml": "defaultNamespace: default\npaused: true\n"},
		"a chart that is inflated":            {"fake/kustomization.yaml": "helmGlobals: {chartHome: ..}\nhelmCharts: [{name: k, releaseName: k, namespace: default, valuesInline: {cpu: 100m}}]\n"},
		"a deployment of Skaffold":            {"skaffold.yaml": "apiVersion: skaffold/v4beta11\nkind: Config\ndeploy: {helm: {releases: [{name: k, chartPath: k, setValues: {cpu: 100m}}]}}\n"},
		"a script that deploys":               {"deploy.sh": "#!/bin/sh\nhelm upgrade --install k ./k --set cpu=100m\nkubectl apply -f fake\n"},
		"a helmfile that installs nothing":    {"fake/helmfile.yaml": "releases:\n- name: k\n  namespace: default\n  chart: .././k\n  installed: false\n"},
		"a helmfile of helmfiles":             {"fake/helmfile.yaml": "helmfiles:\n- path: ../hf/helmfile.yaml\n  values: [{cpu: 100m}]\n"},
	}
}

// A wrapper of what is in order, and does not change, is none of a release that breaks: it passes, and nothing is said to
// be gone. So is one of a folder that was renamed.
func TestAWrapperIsNoFinding(t *testing.T) {
	t.Parallel()
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	whole := 0
	kinds := deployables(100)
	for k, kind := range slices.Sorted(maps.Keys(kinds)) {
		base := kinds[kind]
		for i, name := range slices.Sorted(maps.Keys(wrappers())) {
			if testing.Short() && (k+i)%quickWrappers != 0 {
				continue
			}
			add := wrappers()[name]
			for place, head := range map[string]treeFiles{"in place": base.with(add), "renamed": base.with(add).moved("k", "renamed")} {
				c := checkTrees(t, base.with(policy), head.with(policy))
				switch {
				case len(c.gates()) > 0:
					t.Errorf("%s, %s, %s: exit code %d, %q\n%s", kind, name, place, c.code, c.gates(), c.text)
				case c.code == exitPass:
					whole++
					if strings.Contains(c.text, "gone") {
						t.Errorf("%s, %s, %s: something is said to be gone\n%s", kind, name, place, c.text)
					}
				}
			}
		}
	}
	t.Logf("%d render", whole)
}

// quickWrappers is of how many wrappers one is tried with -short.
const quickWrappers = 37

// Adding files never removes a check: whatever includes a release on head, and mends it there, the release that base
// has is checked as it is on head, also under another name.
func TestNoWrapperTakesACheckAway(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	bases, heads := deployables(100), deployables(1500)
	turn := 0
	for _, kind := range slices.Sorted(maps.Keys(bases)) {
		for _, renamed := range []bool{false, true} {
			base, head := bases[kind].with(policy), heads[kind].with(policy)
			place := "in place"
			turn++
			if renamed {
				head, place = head.moved("k", "renamed"), "renamed"
			}
			t.Run(kind+"/"+place, func(t *testing.T) {
				without := checkTrees(t, base, head)
				if !slices.Contains(without.gates(), tooLarge) {
					t.Fatalf("alone it is not found: exit code %d\n%s", without.code, without.text)
				}
				for i, name := range slices.Sorted(maps.Keys(wrappers())) {
					if testing.Short() && (i+turn)%quickWrappers != 0 {
						continue // some of them for each kind, all of them in the long tests
					}
					add := wrappers()[name]
					if renamed {
						add = add.moved("k", "renamed")
					}
					with := checkTrees(t, base, head.with(add))
					if !slices.Contains(with.gates(), tooLarge) {
						t.Errorf("%s takes it away: exit code %d, %q\n%s", name, with.code, with.gates(), with.text)
					}
				}
			})
		}
	}
}

// vanishings take k out of what is deployed, or hide it, while its files, or others in their place, are there.
func vanishings() map[string]struct {
	base, head treeFiles
	code       int // 0: a finding says so
} {
	type vanishing = struct {
		base, head treeFiles
		code       int
	}
	kinds := deployables(100)
	overlay := kinds["kustomization"].with(treeFiles{"o/kustomization.yaml": "resources: [.././k]\n"})
	conditional := kinds["chart"].with(treeFiles{"k/values.yaml": "cpu: 100m\nreplicas: 1\nenabled: true\n",
		"k/templates/web.yaml": "{{ if .Values.enabled }}\n" + kinds["chart"]["k/templates/web.yaml"] + "{{ end }}\n"})
	applications := kinds["application of a kustomization"].with(treeFiles{"apps/kustomization.yaml": "resources: [k.yaml]\n"})
	return map[string]vanishing{
		"a file that is listed no longer":            {kinds["kustomization"], kinds["kustomization"].with(treeFiles{"k/kustomization.yaml": "resources: []\nnamePrefix: ''\nconfigMapGenerator: [{name: c}]\n"}), 0},
		"a condition that is switched off":           {conditional, conditional.with(treeFiles{"k/values.yaml": "cpu: 100m\nreplicas: 1\nenabled: false\n"}), 0},
		"a patch that deletes":                       {kinds["kustomization"], kinds["kustomization"].with(treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, $patch: delete}'}]\nconfigMapGenerator: [{name: c}]\n"}), 0},
		"a helmfile that installs it no longer":      {kinds["helmfile"], kinds["helmfile"].with(treeFiles{"hf/helmfile.yaml": kinds["helmfile"]["hf/helmfile.yaml"] + "  installed: false\n"}), 0},
		"an application that goes":                   {kinds["application of plain files"], kinds["application of plain files"].with(treeFiles{"apps/k.yaml": ""}), 0},
		"an application that is listed no longer":    {applications, applications.with(treeFiles{"apps/kustomization.yaml": "resources: []\nconfigMapGenerator: [{name: c}]\n"}), 0},
		"an application of a misspelt kind":          {kinds["application of plain files"], kinds["application of plain files"].with(treeFiles{"apps/k.yaml": strings.Replace(kinds["application of plain files"]["apps/k.yaml"], "kind: Application", "kind: Aplication", 1)}), 0},
		"a flux kustomization that goes":             {kinds["flux kustomization"], kinds["flux kustomization"].with(treeFiles{"clusters/k.yaml": ""}), 0},
		"an application whose folder goes":           {kinds["application of plain files"], kinds["application of plain files"].with(treeFiles{"k/web.yaml": ""}), exitAnalysis},
		"a flux kustomization whose folder goes":     {kinds["flux kustomization"], kinds["flux kustomization"].with(treeFiles{"k/web.yaml": "", "k/kustomization.yaml": ""}), exitAnalysis},
		"an overlay whose base goes":                 {overlay, overlay.with(treeFiles{"k/web.yaml": "", "k/kustomization.yaml": ""}), exitAnalysis},
		"a library chart":                            {kinds["chart"], kinds["chart"].with(treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\ntype: library\n"}), exitAnalysis},
		"a chart without a name":                     {kinds["chart"], kinds["chart"].with(treeFiles{"k/Chart.yaml": "apiVersion: v2\nversion: 1.0.0\n"}), exitAnalysis},
		"a kustomization of a misspelt kind":         {kinds["kustomization"], kinds["kustomization"].with(treeFiles{"k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomisation\nresources: [web.yaml]\n"}), exitAnalysis},
		"a second kustomization file":                {kinds["kustomization"], kinds["kustomization"].with(treeFiles{"k/kustomization.yml": "resources: []\n"}), exitAnalysis},
		"a link in the place of a folder":            {kinds["plain"], kinds["plain"].with(treeFiles{"k/web.yaml": "", "k": "link:../outside"}), exitAnalysis},
		"a link in the place of a folder of a chart": {kinds["chart"], kinds["plain"].with(treeFiles{"k/web.yaml": "", "k": "link:../outside"}), exitAnalysis},
		"a link in the place of a file":              {kinds["plain"], kinds["plain"].with(treeFiles{"k/web.yaml": "link:../../outside.yaml"}), exitAnalysis},
		"a manifest of a misspelt kind":              {kinds["plain"], kinds["plain"].with(treeFiles{"k/web.yaml": strings.Replace(webManifest(100), "kind: Deployment", "kind: Deploymnet", 1)}), exitFinding},
		"a manifest without an API version":          {kinds["plain"], kinds["plain"].with(treeFiles{"k/web.yaml": strings.Replace(webManifest(100), "apiVersion: apps/v1\n", "", 1)}), exitAnalysis},
		"a hidden folder":                            {kinds["plain"], treeFiles{"testdata/k/web.yaml": webManifest(100)}, -1},
	}
}

// What vanishes from the releases while its files stay is a finding at a line, or not analysed; it is not said to be gone.
func TestWhatVanishesIsNotGone(t *testing.T) {
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	for name, v := range vanishings() {
		t.Run(name, func(t *testing.T) {
			c := checkTrees(t, v.base.with(policy), v.head.with(policy))
			if v.code >= 0 && c.code != v.code {
				t.Errorf("exit code %d, want %d\n%s", c.code, v.code, c.text)
			}
			if v.code == 0 && (!c.has("no-longer-deployed") || strings.Contains(c.text, "with it")) {
				t.Errorf("no finding, or something is said to be gone\n%s", c.text)
			}
		})
	}
}

// A new release of which anything is refused is not analysed, as an old one is not: exit code 3, with the file.
func TestWhatIsRefusedOfANewReleaseIsNotAnalysed(t *testing.T) {
	base := deployables(100)["plain"]
	app := strings.ReplaceAll(deployables(100)["application of plain files"]["apps/k.yaml"], "./k", "new")
	plugin := "apiVersion: x/v1\nkind: X\nmetadata: {name: x, annotations: {config.kubernetes.io/function: 'exec: {path: ./run.sh}'}}\n"
	for name, add := range map[string]treeFiles{
		"git::ext":                {"n/kustomization.yaml": "resources: ['git::ext::sh -c id']\n"},
		"file:///":                {"n/kustomization.yaml": "resources: ['file:///etc']\n"},
		"a function that runs":    {"n/kustomization.yaml": "transformers: [x.yaml]\n", "n/x.yaml": plugin},
		"fail":                    {"n/Chart.yaml": "apiVersion: v2\nname: n\nversion: 1.0.0\n", "n/templates/a.yaml": "{{ fail \"x\" }}"},
		"a chart home above":      {"n/kustomization.yaml": "helmGlobals: {chartHome: ../../etc}\nhelmCharts: [{name: c}]\n"},
		"a chart home at the top": {"n/kustomization.yaml": "helmGlobals: {chartHome: /etc}\nhelmCharts: [{name: c}]\n"},
		"a chart above":           {"n/kustomization.yaml": "helmCharts: [{name: ../../../c}]\n"},
		"a plugin of Argo CD":     {"new/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", "apps/n.yaml": strings.Replace(app, "path: new", "path: new, plugin: {name: x}", 1)},
		"an import above":         {"new/a.jsonnet": "import '../../a'", "apps/n.yaml": app},
		"a path that is no text":  {"n/a.yaml": webManifest(1500), "apps/n.yaml": strings.Replace(app, "path: new", "path: n", 1)},
	} {
		if c := checkTrees(t, base, base.with(add)); c.code != exitAnalysis || c.result.Counts()["releases-failed"] != 1 {
			t.Errorf("%s: exit code %d, %v\n%s", name, c.code, c.result.Counts(), c.text)
		}
	}
}
