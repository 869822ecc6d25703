package main

import (
	"fmt"
	"maps"
	"strings"
)

const (
	thirdConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: default}\n"
	// thirdCPU is a JSON patch after which web asks for more than a node has.
	thirdCPU = `[{"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests/cpu", "value": "1500m"}]`
)

// third generates a third set of pull requests that break web, hide it or take it away, with what only the tools of GitOps
// read.
func third() map[string]talk {
	out := map[string]talk{}
	for _, family := range []map[string]talk{thirdSets(), thirdApplications(), thirdFlux(), thirdKustomize(), thirdHelm(), thirdHelmfile(), thirdPolicies(), thirdDocuments()} {
		maps.Copy(out, family)
	}
	return out
}

func thirdApplication(source, more string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k, namespace: argocd}\nspec:\n" +
		"  project: default\n  destination: {server: https://kubernetes.default.svc, namespace: default}\n" +
		"  source: {repoURL: https://example.com/r.git, targetRevision: HEAD, " + source + "}\n" + more
}

func thirdSet(generators, template string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: k, namespace: argocd}\nspec:\n  goTemplate: true\n" +
		"  generators: [" + generators + "]\n" + template
}

func thirdTemplate(path, helm string) string {
	return "  template:\n    metadata: {name: '{{ .name }}'}\n    spec:\n      project: default\n" +
		"      destination: {server: https://kubernetes.default.svc, namespace: default}\n" +
		"      source: {repoURL: https://example.com/r.git, targetRevision: HEAD, path: '" + path + "'" + helm + "}\n"
}

// rowsOf are pull requests over one base.
func rowsOf(title string, base treeFiles, heads map[string]treeFiles) map[string]talk {
	out := map[string]talk{}
	for name, head := range heads {
		out[title+" "+name] = talk{base: base, head: base.with(head)}
	}
	return out
}

func thirdSets() map[string]talk {
	chart, bad := deployables(100)["chart"], deployables(1500)["chart"]
	badValues := treeFiles{"k/values.yaml": bad["k/values.yaml"]}
	folders := "{git: {repoURL: https://example.com/r.git, revision: HEAD, directories: [{path: '*'}%s]}}"
	byFolder := strings.Replace(thirdTemplate("{{ .path.path }}", ""), "{{ .name }}", "{{ .path.basename }}", 1)
	byFile := strings.Replace(thirdTemplate("k", ", helm: {parameters: [{name: cpu, value: '{{ .cpu }}'}]}"), "{{ .name }}", "{{ .name }}", 1)
	files := "{git: {repoURL: https://example.com/r.git, revision: HEAD, files: [{path: 'conf/*.yaml'}]}}"
	list := "{list: {elements: [%s]}}"
	out := rowsOf("a set of folders", chart.with(treeFiles{"apps/s.yaml": thirdSet(fmt.Sprintf(folders, ""), byFolder)}), map[string]treeFiles{
		"excludes it":            {"apps/s.yaml": thirdSet(fmt.Sprintf(folders, ", {path: k, exclude: true}"), byFolder)},
		"excludes it and breaks": badValues.with(treeFiles{"apps/s.yaml": thirdSet(fmt.Sprintf(folders, ", {path: k, exclude: true}"), byFolder)}),
		"selects none":           badValues.with(treeFiles{"apps/s.yaml": thirdSet("{git: {repoURL: https://example.com/r.git, revision: HEAD, directories: [{path: '*'}]}, selector: {matchLabels: {a: b}}}", byFolder)}),
		"of another revision":    badValues.with(treeFiles{"apps/s.yaml": thirdSet(strings.Replace(fmt.Sprintf(folders, ""), "HEAD", "v0", 1), byFolder)}),
		"of pull requests":       badValues.with(treeFiles{"apps/s.yaml": thirdSet("{pullRequest: {github: {owner: o, repo: r}}}", byFolder)}),
		"patches its template":   {"apps/s.yaml": thirdSet(fmt.Sprintf(folders, ""), byFolder+"  templatePatch: |\n    spec: {source: {helm: {parameters: [{name: cpu, value: 1500m}]}}}\n")},
		"only creates":           badValues.with(treeFiles{"apps/s.yaml": thirdSet(fmt.Sprintf(folders, ""), byFolder+"  syncPolicy: {applicationsSync: create-only, preserveResourcesOnDeletion: true}\n")}),
		"is of a look-alike":     badValues.with(treeFiles{"apps/s.yaml": strings.Replace(thirdSet(fmt.Sprintf(folders, ""), byFolder), "ApplicationSet", "Applic\u0430tionSet", 1)}),
	})
	maps.Copy(out, rowsOf("a set of files", chart.with(treeFiles{"apps/s.yaml": thirdSet(files, byFile), "conf/k.yaml": "name: k\ncpu: 100m\n"}), map[string]treeFiles{
		"has another value":   {"conf/k.yaml": "name: k\ncpu: 1500m\n"},
		"has a value twice":   {"conf/k.yaml": "name: k\ncpu: 100m\ncpu: 1500m\n"},
		"has a second file":   {"conf/l.yaml": "name: l\ncpu: 1500m\n"},
		"has a renamed file":  treeFiles{"conf/k.yaml": "", "conf/k.yml": "name: k\ncpu: 100m\n"}.with(badValues),
		"has a file of JSON":  {"conf/k.yaml": `{"name": "k", "cpu": "1500m"}`},
		"has a list of files": {"conf/k.yaml": "- {name: k, cpu: 1500m}\n"},
		"has a linked file":   {"conf/k.yaml": "link:../other", "other": "name: k\ncpu: 1500m\n"},
	}))
	maps.Copy(out, rowsOf("a set of elements", chart.with(treeFiles{"apps/s.yaml": thirdSet(fmt.Sprintf(list, "{name: k, cpu: 100m}"), byFile)}), map[string]treeFiles{
		"has another value":   {"apps/s.yaml": thirdSet(fmt.Sprintf(list, "{name: k, cpu: 1500m}"), byFile)},
		"merges another":      {"apps/s.yaml": thirdSet("{merge: {mergeKeys: [name], generators: [{list: {elements: [{name: k, cpu: 100m}]}}, {list: {elements: [{name: k, cpu: 1500m}]}}]}}", byFile)},
		"computes it":         {"apps/s.yaml": thirdSet(fmt.Sprintf(list, "{name: k, cpu: 100m}"), strings.Replace(byFile, "{{ .cpu }}", "{{ mul 15 100 }}m", 1))},
		"takes it from YAML":  {"apps/s.yaml": thirdSet("{list: {elementsYaml: '[{name: k, cpu: 1500m}]'}}", byFile)},
		"multiplies":          {"apps/s.yaml": thirdSet("{matrix: {generators: [{list: {elements: [{name: k}]}}, {list: {elements: [{cpu: 100m}, {cpu: 1500m}]}}]}}", byFile)},
		"asks a plugin":       {"apps/s.yaml": thirdSet("{plugin: {configMapRef: {name: p}, input: {parameters: {a: b}}}}", byFile)},
		"has no element":      {"apps/s.yaml": thirdSet(fmt.Sprintf(list, ""), byFile)},
		"fails on what lacks": {"apps/s.yaml": strings.Replace(thirdSet(fmt.Sprintf(list, "{name: k}"), byFile), "goTemplate: true", "goTemplate: true\n  goTemplateOptions: [missingkey=error]", 1)},
	}))
	return out
}

