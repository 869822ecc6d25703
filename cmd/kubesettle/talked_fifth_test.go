package main

import (
	"fmt"
	"maps"
	"strings"
)

// fifth generates a fifth set of pull requests that break web, hide it or take it away: accidents of files and names, and
// the corners of kustomizations, charts and controllers that switch something off.
func fifth() map[string]talk {
	out := map[string]talk{}
	for _, family := range []map[string]talk{fifthFiles(), fifthKustomizations(), fifthCharts(), fifthControllers()} {
		maps.Copy(out, family)
	}
	return out
}

// fifthFiles are accidents of files, names and YAML.
func fifthFiles() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	replaced := func(old, new string) treeFiles { return treeFiles{"k/web.yaml": strings.Replace(bad, old, new, 1)} }
	list := func(depth int, text string) string {
		for range depth {
			text = "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
		}
		return text
	}
	return rowsOf("by accident,", treeFiles{"k/web.yaml": good}, map[string]treeFiles{
		"it is renamed in case and broken":    treeFiles{"k/web.yaml": "", "k/Web.yaml": bad},
		"its folder changes case":             treeFiles{"k/web.yaml": "", "K/web.yaml": bad},
		"its ending changes case":             treeFiles{"k/web.yaml": "", "k/web.YML": bad},
		"its name ends with a space":          treeFiles{"k/web.yaml": "", "k/web.yaml ": bad},
		"its name is an editor's backup":      treeFiles{"k/web.yaml": "", "k/web.yaml~": bad},
		"its name has a dot before it":        treeFiles{"k/web.yaml": "", "k/.web.yaml": bad},
		"it stands beside an old copy":        {"k/web.yaml": bad, "k/web.yaml.orig": good, "k/web.yaml.rej": good},
		"it has a mark and CRLF":              {"k/web.yaml": "\ufeff" + strings.ReplaceAll(bad, "\n", "\r\n")},
		"it has only carriage returns":        {"k/web.yaml": strings.ReplaceAll(bad, "\n", "\r")},
		"it has tabs for spaces":              {"k/web.yaml": strings.Replace(bad, "  template", "\ttemplate", 1)},
		"it has spaces that do not break":     {"k/web.yaml": strings.Replace(bad, "  template", "\u00a0\u00a0template", 1)},
		"it is in UTF-16":                     {"k/web.yaml": "\xff\xfe" + strings.Join(strings.Split(bad, ""), "\x00") + "\x00"},
		"it is a list of lists":               {"k/web.yaml": list(3, bad)},
		"it is a list of many lists":          {"k/web.yaml": list(30, bad)},
		"an anchor of another document":       {"k/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\ndata: &d {cpu: 1500m}\n---\n" + strings.Replace(bad, "{cpu: 1500m}", "*d", 1)},
		"an anchor that is set twice":         replaced("template: {metadata: {labels: {app: web}}", "template: {metadata: {labels: {app: web}, annotations: {a: &c 100m, b: &c 1500m}}"),
		"a merge key in quotes":               replaced("requests: {cpu: 1500m}", "requests: {\"<<\": {cpu: 100m}, cpu: 1500m}"),
		"a request with an exponent":          replaced("cpu: 1500m", "cpu: 15e2m"),
		"replicas beyond 64 bits":             replaced("spec:\n", "spec:\n  replicas: 18446744073709551617\n"),
		"replicas below nothing":              replaced("spec:\n", "spec:\n  replicas: -1\n"),
		"replicas as a text":                  replaced("spec:\n", "spec:\n  replicas: \"3\"\n"),
		"a container twice":                   replaced("containers: [{name: web,", "containers: [{name: web, image: web}, {name: web,"),
		"attributes that hide it":             {"k/web.yaml": bad, ".gitattributes": "k/web.yaml binary -diff -text export-ignore filter=lfs\n"},
		"a lock that was not asked for":       {"k/web.yaml": bad, "kubesettle.lock": "k: ignored\n", ".kubesettle/baseline.json": "{}"},
		"another scheduler":                   replaced("spec: {containers", "spec: {schedulerName: volcano, containers"),
		"a pause and a broken pod":            replaced("spec:\n", "spec:\n  paused: true\n  progressDeadlineSeconds: 1\n"),
		"annotations that we read":            {"k/web.yaml": annotated(1500, "kubesettle.dev/ignore: 'true', kubesettle.dev/waive: 'unschedulable: known; until 2099-01-01', kubesettle.io/skip: 'true'")},
		"a policy of nodes in the same PR":    {"k/web.yaml": bad, ".kubesettle.yaml": strings.Replace(actionPolicy, `cpu: "1"`, `cpu: "16"`, 1) + "gate: {failOn: 'off'}\n"},
		"a second policy beside the first":    {"k/web.yaml": bad, "kubesettle.yaml": "gate: {failOn: 'off'}\n", ".kubesettle.json": "{}"},
		"a document behind 2,000 empty ones":  {"k/web.yaml": strings.Repeat("---\n", 2000) + bad},
		"a status that says that it is ready": {"k/web.yaml": bad + "status: {replicas: 1, readyReplicas: 1, observedGeneration: 9}\n"},
	})
}

