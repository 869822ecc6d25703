package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// talk is a pull request that makes web ask for more than a node has, and tries to get a pass for it.
type talk struct {
	base, head treeFiles
	named      string // what a pass has to say at least: a workload that is deployed no longer; "": it must not pass
}

// talks generates them, by kind: nothing of what they add changes that the workload is broken where it is deployed.
func talks() map[string]talk {
	out := map[string]talk{}
	good, bad := webManifest(100), webManifest(1500)
	plain := func(name string, head treeFiles) { out[name] = talk{base: treeFiles{"k/web.yaml": good}, head: head} }
	with := func(text string) treeFiles { return treeFiles{"k/web.yaml": text} }
	meta := func(what string) string {
		return strings.Replace(bad, "{name: web, namespace: default}", "{name: web, namespace: default, "+what+"}", 1)
	}
	// Marks on the object.
	for name, mark := range map[string]string{
		"a Helm hook":            "annotations: {helm.sh/hook: test}",
		"a Helm hook of install": "annotations: {helm.sh/hook: pre-install}",
		"an Argo CD hook":        "annotations: {argocd.argoproj.io/hook: PostSync}",
		"an Argo CD hook, Skip":  "annotations: {argocd.argoproj.io/hook: Skip}",
		"not compared":           "annotations: {argocd.argoproj.io/compare-options: IgnoreExtraneous}",
		"not synced":             "annotations: {argocd.argoproj.io/sync-options: Replace=true}",
		"not reconciled":         "annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}",
		"merged by Flux":         "annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}",
		"kept by Helm":           "annotations: {helm.sh/resource-policy: keep}",
		"local to kustomize":     "annotations: {config.kubernetes.io/local-config: 'true'}",
		"waived beside itself":   "annotations: {kubesettle.dev/waive: 'unschedulable: it is known (owner: me, expires: 2099-01-01)'}",
		"ignored by linters":     "annotations: {ignore-check.kube-linter.io/all: 'yes', kube-score/ignore: '*'}",
		"owned by another":       "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c, uid: u}]",
		"with a finalizer":       "finalizers: [a.example/b]",
		"on deletion":            "deletionTimestamp: '2020-01-01T00:00:00Z'",
	} {
		plain("the object is "+name, with(meta(mark)))
	}
	// How the file is written.
	for name, text := range map[string]string{
		"with a byte order mark":     "\ufeff" + bad,
		"with CRLF":                  strings.ReplaceAll(bad, "\n", "\r\n"),
		"in UTF-16 words":            "# -*- coding: utf-16 -*-\n" + bad,
		"as a list":                  "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n  ") + "\n",
		"after a good one":           good + "---\n" + bad,
		"before a broken document":   bad + "---\n{{ broken\n",
		"after a broken document":    "{{ broken\n---\n" + bad,
		"after an end mark":          "...\n---\n" + bad,
		"behind a tagged separator":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n--- !!map\n" + bad,
		"of a group in capitals":     strings.Replace(bad, "apps/v1", "Apps/v1", 1),
		"under a directive":          "%YAML 1.1\n---\n" + bad,
		"with a tag":                 strings.Replace(bad, "kind: Deployment", "kind: !!str Deployment", 1),
		"with its kind twice":        strings.Replace(bad, "kind: Deployment", "kind: ConfigMap\nkind: Deployment", 1),
		"with its spec twice":        bad + "spec: {}\n",
		"with quotes":                strings.Replace(bad, "kind: Deployment", "'kind': 'Deployment'", 1),
		"with an unknown field":      strings.Replace(bad, "spec:\n", "spec:\n  resorces: {}\n", 1),
		"of a group that is none":    strings.Replace(bad, "apps/v1", "app/v1", 1),
		"of a version that was":      strings.Replace(bad, "apps/v1", "extensions/v1beta1", 1),
		"of a kind that is none":     strings.Replace(bad, "kind: Deployment", "kind: Deploymnet", 1),
		"of a kind in lower case":    strings.Replace(bad, "kind: Deployment", "kind: deployment", 1),
		"without an API version":     strings.Replace(bad, "apiVersion: apps/v1\n", "", 1),
		"with a template's mark":     strings.Replace(bad, "name: web,", "name: '{{ name }}',", 1),
		"with a name to be filled":   strings.Replace(bad, "image: web", "image: ${IMAGE}", 1),
		"as JSON with a comment":     "// x\n" + bad,
		"behind a merge conflict":    "<<<<<<< ours\n" + good + "=======\n" + bad + ">>>>>>> theirs\n",
		"as an LFS pointer":          "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n",
		"with an anchor":             strings.Replace(bad, "cpu: 1500m", "cpu: &c 1500m", 1),
		"with a number for its name": strings.Replace(bad, "name: web,", "name: 1,", 1),
	} {
		plain("the file is written "+name, with(text))
	}
	// Where the file lies.
	for _, place := range []string{"testdata/k", "fixtures/k", "k/__snapshots__", ".k", "node_modules/k", "k/templates", "vendor/k", "docs/k", "k/.hidden"} {
		out["the file is in "+place] = talk{base: treeFiles{"k/web.yaml": good}, head: treeFiles{place + "/web.yaml": bad}, named: "default/web"}
	}
	for _, name := range []string{"web.yml", "web.json5", "web.yaml.tmpl", "web.txt", "web.YAML"} {
		out["the file is called "+name] = talk{base: treeFiles{"k/web.yaml": good}, head: treeFiles{"k/" + name: bad}, named: "default/web"}
	}
	// What lies beside it.
	for name, beside := range map[string]treeFiles{
		"a policy that asks nothing":           {".kubesettle.yaml": actionPolicy + "gate: {failOn: 'off'}\n"},
		"a policy with a waiver":               {".kubesettle.yaml": actionPolicy + "waivers: [{rule: unschedulable, workload: '*', reason: r, owner: o, expires: '2099-01-01'}]\n"},
		"a policy of larger nodes":             {".kubesettle.yaml": strings.Replace(actionPolicy, `cpu: "1"`, `cpu: "9"`, 1)},
		"a policy without the rule":            {".kubesettle.yaml": actionPolicy + "intents: {unschedulable: {severity: 'off'}}\n"},
		"a policy with a release of its own":   {".kubesettle.yaml": actionPolicy + "releases: [{id: k, path: other}]\n", "other/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"},
		"a policy of the folder":               {"k/.kubesettle.yaml": "gate: {failOn: 'off'}\n"},
		"a policy that does not load":          {".kubesettle.yaml": "{{{\n"},
		"no policy any more":                   {".kubesettle.yaml": ""},
		"a baseline":                           {"baseline.json": "{}", ".kubesettle.yaml": actionPolicy + "gate: {baseline: baseline.json}\n"},
		"a kustomization that lists nothing":   {"k/kustomization.yaml": "configMapGenerator: [{name: c}]\n"},
		"a component that lists it":            {"k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [web.yaml]\n"},
		"a chart":                              {"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n"},
		"a chart that cannot be read":          {"k/Chart.yaml": "{{{\n"},
		"a library chart above":                {"Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\ntype: library\n"},
		"a helmfile":                           {"k/helmfile.yaml": "releases: []\n"},
		"an ignore file":                       {".helmignore": "k\n", ".gitattributes": "k/** export-ignore linguist-vendored\n", ".krmignore": "k\n", ".sourceignore": "k\n", ".kubesettleignore": "k\n"},
		"a good one of the same name":          {"l/web.yaml": good},
		"an application that excludes it":      {"apps/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec: {project: default, destination: {namespace: default, server: s}, source: {repoURL: r, path: k, directory: {exclude: '*'}}}\n"},
		"an application that ignores its spec": {"apps/a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a, namespace: argocd}\nspec: {project: default, destination: {namespace: default, server: s}, source: {repoURL: r, path: k}, ignoreDifferences: [{group: apps, kind: Deployment, jsonPointers: [/spec]}]}\n"},
		"a release with an error":              {"n/Chart.yaml": "apiVersion: v2\nname: n\nversion: 1.0.0\n", "n/templates/a.yaml": "{{ fail \"x\" }}"},
		"a release by git::ext":                {"n/kustomization.yaml": "resources: ['git::ext::sh -c id']\n"},
		"a huge file":                          {"n/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: '" + strings.Repeat("x", 1<<20) + "'}\n"},
	} {
		plain("beside it is "+name, with(bad).with(beside))
	}
	// What a chart hangs the request on.
	chart := deployables(100)["chart"]
	for name, text := range map[string]string{
		"an upgrade":                "{{ if .Release.IsUpgrade }}1500m{{ else }}100m{{ end }}",
		"a lookup":                  `{{ if lookup "v1" "Namespace" "" "kube-system" }}1500m{{ else }}100m{{ end }}`,
		"the time":                  `{{ if gt (now | unixEpoch | int64) 99 }}1500m{{ else }}100m{{ end }}`,
		"a draw":                    `{{ randInt 1400 1600 }}m`,
		"the name of the release":   `{{ if ne .Release.Name "k" }}1500m{{ else }}1400m{{ end }}`,
		"the version of the chart":  `{{ if eq .Chart.Version "1.0.0" }}1500m{{ else }}100m{{ end }}`,
		"a file":                    `{{ if .Files.Get "Chart.yaml" }}100m{{ else }}1500m{{ end }}`,
		"an API that is not there":  `{{ if .Capabilities.APIVersions.Has "nothing/v1" }}100m{{ else }}1500m{{ end }}`,
		"a value that is not there": `{{ .Values.cpuOther | default "1500m" }}`,
	} {
		head := chart.with(treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "{{ .Values.cpu }}", text, 1)})
		out["the request hangs on "+name] = talk{base: chart, head: head}
	}
	lists := out["beside it is a kustomization that lists nothing"]
	lists.named = "default/web"
	out["beside it is a kustomization that lists nothing"] = lists
	return out
}

// A pull request gets no pass for a broken workload by anything that it adds: it fails, or the run says that it was not
// analysed, or it names the workload that is deployed no longer. Nothing is said to be gone that is there.
func TestNobodyTalksTheCheckOutOfIt(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	list := talks()
	if len(list) < 60 {
		t.Errorf("%d pull requests, want 60", len(list))
	}
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	outcomes := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(list)) {
		if testing.Short() && i%quickThirds != 0 {
			continue
		}
		one := list[name]
		t.Run(name, func(t *testing.T) {
			head := policy.with(one.head)
			c := checkTrees(t, one.base.with(policy), head)
			passes := c.code == exitPass && c.result.Verdict == finding.Pass
			outcomes[fmt.Sprint(c.code, " ", c.result.Verdict)]++
			if passes && (one.named == "" || !strings.Contains(c.text, one.named)) {
				t.Errorf("it passes:\n%s", c.text)
			}
			if c.code == exitPass && strings.Contains(c.text, "is gone") && one.named == "" {
				t.Errorf("it is said to be gone:\n%s", c.text)
			}
		})
	}
	t.Logf("%d pull requests: %v", len(list), outcomes)
}
