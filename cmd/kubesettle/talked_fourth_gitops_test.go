package main

import (
	"fmt"
	"maps"
	"strings"
)

// builtin is a transformer or a generator of kustomize's, in the kustomization itself.
func builtin(kind, fields string) string {
	return "- |-\n  apiVersion: builtin\n  kind: " + kind + "\n  metadata: {name: b}\n  " + strings.ReplaceAll(fields, "\n", "\n  ") + "\n"
}

func fourthKustomizations() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	base := treeFiles{"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\n", "k/web.yaml": good, "k/c.yaml": thirdConfig}
	with := func(more string) treeFiles {
		return treeFiles{"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\n" + more}
	}
	merge := func(more string) string {
		return "patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, " + more + "}'}]\n"
	}
	return rowsOf("a kustomization has", base, map[string]treeFiles{
		"a patch as a transformer":     with("transformers:\n" + builtin("PatchTransformer", "target: {kind: Deployment}\npatch: '"+thirdCPU+"'")),
		"an old patch as one":          with("transformers:\n" + builtin("PatchJson6902Transformer", "target: {group: apps, version: v1, kind: Deployment, name: web, namespace: default}\njsonOp: '"+thirdCPU+"'")),
		"a merge as one":               with("transformers:\n" + builtin("PatchStrategicMergeTransformer", "paths: [p.yaml]")).with(treeFiles{"k/p.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}\n"}),
		"a replacement as one":         with("transformers:\n" + builtin("ReplacementTransformer", "replacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.cpu}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.resources.requests.cpu]}]}]")).with(treeFiles{"k/c.yaml": thirdConfig + "data: {cpu: 1500m}\n"}),
		"no replicas by one":           with("transformers:\n" + builtin("ReplicaCountTransformer", "replica: {name: web, count: 0}\nfieldSpecs: [{path: spec/replicas, create: true, kind: Deployment}]")).with(treeFiles{"k/web.yaml": bad}),
		"another namespace by one":     with("transformers:\n" + builtin("NamespaceTransformer", "metadata: {name: b, namespace: other}")).with(treeFiles{"k/web.yaml": bad}),
		"an inflated chart as one":     with("generators:\n" + builtin("HelmChartInflationGenerator", "name: k\nchartHome: ../charts\nreleaseName: k")).with(treeFiles{"charts/k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "charts/k/templates/w.yaml": strings.Replace(bad, "name: web, n", "name: more, n", 1)}),
		"a generator of all":           with("generators: [g]\n").with(treeFiles{"k/g/kustomization.yaml": "resources: [g.yaml]\n", "k/g/g.yaml": strings.Replace(bad, "name: web, n", "name: more, n", 1)}),
		"variables":                    with("vars: [{name: CPU, objref: {apiVersion: v1, kind: ConfigMap, name: c}, fieldref: {fieldpath: data.cpu}}]\nconfigurations: [v.yaml]\n").with(treeFiles{"k/v.yaml": "varReference: [{kind: Deployment, path: spec/template/spec/containers/resources/requests/cpu}]\n", "k/c.yaml": thirdConfig + "data: {cpu: 1500m}\n", "k/web.yaml": strings.Replace(good, "cpu: 100m", "cpu: $(CPU)", 1)}),
		"a configuration of replicas":  with("configurations: [v.yaml]\nreplicas: [{name: web, count: 1500}]\n").with(treeFiles{"k/v.yaml": "replicas: [{kind: Deployment, path: spec/template/spec/containers/resources/requests/cpu, create: true}]\n"}),
		"a patch that deletes a list":  with(merge("spec: {template: {spec: {containers: [{$patch: replace}, {name: web, image: web, resources: {requests: {cpu: 1500m}}}]}}}")),
		"a patch that replaces":        with(merge("spec: {$patch: replace, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web, resources: {requests: {cpu: 1500m}}}]}}}")),
		"a patch of one key":           with(merge("spec: {template: {spec: {containers: [{name: other, image: web, resources: {requests: {cpu: 1500m}}}]}}}")),
		"a patch of another kind":      with("patches: [{target: {kind: Deployment}, options: {allowKindChange: true}, patch: '[{op: replace, path: /kind, value: ConfigMap}]'}]\n").with(treeFiles{"k/web.yaml": bad}),
		"a patch of another name":      with("patches: [{target: {kind: Deployment}, options: {allowNameChange: true}, patch: '[{op: replace, path: /metadata/name, value: other}]'}]\n").with(treeFiles{"k/web.yaml": bad}),
		"a patch that moves":           with("patches: [{target: {kind: Deployment}, patch: '[{op: add, path: /metadata/annotations, value: {cpu: 1500m}}, {op: copy, from: /metadata/annotations/cpu, path: /spec/template/spec/containers/0/resources/requests/cpu}]'}]\n"),
		"a patch by annotations":       with("patches: [{target: {annotationSelector: 'a=b'}, patch: '" + thirdCPU + "'}]\n").with(treeFiles{"k/web.yaml": annotated(100, "a: b")}),
		"a patch of all":               with("patches: [{target: {name: '.*', kind: 'Deploy.*'}, patch: '" + thirdCPU + "'}]\n"),
		"labels for selectors":         with("labels: [{pairs: {app: other}, includeSelectors: true}]\n").with(treeFiles{"k/web.yaml": bad}),
		"labels for all":               with("commonLabels: {team: a}\n"),
		"an image by its digest":       with("images: [{name: web, newName: other, digest: 'sha256:0000000000000000000000000000000000000000000000000000000000000000'}]\n").with(treeFiles{"k/web.yaml": bad}),
		"a component of a component":   with("components: [../a]\n").with(treeFiles{"a/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncomponents: [../b]\n", "b/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ntransformers:\n" + builtin("PatchTransformer", "target: {kind: Deployment}\npatch: '"+thirdCPU+"'")}),
		"a component that deletes":     with("components: [../a]\n").with(treeFiles{"a/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, $patch: delete}'}]\n"}),
		"a component for a resource":   {"k/kustomization.yaml": "resources: [web.yaml, c.yaml, ../a]\n", "a/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"a resource for a component":   with("components: [../a]\n").with(treeFiles{"k/web.yaml": bad, "a/kustomization.yaml": "namePrefix: a-\n"}),
		"replacements of its own":      with("replacements: [{source: {kind: Deployment, name: web, fieldPath: 'metadata.annotations.cpu'}, targets: [{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=web].resources.requests.cpu']}]}]\n").with(treeFiles{"k/web.yaml": annotated(100, "cpu: 1500m")}),
		"replacements by a delimiter":  with("replacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.n}, targets: [{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=web].resources.requests.cpu'], options: {delimiter: '00', index: 0}}]}]\n").with(treeFiles{"k/c.yaml": thirdConfig + "data: {n: '15'}\n"}),
		"replacements that create":     {"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\nreplacements: [{sourceValue: '1500m', targets: [{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=web].resources.requests.cpu']}]}]\n"},
		"replacements that reject":     with("replacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.n}, targets: [{select: {kind: Deployment}, reject: [{name: other}], fieldPaths: ['spec.template.spec.containers.*.resources.requests.cpu']}]}]\n").with(treeFiles{"k/c.yaml": thirdConfig + "data: {n: 1500m}\n"}),
		"an order of its own":          with("sortOptions: {order: legacy}\n").with(treeFiles{"k/web.yaml": bad}),
		"marks of where it is from":    with("buildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\n").with(treeFiles{"k/web.yaml": bad}),
		"a generator that takes over":  {"k/kustomization.yaml": "resources: [c.yaml]\nconfigMapGenerator: [{name: web, namespace: default, files: [web.yaml]}]\n", "k/web.yaml": bad},
		"a local one":                  {"k/web.yaml": annotated(1500, "config.kubernetes.io/local-config: 'true'")},
		"a local one and a patch":      with("patches: [{target: {kind: Deployment}, patch: '[{op: add, path: /metadata/annotations, value: {config.kubernetes.io/local-config: \"true\"}}]'}]\n").with(treeFiles{"k/web.yaml": bad}),
		"its resources as a folder":    {"k/kustomization.yaml": "resources: [w]\n", "k/w/web.yaml": bad, "k/web.yaml": ""},
		"its resources by a pattern":   {"k/kustomization.yaml": "resources: ['*.yaml']\n", "k/web.yaml": bad},
		"itself":                       {"k/kustomization.yaml": "resources: [web.yaml, c.yaml, .]\n", "k/web.yaml": bad},
		"an address of a file":         {"k/kustomization.yaml": "resources: [c.yaml, 'https://example.com/web.yaml']\n", "k/web.yaml": ""},
		"a reference of another":       {"k/kustomization.yaml": "resources: [c.yaml, 'github.com/o/r/k?ref=0123456789012345678901234567890123456789']\n", "k/web.yaml": ""},
		"a field of another kind":      {"k/kustomization.yaml": "resources: {a: web.yaml}\n", "k/web.yaml": bad},
		"an unknown version and field": {"k/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresourcez: [web.yaml]\nresources: [c.yaml]\n", "k/web.yaml": bad},
		"two documents":                {"k/kustomization.yaml": "resources: [c.yaml]\n---\nresources: [web.yaml]\n", "k/web.yaml": bad},
		"a bomb of folders":            bomb(bad),
		"a chart with values merged":   {"k/kustomization.yaml": "resources: [c.yaml]\nhelmGlobals: {chartHome: ../charts}\nhelmCharts: [{name: k, releaseName: k, namespace: default, valuesFile: v.yaml, valuesInline: {cpu: 1500m}, valuesMerge: override}]\n", "k/v.yaml": "cpu: 100m\n", "k/web.yaml": "", "charts/k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "charts/k/templates/web.yaml": strings.Replace(good, "100m", "{{ .Values.cpu }}", 1)},
		"a chart without its hooks":    {"k/kustomization.yaml": "resources: [c.yaml]\nhelmGlobals: {chartHome: ../charts}\nhelmCharts: [{name: k, releaseName: k, namespace: default, skipHooks: true, includeCRDs: true}]\n", "k/web.yaml": "", "charts/k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "charts/k/crds/web.yaml": bad},
	})
}

// bomb are kustomizations that each include two others, thirteen deep, beside what is broken.
func bomb(bad string) treeFiles {
	out := treeFiles{"k/web.yaml": bad, "k/kustomization.yaml": "resources: [web.yaml, c.yaml, ../b0]\n"}
	for i := range 13 {
		out[fmt.Sprintf("b%d/kustomization.yaml", i)] = fmt.Sprintf("resources: [../l%d, ../r%d]\n", i, i)
		for _, side := range []string{"l", "r"} {
			out[fmt.Sprintf("%s%d/kustomization.yaml", side, i)] = fmt.Sprintf("namePrefix: %s-\nresources: [../b%d]\n", side, i+1)
		}
	}
	out["b13/kustomization.yaml"] = "resources: [c.yaml]\n"
	out["b13/c.yaml"] = thirdConfig
	return out
}

func fourthApplications() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	plain := treeFiles{"k/web.yaml": good, "apps/k.yaml": thirdApplication("path: k", "")}
	app := func(source, more string) treeFiles {
		return treeFiles{"k/web.yaml": bad, "apps/k.yaml": thirdApplication(source, more)}
	}
	marked := func(annotations string) treeFiles {
		return treeFiles{"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: argocd, annotations: {"+annotations+"}}", 1)}
	}
	out := rowsOf("an application", plain, map[string]treeFiles{
		"is not to be reconciled":   marked("argocd.argoproj.io/skip-reconcile: 'true'"),
		"watches another path":      marked("argocd.argoproj.io/manifest-generate-paths: /other"),
		"is not to be refreshed":    marked("argocd.argoproj.io/refresh: 'false', argocd.argoproj.io/sync-options: Prune=false"),
		"includes JSON only":        app("path: k, directory: {include: '*.json'}", ""),
		"excludes by a pattern":     app("path: k, directory: {exclude: '{web,other}.yaml'}", ""),
		"is a plugin's":             app("path: k, plugin: {name: p, env: [{name: A, value: b}]}", ""),
		"is of Jsonnet":             app("path: k, directory: {jsonnet: {tlas: [{name: a, value: b}]}}", ""),
		"is of a chart elsewhere":   app("chart: k, targetRevision: 1.0.0, repoURL: 'https://charts.example.com'", ""),
		"is of another repository":  {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "https://example.com/r.git", "https://example.com/other.git", 1)},
		"is of an old revision":     {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "targetRevision: HEAD", "targetRevision: v0.0.1", 1)},
		"is of no source":           {"k/web.yaml": bad, "apps/k.yaml": strings.Split(thirdApplication("path: k", ""), "  source:")[0]},
		"has two kinds of sources":  {"k/web.yaml": bad, "apps/k.yaml": thirdApplication("path: k", "  sources: [{repoURL: https://example.com/r.git, targetRevision: HEAD, path: other}]\n"), "other/c.yaml": thirdConfig},
		"never syncs":               app("path: k", "  syncPolicy: {automated: null}\n"),
		"ignores its differences":   app("path: k", "  syncPolicy: {syncOptions: [RespectIgnoreDifferences=true, ApplyOutOfSyncOnly=true]}\n  ignoreDifferences: [{group: '*', kind: '*', jqPathExpressions: ['.spec']}]\n"),
		"goes to another cluster":   {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "https://kubernetes.default.svc", "https://other.example.com", 1)},
		"goes to another namespace": {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: default}\n  source", "namespace: other}\n  source", 1)},
		"is of another project":     {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "project: default", "project: none", 1)},
		"has an operation":          app("path: k", "operation: {sync: {resources: [{group: '', kind: ConfigMap, name: c}]}}\n"),
		"is in another namespace":   {"k/web.yaml": bad, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: nowhere}", 1)},
		"is declared by another":    {"k/web.yaml": bad, "apps/k.yaml": "", "apps2/k.yaml": thirdApplication("path: k, directory: {exclude: '*'}", "")},
		"is a template":             {"k/web.yaml": bad, "apps/k.yaml": "", "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n", "root/templates/k.yaml": "{{ if .Values.on }}\n" + thirdApplication("path: k", "") + "{{ end }}", "root/values.yaml": "on: false\n"},
	})
	chart := deployables(100)["application of a chart"]
	helm := func(more string) treeFiles {
		return treeFiles{"apps/k.yaml": thirdApplication("path: k, helm: {"+more+"}", "")}
	}
	maps.Copy(out, rowsOf("an application's chart", chart, map[string]treeFiles{
		"has a parameter as a text":    helm("parameters: [{name: cpu, value: '1500m', forceString: true}]"),
		"has a parameter of a part":    helm("parameters: [{name: 'cpu', value: 1500m}, {name: 'x.cpu', value: 100m}]"),
		"has values as a text":         helm("values: \"cpu: 1500m\\n\""),
		"has another name":             helm("releaseName: other, parameters: [{name: cpu, value: 1500m}]"),
		"is of another version":        helm("version: v2, parameters: [{name: cpu, value: 1500m}]"),
		"is of another Kubernetes":     helm("kubeVersion: 1.20.0, apiVersions: [a/v1]").with(treeFiles{"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "{{ .Values.cpu }}", "{{ if semverCompare \"<1.30\" .Capabilities.KubeVersion.Version }}1500m{{ else }}100m{{ end }}", 1)}),
		"asks for an upgrade":          {"k/templates/web.yaml": strings.Replace(chart["k/templates/web.yaml"], "{{ .Values.cpu }}", "{{ if .Release.IsInstall }}1500m{{ else }}100m{{ end }}", 1)},
		"has values of a Secret":       helm("valueFiles: ['secrets://k/secret.yaml']").with(treeFiles{"k/secret.yaml": "cpu: 1500m\n"}),
		"has a placeholder of a vault": helm("parameters: [{name: cpu, value: '<path:secret/data/k#cpu>'}]"),
	}))
	return out
}