func fifthKustomizations() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	k := "resources: [web.yaml]\n"
	cpu := "[{op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 1500m}]"
	with := func(more string) treeFiles { return treeFiles{"k/kustomization.yaml": k + more} }
	component := "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
	return rowsOf("a kustomization has", treeFiles{"k/web.yaml": good, "k/kustomization.yaml": k}, map[string]treeFiles{
		"a replacement":                   with("replacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.cpu}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.resources.requests.cpu]}]}]\nconfigMapGenerator: [{name: c, literals: [cpu=1500m]}]\n"),
		"a replacement in a file":         with("replacements: [{path: r.yaml}]\n").with(treeFiles{"k/r.yaml": "source: {kind: Deployment, name: web, fieldPath: metadata.annotations.x}\ntargets: [{select: {kind: Deployment}, fieldPaths: [spec.replicas]}]\n"}),
		"a transformer":                   with("transformers: [t.yaml]\n").with(treeFiles{"k/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\ntarget: {kind: Deployment}\npatch: '" + cpu + "'\n"}),
		"a transformer by a program":      with("transformers: [t.yaml]\n").with(treeFiles{"k/t.yaml": "apiVersion: v1\nkind: T\nmetadata: {name: t, annotations: {config.kubernetes.io/function: 'exec: {path: ./t.sh}'}}\n"}),
		"a transformer of replicas":       with("transformers: [t.yaml]\n").with(treeFiles{"k/web.yaml": bad, "k/t.yaml": "apiVersion: builtin\nkind: ReplicaCountTransformer\nmetadata: {name: t}\nreplica: {name: web, count: 0}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]\n"}),
		"a generator":                     with("generators: [g.yaml]\n").with(treeFiles{"k/web.yaml": bad, "k/g.yaml": "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: c}\nliterals: [a=b]\n"}),
		"a generator by a program":        with("generators: [g.yaml]\n").with(treeFiles{"k/web.yaml": bad, "k/g.yaml": "apiVersion: v1\nkind: G\nmetadata: {name: g, annotations: {config.kubernetes.io/function: 'container: {image: g}'}}\n"}),
		"a validator":                     with("validators: [v.yaml]\n").with(treeFiles{"k/web.yaml": bad, "k/v.yaml": "apiVersion: v1\nkind: V\nmetadata: {name: v, annotations: {config.kubernetes.io/function: 'exec: {path: ./v.sh}'}}\n"}),
		"a component that patches":        with("components: [../c]\n").with(treeFiles{"c/kustomization.yaml": component + "patches: [{target: {kind: Deployment}, patch: '" + cpu + "'}]\n"}),
		"a component that deletes":        with("components: [../c]\n").with(treeFiles{"k/web.yaml": bad, "c/kustomization.yaml": component + "patches: [{patch: '{$patch: delete, apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}}'}]\n"}),
		"a component of a component":      with("components: [../c]\n").with(treeFiles{"c/kustomization.yaml": component + "components: [../d]\n", "d/kustomization.yaml": component + "patches: [{target: {kind: Deployment}, patch: '" + cpu + "'}]\n"}),
		"definitions for its lists":       with("crds: [crd.json]\n").with(treeFiles{"k/web.yaml": bad, "k/crd.json": "{}"}),
		"another OpenAPI":                 with("openapi: {path: o.json}\npatches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}}'}]\n").with(treeFiles{"k/o.json": `{"definitions": {}}`}),
		"an old name of its file":         {"k/kustomization.yaml": "", "k/Kustomization": k, "k/web.yaml": bad},
		"two names of its file":           {"k/kustomization.yml": k, "k/web.yaml": bad},
		"a namespace that differs":        with("namespace: other\n").with(treeFiles{"k/web.yaml": bad}),
		"a suffix":                        with("nameSuffix: -v2\n").with(treeFiles{"k/web.yaml": bad}),
		"labels in its selectors":         with("labels: [{pairs: {team: a}, includeSelectors: true}]\n"),
		"vars":                            with("vars: [{name: CPU, objref: {apiVersion: apps/v1, kind: Deployment, name: web}, fieldref: {fieldpath: metadata.name}}]\n").with(treeFiles{"k/web.yaml": bad}),
		"a chart that is inflated":        with("helmCharts: [{name: c, releaseName: c}]\nhelmGlobals: {chartHome: ..}\n").with(treeFiles{"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n", "c/templates/a.yaml": strings.Replace(bad, "name: web, n", "name: sub, n", 1)}),
		"a resource from a link's target": treeFiles{"k/web.yaml": "link:../other/web.yaml", "other/web.yaml": bad},
		"a key that it does not know":     treeFiles{"k/kustomization.yaml": "resource: [web.yaml]\n", "k/web.yaml": bad},
		"a patch that misses its target":  with("patches: [{target: {kind: Deployment, name: wbe}, patch: '" + cpu + "'}]\n"),
	})
}

