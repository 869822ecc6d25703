package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// rewritten are ways to write web's file, each of which leaves it broken, unreadable, or no manifest any more.
func rewritten(good, bad string) map[string]string {
	config := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\n"
	wide := func(order func(uint16) [2]byte, mark bool) string {
		var b strings.Builder
		units := utf16.Encode([]rune(bad))
		if mark {
			units = append([]uint16{0xfeff}, units...)
		}
		for _, u := range units {
			two := order(u)
			b.Write(two[:])
		}
		return b.String()
	}
	little := func(u uint16) [2]byte { return [2]byte{byte(u), byte(u >> 8)} }
	item := func(s string) string { return strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n" }
	replaced := func(old, new string) string { return strings.Replace(bad, old, new, 1) }
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 9), ","))
	}
	return map[string]string{
		"with CR alone":                      strings.ReplaceAll(bad, "\n", "\r"),
		"with line ends of all kinds":        strings.Replace(strings.Replace(bad, "\n", "\r\n", 2), "spec:\n", "spec:\r", 1),
		"with a byte order mark inside":      config + "---\n\ufeff" + bad,
		"in UTF-16":                          wide(little, true),
		"in UTF-16 without a mark":           wide(little, false),
		"in Latin-1":                         "# caf\xe9\n" + bad,
		"with a zero byte":                   bad + "# \x00\n",
		"behind a line separator":            "# x\u2028kind: ConfigMap\n" + bad,
		"behind a next-line mark":            "# x\u0085kind: ConfigMap\n" + bad,
		"with a merge key":                   replaced("requests: {cpu: 1500m}", "requests: {<<: &r {cpu: 1500m}}"),
		"with a merge key that loses":        replaced("{cpu: 1500m}", "{<<: {cpu: 100m}, cpu: 1500m}"),
		"with a list of merge keys":          replaced("{cpu: 1500m}", "{<<: [{cpu: 1500m}, {cpu: 100m}]}"),
		"with an anchor elsewhere":           replaced("metadata: {name: web, namespace: default}", "metadata: {name: web, namespace: default, annotations: {a: &n 1500m}}") + "# *n\n",
		"with a request twice, the bad last": replaced("{cpu: 1500m}", "{cpu: 100m, cpu: 1500m}"),
		"without a separator":                config + bad,
		"with a separator and a comment":     config + "--- # next\n" + bad,
		"with a separator and a tag":         config + "--- !!map\n" + bad,
		"behind a separator on its line":     config + "--- {apiVersion: v1, kind: ConfigMap, metadata: {name: d}}\n---\n" + bad,
		"behind an end mark alone":           config + "...\n" + bad,
		"behind a separator with a space":    config + " ---\n" + bad,
		"with tabs":                          strings.ReplaceAll(bad, "  ", "\t"),
		"with its kind in a block":           replaced("kind: Deployment", "kind: >-\n  Deployment"),
		"with its kind in a literal block":   replaced("kind: Deployment", "kind: |\n  Deployment"),
		"with an escaped kind":               replaced("kind: Deployment", `kind: "Deploy\x6dent"`),
		"with an escaped key":                replaced("kind: Deployment", `"\u006bind": Deployment`),
		"with an explicit key":               replaced("kind: Deployment", "? kind\n: Deployment"),
		"with a local tag":                   replaced("1500m", "!mine 1500m"),
		"with a binary tag":                  replaced("1500m", "!!binary MTUwMG0="),
		"with a number that is none":         replaced("1500m", "1_500m"),
		"with a number in other words":       replaced("1500m", "'1.5e0'"),
		"with a number of tiny parts":        replaced("1500m", "1500000000n"),
		"as a list of its kind":              "apiVersion: apps/v1\nkind: DeploymentList\nitems:\n- " + item(bad),
		"as a list in a list":                "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - " + strings.ReplaceAll(item(bad), "\n", "\n  "),
		"as a list without a version":        "kind: List\nitems:\n- " + item(bad),
		"with a look-alike kind":             replaced("kind: Deployment", "kind: D\u0435ployment"),
		"with a look-alike key":              replaced("kind: Deployment", "k\u0456nd: Deployment"),
		"of a group in capitals":             replaced("apps/v1", "Apps/v1"),
		"with a generated name":              replaced("{name: web, namespace: default}", "{generateName: web-, namespace: default}"),
		"with a name in capitals":            replaced("{name: web, namespace: default}", "{name: WEB, namespace: default}"),
		"with a name with a space":           replaced("{name: web, namespace: default}", "{name: 'web ', namespace: default}"),
		"with a zero-width name":             replaced("{name: web, namespace: default}", "{name: \"web\u200b\", namespace: default}"),
		"behind a bomb of aliases":           bomb + "---\n" + bad,
		"behind a deep document":             "a: " + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "\n---\n" + bad,
		"behind thousands of documents":      strings.Repeat("---\n{}\n", 30000) + "---\n" + bad,
		"behind 6 MiB of comments":           strings.Repeat("# "+strings.Repeat("x", 998)+"\n", 6<<10) + bad,
		"all in comments":                    "# " + strings.ReplaceAll(good, "\n", "\n# ") + "\n",
		"as nothing":                         "---\n",
		"as a text":                          "see wiki\n",
		"as JSON on one line":                `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web","resources":{"requests":{"cpu":"1500m"}}}]}}}}`,
		"as two JSON texts":                  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}` + "\n" + `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web","resources":{"requests":{"cpu":"1500m"}}}]}}}}`,
		"as a pointer of LFS with CRLF":      "version https://git-lfs.github.com/spec/v1\r\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\r\nsize 12345\r\n",
		"as a pointer of git-annex":          "/annex/objects/SHA256E-s12345--4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393.yaml\n",
		"as what SOPS encrypts":              bad + "sops: {mac: 'ENC[AES256_GCM,data:x]', version: 3.8.1}\n",
		"behind another's mark":              "# kubesettle:ignore\n# nolint\n# checkov:skip=all\n# yamllint disable\n" + bad,
	}
}