func thirdApplications() map[string]talk {
	good, badWeb := webManifest(100), webManifest(1500)
	chart := deployables(100)["chart"].with(treeFiles{"k/prod.yaml": "cpu: 100m\n"})
	helm := func(more string) treeFiles {
		return treeFiles{"apps/k.yaml": thirdApplication("path: k, helm: {"+more+"}", "")}
	}
	out := rowsOf("an application of a chart", chart.with(helm("valueFiles: [prod.yaml]")), map[string]treeFiles{
		"has a file of overrides":       {"k/.argocd-source.yaml": "helm: {parameters: [{name: cpu, value: 1500m}]}\n"},
		"has a file of its overrides":   {"k/.argocd-source-k.yaml": "helm: {parameters: [{name: cpu, value: 1500m}]}\n"},
		"lacks its values":              treeFiles{"k/values.yaml": "cpu: 1500m\nreplicas: 1\n", "k/prod.yaml": ""}.with(helm("valueFiles: [gone.yaml], ignoreMissingValueFiles: true")),
		"has values and an object":      helm("values: 'cpu: 100m', valuesObject: {cpu: 1500m}"),
		"has a file for a value":        helm("fileParameters: [{name: cpu, path: cpu.txt}]").with(treeFiles{"k/cpu.txt": "1500m"}),
		"has a parameter twice":         helm("parameters: [{name: cpu, value: 100m}, {name: cpu, value: 1500m}]"),
		"has a pattern of value files":  helm("valueFiles: ['p*.yaml']").with(treeFiles{"k/prod.yaml": "cpu: 1500m\n"}),
		"has values of another source":  {"apps/k.yaml": strings.Split(thirdApplication("path: k", ""), "  source:")[0] + "  sources:\n  - {repoURL: https://example.com/r.git, targetRevision: HEAD, path: k, helm: {valueFiles: [$v/v/prod.yaml]}}\n  - {repoURL: https://example.com/r.git, targetRevision: HEAD, ref: v}\n", "v/prod.yaml": "cpu: 1500m\n"},
		"has values from an address":    helm("valueFiles: ['https://127.0.0.1:9/v.yaml']"),
		"skips tests, schemas and CRDs": helm("skipCrds: true, skipTests: true, skipSchemaValidation: true").with(treeFiles{"k/values.yaml": "cpu: 1500m\nreplicas: 1\n"}),
		"has values above its chart":    helm("valueFiles: [../../../v.yaml]").with(treeFiles{"v.yaml": "cpu: 1500m\n"}),
	})
	kustomization := treeFiles{"k/web.yaml": good, "k/kustomization.yaml": "resources: [web.yaml]\n", "apps/k.yaml": thirdApplication("path: k", "")}
	maps.Copy(out, rowsOf("an application of a kustomization", kustomization, map[string]treeFiles{
		"has a component":          {"apps/k.yaml": thirdApplication("path: k, kustomize: {components: [../c]}", ""), "c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"has patches":              {"apps/k.yaml": thirdApplication("path: k, kustomize: {patches: [{target: {kind: Deployment}, patch: '"+thirdCPU+"'}]}", "")},
		"has a file of overrides":  {"k/.argocd-source.yaml": "kustomize: {patches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]}\n"},
		"sleeps by replicas":       {"k/web.yaml": badWeb, "apps/k.yaml": thirdApplication("path: k, kustomize: {replicas: [{name: web, count: 0}]}", "")},
		"has parts that lack":      {"k/web.yaml": badWeb, "apps/k.yaml": thirdApplication("path: k, kustomize: {components: [../gone], ignoreMissingComponents: true}", "")},
		"is of a destination name": {"k/web.yaml": badWeb, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "server: https://kubernetes.default.svc", "name: other", 1)},
	}))
	plain := treeFiles{"k/web.yaml": good, "apps/k.yaml": thirdApplication("path: k", "")}
	maps.Copy(out, rowsOf("an application of files", plain, map[string]treeFiles{
		"has it below":            {"k/web.yaml": "", "k/sub/web.yaml": badWeb, "k/c.yaml": thirdConfig},
		"has it below, with it":   {"k/web.yaml": "", "k/sub/web.yaml": badWeb, "k/c.yaml": thirdConfig, "apps/k.yaml": thirdApplication("path: k, directory: {recurse: true}", "")},
		"has it in Jsonnet":       {"k/web.yaml": "", "k/web.jsonnet": "{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'web'}}", "k/c.yaml": thirdConfig},
		"is a hydrated source":    {"k/web.yaml": badWeb, "apps/k.yaml": strings.Split(thirdApplication("", ""), "  source:")[0] + "  sourceHydrator: {drySource: {repoURL: https://example.com/r.git, targetRevision: HEAD, path: k}, syncSource: {targetBranch: env, path: k}}\n"},
		"is to be deleted":        {"k/web.yaml": badWeb, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "namespace: argocd}", "namespace: argocd, deletionTimestamp: '2020-01-01T00:00:00Z'}", 1)},
		"is of an old version":    {"k/web.yaml": badWeb, "apps/k.yaml": strings.Replace(thirdApplication("path: k", ""), "argoproj.io/v1alpha1", "argoproj.io/v1", 1)},
		"is in a list":            {"k/web.yaml": badWeb, "apps/k.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(thirdApplication("path: k", ""), "\n"), "\n", "\n  ") + "\n"},
		"is in a ConfigMap":       {"k/web.yaml": badWeb, "apps/k.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  k: |\n    " + strings.ReplaceAll(strings.TrimSuffix(thirdApplication("path: k", ""), "\n"), "\n", "\n    ") + "\n"},
		"has a path with dots":    {"k/web.yaml": badWeb, "apps/k.yaml": thirdApplication("path: ./x/../k/", "")},
		"has a path from the top": {"k/web.yaml": badWeb, "apps/k.yaml": thirdApplication("path: /k", "")},
		"has a path in capitals":  {"k/web.yaml": badWeb, "apps/k.yaml": thirdApplication("path: K", "")},
	}))
	return out
}

