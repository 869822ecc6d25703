package main

import (
	"maps"
	"strings"
)

// fourth generates a fourth set of pull requests that break web, hide it or take it away: with draws, marks that switch
// tools off, other tools' input, and the corners of charts, kustomizations and GitOps objects.
func fourth() map[string]talk {
	out := map[string]talk{}
	for _, family := range []map[string]talk{fourthDraws(), fourthMarks(), fourthDocuments(), fourthOthers(), fourthTemplates(),
		fourthCharts(), fourthKustomizations(), fourthApplications(), fourthSets(), fourthFlux(), fourthHelmfiles(), fourthPolicies()} {
		maps.Copy(out, family)
	}
	return out
}

// annotated is web's manifest with annotations.
func annotated(millicores int, annotations string) string {
	return strings.Replace(webManifest(millicores), "{name: web, namespace: default}", "{name: web, namespace: default, annotations: {"+annotations+"}}", 1)
}

// block is a text as a block of YAML at some depth.
func block(depth int, text string) string {
	pad := "\n" + strings.Repeat(" ", depth)
	return "|" + pad + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", pad) + "\n"
}

// fourthDraws are charts in which a draw or the time decides what there is, or how much of it.
func fourthDraws() map[string]talk {
	chart := deployables(100)["chart"]
	template := chart["k/templates/web.yaml"]
	bad := strings.Replace(template, "{{ .Values.cpu }}", "1500m", 1)
	file := func(text string) treeFiles { return treeFiles{"k/templates/web.yaml": text} }
	return rowsOf("a chart draws", chart, map[string]treeFiles{
		"how many objects":             file("{{ range $i := until (randInt 0 2 | int) }}\n---\n" + bad + "{{ end }}"),
		"how many, in a variable":      file("{{ $n := randInt 0 2 | int }}\n{{ range $i := until $n }}\n---\n" + bad + "{{ end }}"),
		"whether there is one":         file("{{ if eq (randInt 0 2) 1 }}\n" + bad + "{{ end }}"),
		"it by a UUID":                 file("{{ if regexMatch \"^[0-7]\" uuidv4 }}\n" + bad + "{{ end }}"),
		"it by the length of a text":   file("{{ range until (len (regexFindAll \"a\" (randAlpha 64) -1)) }}\n---\n" + bad + "{{ end }}"),
		"it by the second":             file("{{ range until (mod (now | unixEpoch) 2 | int) }}\n---\n" + bad + "{{ end }}"),
		"it by the hour":               file("{{ if lt (now | date \"15\" | int) 12 }}\n" + bad + "{{ end }}"),
		"it by the weekday":            file("{{ if eq (now | date \"Mon\") \"Sun\" }}\n" + template + "{{ else }}\n" + bad + "{{ end }}"),
		"it by a key":                  file("{{ if regexMatch \"^[0-7]\" (genPrivateKey \"ecdsa\" | sha256sum) }}\n" + bad + "{{ end }}"),
		"it by a shuffled text":        file("{{ if eq (shuffle \"ab\") \"ab\" }}\n" + bad + "{{ end }}"),
		"its name":                     file(strings.Replace(bad, "name: web, namespace", "name: web-{{ randAlpha 5 | lower }}, namespace", 1)),
		"its namespace":                file(strings.Replace(bad, "namespace: default", "namespace: {{ index (list \"default\" \"other\") (randInt 0 2) }}", 1)),
		"its kind":                     file(strings.Replace(bad, "kind: Deployment", "kind: {{ index (list \"Deployment\" \"ReplicaSet\") (randInt 0 2) }}", 1)),
		"its replicas":                 file(strings.Replace(bad, "{{ .Values.replicas }}", "{{ randInt 0 2 }}", 1)),
		"its selector":                 file(strings.ReplaceAll(bad, "{app: web}", "{app: web-{{ randInt 0 2 }}}")),
		"its pods' labels":             file(strings.Replace(bad, "labels: {app: web}}\n    spec", "labels: {app: web{{ randInt 0 2 }}}}\n    spec", 1)),
		"in a helper":                  file("{{ if include \"k.on\" . }}\n" + bad + "{{ end }}").with(treeFiles{"k/templates/_h.tpl": "{{ define \"k.on\" }}{{ if eq (randInt 0 2) 1 }}yes{{ end }}{{ end }}"}),
		"in a text of its values":      file("{{ range until (tpl .Values.n . | int) }}\n---\n" + bad + "{{ end }}").with(treeFiles{"k/values.yaml": chart["k/values.yaml"] + "n: '{{ randInt 0 2 }}'\n"}),
		"by a function put together":   file("{{ if eq (tpl (printf \"{{ rand%s 0 2 }}\" \"Int\") .) \"1\" }}\n" + bad + "{{ end }}"),
		"a name put together":          file(strings.Replace(bad, "name: web, namespace", "name: web-{{ tpl (printf \"{{ rand%s 5 }}\" \"Alpha\") . | lower }}, namespace", 1)),
		"a request put together":       file(strings.Replace(bad, "cpu: 1500m", "cpu: {{ tpl (printf \"{{ rand%s 1 3000 }}\" \"Int\") . }}m", 1)),
		"in a text of a file":          file("{{ range until (tpl (.Files.Get \"n\") . | int) }}\n---\n" + bad + "{{ end }}").with(treeFiles{"k/n": "{{ randInt 0 2 }}"}),
		"in a chart of its own":        treeFiles{"k/charts/s/Chart.yaml": "apiVersion: v2\nname: s\nversion: 1.0.0\n", "k/charts/s/templates/s.yaml": "{{ if eq (randInt 0 2) 1 }}\n" + strings.Replace(webManifest(1500), "name: web, n", "name: sub, n", 1) + "{{ end }}"},
		"a number of a wide range":     file(strings.Replace(template, "{{ .Values.cpu }}", "{{ randInt 1 3000 }}m", 1)),
		"a request or none":            file(strings.Replace(bad, "resources: {requests: {cpu: 1500m}}", "{{ if eq (randInt 0 2) 1 }}resources: {requests: {cpu: 1500m}}{{ else }}env: []{{ end }}", 1)),
		"which of two files has it":    file("{{ if eq (randInt 0 9) 1 }}\n" + bad + "{{ else }}\n" + template + "{{ end }}"),
		"rarely":                       file("{{ if eq (randInt 0 1000) 1 }}\n" + template + "{{ else }}\n" + bad + "{{ end }}"),
		"a PodDisruptionBudget for it": {"k/templates/pdb.yaml": "{{ if eq (randInt 0 2) 1 }}\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: default}\nspec: {maxUnavailable: 0, selector: {matchLabels: {app: web}}}\n{{ end }}"},
	})
}