// placesElsewhere are what web's file may be moved to, and whether a release is made of it there.
func placesElsewhere() map[string]bool {
	return map[string]bool{"testdata/web.yaml": false, "k/web.yaml.bak": false, "k/web.yaml~": false, "k/#web.yaml#": false,
		"k/web": false, "k/web.yaml.disabled": false, "k/WEB.YAML.txt": false, "archive/k/web.txt": false,
		"k/web.y\u0430ml": false, "k/_web.yaml": true, "k/web.json": true, "k/w\u0435b.yaml": true, ".github/web.yaml": true,
		"k/test/web.yaml": true, "examples/web.yaml": true, "old/web.yaml": true}
}

// again generates further pull requests that break web, hide it or take it away.
func again() map[string]talk {
	out := map[string]talk{}
	good, bad := webManifest(100), webManifest(1500)
	plain := treeFiles{"k/web.yaml": good}
	for name, text := range rewritten(good, bad) {
		one := talk{base: plain, head: treeFiles{"k/web.yaml": text}}
		if name == "all in comments" || name == "as nothing" {
			one.named = "release k is gone, and takes apps/Deployment default/web with it"
		}
		out["the file is written "+name] = one
	}
	for place := range placesElsewhere() {
		for what, text := range map[string]string{"bad": bad, "as it was": good} {
			if what == "as it was" && placesElsewhere()[place] {
				continue // it is deployed from there
			}
			out["the file is moved, "+what+", to "+place] = talk{base: plain, head: treeFiles{place: text}}
		}
	}
	for name, head := range map[string]treeFiles{
		"a link to another":           {"k/web.yaml": "link:../l/web.yaml", "l/web.yaml": bad},
		"a link to a hidden one":      {"k/web.yaml": "link:../testdata/web", "testdata/web": bad},
		"a link to itself":            {"k/web.yaml": "link:web.yaml"},
		"a folder":                    {"k/web.yaml/a.txt": "x"},
		"a folder with it":            {"k/web.yaml/web.yaml": bad},
		"a link from a folder":        {"k": "link:l", "l/web.yaml": bad},
		"a link from a hidden folder": {"k": "link:testdata/l", "testdata/l/web.yaml": bad},
	} {
		out["in its place is "+name] = talk{base: plain, head: head}
	}
	folder := out["in its place is a folder"]
	folder.named = "release k is gone"
	out["in its place is a folder"] = folder
	maps.Copy(out, againKustomize(good, bad))
	maps.Copy(out, againHelm())
	maps.Copy(out, againGitOps(good, bad))
	maps.Copy(out, againBeside(good, bad))
	return out
}