func thirdFlux() map[string]talk {
	badWeb := webManifest(1500)
	variable := strings.Replace(webManifest(100), "cpu: 100m", "cpu: '${cpu}'", 1)
	vars := func(name, cpu string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", namespace: flux-system}\ndata: {cpu: " + cpu + "}\n"
	}
	from := func(more string) string {
		return fluxKustomization("k", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars"+more+"}]}\n")
	}
	flux := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": variable, "clusters/vars.yaml": vars("vars", "100m"), "clusters/k.yaml": from("")}
	out := rowsOf("a Flux kustomization with variables", flux, map[string]treeFiles{
		"has another value":      {"clusters/vars.yaml": vars("vars", "1500m")},
		"has two sources":        {"clusters/more.yaml": vars("more", "1500m"), "clusters/k.yaml": fluxKustomization("k", "  postBuild: {substituteFrom: [{kind: ConfigMap, name: vars}, {kind: ConfigMap, name: more}]}\n")},
		"has a value of its own": {"clusters/k.yaml": from("") + "  patches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"lacks its source":       {"clusters/vars.yaml": ""},
		"may lack its source":    {"clusters/vars.yaml": "", "clusters/k.yaml": from(", optional: true"), "k/web.yaml": strings.Replace(variable, "${cpu}", "${cpu:=1500m}", 1)},
		"is told to leave it":    {"k/web.yaml": strings.Replace(variable, "{name: web, namespace: default}", "{name: web, namespace: default, annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}}", 1)},
		"escapes it":             {"k/web.yaml": strings.Replace(variable, "${cpu}", "$${cpu}", 1)},
		"computes it":            {"k/web.yaml": strings.Replace(variable, "${cpu}", "${cpu/100m/1500m}", 1)},
		"has a generated source": {"clusters/vars.yaml": "", "clusters/kustomization.yaml": "namespace: flux-system\nresources: [k.yaml]\ngeneratorOptions: {disableNameSuffixHash: true}\nconfigMapGenerator: [{name: vars, literals: [cpu=1500m]}]\n"},
		"has a source twice":     {"clusters/z.yaml": vars("vars", "1500m")},
	})
	plain := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": webManifest(100), "clusters/k.yaml": fluxKustomization("k", "")}
	component := "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"
	maps.Copy(out, rowsOf("a Flux kustomization", plain, map[string]treeFiles{
		"has a component":             {"clusters/k.yaml": fluxKustomization("k", "  components: [../c]\n"), "c/kustomization.yaml": component},
		"has no kustomization inside": {"k/kustomization.yaml": "", "k/web.yaml": "", "k/a/b/web.yaml": badWeb},
		"is applied by another":       {"k/web.yaml": badWeb, "clusters/k.yaml": fluxKustomization("k", "  serviceAccountName: none\n  force: true\n  wait: false\n  deletionPolicy: Orphan\n")},
		"is declared twice":           {"k/web.yaml": badWeb, "clusters/l.yaml": fluxKustomization("k", "  suspend: true\n")},
		"is ignored by its source":    {"k/web.yaml": badWeb, "k/.sourceignore": "*\n", "clusters/src.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {interval: 1m, url: 'https://example.com/r.git', ignore: '/*'}\n"},
		"is of an artifact":           {"k/web.yaml": badWeb, "clusters/k.yaml": strings.Replace(fluxKustomization("k", ""), "kind: GitRepository", "kind: ExternalArtifact", 1)},
		"is in a resource set":        {"k/web.yaml": badWeb, "clusters/k.yaml": "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: k, namespace: flux-system}\nspec:\n  inputs: [{t: a}]\n  resources:\n  - " + strings.ReplaceAll(strings.TrimSuffix(fluxKustomization("k", ""), "\n"), "\n", "\n    ") + "\n"},
	}))
	helm := deployables(100)["flux helm release"]
	release := helm["clusters/k.yaml"]
	valuesFrom := func(more string) string { return release + "  valuesFrom: [{" + more + "}]\n" }
	maps.Copy(out, rowsOf("a Helm release", helm, map[string]treeFiles{
		"has a value at a path":      {"clusters/k.yaml": valuesFrom("kind: ConfigMap, name: v, valuesKey: key, targetPath: cpu"), "clusters/v.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: default}\ndata: {key: 1500m}\n"},
		"has generated values":       {"clusters/k.yaml": valuesFrom("kind: ConfigMap, name: v"), "clusters/kustomization.yaml": "namespace: default\nresources: [k.yaml]\nconfigMapGenerator: [{name: v, files: [values.yaml=v.yaml]}]\nconfigurations: [n.yaml]\n", "clusters/n.yaml": "nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{path: spec/valuesFrom/name, kind: HelmRelease}]}]\n", "clusters/v.yaml": "cpu: 1500m\n"},
		"has a patch of old":         {"clusters/k.yaml": release + "  postRenderers: [{kustomize: {patchesJson6902: [{target: {kind: Deployment, name: web}, patch: " + thirdCPU + "}]}}]\n"},
		"has a chart of an artifact": {"k/values.yaml": "cpu: 1500m\nreplicas: 1\n", "clusters/k.yaml": strings.Split(release, "  chart:")[0] + "  chartRef: {kind: HelmChart, name: k, namespace: default}\n", "clusters/c.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmChart\nmetadata: {name: k, namespace: default}\nspec: {interval: 5m, chart: ./k, sourceRef: {kind: GitRepository, name: flux-system}}\n"},
		"has another namespace":      {"k/values.yaml": "cpu: 1500m\nreplicas: 1\n", "clusters/k.yaml": release + "  targetNamespace: other\n  storageNamespace: other\n"},
	}))
	return out
}