// fourthMarks are marks by which a tool leaves an object alone.
func fourthMarks() map[string]talk {
	out := map[string]talk{}
	for name, mark := range map[string]string{
		"local to kustomize":  "config.kubernetes.io/local-config: 'true'",
		"local to the set":    "config.k8s.io/local-config: 'true'",
		"a hook that skips":   "argocd.argoproj.io/hook: Skip",
		"a hook of Argo CD":   "argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: BeforeHookCreation",
		"a comparison":        "argocd.argoproj.io/compare-options: IgnoreExtraneous",
		"options of a sync":   "argocd.argoproj.io/sync-options: 'Prune=false,Validate=false,SkipDryRunOnMissingResource=true'",
		"a wave":              "argocd.argoproj.io/sync-wave: '99999'",
		"no reconciliation":   "kustomize.toolkit.fluxcd.io/reconcile: disabled",
		"no application":      "kustomize.toolkit.fluxcd.io/ssa: Ignore",
		"one application":     "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent",
		"no pruning":          "kustomize.toolkit.fluxcd.io/prune: disabled",
		"Flux of old":         "fluxcd.io/ignore: 'true'",
		"a hook of Helm":      "helm.sh/hook: pre-install",
		"a test of Helm":      "helm.sh/hook: test",
		"a kept resource":     "helm.sh/resource-policy: keep",
		"a rule of kapp":      "kapp.k14s.io/exists: '', kapp.k14s.io/noop: ''",
		"an owner elsewhere":  "meta.helm.sh/release-name: other, meta.helm.sh/release-namespace: other",
		"an ignored linter":   "ignore-check.kube-linter.io/all: 'true', kube-score/ignore: '*', polaris.fairwinds.com/exempt: 'true'",
		"our own, misspelt":   "kubesettle.dev/ignore: 'true', kubesettle.dev/skip: all",
		"our own, for all":    "kubesettle.dev/waive: '*'",
		"a rule of Skaffold":  "skaffold.dev/skip: 'true'",
		"an applied manifest": "kubectl.kubernetes.io/last-applied-configuration: '{\"kind\":\"Deployment\",\"spec\":{\"replicas\":0}}'",
	} {
		bad, good := annotated(1500, mark), annotated(100, mark)
		out["a file is marked: "+name] = talk{base: treeFiles{"k/web.yaml": webManifest(100)}, head: treeFiles{"k/web.yaml": bad}}
		k := treeFiles{"k/web.yaml": webManifest(100), "k/kustomization.yaml": "resources: [web.yaml, c.yaml]\n", "k/c.yaml": thirdConfig}
		out["a resource is marked: "+name] = talk{base: k, head: k.with(treeFiles{"k/web.yaml": bad})}
		chart := deployables(100)["chart"].with(treeFiles{"k/templates/c.yaml": thirdConfig})
		out["a template is marked: "+name] = talk{base: chart, head: chart.with(treeFiles{"k/templates/web.yaml": bad})}
		out["a file was marked: "+name] = talk{base: treeFiles{"k/web.yaml": good}, head: treeFiles{"k/web.yaml": bad}}
	}
	return out
}