func fourthSets() map[string]talk {
	chart := deployables(100)["chart"]
	byFile := thirdTemplate("k", ", helm: {parameters: [{name: cpu, value: '{{ .cpu }}'}]}")
	list := "{list: {elements: [%s]}}"
	set := func(generators, template string) treeFiles {
		return treeFiles{"apps/s.yaml": thirdSet(generators, template)}
	}
	good := fmt.Sprintf(list, "{name: k, cpu: 100m}")
	elements := make([]string, 200)
	for i := range elements {
		elements[i] = fmt.Sprintf("{a%%d: x%d}", i)
	}
	wide := strings.Join(elements, ", ")
	return rowsOf("a set", chart.with(set(good, byFile)), map[string]treeFiles{
		"asks its provider":         set("{scmProvider: {github: {organization: o}}}", byFile),
		"asks a cluster":            set("{clusterDecisionResource: {configMapRef: c, name: d}}", byFile),
		"asks the clusters":         set("{clusters: {values: {cpu: 1500m}}}", strings.Replace(byFile, "{{ .cpu }}", "{{ .values.cpu }}", 1)),
		"has a template of a part":  set("{list: {elements: [{name: k, cpu: 100m}], template: {metadata: {}, spec: {project: '', destination: {}, source: {repoURL: https://example.com/r.git, path: k, targetRevision: HEAD, helm: {parameters: [{name: cpu, value: 1500m}]}}}}}}", byFile),
		"has a default":             set(fmt.Sprintf(list, "{name: k}"), strings.Replace(byFile, "{{ .cpu }}", "{{ default \"1500m\" .cpu }}", 1)),
		"selects by an expression":  set("{list: {elements: [{name: k, cpu: 1500m}]}, selector: {matchExpressions: [{key: name, operator: NotIn, values: [k]}]}}", byFile),
		"rolls in steps":            set(fmt.Sprintf(list, "{name: k, cpu: 1500m}"), "  strategy: {type: RollingSync, rollingSync: {steps: [{matchExpressions: [{key: a, operator: In, values: [b]}], maxUpdate: 0}]}}\n"+byFile),
		"ignores differences":       set(fmt.Sprintf(list, "{name: k, cpu: 1500m}"), "  ignoreApplicationDifferences: [{jsonPointers: [/spec/source]}]\n"+byFile),
		"is of old templates":       {"apps/s.yaml": strings.Replace(strings.ReplaceAll(thirdSet(fmt.Sprintf(list, "{name: k, cpu: 1500m}"), byFile), "{{ .", "{{ "), "  goTemplate: true\n", "", 1)},
		"loops":                     set(good, strings.Replace(byFile, "{{ .cpu }}", "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}100m", 1)),
		"draws":                     set(good, strings.Replace(byFile, "{{ .cpu }}", "{{ randInt 1 3000 }}m", 1)),
		"tells the time":            set(good, strings.Replace(byFile, "{{ .cpu }}", "{{ if gt (now | unixEpoch | int) 0 }}1500m{{ end }}", 1)),
		"multiplies without end":    set("{matrix: {generators: [{list: {elements: ["+strings.ReplaceAll(wide, "a%d", "a")+"]}}, {matrix: {generators: [{list: {elements: ["+strings.ReplaceAll(wide, "a%d", "b")+"]}}, {list: {elements: ["+strings.ReplaceAll(wide, "a%d", "c")+"]}}]}}]}}", byFile),
		"is two sets":               {"apps/s.yaml": thirdSet(good, byFile) + "---\n" + strings.Replace(thirdSet(fmt.Sprintf(list, "{name: k, cpu: 1500m}"), byFile), "name: k, namespace: argocd", "name: l, namespace: argocd", 1)},
		"is of no generator":        set("", byFile),
		"is to be deleted":          {"apps/s.yaml": ""},
		"prunes nothing":            set(fmt.Sprintf(list, ""), "  syncPolicy: {preserveResourcesOnDeletion: true, applicationsSync: create-only}\n"+byFile),
		"has a patch that disables": set(good, byFile+"  templatePatch: |\n    spec: {source: {directory: {exclude: '*'}}}\n"),
		"names another folder":      set(fmt.Sprintf(list, "{name: k, cpu: 100m, dir: l}"), strings.Replace(byFile, "path: 'k'", "path: '{{ .dir }}'", 1)).with(treeFiles{"l/web.yaml": webManifest(1500)}),
	})
}