func thirdKustomize() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	base := treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": good}
	component := "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"
	labelled := `[{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]`
	out := rowsOf("a kustomization has", base, map[string]treeFiles{
		"five levels":                 {"k/kustomization.yaml": "resources: [a]\n", "k/web.yaml": "", "k/a/kustomization.yaml": "resources: [b]\n", "k/a/b/kustomization.yaml": "resources: [c]\n", "k/a/b/c/kustomization.yaml": "resources: [d]\ncomponents: [../../../../comp]\n", "k/a/b/c/d/kustomization.yaml": "resources: [web.yaml]\n", "k/a/b/c/d/web.yaml": good, "comp/kustomization.yaml": component},
		"a patch by labels":           {"k/kustomization.yaml": "resources: [web.yaml]\npatches:\n- {target: {kind: Deployment}, patch: '" + labelled + "'}\n- {target: {labelSelector: a=b}, patch: '" + thirdCPU + "'}\n"},
		"a patch by a pattern":        {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{target: {kind: D.*, name: 'w[e]b'}, patch: '" + thirdCPU + "'}]\n"},
		"a patch of many documents":   {"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{path: p.yaml}]\n", "k/p.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec: {minReadySeconds: 1}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}\n"},
		"an anchored patch":           {"k/kustomization.yaml": "resources: [web.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |\n    - &p {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 1500m}\n    - *p\n"},
		"a file of no extension":      {"k/kustomization.yaml": "resources: [web]\n", "k/web.yaml": "", "k/web": bad},
		"a file twice":                {"k/kustomization.yaml": "resources: [web.yaml, ./web.yaml]\n", "k/web.yaml": bad},
		"a folder for a file":         {"k/web.yaml": "", "k/web.yaml/kustomization.yaml": "resources: [w.yaml]\n", "k/web.yaml/w.yaml": bad},
		"a schema of its own":         {"k/kustomization.yaml": "openapi: {path: s.json}\nresources: [web.yaml]\npatches: [{path: p.yaml}]\n", "k/s.json": `{"definitions":{}}`, "k/p.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}\n"},
		"a replacement of a part":     {"k/kustomization.yaml": "resources: [web.yaml, c.yaml]\nreplacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.all, options: {delimiter: '/', index: 1}}, targets: [{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=web].resources.requests.cpu']}]}]\n", "k/c.yaml": thirdConfig + "data: {all: a/1500m/b}\n"},
		"a generated replacement":     {"k/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: c, envs: [c.env]}]\nreplacements: [{source: {kind: ConfigMap, name: c, fieldPath: data.cpu}, targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.resources.requests.cpu]}]}]\n", "k/c.env": "cpu=1500m\n"},
		"a generator that replaces":   {"k/kustomization.yaml": "resources: [../b]\nconfigMapGenerator: [{name: c, behavior: replace, literals: [a=b]}]\n", "b/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: c, literals: [a=c]}]\n", "b/web.yaml": bad, "k/web.yaml": ""},
		"a transformer in a folder":   {"k/kustomization.yaml": "resources: [web.yaml]\ntransformers: [t]\n", "k/t/kustomization.yaml": "resources: [t.yaml]\n", "k/t/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\ntarget: {kind: Deployment}\npatch: '" + thirdCPU + "'\n"},
		"a validator":                 {"k/kustomization.yaml": "resources: [web.yaml]\nvalidators: [v.yaml]\n", "k/web.yaml": bad, "k/v.yaml": "apiVersion: v1\nkind: V\nmetadata: {name: v, annotations: {config.kubernetes.io/function: 'exec: {path: ./v}'}}\n"},
		"a remote one of this":        {"k/kustomization.yaml": "resources: ['https://github.com/example/r//b?ref=main']\n", "k/web.yaml": "", "b/kustomization.yaml": "resources: [web.yaml]\n", "b/web.yaml": bad},
		"the resources of a link":     {"k/kustomization.yaml": "resources: [l]\n", "k/web.yaml": "", "k/l": "link:../b", "b/kustomization.yaml": "resources: [web.yaml]\n", "b/web.yaml": bad},
		"a list of objects":           {"k/web.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n  ") + "\n"},
		"a list of resources":         {"k/web.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n  ") + "\n"},
		"an older field for its base": {"k/kustomization.yaml": "bases: [../b/]\nresources: []\n", "k/web.yaml": "", "b/kustomization.yml": "resources: [web.yaml]\n", "b/web.yaml": bad},
		"an unknown field":            {"k/kustomization.yaml": "resources: [web.yaml]\npatch: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"a name for its base only":    {"k/kustomization.yaml": "namePrefix: a-\nnameSuffix: -b\nresources: [../b]\n", "b/kustomization.yaml": "resources: [web.yaml]\n", "b/web.yaml": bad, "k/web.yaml": ""},
		"a waiver for all":            {"k/kustomization.yaml": "resources: [web.yaml]\ncommonAnnotations: {kubesettle.dev/waive: 'unschedulable: known; until 2099-01-01'}\n", "k/web.yaml": bad},
		"a chart with values twice":   {"k/kustomization.yaml": "helmGlobals: {chartHome: ../charts}\nhelmCharts: [{name: web, releaseName: web, namespace: default, valuesFile: v.yaml, additionalValuesFiles: [w.yaml], valuesMerge: override, valuesInline: {a: b}}]\n", "k/web.yaml": "", "k/v.yaml": "cpu: 100m\n", "k/w.yaml": "cpu: 1500m\n", "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "charts/web/templates/web.yaml": strings.Replace(good, "100m", "{{ .Values.cpu }}", 1)},
	})
	return out
}