func againKustomize(good, bad string) map[string]talk {
	out := map[string]talk{}
	base := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": good}
	sets := "[{op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 1500m}]"
	named := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"
	for name, head := range map[string]treeFiles{
		"two files of it":             {"k/web.yaml": bad, "k/kustomization.yml": "resources: []\n"},
		"two files, of other case":    {"k/web.yaml": bad, "k/Kustomization": "resources: []\n"},
		"its other name":              {"k/web.yaml": bad, "k/kustomization.yaml": "", "k/kustomization.yml": "resources: [web.yaml]\n"},
		"its third name":              {"k/web.yaml": bad, "k/kustomization.yaml": "", "k/Kustomization": "resources: [web.yaml]\n"},
		"its name in capitals":        {"k/web.yaml": bad, "k/kustomization.yaml": "", "k/KUSTOMIZATION.YAML": "resources: []\n"},
		"a look-alike name":           {"k/web.yaml": bad, "k/kustomization.yaml": "", "k/kustomiz\u0430tion.yaml": "resources: []\n"},
		"an old version":              {"k/web.yaml": bad, "k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Kustomization\nresources: [web.yaml]\n"},
		"a version that is none":      {"k/web.yaml": bad, "k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v9\nkind: Kustomization\nresources: [web.yaml]\n"},
		"a component that breaks it":  {"k/kustomization.yaml": "resources: [web.yaml]\ncomponents: [../c]\n", "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '" + sets + "'}]\n"},
		"a replacement":               {"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\nreplacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.cpu}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.resources.requests.cpu]}]}]\n", "k/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {cpu: 1500m}\n"},
		"a replacement in a file":     {"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\nreplacements: [{path: r}]\n", "k/r": "source: {kind: ConfigMap, name: c, fieldPath: data.cpu}\ntargets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.resources.requests.cpu]}]\n", "k/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {cpu: 1500m}\n"},
		"a prefix":                    {"k/web.yaml": bad, "k/kustomization.yaml": "namePrefix: x-\nresources: [web.yaml]\n"},
		"a namespace":                 {"k/web.yaml": bad, "k/kustomization.yaml": "namespace: other\nresources: [web.yaml]\n"},
		"a patch that replaces":       {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{path: p}]\n", "k/p": named + "spec: {template: {spec: {$patch: replace, containers: [{name: web, image: w, resources: {requests: {cpu: 1500m}}}]}}}\n"},
		"a patch of old":              {"k/kustomization.yaml": "resources: [web.yaml]\npatchesStrategicMerge:\n- |-\n  " + strings.ReplaceAll(named+"spec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}", "\n", "\n  ") + "\n"},
		"a JSON patch of old":         {"k/kustomization.yaml": "resources: [web.yaml]\npatchesJson6902: [{target: {group: apps, version: v1, kind: Deployment, name: web}, patch: '" + sets + "'}]\n"},
		"a patch that takes its kind": {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{target: {kind: Deployment}, options: {allowKindChange: true}, patch: '[{op: replace, path: /kind, value: Deploymnet}]'}]\n"},
		"a patch that marks it local": {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{target: {kind: Deployment}, patch: '[{op: add, path: /metadata/annotations, value: {config.kubernetes.io/local-config: \"true\"}}]'}]\n"},
		"a patch that empties it":     {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{target: {kind: Deployment}, patch: '[{op: remove, path: /spec/template}]'}]\n"},
		"a transformer":               {"k/kustomization.yaml": "resources: [web.yaml]\ntransformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  target: {kind: Deployment}\n  patch: '" + sets + "'\n"},
		"a base of old":               {"k/kustomization.yaml": "bases: [../b]\n", "k/web.yaml": "", "b/kustomization.yaml": "resources: [web.yaml]\n", "b/web.yaml": bad},
		"variables":                   {"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\nvars: [{name: CPU, objref: {apiVersion: v1, kind: ConfigMap, name: c}, fieldref: {fieldpath: data.cpu}}]\nconfigurations: [v]\n", "k/v": "varReference: [{path: spec/template/spec/containers/resources/requests/cpu, kind: Deployment}]\n", "k/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {cpu: 1500m}\n", "k/web.yaml": strings.Replace(good, "100m", "$(CPU)", 1)},
		"a generator of it":           {"k/kustomization.yaml": "configMapGenerator: [{name: web, files: [web.yaml]}]\n"},
		"an inflated chart of it":     {"k/kustomization.yaml": "helmGlobals: {chartHome: charts}\nhelmCharts: [{name: web, releaseName: web, namespace: default}]\n", "k/web.yaml": "", "k/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "k/charts/web/templates/web.yaml": bad},
		"a comment for a list":        {"k/kustomization.yaml": "resources: [] # [web.yaml]\nconfigMapGenerator: [{name: c}]\n", "k/web.yaml": bad},
		"a key twice":                 {"k/web.yaml": bad, "k/kustomization.yaml": "resources: [web.yaml]\nresources: []\n"},
		"a key in capitals":           {"k/web.yaml": bad, "k/kustomization.yaml": "Resources: [web.yaml]\nconfigMapGenerator: [{name: c}]\n"},
		"two documents":               {"k/web.yaml": bad, "k/kustomization.yaml": "configMapGenerator: [{name: c}]\n---\nresources: [web.yaml]\n"},
		"none of it":                  {"k/web.yaml": bad, "k/kustomization.yaml": "---\n"},
		"a link":                      {"k/web.yaml": bad, "k/kustomization.yaml": "link:../elsewhere", "elsewhere": "configMapGenerator: [{name: c}]\n"},
		"labels of its selector":      {"k/kustomization.yaml": "resources: [web.yaml]\ncommonLabels: {new: label}\n"},
		"replicas on another":         {"k/web.yaml": bad, "k/kustomization.yaml": "resources: [web.yaml]\nreplicas: [{name: other, count: 0}]\n"},
		"a hidden overlay of it":      {"k/web.yaml": bad, "k/kustomization.yaml": "", "testdata/kustomization.yaml": "resources: [../k/web.yaml]\n"},
	} {
		out["the kustomization has "+name] = talk{base: base, head: base.with(head)}
	}
	return out
}

func againHelm() map[string]talk {
	out := map[string]talk{}
	chart := deployables(100)["chart"]
	bad := deployables(1500)["chart"]
	template := chart["k/templates/web.yaml"]
	chartYAML := func(more string) string { return "apiVersion: v2\nname: k\nversion: 1.0.0\n" + more }
	for name, head := range map[string]treeFiles{
		"an ignore file":                {"k/.helmignore": "templates/web.yaml\n", "k/values.yaml": bad["k/values.yaml"]},
		"an ignore file for all":        {"k/.helmignore": "*\n!Chart.yaml\n", "k/values.yaml": bad["k/values.yaml"]},
		"a schema that fails":           {"k/values.yaml": bad["k/values.yaml"], "k/values.schema.json": `{"type":"object","required":["nothing"]}`},
		"a schema that is none":         {"k/values.yaml": bad["k/values.yaml"], "k/values.schema.json": `{{`},
		"a schema from elsewhere":       {"k/values.yaml": bad["k/values.yaml"], "k/values.schema.json": `{"$ref":"https://127.0.0.1:9/x.json"}`},
		"a null value":                  {"k/values.yaml": "cpu: null\nreplicas: 1\n", "k/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", `{{ .Values.cpu | default "1500m" }}`, 1)},
		"a template with an underscore": {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "", "k/templates/_web.yaml": template},
		"its template in the notes":     {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "", "k/templates/NOTES.txt": template},
		"its template as text":          {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "", "k/templates/web.txt": template},
		"its template among tests":      {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "", "k/templates/tests/web.yaml": template},
		"its template among CRDs":       {"k/templates/web.yaml": "", "k/crds/web.yaml": webManifest(1500)},
		"its template beside":           {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "", "k/files/web.yaml": template},
		"a template that defines it":    {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "{{ define \"web\" }}\n" + template + "{{ end }}\n"},
		"a template of comments":        {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "{{/*\n" + template + "*/}}\n"},
		"a version for later clusters":  {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": chartYAML("kubeVersion: '>=9.0.0'\n")},
		"a chart of old":                {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": "apiVersion: v1\nname: k\nversion: 1.0.0\n"},
		"a chart of times to come":      {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": "apiVersion: v3\nname: k\nversion: 1.0.0\n"},
		"a deprecated chart":            {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": chartYAML("deprecated: true\n")},
		"a chart file in capitals":      {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": "", "k/chart.yaml": chartYAML("")},
		"a chart file of other name":    {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": "", "k/Chart.yml": chartYAML("")},
		"a part that is not there":      {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": chartYAML("dependencies: [{name: d, version: 1.0.0, repository: 'https://charts.example.com'}]\n")},
		"values that are a link":        {"k/values.yaml": "link:v", "k/v": bad["k/values.yaml"]},
		"a guard of values":             {"k/values.yaml": bad["k/values.yaml"] + "off: true\n", "k/templates/web.yaml": "{{ if not .Values.off }}\n" + template + "{{ end }}\n"},
		"a guard of a look-alike":       {"k/values.yaml": bad["k/values.yaml"] + "\u0435nabled: true\n", "k/templates/web.yaml": "{{ if .Values.enabled }}\n" + template + "{{ end }}\n"},
		"a guard of the API":            {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "{{ if .Capabilities.APIVersions.Has \"none/v1\" }}\n" + template + "{{ end }}\n"},
		"a guard of the service":        {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": "{{ if eq .Release.Service \"Tiller\" }}\n" + template + "{{ end }}\n"},
		"a hook on it":                  {"k/values.yaml": bad["k/values.yaml"], "k/templates/web.yaml": strings.Replace(template, "{name: web, namespace: default}", "{name: web, namespace: default, annotations: {helm.sh/hook: 'test, pre-delete'}}", 1)},
		"a type of library in capitals": {"k/values.yaml": bad["k/values.yaml"], "k/Chart.yaml": chartYAML("type: Library\n")},
	} {
		out["the chart has "+name] = talk{base: chart, head: chart.with(head)}
	}
	unset := chart.with(treeFiles{"k/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", `{{ .Values.cpu | default "1500m" }}`, 1)})
	for name, head := range map[string]treeFiles{
		"an ignore file for values":    {"k/.helmignore": "values.yaml\n"},
		"values by a name in capitals": {"k/values.yaml": "", "k/Values.yaml": bad["k/values.yaml"]},
		"values of another name":       {"k/values.yaml": "", "k/values.yml": bad["k/values.yaml"]},
	} {
		out["the chart has "+name] = talk{base: unset, head: unset.with(head)}
	}
	umbrella := unset.moved("k", "u/charts/k").with(treeFiles{
		"u/Chart.yaml":  "apiVersion: v2\nname: u\nversion: 1.0.0\ndependencies: [{name: k, version: 1.0.0, condition: k.enabled, tags: [t]}]\n",
		"u/values.yaml": "k: {enabled: true}\n"})
	for name, head := range map[string]treeFiles{
		"a condition that is false":  {"u/values.yaml": "k: {enabled: false}\n"},
		"a condition and a break":    {"u/values.yaml": "k: {enabled: false, cpu: 1500m}\n"},
		"tags that are false":        {"u/values.yaml": "tags: {t: false}\n"},
		"another condition":          {"u/Chart.yaml": "apiVersion: v2\nname: u\nversion: 1.0.0\ndependencies: [{name: k, version: 1.0.0, condition: x}]\n", "u/values.yaml": "x: false\n"},
		"a null for its values":      {"u/values.yaml": "k: {cpu: null, enabled: true}\n"},
		"another name for it":        {"u/Chart.yaml": "apiVersion: v2\nname: u\nversion: 1.0.0\ndependencies: [{name: k, version: 1.0.0, alias: j}]\n", "u/values.yaml": "j: {cpu: 1500m}\n"},
		"another version of it":      {"u/Chart.yaml": "apiVersion: v2\nname: u\nversion: 1.0.0\ndependencies: [{name: k, version: 2.0.0}]\n", "u/values.yaml": "k: {cpu: 1500m}\n"},
		"values that are imported":   {"u/values.yaml": "global: {}\n", "u/charts/k/values.yaml": "cpu: 1500m\nreplicas: 1\n"},
		"its folder with a dot":      {"u/charts/.k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "u/charts/.k/templates/web.yaml": webManifest(1500), "u/charts/k/Chart.yaml": "", "u/charts/k/values.yaml": "", "u/charts/k/templates/web.yaml": ""},
		"its folder with underscore": {"u/charts/_k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "u/charts/_k/templates/web.yaml": webManifest(1500), "u/charts/k/Chart.yaml": "", "u/charts/k/values.yaml": "", "u/charts/k/templates/web.yaml": ""},
	} {
		out["the umbrella has "+name] = talk{base: umbrella, head: umbrella.with(head)}
	}
	return out
}

func againGitOps(good, bad string) map[string]talk {
	out := map[string]talk{}
	app := func(source, more string) string {
		return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k, namespace: argocd" + more + "}\nspec:\n" +
			"  project: default\n  destination: {server: https://kubernetes.default.svc, namespace: default}\n" +
			"  source: {repoURL: https://example.com/r.git, targetRevision: HEAD, " + source + "}\n"
	}
	argo := treeFiles{"k/web.yaml": good, "apps/k.yaml": app("path: k", "")}
	other := treeFiles{"other/c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"}
	for name, head := range map[string]treeFiles{
		"excludes it":             {"apps/k.yaml": app("path: k, directory: {exclude: '*'}", "")},
		"excludes it, and breaks": {"k/web.yaml": bad, "apps/k.yaml": app("path: k, directory: {exclude: '*.yaml'}", "")},
		"includes others":         {"k/web.yaml": bad, "apps/k.yaml": app("path: k, directory: {include: 'x*'}", "")},
		"has another path":        other.with(treeFiles{"k/web.yaml": bad, "apps/k.yaml": app("path: other", "")}),
		"has another revision":    {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(app("path: k", ""), "targetRevision: HEAD", "targetRevision: v0.0.1", 1)},
		"has another repository":  {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(app("path: k", ""), "https://example.com/r.git", "https://example.com/other.git", 1)},
		"has another cluster":     {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(app("path: k", ""), "server: https://kubernetes.default.svc", "server: https://10.0.0.1", 1)},
		"is not reconciled":       {"k/web.yaml": bad, "apps/k.yaml": app("path: k", ", annotations: {argocd.argoproj.io/skip-reconcile: 'true'}")},
		"ignores what differs":    {"k/web.yaml": bad, "apps/k.yaml": app("path: k", "") + "  ignoreDifferences: [{group: '*', kind: '*', jqPathExpressions: ['.spec']}]\n  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}\n"},
		"runs a plugin":           {"k/web.yaml": bad, "apps/k.yaml": app("path: k, plugin: {name: p}", "")},
		"has no source":           {"k/web.yaml": bad, "apps/k.yaml": strings.Split(app("path: k", ""), "  source")[0]},
		"has sources beside":      treeFiles{"other/c.yaml": other["other/c.yaml"], "k/web.yaml": bad, "apps/k.yaml": app("path: other", "") + "  sources: [{repoURL: https://example.com/r.git, path: k}]\n"},
		"is a template":           {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(app("path: k", ""), "path: k", "path: '{{ .Values.path }}'", 1)},
		"is gone, and it breaks":  {"k/web.yaml": bad, "apps/k.yaml": ""},
		"is moved to test data":   {"k/web.yaml": bad, "apps/k.yaml": "", "testdata/k.yaml": app("path: k", "")},
		"is a set of none": {"k/web.yaml": bad, "apps/k.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: k, namespace: argocd}\nspec:\n  generators: [{list: {elements: []}}]\n  template:\n    metadata: {name: k}\n    spec:\n" +
			strings.ReplaceAll(strings.SplitN(app("path: k", ""), "spec:\n", 2)[1], "  ", "    ")},
	} {
		out["the application "+name] = talk{base: argo, head: argo.with(head)}
	}
	flux := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": good, "clusters/k.yaml": fluxKustomization("k", "")}
	for name, head := range map[string]treeFiles{
		"is suspended":              {"k/web.yaml": bad, "clusters/k.yaml": fluxKustomization("k", "  suspend: true\n")},
		"prunes no longer":          {"k/kustomization.yaml": "resources: []\nconfigMapGenerator: [{name: c}]\n", "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "prune: true", "prune: false", 1)},
		"deletes it by a patch":     {"clusters/k.yaml": fluxKustomization("k", "  patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, $patch: delete}'}]\n")},
		"has another path":          other.with(treeFiles{"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "./k", "./other", 1)}),
		"has another source":        {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "name: flux-system}", "name: other}", 1)},
		"has another kubeconfig":    {"k/web.yaml": bad, "clusters/k.yaml": fluxKustomization("k", "  kubeConfig: {secretRef: {name: x}}\n")},
		"has a target namespace":    {"k/web.yaml": bad, "clusters/k.yaml": fluxKustomization("k", "  targetNamespace: other\n")},
		"waits for what is nowhere": {"k/web.yaml": bad, "clusters/k.yaml": fluxKustomization("k", "  dependsOn: [{name: nowhere}]\n")},
		"substitutes":               {"k/web.yaml": strings.Replace(good, "100m", "${CPU:=1500m}", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substitute: {A: b}}\n")},
		"is of an old version":      {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "toolkit.fluxcd.io/v1", "toolkit.fluxcd.io/v1beta1", 1)},
		"is disabled":               {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "namespace: flux-system}", "namespace: flux-system, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}}", 1)},
	} {
		out["the Flux kustomization "+name] = talk{base: flux, head: flux.with(head)}
	}
	helm := deployables(100)["flux helm release"]
	release := helm["clusters/k.yaml"]
	for name, head := range map[string]treeFiles{
		"is suspended":            {"k/values.yaml": "cpu: 1500m\nreplicas: 1\n", "clusters/k.yaml": release + "  suspend: true\n"},
		"has a value":             {"clusters/k.yaml": release + "  values: {cpu: 1500m}\n"},
		"has values from nowhere": {"clusters/k.yaml": release + "  valuesFrom: [{kind: ConfigMap, name: nowhere}]\n"},
		"has values of a Secret":  {"clusters/k.yaml": release + "  valuesFrom: [{kind: Secret, name: s, optional: true}]\n"},
		"has a renderer after":    {"clusters/k.yaml": release + "  postRenderers: [{kustomize: {patches: [{target: {kind: Deployment}, patch: '[{op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 1500m}]'}]}}]\n"},
		"has a renderer to delete": {"clusters/k.yaml": release +
			"  postRenderers: [{kustomize: {patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, $patch: delete}'}]}}]\n"},
		"has a file of values":     {"k/prod.yaml": "cpu: 1500m\n", "clusters/k.yaml": strings.Replace(release, "chart: ./k,", "chart: ./k, valuesFiles: [./k/values.yaml, ./k/prod.yaml],", 1)},
		"has a reference to chart": {"k/values.yaml": "cpu: 1500m\nreplicas: 1\n", "clusters/k.yaml": strings.Split(release, "  chart:")[0] + "  chartRef: {kind: OCIRepository, name: x}\n"},
	} {
		out["the Helm release "+name] = talk{base: helm, head: helm.with(head)}
	}
	return out
}

func againBeside(good, bad string) map[string]talk {
	out := map[string]talk{}
	base := treeFiles{"k/web.yaml": good}
	for name, beside := range map[string]treeFiles{
		"a policy of its releases":        {".kubesettle.yaml": actionPolicy + "releases: []\n"},
		"a policy of its folder, waiving": {"k/.kubesettle.yaml": "waivers: [{rule: '*', workload: '*', reason: r, owner: o, expires: '2099-01-01'}]\n"},
		"a policy under another name":     {".kubesettle.yaml": "", ".kubesettle.yml": actionPolicy},
		"a policy that is a link":         {".kubesettle.yaml": "link:p", "p": "gate: {failOn: 'off'}\n"},
		"a policy with a key twice":       {".kubesettle.yaml": actionPolicy + "gate: {failOn: error}\ngate: {failOn: 'off'}\n"},
		"a budget of nothing":             {".kubesettle.yaml": actionPolicy + "bound: {nodes: 1}\n"},
		"an owner":                        {".github/CODEOWNERS": "* @attacker\n"},
		"attributes of text":              {".gitattributes": "*.yaml text eol=crlf working-tree-encoding=UTF-16 export-subst ident -diff\nk/** export-ignore filter=lfs\n"},
		"a workflow without the check":    {".github/workflows/kubesettle.yaml": "on: pull_request\njobs: {}\n"},
		"an autoscaler":                   {"k/hpa.yaml": "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web, namespace: default}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 1, maxReplicas: 2, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n"},
		"a budget for pods":               {"k/pdb.yaml": "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: default}\nspec: {maxUnavailable: 100%, selector: {}}\n"},
		"a limit range":                   {"k/lr.yaml": "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: default}\nspec: {limits: [{type: Container, defaultRequest: {cpu: 1m}}]}\n"},
		"a namespace":                     {"k/ns.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: default, annotations: {kubesettle.dev/waive: '*', argocd.argoproj.io/managed-by: x}}\n"},
		"a thousand others":               manyConfigMaps(1000),
		"a submodule file":                {".gitmodules": "[submodule \"k\"]\n\tpath = k\n\turl = https://127.0.0.1:9/k.git\n"},
		"a virtual node":                  {"k/node.yaml": "apiVersion: v1\nkind: Node\nmetadata: {name: big}\nstatus: {allocatable: {cpu: '64', memory: 64Gi, pods: '110'}}\n"},
		"a node pool":                     {"k/pool.yaml": "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: big}\nspec: {template: {spec: {requirements: [], nodeClassRef: {group: g, kind: K, name: n}}}}\n"},
		"a mutating webhook":              {"k/hook.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: m}\nwebhooks: [{name: m.example.com, clientConfig: {url: 'https://x'}, rules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}], sideEffects: None, admissionReviewVersions: [v1]}]\n"},
		"a policy that mutates":           {"k/map.yaml": "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: m}\nspec: {rules: [{name: r, match: {any: [{resources: {kinds: [Deployment]}}]}, mutate: {patchStrategicMerge: {spec: {replicas: 0}}}}]}\n"},
	} {
		out["beside it is "+name] = talk{base: base, head: base.with(treeFiles{"k/web.yaml": bad}).with(beside)}
	}
	return out
}

func manyConfigMaps(n int) treeFiles {
	out := treeFiles{}
	for i := range n {
		out[fmt.Sprintf("k/c%d.yaml", i)] = fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d}\n", i)
	}
	return out
}

// Nor by anything of a second set: what breaks web fails, or the run says that it was not analysed; what takes it away is a
// finding.
func TestNobodyTalksTheCheckOutOfItAgain(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	list := again()
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	outcomes := map[string]int{}
	for i, name := range slices.Sorted(maps.Keys(list)) {
		if testing.Short() && i%quickThirds != 0 { // a check takes a tenth of a second
			continue
		}
		one := list[name]
		t.Run(name, func(t *testing.T) {
			c := checkTrees(t, one.base.with(policy), policy.with(one.head))
			outcomes[fmt.Sprint(c.code, " ", c.result.Verdict)]++
			if one.named != "" && !strings.Contains(c.text, one.named) {
				t.Errorf("%q is not said:\n%s", one.named, c.text)
			}
			about := one.named != "" || slices.ContainsFunc(c.result.Findings, func(f finding.Finding) bool { return f.Status != "fixed" })
			if c.code == exitPass && c.result.Verdict == finding.Pass && !about {
				t.Errorf("it passes:\n%s", c.text)
			}
			if c.code == exitUsage {
				t.Errorf("a usage error:\n%s", c.text)
			}
		})
	}
	if len(list) < 200 {
		t.Errorf("%d pull requests, want 200", len(list))
	}
	t.Logf("%d pull requests: %v", len(list), outcomes)
}