// fourthDocuments write an object so that readers of YAML may differ.
func fourthDocuments() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	replaced := func(old, new string) treeFiles { return treeFiles{"k/web.yaml": strings.Replace(bad, old, new, 1)} }
	flow := func(kind, items string) treeFiles {
		return treeFiles{"k/web.yaml": "apiVersion: apps/v1\nkind: " + kind + "\nmetadata: {}\nitems:\n- " + items}
	}
	item := strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n  ") + "\n"
	typed := strings.Replace(strings.Replace(item, "apiVersion: apps/v1\n  kind: Deployment\n  ", "", 1), "\n\n", "\n", 1)
	return rowsOf("a document has", treeFiles{"k/web.yaml": good}, map[string]treeFiles{
		"a text by its tag":         replaced("cpu: 1500m", "cpu: !!str 1500m"),
		"a binary text":             replaced("cpu: 1500m", "cpu: !!binary MTUwMG0="),
		"a float by its tag":        replaced("cpu: 1500m", "cpu: !!float 1.5"),
		"a merge with its own":      replaced("requests: {cpu: 1500m}", "requests: {<<: {cpu: 1500m}}"),
		"a merge of two":            replaced("requests: {cpu: 1500m}", "requests: {<<: [{cpu: 1500m}, {cpu: 100m}]}"),
		"its spec twice":            {"k/web.yaml": strings.Replace(good, "spec:\n", "spec: {}\nspec:\n", 1) + "spec:\n" + strings.SplitN(bad, "spec:\n", 2)[1]},
		"a mark between documents":  {"k/web.yaml": thirdConfig + "\ufeff---\n" + bad},
		"a mark after a document":   {"k/web.yaml": thirdConfig + "---\n\ufeff" + bad},
		"an end before the next":    {"k/web.yaml": thirdConfig + "...\n---\n" + bad},
		"an end and no start":       {"k/web.yaml": thirdConfig + "...\n" + bad},
		"a directive":               {"k/web.yaml": "%YAML 1.1\n---\n" + bad},
		"a directive for a tag":     {"k/web.yaml": "%TAG ! tag:example.com,2000:\n---\n" + bad},
		"a comment at its start":    {"k/web.yaml": thirdConfig + "--- # kubesettle: off\n" + bad},
		"a start with its content":  {"k/web.yaml": thirdConfig + "--- " + strings.TrimSpace(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "strategy": {"type": "Recreate"}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web", "resources": {"requests": {"cpu": "1500m"}}}]}}}}`) + "\n"},
		"a start after a space":     {"k/web.yaml": thirdConfig + " ---\n" + bad},
		"four dashes":               {"k/web.yaml": thirdConfig + "----\n" + bad},
		"a start in a text":         {"k/web.yaml": thirdConfig + "data:\n  a: |\n    x\n---\n" + bad},
		"a text that never ends":    {"k/web.yaml": thirdConfig + "data:\n  a: |\n" + "    " + strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n    ") + "\n"},
		"a typed list":              flow("DeploymentList", item),
		"a typed list, bare":        flow("DeploymentList", typed),
		"a list in a list":          {"k/web.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n  - " + strings.ReplaceAll(item, "\n  ", "\n    ")},
		"a list of another version": {"k/web.yaml": "apiVersion: v2\nkind: List\nitems:\n- " + item},
		"a list with null":          {"k/web.yaml": "apiVersion: v1\nkind: List\nitems:\n- null\n- " + item},
		"a list of a config":        {"k/web.yaml": "apiVersion: v1\nkind: ConfigMapList\nitems:\n- " + item},
		"no items":                  {"k/web.yaml": "apiVersion: v1\nkind: List\nitems: []\n"},
		"a table":                   {"k/web.yaml": "apiVersion: meta.k8s.io/v1\nkind: Table\nrows:\n- object:\n    " + strings.ReplaceAll(item, "\n  ", "\n    ")},
		"a generated name":          replaced("{name: web, namespace", "{generateName: web-, namespace"),
		"both names":                replaced("{name: web, namespace", "{name: web, generateName: web-, namespace"),
		"a number for its name":     replaced("{name: web, namespace", "{name: 1, namespace"),
		"a long name":               replaced("{name: web, namespace", "{name: "+strings.Repeat("a", 300)+", namespace"),
		"another namespace":         replaced("namespace: default", "namespace: kube-system"),
		"no namespace":              replaced(", namespace: default", ""),
		"an empty namespace":        replaced("namespace: default", "namespace: ''"),
		"a namespace of its own":    {"k/web.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n---\n" + strings.Replace(bad, "namespace: default", "namespace: new", 1)},
		"an end of its life":        replaced("namespace: default}", "namespace: default, deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: [a.example/b]}"),
		"an owner":                  replaced("namespace: default}", "namespace: default, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: x}]}"),
		"an old version":            replaced("apps/v1", "extensions/v1beta1"),
		"a version in the middle":   replaced("apps/v1", "apps/v1beta2"),
		"a version of none":         replaced("apps/v1", "v1"),
		"a space behind its kind":   replaced("kind: Deployment", "kind: 'Deployment '"),
		"a kind in small letters":   replaced("kind: Deployment", "kind: deployment"),
		"a kind of many":            replaced("kind: Deployment", "kind: Deployments"),
		"a kind by its tag":         replaced("kind: Deployment", "kind: !!str Deployment"),
		"a kind by an alias":        {"k/web.yaml": "x: &k Deployment\n" + strings.Replace(bad, "kind: Deployment", "kind: *k", 1)},
		"a kind by a merge":         {"k/web.yaml": "<<: {apiVersion: apps/v1, kind: Deployment}\n" + strings.Replace(bad, "apiVersion: apps/v1\nkind: Deployment\n", "", 1)},
		"a kind in a quoted key":    replaced("kind: Deployment", "\"k\\u0069nd\": Deployment"),
		"its keys in capitals":      replaced("spec:\n", "Spec:\n"),
		"a key with a space":        replaced("spec:\n", "'spec ':\n"),
		"a field in capitals":       replaced("resources:", "Resources:"),
		"pods of another port":      replaced("image: web,", "image: web, ports: [{containerPort: 80, hostPort: 80}],"),
		"a controller":              {"k/web.yaml": strings.Replace(strings.Replace(strings.Replace(strings.Replace(bad, "apps/v1", "v1", 1), "Deployment", "ReplicationController", 1), "{matchLabels: {app: web}}", "{app: web}", 1), "  strategy: {type: Recreate}\n", "", 1)},
		"a set of replicas":         {"k/web.yaml": strings.Replace(strings.Replace(bad, "kind: Deployment", "kind: ReplicaSet", 1), "  strategy: {type: Recreate}\n", "", 1)},
		"a set of daemons":          {"k/web.yaml": strings.Replace(strings.Replace(bad, "kind: Deployment", "kind: DaemonSet", 1), "  strategy: {type: Recreate}\n", "", 1)},
	})
}