func fifthCharts() map[string]talk {
	chart := deployables(100)["chart"]
	bad := deployables(1500)["chart"]
	values := treeFiles{"k/values.yaml": bad["k/values.yaml"]}
	sub := func(text string) treeFiles {
		return treeFiles{"k/charts/s/Chart.yaml": "apiVersion: v2\nname: s\nversion: 1.0.0\n", "k/charts/s/values.yaml": text, "k/charts/s/templates/s.yaml": strings.ReplaceAll(chart["k/templates/web.yaml"], "name: web, n", "name: sub, n")}
	}
	parts := func(more string) string {
		return "apiVersion: v2\nname: k\nversion: 1.0.0\ndependencies: [{name: s, version: 1.0.0" + more + "}]\n"
	}
	marked := func(mark string) treeFiles {
		return values.with(treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "namespace: default}", "namespace: default, annotations: {"+mark+"}}", 1)})
	}
	out := rowsOf("a chart has", chart, map[string]treeFiles{
		"an ignored template":        values.with(treeFiles{"k/.helmignore": "templates/web.yaml\n"}),
		"all templates ignored":      values.with(treeFiles{"k/.helmignore": "*\n"}),
		"a template ignored but one": values.with(treeFiles{"k/.helmignore": "templates/*\n!templates/web.yaml\n"}),
		"a hook on its Deployment":   marked("helm.sh/hook: 'pre-upgrade,pre-install'"),
		"a hook that Helm lacks":     marked("helm.sh/hook: crd-install"),
		"a hook of Argo CD on it":    marked("argocd.argoproj.io/hook: PostSync"),
		"a weight on it":             marked("helm.sh/hook: post-install, helm.sh/hook-weight: '-5', helm.sh/hook-delete-policy: hook-succeeded"),
		"a part that breaks":         sub("cpu: 1500m\nreplicas: 1\n").with(treeFiles{"k/Chart.yaml": parts("")}),
		"a part on a condition":      sub("cpu: 1500m\nreplicas: 1\n").with(treeFiles{"k/Chart.yaml": parts(", condition: 's.enabled,global.s'")}),
		"a part with a tag":          sub("cpu: 1500m\nreplicas: 1\n").with(treeFiles{"k/Chart.yaml": parts(", tags: [back]"), "k/values.yaml": chart["k/values.yaml"] + "tags: {back: true}\n"}),
		"a part that gives values":   sub("exports: {data: {cpu: 1500m}}\ncpu: 100m\nreplicas: 1\n").with(treeFiles{"k/Chart.yaml": parts(", import-values: [data]"), "k/values.yaml": "replicas: 1\n"}),
		"a part under two names":     sub("cpu: 1500m\nreplicas: 1\n").with(treeFiles{"k/Chart.yaml": parts(", alias: t")}),
		"a part that turns it off":   sub("cpu: 100m\nreplicas: 1\n").with(values).with(treeFiles{"k/Chart.yaml": parts(""), "k/charts/s/templates/_h.tpl": "{{ define \"k.x\" }}{{ end }}"}),
		"its template as CRD":        treeFiles{"k/templates/web.yaml": "", "k/crds/web.yaml": webManifest(1500)},
		"its template as notes":      treeFiles{"k/templates/web.yaml": "", "k/templates/NOTES.txt": webManifest(1500)},
		"its template as a helper":   treeFiles{"k/templates/web.yaml": "", "k/templates/_web.yaml": webManifest(1500)},
		"its template as a test":     treeFiles{"k/templates/web.yaml": "", "k/templates/tests/web.yaml": webManifest(1500)},
		"a name that is generated":   values.with(treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "name: web, n", "generateName: web-, n", 1)}),
		"values with a key twice":    {"k/values.yaml": chart["k/values.yaml"] + "cpu: 1500m\n"},
		"no version":                 values.with(treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\n"}),
		"an old API version":         values.with(treeFiles{"k/Chart.yaml": "apiVersion: v1\nname: k\nversion: 1.0.0\n"}),
		"a mark of deprecation":      values.with(treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\ndeprecated: true\n"}),
		"a lock that disagrees":      values.with(treeFiles{"k/Chart.lock": "dependencies: [{name: s, version: 9.9.9, repository: ''}]\ndigest: sha256:0\n"}),
		"a want for another cluster": values.with(treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\nkubeVersion: '<1.20'\n"}),
	})
	return out
}