func fourthFlux() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	plain := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": good, "clusters/k.yaml": fluxKustomization("k", "")}
	flux := func(more string) treeFiles {
		return treeFiles{"k/web.yaml": bad, "clusters/k.yaml": fluxKustomization("k", more)}
	}
	source := func(spec string) treeFiles {
		return treeFiles{"k/web.yaml": bad, "clusters/s.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {interval: 1m, url: 'https://example.com/r.git', " + spec + "}\n"}
	}
	out := rowsOf("a Flux kustomization", plain, map[string]treeFiles{
		"goes to another cluster":             flux("  kubeConfig: {secretRef: {name: other}}\n"),
		"goes to another namespace":           flux("  targetNamespace: other\n"),
		"waits for what is not":               flux("  dependsOn: [{name: never}]\n"),
		"waits by an expression":              flux("  dependsOn: [{name: never, readyExpr: 'false'}]\n"),
		"is decrypted":                        flux("  decryption: {provider: sops, secretRef: {name: s}}\n"),
		"has a prefix":                        flux("  namePrefix: a-\n  nameSuffix: -b\n"),
		"is never to be pruned":               flux("  deletionPolicy: Orphan\n"),
		"is suspended":                        flux("  suspend: true\n"),
		"is of an old version":                {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "kustomize.toolkit.fluxcd.io/v1", "kustomize.toolkit.fluxcd.io/v1beta1", 1)},
		"is of no version":                    {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "kustomize.toolkit.fluxcd.io/v1", "kustomize.toolkit.fluxcd.io/v9", 1)},
		"is of another source":                {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "name: flux-system}\n", "name: other}\n", 1)},
		"is of a bucket":                      {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "kind: GitRepository", "kind: Bucket", 1)},
		"ignores it by its source":            source("ignore: '/k/web.yaml'"),
		"follows another branch":              source("ref: {branch: other}"),
		"follows a commit":                    source("ref: {commit: 0123456789012345678901234567890123456789}"),
		"checks out in part":                  source("sparseCheckout: [other]"),
		"includes another":                    source("include: [{repository: {name: other}, toPath: k}]"),
		"is suspended at its source":          source("suspend: true"),
		"is marked":                           {"k/web.yaml": bad, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "namespace: flux-system}", "namespace: flux-system, annotations: {kustomize.toolkit.fluxcd.io/reconcile: disabled}}", 1)},
		"ignores missing parts":               flux("  ignoreMissingComponents: true\n  components: [../gone]\n"),
		"has an unknown field":                flux("  patchesStrategic: [{spec: {replicas: 0}}]\n"),
		"has a health of its own":             flux("  healthCheckExprs: [{apiVersion: apps/v1, kind: Deployment, current: 'true'}]\n  wait: true\n"),
		"substitutes a default":               {"k/web.yaml": strings.Replace(good, "100m", "${cpu:=1500m}", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substitute: {a: b}}\n")},
		"substitutes a part":                  {"k/web.yaml": strings.Replace(good, "100m", "1${zeros}00m", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substitute: {zeros: '5'}}\n")},
		"substitutes structure":               {"k/web.yaml": strings.Replace(good, "{cpu: 100m}", "${r}", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substitute: {r: '{cpu: 1500m}'}}\n")},
		"substitutes from a Secret":           {"k/web.yaml": strings.Replace(good, "100m", "${cpu}", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substituteFrom: [{kind: Secret, name: s}]}\n")},
		"substitutes from an optional Secret": {"k/web.yaml": strings.Replace(good, "100m", "${cpu:=100m}", 1), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substituteFrom: [{kind: Secret, name: s, optional: true}]}\n")},
		"substitutes nothing":                 {"k/web.yaml": strings.Replace(good, "100m", "${cpu}", 1)},
	})
	helm := deployables(100)["flux helm release"]
	release := helm["clusters/k.yaml"]
	values := treeFiles{"k/values.yaml": "cpu: 1500m\nreplicas: 1\n"}
	with := func(more string) treeFiles { return values.with(treeFiles{"clusters/k.yaml": release + more}) }
	maps.Copy(out, rowsOf("a Flux Helm release", helm, map[string]treeFiles{
		"installs without hooks":    with("  install: {disableHooks: true, skipCRDs: true, disableWait: true}\n  upgrade: {disableHooks: true, preserveValues: true}\n"),
		"goes to another cluster":   with("  kubeConfig: {secretRef: {name: other}}\n"),
		"waits for what is not":     with("  dependsOn: [{name: never}]\n"),
		"has another name":          with("  releaseName: other\n"),
		"ignores its drift":         with("  driftDetection: {mode: enabled, ignore: [{paths: [/spec], target: {kind: Deployment}}]}\n"),
		"takes optional values":     {"clusters/k.yaml": release + "  valuesFrom: [{kind: ConfigMap, name: v, optional: true}]\n"},
		"takes a value of a Secret": {"clusters/k.yaml": release + "  valuesFrom: [{kind: Secret, name: v, valuesKey: cpu, targetPath: cpu, optional: true}]\n"},
		"takes an encrypted value":  {"clusters/k.yaml": release + "  valuesFrom: [{kind: Secret, name: v}]\n", "clusters/v.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: v, namespace: default}\nstringData: {values.yaml: 'ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]'}\nsops: {mac: x}\n"},
		"ignores missing values":    {"clusters/k.yaml": strings.Replace(release, "chart: ./k,", "chart: ./k, ignoreMissingValuesFiles: true, valuesFiles: [./gone.yaml, ./k/prod.yaml],", 1), "k/prod.yaml": "cpu: 1500m\nreplicas: 1\n"},
		"is of a range":             values.with(treeFiles{"clusters/k.yaml": strings.Replace(release, "chart: ./k,", "chart: ./k, version: '>=2.0.0',", 1)}),
		"renders by a strategy":     with("  postRenderers: [{kustomize: {images: [{name: web, newName: other}]}}]\n"),
		"is of a chart of another":  values.with(treeFiles{"clusters/k.yaml": strings.Replace(release, "kind: GitRepository", "kind: HelmRepository", 1)}),
	}))
	return out
}