func thirdHelm() map[string]talk {
	chart, badValues := deployables(100)["chart"], deployables(1500)["chart"]["k/values.yaml"]
	template := chart["k/templates/web.yaml"]
	asks := func(text string) string { return strings.Replace(template, "{{ .Values.cpu }}", text, 1) }
	chartYAML := func(more string) string { return "apiVersion: v2\nname: k\nversion: 1.0.0\n" + more }
	read := chart.with(treeFiles{"k/templates/web.yaml": asks(`{{ .Files.Get "cpu.txt" | default "1500m" }}`), "k/cpu.txt": "100m"})
	out := rowsOf("a chart that reads a file has", read, map[string]treeFiles{
		"another text":      {"k/cpu.txt": "1500m"},
		"an ignore file":    {"k/.helmignore": "*.txt\n"},
		"a link for it":     {"k/cpu.txt": "link:../cpu", "cpu": "1500m"},
		"a pointer for it":  {"k/cpu.txt": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 5\n"},
		"it among others":   {"k/templates/web.yaml": asks(`{{ range $p, $_ := .Files.Glob "conf/*" }}{{ $.Files.Get $p }}{{ end }}`), "k/conf/a": "1500m"},
		"its lines":         {"k/templates/web.yaml": asks(`{{ index (.Files.Lines "cpu.txt") 1 }}`), "k/cpu.txt": "100m\n1500m\n"},
		"its case changed":  {"k/cpu.txt": "", "k/CPU.txt": "100m"},
		"it among the dots": {"k/templates/web.yaml": asks(`{{ .Files.Get "templates/../cpu.txt" | default "1500m" }}`)},
	})
	lib := chart.with(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: lib, version: 1.0.0, repository: file://../lib}]\n"), "k/templates/web.yaml": `{{ include "lib.web" . }}`,
		"lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n", "lib/templates/_web.yaml": "{{ define \"lib.web\" }}\n" + template + "{{ end }}\n"})
	maps.Copy(out, rowsOf("a chart of a library has", lib, map[string]treeFiles{
		"another library":        {"lib/templates/_web.yaml": "{{ define \"lib.web\" }}\n" + asks("1500m") + "{{ end }}\n"},
		"a copy of the library":  {"k/charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n", "k/charts/lib/templates/_web.yaml": "{{ define \"lib.web\" }}\n" + asks("1500m") + "{{ end }}\n"},
		"a definition of its":    {"k/templates/_helpers.tpl": "{{ define \"lib.web\" }}\n" + asks("1500m") + "{{ end }}\n"},
		"a library that is none": {"lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\n", "lib/templates/web.yaml": webManifest(1500), "lib/templates/_web.yaml": "{{ define \"lib.web\" }}{{ end }}"},
		"an empty definition":    {"lib/templates/_web.yaml": "{{ define \"lib.web\" }}{{ end }}"},
		"another version of it":  {"k/values.yaml": badValues, "lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 2.0.0\ntype: library\n"},
	}))
	maps.Copy(out, rowsOf("a chart has", chart, map[string]treeFiles{
		"a template in its values":   {"k/values.yaml": "cpu: 100m\nreplicas: 1\nt: '{{ mul 15 100 }}m'\n", "k/templates/web.yaml": asks(`{{ tpl .Values.t . }}`)},
		"a template of a file":       {"k/templates/web.yaml": `{{ tpl (.Files.Get "web.tpl") . }}`, "k/web.tpl": asks("1500m")},
		"a value twice":              {"k/values.yaml": "cpu: 100m\nreplicas: 1\ncpu: 1500m\n"},
		"a merged value":             {"k/values.yaml": "x: &x {cpu: 1500m}\n<<: *x\nreplicas: 1\n"},
		"a dotted value":             {"k/values.yaml": "cpu: 100m\nreplicas: 1\ncpu.x: 1500m\n", "k/templates/web.yaml": asks(`{{ index .Values "cpu.x" }}`)},
		"a value by the version":     {"k/templates/web.yaml": asks(`{{ if semverCompare ">=1.30-0" .Capabilities.KubeVersion.Version }}1500m{{ else }}100m{{ end }}`)},
		"a value by the namespace":   {"k/templates/web.yaml": asks(`{{ if eq .Release.Namespace "kube-system" }}100m{{ else }}1500m{{ end }}`)},
		"a value by the Helm":        {"k/templates/web.yaml": asks(`{{ if hasPrefix "v3" .Capabilities.HelmVersion.Version }}1500m{{ else }}100m{{ end }}`)},
		"a value by the template":    {"k/templates/web.yaml": asks(`{{ if contains "web" .Template.Name }}1500m{{ end }}`)},
		"its objects as JSON":        {"k/templates/web.yaml": "{{ $o := fromYaml (.Files.Get \"o\") }}{{ toJson $o }}\n", "k/o": webManifest(1500)},
		"its objects as a list":      {"k/values.yaml": badValues, "k/templates/web.yaml": "apiVersion: v1\nkind: List\nitems:\n{{ list (include \"w\" . | fromYaml) | toYaml }}\n{{ define \"w\" }}\n" + template + "{{ end }}\n"},
		"a template by another name": {"k/values.yaml": badValues, "k/templates/web.yaml": "", "k/templates/web.tpl": template},
		"a template without a name":  {"k/values.yaml": badValues, "k/templates/web.yaml": "", "k/templates/.web.yaml": template},
		"a part as an archive":       {"k/templates/web.yaml": "", "k/charts/d.tgz": "link:../../d.tgz", "d.tgz": "x"},
		"an old file of parts":       {"k/values.yaml": badValues, "k/requirements.yaml": "dependencies: [{name: d, version: 1.0.0, repository: 'https://charts.example.com', condition: d.enabled}]\n"},
		"a schema with a default":    {"k/values.schema.json": `{"properties":{"cpu":{"default":"1500m","type":"string"}},"required":["cpu","more"]}`},
		"a hook and a policy":        {"k/values.yaml": badValues, "k/templates/web.yaml": strings.Replace(template, "{name: web, namespace: default}", "{name: web, namespace: default, annotations: {helm.sh/hook: 'post-install,post-upgrade', helm.sh/hook-delete-policy: before-hook-creation}}", 1)},
		"a name by its values":       {"k/values.yaml": badValues, "k/templates/web.yaml": strings.Replace(template, "{name: web,", "{name: {{ .Values.name | default \"web2\" }},", 1)},
		"a chart in its chart":       {"k/templates/web.yaml": "", "k/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "k/charts/web/values.yaml": "cpu: 1500m\nreplicas: 1\n", "k/charts/web/templates/web.yaml": template},
		"a global value":             {"k/values.yaml": "cpu: 100m\nreplicas: 1\nglobal: {cpu: 1500m}\n", "k/templates/web.yaml": asks(`{{ coalesce .Values.global.cpu .Values.cpu }}`)},
		"a draw between two":         {"k/templates/web.yaml": asks(`{{ index (list "100m" "1500m") (randInt 0 2) }}`)},
		"a draw by the hash":         {"k/templates/web.yaml": asks(`{{ if regexMatch "^[0-7]" (randAlphaNum 8 | sha256sum) }}1500m{{ else }}100m{{ end }}`)},
	}))
	return out
}

func thirdHelmfile() map[string]talk {
	base := deployables(100)["helmfile"]
	file := "hf/helmfile.yaml"
	release := "releases:\n- name: k\n  namespace: default\n  chart: .././k\n"
	bad := treeFiles{"k/templates/web.yaml": deployables(1500)["plain"]["k/web.yaml"]}
	return rowsOf("a helmfile", base, map[string]treeFiles{
		"has a condition":         bad.with(treeFiles{file: "values: [{k: {enabled: false}}]\n" + release + "  condition: k.enabled\n"}),
		"has a patch":             {file: base[file] + "  strategicMergePatches: [{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}}]\n"},
		"has a JSON patch":        {file: base[file] + "  jsonPatches: [{target: {version: v1, kind: Deployment, name: web}, patch: " + thirdCPU + "}]\n"},
		"sets it":                 {file: base[file] + "  set: [{name: cpu, value: 1500m}]\n"},
		"has templated values":    {file: release + "  values: [v.yaml.gotmpl]\n", "hf/v.yaml.gotmpl": "cpu: {{ mul 15 100 }}m\n"},
		"may lack its values":     {file: release + "  missingFileHandler: Warn\n  values: [gone.yaml]\n", "k/values.yaml": "cpu: 1500m\nreplicas: 1\n"},
		"has bases":               {file: "bases: [b.yaml]\n---\n" + release + "  values: [{cpu: {{ .Values.cpu }}}]\n", "hf/b.yaml": "environments: {default: {values: [{cpu: 1500m}]}}\n"},
		"has environments":        {file: "environments: {default: {}, prod: {values: [{cpu: 1500m}]}}\n---\n" + release + "  values: [{cpu: '{{ .Values.cpu | default \"100m\" }}'}]\n"},
		"runs a hook":             bad.with(treeFiles{file: release + "  hooks: [{events: [presync], command: sh, args: [-c, 'exit 0']}]\n"}),
		"runs a program":          {file: release + "  values: [{cpu: '{{ exec \"sh\" (list \"-c\" \"echo 1500m\") }}'}]\n"},
		"reads the environment":   {file: release + "  values: [{cpu: '{{ env \"CPU\" | default \"1500m\" }}'}]\n"},
		"is of a renamed release": bad.with(treeFiles{file: strings.Replace(release, "name: k", "name: k2", 1)}),
		"has a post-renderer":     bad.with(treeFiles{file: release + "  postRenderer: ./fix.sh\n"}),
	})
}

func thirdPolicies() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	broken := treeFiles{"k/web.yaml": bad}
	node := func(cpu string) string {
		return "apiVersion: v1\nkind: Node\nmetadata: {name: one}\nstatus: {allocatable: {cpu: '" + cpu + "', memory: 16Gi, pods: '110'}}\n"
	}
	waive := func(mark, text string) string {
		return strings.Replace(text, "{name: web, namespace: default}", "{name: web, namespace: default, annotations: {kubesettle.dev/waive: '"+mark+"'}}", 1)
	}
	out := rowsOf("a policy of nodes in a file, and", treeFiles{".kubesettle.yaml": "cluster: {nodes: nodes.yaml}\n", "nodes.yaml": node("1"), "k/web.yaml": good}, map[string]treeFiles{
		"larger nodes":     broken.with(treeFiles{"nodes.yaml": node("9")}),
		"no nodes":         treeFiles{"nodes.yaml": ""}.with(broken),
		"linked nodes":     broken.with(treeFiles{"nodes.yaml": "link:n", "n": node("9")}),
		"renamed nodes":    treeFiles{"nodes.yaml": "", "Nodes.yaml": node("9")}.with(broken),
		"a renamed policy": treeFiles{".kubesettle.yaml": "", ".kubesettle.YAML": "gate: {failOn: 'off'}\n"}.with(broken),
	})
	maps.Copy(out, rowsOf("a policy of a baseline, and", treeFiles{".kubesettle.yaml": actionPolicy + "gate: {baseline: accepted.yaml}\n", "accepted.yaml": thirdBaseline, "k/web.yaml": good}, map[string]treeFiles{
		"an edited baseline":  broken.with(treeFiles{"accepted.yaml": strings.Replace(thirdBaseline, "[]", "[{fingerprint: 0123456789abcdef0123456789abcdef, rule: unschedulable}]", 1)}),
		"a deleted baseline":  treeFiles{"accepted.yaml": ""}.with(broken),
		"an unread baseline":  broken.with(treeFiles{"accepted.yaml": "{{{"}),
		"a baseline, renamed": treeFiles{"accepted.yaml": "", "accepted.yml": thirdBaseline}.with(broken),
	}))
	maps.Copy(out, rowsOf("a waiver of one rule, and", treeFiles{"k/web.yaml": waive("drain-blocked: known; until 2099-01-01", good)}, map[string]treeFiles{
		"of another rule":    {"k/web.yaml": waive("unschedulable: known; until 2099-01-01", bad)},
		"of both":            {"k/web.yaml": waive("drain-blocked: known; until 2099-01-01\n      unschedulable: known; until 2099-01-01", bad)},
		"of all":             {"k/web.yaml": waive("*: known; until 2099-01-01", bad)},
		"of another name":    {"k/web.yaml": strings.Replace(bad, "name: web, namespace", "name: web2, namespace", 1)},
		"of a template only": {"k/web.yaml": strings.Replace(bad, "metadata: {labels: {app: web}}", "metadata: {labels: {app: web}, annotations: {kubesettle.dev/waive: 'unschedulable: known; until 2099-01-01'}}", 1)},
	}))
	declared := deployables(100)["chart"].with(treeFiles{".kubesettle.yaml": actionPolicy + "releases: [{id: prod, chart: k, values: [prod.yaml]}]\n", "prod.yaml": "cpu: 100m\n"})
	maps.Copy(out, rowsOf("a policy of a release, and", declared, map[string]treeFiles{
		"no values for it":         {"prod.yaml": ""},
		"values renamed":           {"prod.yaml": "", "prod.yml": "cpu: 1500m\n"},
		"values in capitals":       {"prod.yaml": "", "PROD.yaml": "cpu: 1500m\n"},
		"values as a link":         {"prod.yaml": "link:k/other", "k/other": "cpu: 1500m\n"},
		"values as a list":         {"prod.yaml": "- cpu: 1500m\n"},
		"values for another":       {"prod.yaml": "cpu: 1500m\n", ".kubesettle.yaml": actionPolicy + "releases: [{id: prod, chart: k, values: [other.yaml]}]\n", "other.yaml": "cpu: 100m\n"},
		"another folder of it":     {"prod.yaml": "cpu: 1500m\n", "k/Chart.yaml": "", "k/templates/web.yaml": "", "k/values.yaml": "", "l/Chart.yaml": declared["k/Chart.yaml"], "l/values.yaml": declared["k/values.yaml"], "l/templates/web.yaml": declared["k/templates/web.yaml"]},
		"a kustomization in place": {"k/Chart.yaml": "", "k/templates/web.yaml": "", "k/values.yaml": "", "k/kustomization.yaml": "resources: [web.yaml]\n", "k/web.yaml": bad},
	}))
	return out
}