// fifthControllers switch off what applies web.
func fifthControllers() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	broken := treeFiles{"k/web.yaml": bad}
	argo := func(more string) treeFiles { return treeFiles{"apps/k.yaml": thirdApplication("path: k", more)} }
	flux := func(more string) treeFiles {
		return treeFiles{"apps/k.yaml": fmt.Sprintf("apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: r, namespace: flux-system}\nspec: {url: 'https://example.com/r.git', interval: 1m}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: flux-system}\nspec:\n  interval: 1m\n  prune: true\n  path: ./k\n  sourceRef: {kind: GitRepository, name: r}\n%s", more)}
	}
	base := treeFiles{"k/web.yaml": good}
	out := rowsOf("an application", base.with(argo("")), map[string]treeFiles{
		"ignores what differs":     broken.with(argo("  ignoreDifferences: [{group: apps, kind: Deployment, jqPathExpressions: ['.spec']}]\n  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true]}\n")),
		"prunes nothing":           broken.with(argo("  syncPolicy: {automated: {prune: false, selfHeal: false}, syncOptions: [Prune=false]}\n")),
		"syncs by hand":            broken.with(argo("  syncPolicy: {automated: {enabled: false}}\n")),
		"applies only what is out": broken.with(argo("  syncPolicy: {syncOptions: [ApplyOutOfSyncOnly=true, ServerSideApply=true, Replace=true]}\n")),
		"is marked to be skipped":  broken.with(treeFiles{"apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: argocd, annotations: {argocd.argoproj.io/skip-reconcile: 'true'}}", 1)}),
		"is being deleted":         broken.with(treeFiles{"apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: argocd, deletionTimestamp: '2020-01-01T00:00:00Z', finalizers: [resources-finalizer.argocd.argoproj.io]}", 1)}),
		"reads one file":           broken.with(treeFiles{"apps/k.yaml": thirdApplication("path: k, directory: {include: 'c.yaml'}", ""), "k/c.yaml": thirdConfig}),
		"is of another namespace":  broken.with(treeFiles{"apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: nowhere}", 1)}),
		"is of another project":    broken.with(treeFiles{"apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "project: default", "project: none", 1)}),
	})
	maps.Copy(out, rowsOf("a Flux Kustomization", base.with(flux("")), map[string]treeFiles{
		"is suspended":                broken.with(flux("  suspend: true\n")),
		"waits for nothing":           broken.with(flux("  dependsOn: [{name: nothing}]\n")),
		"waits by an expression":      broken.with(flux("  healthCheckExprs: [{apiVersion: apps/v1, kind: Deployment, current: 'true'}]\n")),
		"ignores what is missing":     broken.with(flux("  ignoreMissingComponents: true\n  components: [../gone]\n")),
		"is marked to be left alone":  broken.with(treeFiles{"apps/k.yaml": strings.Replace(flux("")["apps/k.yaml"], "{name: k, namespace: flux-system}", "{name: k, namespace: flux-system, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}}", 1)}),
		"has another target":          broken.with(flux("  targetNamespace: other\n")),
		"has another kubeconfig":      broken.with(flux("  kubeConfig: {secretRef: {name: other}}\n")),
		"deletes nothing":             broken.with(flux("  deletionPolicy: Orphan\n")),
		"has an old source":           broken.with(treeFiles{"apps/k.yaml": strings.Replace(flux("")["apps/k.yaml"], "interval: 1m}", "interval: 1m, ref: {commit: 0000000000000000000000000000000000000000}}", 1)}),
		"has a source that ignores":   broken.with(treeFiles{"apps/k.yaml": strings.Replace(flux("")["apps/k.yaml"], "interval: 1m}", "interval: 1m, ignore: '/k'}", 1)}),
		"has a source that is paused": broken.with(treeFiles{"apps/k.yaml": strings.Replace(flux("")["apps/k.yaml"], "interval: 1m}", "interval: 1m, suspend: true}", 1)}),
	}))
	maps.Copy(out, rowsOf("an object of web", base, map[string]treeFiles{
		"is no pruned one":       {"k/web.yaml": annotated(1500, "argocd.argoproj.io/sync-options: 'Prune=false,Delete=false'")},
		"is left by Flux":        {"k/web.yaml": annotated(1500, "kustomize.toolkit.fluxcd.io/reconcile: disabled")},
		"has a hook of Argo CD":  {"k/web.yaml": annotated(1500, "argocd.argoproj.io/hook: SyncFail")},
		"is of another instance": {"k/web.yaml": annotated(1500, "argocd.argoproj.io/tracking-id: 'other:apps/Deployment:default/web'")},
		"is managed by hand":     {"k/web.yaml": annotated(1500, "argocd.argoproj.io/managed-by: nobody, kapp.k14s.io/disable-original: ''")},
	}))
	return out
}