func thirdDocuments() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	flow := `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"%s}, "spec": {"selector": {"matchLabels": {"app": "web"}}, "strategy": {"type": "Recreate"}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web", "resources": {"requests": {"cpu": "1500m"}}}]}}}}` + "\n"
	marks := make([]string, 2000)
	for i := range marks {
		marks[i] = fmt.Sprintf(`"a.example/k%d": "v"`, i)
	}
	replaced := func(old, new string) treeFiles { return treeFiles{"k/web.yaml": strings.Replace(bad, old, new, 1)} }
	return rowsOf("a file has", treeFiles{"k/web.yaml": good}, map[string]treeFiles{
		"a line of 4 MiB":              {"k/web.yaml": fmt.Sprintf(flow, `, "annotations": {"a.example/x": "`+strings.Repeat("x", 4<<20)+`"}`)},
		"thousands of annotations":     {"k/web.yaml": fmt.Sprintf(flow, `, "annotations": {`+strings.Join(marks, ", ")+`}`)},
		"a twin in other case":         {"k/WEB.yaml": bad},
		"a twin in another folder":     {"K/web.yaml": bad},
		"a twin of other shape":        {"k/web.yaml": bad, "k/web.yml": good},
		"a nested anchor":              replaced("labels: {app: web}}\n", "labels: &l {app: web}, annotations: *l}\n"),
		"an unknown anchor":            replaced("cpu: 1500m", "cpu: *nothing"),
		"a number of a kind":           replaced("cpu: 1500m", "cpu: 1.5"),
		"a number in hexadecimal":      replaced("cpu: 1500m", "cpu: 0x2"),
		"a number in base 60":          replaced("cpu: 1500m", "cpu: 1:30"),
		"a number with a plus":         replaced("cpu: 1500m", "cpu: '+1500m'"),
		"a wide number":                replaced("cpu: 1500m", "cpu: １５００m"),
		"a folded number":              replaced("cpu: 1500m", "cpu: 1500\u00adm"),
		"a yes for a name":             replaced("{name: web, namespace: default}", "{name: yes, namespace: default}"),
		"an empty name":                replaced("{name: web, namespace: default}", "{name: '', namespace: default}"),
		"another selector":             replaced("matchLabels: {app: web}", "matchLabels: {\u0430pp: web}"),
		"a container more":             replaced("containers: [{name: web,", "containers: [{name: web, image: x, resources: {requests: {cpu: 1m}}}, {name: web,"),
		"an init container":            treeFiles{"k/web.yaml": strings.Replace(good, "containers:", "initContainers: [{name: i, image: i, resources: {requests: {cpu: 1500m}}}], containers:", 1)},
		"an overhead":                  treeFiles{"k/web.yaml": strings.Replace(good, "spec: {containers", "spec: {overhead: {cpu: 1500m}, runtimeClassName: r, containers", 1)},
		"a request of the pod":         treeFiles{"k/web.yaml": strings.Replace(good, "spec: {containers", "spec: {resources: {requests: {cpu: 1500m}}, containers", 1)},
		"a limit for a request":        treeFiles{"k/web.yaml": strings.Replace(good, "requests: {cpu: 100m}", "limits: {cpu: 1500m}", 1)},
		"a selector of no node":        treeFiles{"k/web.yaml": strings.Replace(good, "spec: {containers", "spec: {nodeSelector: {none: such}, containers", 1)},
		"a gate on its pods":           treeFiles{"k/web.yaml": strings.Replace(good, "spec: {containers", "spec: {schedulingGates: [{name: a.example/g}], containers", 1)},
		"a scheduler of its own":       treeFiles{"k/web.yaml": strings.Replace(bad, "spec: {containers", "spec: {schedulerName: mine, containers", 1)},
		"a separate node":              treeFiles{"k/web.yaml": strings.Replace(bad, "spec: {containers", "spec: {nodeName: nowhere, containers", 1)},
		"no replicas":                  replaced("spec:\n", "spec:\n  replicas: 0\n"),
		"a pause":                      replaced("spec:\n", "spec:\n  paused: true\n"),
		"another kind of its name":     {"k/web.yaml": strings.Replace(strings.Replace(bad, "kind: Deployment", "kind: StatefulSet", 1), "  strategy: {type: Recreate}\n", "  serviceName: web\n", 1)},
		"a kind of another group":      {"k/web.yaml": strings.Replace(bad, "apps/v1", "apps.example.com/v1", 1)},
		"a pod for it":                 {"k/web.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: default}\nspec: {containers: [{name: web, image: web, resources: {requests: {cpu: 1500m}}}]}\n"},
		"a template of pods for it":    {"k/web.yaml": "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: web, namespace: default}\ntemplate: {spec: {containers: [{name: web, image: web, resources: {requests: {cpu: 1500m}}}]}}\n"},
		"a rollout for it":             {"k/web.yaml": strings.Replace(strings.Replace(strings.Replace(bad, "kind: Deployment", "kind: Rollout", 1), "apps/v1", "argoproj.io/v1alpha1", 1), "strategy: {type: Recreate}", "strategy: {canary: {}}", 1)},
		"a Knative service for it":     {"k/web.yaml": "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: web, namespace: default}\nspec: {template: {spec: {containers: [{image: web, resources: {requests: {cpu: 1500m}}}]}}}\n"},
		"a composition for it":         {"k/web.yaml": "apiVersion: kubernetes.crossplane.io/v1alpha2\nkind: Object\nmetadata: {name: web}\nspec: {forProvider: {manifest: " + strings.TrimSpace(fmt.Sprintf(flow, "")) + "}}\n"},
		"a manifest work for it":       {"k/web.yaml": "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\nmetadata: {name: web, namespace: default}\nspec: {workload: {manifests: [" + strings.TrimSpace(fmt.Sprintf(flow, "")) + "]}}\n"},
		"a config that an app applies": {"k/web.yaml": thirdConfig + "data:\n  web.yaml: |\n    " + strings.ReplaceAll(strings.TrimSuffix(bad, "\n"), "\n", "\n    ") + "\n"},
	})
}

const thirdBaseline = "apiVersion: kubesettle.dev/v1alpha1\nkind: Baseline\nfindings: []\n"
