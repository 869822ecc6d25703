package main

import (
	"maps"
	"strings"
)

// fourthOthers hand web over to tools that nothing here reads, or write it as another kind.
func fourthOthers() map[string]talk {
	bad := webManifest(1500)
	gone := func(files treeFiles) treeFiles {
		return treeFiles{"k/web.yaml": "", "k/c.yaml": thirdConfig}.with(files)
	}
	return rowsOf("a file becomes", treeFiles{"k/web.yaml": webManifest(100), "k/c.yaml": thirdConfig}, map[string]treeFiles{
		"Jsonnet":                    gone(treeFiles{"k/web.jsonnet": "{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'web', namespace: 'default'}}"}),
		"an environment of Tanka":    gone(treeFiles{"k/main.jsonnet": "{}", "k/spec.json": `{"apiVersion":"tanka.dev/v1alpha1","kind":"Environment","metadata":{"name":"k"},"spec":{"namespace":"default"}}`}),
		"CUE":                        gone(treeFiles{"k/web.cue": "apiVersion: \"apps/v1\"\nkind: \"Deployment\"\nmetadata: name: \"web\"\n"}),
		"KCL":                        gone(treeFiles{"k/main.k": "apiVersion = \"apps/v1\"\nkind = \"Deployment\"\n", "k/kcl.mod": "[package]\nname = \"k\"\n"}),
		"Starlark":                   gone(treeFiles{"k/web.star": "def main(ctx):\n  return {'kind': 'Deployment'}\n"}),
		"Terraform":                  gone(treeFiles{"k/main.tf": "resource \"kubernetes_deployment\" \"web\" {}\n"}),
		"a template of Jinja":        gone(treeFiles{"k/web.yaml.j2": bad}),
		"a template of Go":           gone(treeFiles{"k/web.yaml.tmpl": bad}),
		"a template of ytt":          treeFiles{"k/web.yaml": "#@ load(\"@ytt:data\", \"data\")\n" + strings.Replace(bad, "cpu: 1500m", "cpu: #@ data.values.cpu", 1), "k/values.yaml": "#@data/values\n---\ncpu: 1500m\n"},
		"a condition of ytt":         {"k/web.yaml": "#@ if/end True:\n---\n" + bad},
		"an overlay of ytt":          {"k/overlay.yaml": "#@ load(\"@ytt:overlay\", \"overlay\")\n#@overlay/match by=overlay.subset({\"kind\": \"Deployment\"})\n---\nspec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}\n"},
		"a package of kpt":           {"k/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: k}\npipeline: {mutators: [{image: gcr.io/x/set:v1, configMap: {cpu: 1500m}}]}\n"},
		"an app of kapp":             gone(treeFiles{"k/app.yaml": "apiVersion: kappctrl.k14s.io/v1alpha1\nkind: App\nmetadata: {name: k, namespace: default}\nspec:\n  fetch:\n  - inline:\n      paths:\n        web.yml: " + block(10, bad) + "  template: [{ytt: {}}]\n  deploy: [{kapp: {}}]\n"}),
		"a bundle of Fleet":          {"k/fleet.yaml": "defaultNamespace: default\nkustomize: {dir: ./o}\n", "k/o/kustomization.yaml": "resources: [../web.yaml]\npatches: [{target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"a chart of Fleet":           gone(treeFiles{"k/fleet.yaml": "helm: {chart: web, repo: 'https://charts.example.com', version: 1.0.0}\n"}),
		"a set of Kluctl":            gone(treeFiles{"k/deployment.yaml": "deployments: [{path: web}]\n", ".kluctl.yaml": "targets: [{name: t}]\n", "k/web/web.yml": strings.Replace(bad, "1500m", "{{ cpu }}", 1)}),
		"a manifest of Skaffold":     gone(treeFiles{"skaffold.yaml": "apiVersion: skaffold/v4beta11\nkind: Config\nmanifests: {rawYaml: [other/web.yml]}\n", "other/web.yml": bad}),
		"a module of Timoni":         gone(treeFiles{"k/timoni.cue": "package main\n", "bundle.cue": "bundle: apiVersion: \"v1alpha1\"\n"}),
		"a chart of k3s":             gone(treeFiles{"k/chart.yaml": "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: web, namespace: kube-system}\nspec: {repo: 'https://charts.example.com', chart: web, targetNamespace: default}\n"}),
		"an addon of Sveltos":        gone(treeFiles{"k/p.yaml": "apiVersion: config.projectsveltos.io/v1beta1\nkind: ClusterProfile\nmetadata: {name: web}\nspec: {clusterSelector: {matchLabels: {a: b}}, policyRefs: [{kind: ConfigMap, name: w, namespace: default}]}\n"}),
		"a propagation of Karmada":   {"k/p.yaml": "apiVersion: policy.karmada.io/v1alpha1\nkind: OverridePolicy\nmetadata: {name: web, namespace: default}\nspec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}], overrideRules: [{overriders: {plaintext: [{path: /spec/template/spec/containers/0/resources/requests/cpu, operator: replace, value: 1500m}]}}]}\n"},
		"an application of KubeVela": gone(treeFiles{"k/app.yaml": "apiVersion: core.oam.dev/v1beta1\nkind: Application\nmetadata: {name: web, namespace: default}\nspec: {components: [{name: web, type: webservice, properties: {image: web, cpu: '1.5'}}]}\n"}),
		"a service of Score":         gone(treeFiles{"score.yaml": "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {web: {image: web, resources: {requests: {cpu: 1500m}}}}\n"}),
		"a file of Compose":          gone(treeFiles{"docker-compose.yaml": "services: {web: {image: web, deploy: {resources: {reservations: {cpus: '1.5'}}}}}\n"}),
		"a mutation of Kyverno":      {"k/p.yaml": "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: m}\nspec: {rules: [{name: m, match: {any: [{resources: {kinds: [Deployment], names: [web]}}]}, mutate: {patchStrategicMerge: {spec: {template: {spec: {containers: [{name: web, resources: {requests: {cpu: 1500m}}}]}}}}}}]}\n"},
		"a mutating webhook":         {"k/p.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: m}\nwebhooks: [{name: m.example.com, admissionReviewVersions: [v1], sideEffects: None, failurePolicy: Fail, clientConfig: {service: {name: m, namespace: default}}, rules: [{apiGroups: ['*'], apiVersions: ['*'], operations: [CREATE, UPDATE], resources: ['*']}]}]\n"},
		"a mutating policy":          {"k/p.yaml": "apiVersion: admissionregistration.k8s.io/v1beta1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec: {matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]}, reinvocationPolicy: Never, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]}\n"},
		"a mutating policy in force": {"k/p.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\nmetadata: {name: m}\nspec: {matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, reinvocationPolicy: Never, mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[JSONPatch{op: \"add\", path: \"/spec/containers/0/resources\", value: {\"requests\": {\"cpu\": \"1500m\"}}}]'}}]}\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: m}\nspec: {policyName: m}\n"},
		"limits for its namespace":   {"k/l.yaml": "apiVersion: v1\nkind: LimitRange\nmetadata: {name: l, namespace: default}\nspec: {limits: [{type: Container, max: {cpu: 50m}}]}\n"},
		"a quota of its namespace":   {"k/q.yaml": "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {requests.cpu: 50m}}\n"},
		"a class of its nodes":       {"k/web.yaml": strings.Replace(webManifest(100), "spec: {containers", "spec: {runtimeClassName: big, containers", 1), "k/r.yaml": "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: big}\nhandler: big\noverhead: {podFixed: {cpu: 1500m}}\n"},
	})
}

// fourthTemplates are OpenShift's.
func fourthTemplates() map[string]talk {
	template := func(cpu, parameter string) string {
		item := strings.ReplaceAll(strings.TrimSuffix(strings.Replace(webManifest(100), "100m", cpu, 1), "\n"), "\n", "\n  ")
		return "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nobjects:\n- " + item + "\nparameters:\n" + parameter
	}
	base := treeFiles{"k/t.yaml": template("'${CPU}'", "- {name: CPU, value: 100m}\n")}
	file := func(cpu, parameter string) treeFiles { return treeFiles{"k/t.yaml": template(cpu, parameter)} }
	return rowsOf("an OpenShift template has", base, map[string]treeFiles{
		"another value":        file("'${CPU}'", "- {name: CPU, value: 1500m}\n"),
		"a generated value":    file("'${CPU}'", "- {name: CPU, generate: expression, from: '[1-9]{4}m'}\n"),
		"a value to be given":  file("'${CPU}'", "- {name: CPU, required: true}\n"),
		"a parameter twice":    file("'${CPU}'", "- {name: CPU, value: 100m}\n- {name: CPU, value: 1500m}\n"),
		"a value in a value":   file("'${CPU}'", "- {name: CPU, value: '${X}'}\n- {name: X, value: 1500m}\n"),
		"a text in its place":  file("1500m", "- {name: CPU, value: 100m}\n"),
		"a value as JSON":      file("'${{CPU}}'", "- {name: CPU, value: '1.5'}\n"),
		"two values in one":    file("'${N}${U}'", "- {name: N, value: '1500'}\n- {name: U, value: m}\n"),
		"no such parameter":    file("'${OTHER}'", "- {name: CPU, value: 100m}\n"),
		"no objects":           {"k/t.yaml": "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nobjects: []\n"},
		"an old version":       {"k/t.yaml": strings.Replace(template("1500m", "- {name: CPU, value: 100m}\n"), "template.openshift.io/v1", "v1", 1)},
		"a list around it":     {"k/t.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(template("1500m", "  - {name: CPU, value: 100m}\n"), "\n"), "\n", "\n  ") + "\n"},
		"a config for it":      {"k/t.yaml": strings.Replace(strings.Replace(template("1500m", "- {name: CPU, value: 100m}\n"), "apps/v1", "apps.openshift.io/v1", 1), "kind: Deployment", "kind: DeploymentConfig", 1)},
		"an instance of it":    {"k/t.yaml": "", "k/i.yaml": "apiVersion: template.openshift.io/v1\nkind: TemplateInstance\nmetadata: {name: i, namespace: default}\nspec:\n  template:\n    " + strings.ReplaceAll(strings.TrimSuffix(template("1500m", "- {name: CPU, value: 100m}\n"), "\n"), "\n", "\n    ") + "\n"},
		"labels for its pods":  file("1500m", "- {name: CPU, value: 100m}\nlabels: {app: other}\n"),
		"its replicas as text": {"k/t.yaml": strings.Replace(template("1500m", "- {name: N, value: '1'}\n"), "spec:\n", "spec:\n    replicas: '${{N}}'\n", 1)},
	})
}

// fourthCharts use what only Helm reads.
func fourthCharts() map[string]talk {
	chart, badValues := deployables(100)["chart"], deployables(1500)["chart"]["k/values.yaml"]
	chart = chart.with(treeFiles{"k/templates/c.yaml": thirdConfig})
	template := chart["k/templates/web.yaml"]
	chartYAML := func(more string) string { return "apiVersion: v2\nname: k\nversion: 1.0.0\n" + more }
	asks := func(text string) treeFiles {
		return treeFiles{"k/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", text, 1)}
	}
	sub := func(more treeFiles) treeFiles {
		return treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 1.0.0}]\n"), "k/charts/s/Chart.yaml": "apiVersion: v2\nname: s\nversion: 1.0.0\n",
			"k/charts/s/values.yaml": "cpu: 100m\nreplicas: 1\n", "k/charts/s/templates/web.yaml": template, "k/templates/web.yaml": ""}.with(more)
	}
	out := rowsOf("a chart", chart, map[string]treeFiles{
		"ignores its template":            {"k/values.yaml": badValues, "k/.helmignore": "templates/web.yaml\n"},
		"ignores all but one":             {"k/values.yaml": badValues, "k/.helmignore": "templates/*\n!templates/c.yaml\n"},
		"ignores its values":              {"k/.helmignore": "values.yaml\n", "k/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", "{{ .Values.cpu | default \"1500m\" }}", 1)},
		"has it as a definition":          {"k/templates/web.yaml": "", "k/crds/web.yaml": webManifest(1500)},
		"has it as a test":                {"k/templates/web.yaml": "", "k/templates/tests/web.yaml": template, "k/values.yaml": badValues},
		"has it as notes":                 {"k/templates/web.yaml": "", "k/templates/NOTES.txt": template, "k/values.yaml": badValues},
		"has it as a part":                {"k/templates/web.yaml": "", "k/templates/_web.yaml": template, "k/values.yaml": badValues},
		"has it as a text":                {"k/templates/web.yaml": "", "k/templates/web.txt": template, "k/values.yaml": badValues},
		"has it beside its templates":     {"k/templates/web.yaml": "", "k/template/web.yaml": template, "k/values.yaml": badValues},
		"has values that Helm ignores":    {"k/values.yaml": "", "k/values.yml": badValues, "k/templates/web.yaml": strings.Replace(strings.Replace(template, "{{ .Values.cpu }}", "{{ .Values.cpu | default \"1500m\" }}", 1), "{{ .Values.replicas }}", "{{ .Values.replicas | default 1 }}", 1)},
		"comments it out by a value":      {"k/templates/web.yaml": "{{ .Values.mark }}\n" + template, "k/values.yaml": badValues + "mark: '{{/*'\n"},
		"ends its document":               {"k/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, namespace: default}\ndata:\n  a: |\n{{ \"x\\n---\" | indent 4 }}\n---\n" + template, "k/values.yaml": badValues},
		"hides it in a condition":         {"k/templates/web.yaml": "{{ if not .Values.cpu }}\n" + template + "{{ end }}"},
		"hides it in a loop over nothing": {"k/templates/web.yaml": "{{ range .Values.none }}\n" + template + "{{ end }}"},
		"hides it behind an API":          {"k/templates/web.yaml": "{{ if .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" }}\n" + template + "{{ end }}", "k/values.yaml": badValues},
		"hides it behind a version":       {"k/templates/web.yaml": "{{ if semverCompare \">=1.99\" .Capabilities.KubeVersion.Version }}\n" + template + "{{ end }}", "k/values.yaml": badValues},
		"wants another Kubernetes":        {"k/Chart.yaml": chartYAML("kubeVersion: '>=1.99'\n"), "k/values.yaml": badValues},
		"is no application":               {"k/Chart.yaml": chartYAML("type: plugin\n"), "k/values.yaml": badValues},
		"is deprecated":                   {"k/Chart.yaml": chartYAML("deprecated: true\n"), "k/values.yaml": badValues},
		"is of the first version":         {"k/Chart.yaml": "apiVersion: v1\nname: k\nversion: 1.0.0\n", "k/values.yaml": badValues},
		"is of no version":                {"k/Chart.yaml": "apiVersion: v3\nname: k\nversion: 1.0.0\n", "k/values.yaml": badValues},
		"has a name with a slash":         {"k/Chart.yaml": "apiVersion: v2\nname: ../k\nversion: 1.0.0\n", "k/values.yaml": badValues},
		"has two files of it":             {"k/chart.yaml": chartYAML("type: library\n"), "k/values.yaml": badValues},
		"asks for a value by its type":    asks(`{{ if kindIs "float64" .Values.replicas }}1500m{{ else }}100m{{ end }}`),
		"asks for its own text":           asks(`{{ if contains "range" (.Files.Get "templates/web.yaml") }}100m{{ else }}1500m{{ end }}`),
		"asks for its root":               asks(`{{ if .Chart.IsRoot }}1500m{{ else }}100m{{ end }}`),
		"asks for its service":            asks(`{{ if eq .Release.Service "Helm" }}1500m{{ else }}100m{{ end }}`),
		"asks for its revision":           asks(`{{ if gt (int .Release.Revision) 1 }}1500m{{ else }}100m{{ end }}`),
		"fails but for one name":          asks(`{{ if eq .Release.Name "zzz" }}1500m{{ else }}{{ fail "no" }}{{ end }}`),
		"sets its values":                 asks(`{{ $_ := set .Values "cpu" "1500m" }}{{ .Values.cpu }}`),
		"sets them in the last template":  {"k/templates/zz.yaml": `{{ $_ := set .Values "cpu" "1500m" }}`},
		"merges over its values":          asks(`{{ (mergeOverwrite (dict) .Values (dict "cpu" "1500m")).cpu }}`),
		"computes by a regular text":      asks(`{{ regexReplaceAll "^1" .Values.cpu "15" }}`),
		"decodes it":                      asks(`{{ "MTUwMG0=" | b64dec }}`),
		"looks a host up":                 asks(`{{ if getHostByName "example.com" }}1500m{{ else }}1500m{{ end }}`),
		"switches the marks":              {"k/templates/web.yaml": strings.ReplaceAll(template, "{{ .Values.cpu }}", "{{ `{{ .Values.cpu }}` }}")},
	})
	maps.Copy(out, rowsOf("a chart with a part", chart.with(sub(nil)), map[string]treeFiles{
		"has a condition":          sub(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 1.0.0, condition: s.enabled}]\n"), "k/values.yaml": "s: {enabled: false, cpu: 1500m}\n"}),
		"has a tag":                sub(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 1.0.0, tags: [t]}]\n"), "k/values.yaml": "tags: {t: false}\ns: {cpu: 1500m}\n"}),
		"has an alias":             sub(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 1.0.0, alias: a}]\n"), "k/values.yaml": "s: {cpu: 100m}\na: {cpu: 1500m}\n"}),
		"has two aliases":          sub(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 1.0.0, alias: a}, {name: s, version: 1.0.0, alias: b}]\n"), "k/values.yaml": "a: {cpu: 100m}\nb: {cpu: 1500m}\n"}),
		"has a global value":       sub(treeFiles{"k/charts/s/templates/web.yaml": strings.Replace(template, ".Values.cpu", ".Values.global.cpu", 1), "k/values.yaml": "global: {cpu: 1500m}\n"}),
		"wants another version":    sub(treeFiles{"k/Chart.yaml": chartYAML("dependencies: [{name: s, version: 2.x}]\n"), "k/values.yaml": "s: {cpu: 1500m}\n"}),
		"lists it no longer":       sub(treeFiles{"k/Chart.yaml": chartYAML(""), "k/values.yaml": "s: {cpu: 1500m}\n"}),
		"hides its folder":         {"k/charts/s/Chart.yaml": "", "k/charts/s/values.yaml": "", "k/charts/s/templates/web.yaml": "", "k/charts/_s/Chart.yaml": "apiVersion: v2\nname: s\nversion: 1.0.0\n", "k/charts/_s/templates/web.yaml": webManifest(1500)},
		"ignores its folder":       sub(treeFiles{"k/.helmignore": "charts/\n", "k/values.yaml": "s: {cpu: 1500m}\n"}),
		"defines a helper again":   sub(treeFiles{"k/charts/s/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", "{{ include \"cpu\" . }}", 1), "k/charts/s/templates/_a.tpl": `{{ define "cpu" }}100m{{ end }}`, "k/templates/_a.tpl": `{{ define "cpu" }}1500m{{ end }}`}),
		"takes a null for a value": sub(treeFiles{"k/charts/s/templates/web.yaml": strings.Replace(template, "{{ .Values.cpu }}", "{{ .Values.cpu | default \"1500m\" }}", 1), "k/values.yaml": "s: {cpu: null}\n"}),
		"has a schema for it":      sub(treeFiles{"k/charts/s/values.schema.json": `{"type": "object", "required": ["more"]}`, "k/values.yaml": "s: {cpu: 1500m}\n"}),
		"has a lock of another":    sub(treeFiles{"k/Chart.lock": "dependencies: [{name: s, version: 9.9.9, repository: 'https://charts.example.com'}]\ndigest: sha256:00\ngenerated: '2020-01-01T00:00:00Z'\n", "k/values.yaml": "s: {cpu: 1500m}\n"}),
		"has it as a template too": sub(treeFiles{"k/templates/web.yaml": template, "k/values.yaml": "cpu: 100m\nreplicas: 1\ns: {cpu: 1500m}\n"}),
	}))
	return out
}

// fourthHelmfiles use more of helmfile.
func fourthHelmfiles() map[string]talk {
	base := deployables(100)["helmfile"]
	file := "hf/helmfile.yaml"
	release := "releases:\n- name: k\n  namespace: default\n  chart: .././k\n"
	values := func(cpu string) string { return release + "  values: [{cpu: " + cpu + "}]\n" }
	return rowsOf("a helmfile", base, map[string]treeFiles{
		"has secrets":             {file: values("100m") + "  secrets: [s.yaml]\n", "hf/s.yaml": "cpu: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]\nsops: {mac: x}\n"},
		"has secrets of places":   {file: "environments: {default: {secrets: [s.yaml]}}\n---\n" + release + "  values: [{cpu: '{{ .Values.cpu | default \"100m\" }}'}]\n", "hf/s.yaml": "cpu: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]\nsops: {mac: x}\n"},
		"has a selector":          {file: values("1500m") + "  labels: {tier: off}\nhelmDefaults: {args: ['--selector=tier!=off']}\n"},
		"has a common label":      {file: "commonLabels: {a: b}\n" + values("1500m")},
		"needs another":           {file: values("1500m") + "  needs: [other/gone]\n"},
		"has another name":        {file: "", "hf/helmfile.yaml.gotmpl": values("1500m")},
		"is in a folder of them":  {file: "", "hf/helmfile.d/k.yaml": strings.Replace(values("1500m"), ".././k", "../../k", 1)},
		"has a nested one":        {file: "helmfiles: [n/helmfile.yaml]\n", "hf/n/helmfile.yaml": strings.Replace(values("1500m"), ".././k", "../../k", 1)},
		"has a nested selector":   {file: "helmfiles: [{path: n/helmfile.yaml, selectors: ['name=zzz']}]\n", "hf/n/helmfile.yaml": strings.Replace(values("1500m"), ".././k", "../../k", 1)},
		"has a template":          {file: "templates: {t: {values: [{cpu: 1500m}]}}\n" + release + "  inherit: [{template: t}]\n"},
		"has an anchor":           {file: "x: &x {values: [{cpu: 1500m}]}\nreleases:\n- name: k\n  namespace: default\n  chart: .././k\n  <<: *x\n"},
		"takes values from state": {file: "values: [{cpu: 1500m}]\n---\n" + release + "  values: [{cpu: '{{ .Values.cpu }}'}]\n"},
		"forgets the release":     {file: "releases: []\n"},
		"is empty":                {file: "# nothing\n"},
		"disables by a version":   {file: values("1500m") + "  installed: '{{ eq .Environment.Name \"prod\" }}'\n"},
		"transforms by a patch":   {file: values("100m") + "  transformers: [{apiVersion: builtin, kind: PatchTransformer, metadata: {name: p}, target: {kind: Deployment}, patch: '" + thirdCPU + "'}]\n"},
		"has dependencies":        {file: values("100m") + "  dependencies: [{chart: ../sub, version: 1.0.0}]\n", "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "sub/templates/web.yaml": strings.Replace(webManifest(1500), "name: web, n", "name: sub, n", 1)},
		"is of another chart":     {file: strings.Replace(values("100m"), ".././k", "../l", 1), "l/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "l/templates/web.yaml": webManifest(1500)},
		"is of a folder of files": {file: strings.Replace(values("100m"), ".././k", "../l", 1), "l/web.yaml": webManifest(1500)},
	})
}

// fourthPolicies try to loosen the check beside what they break.
func fourthPolicies() map[string]talk {
	good, bad := webManifest(100), webManifest(1500)
	waiver := "waivers:\n- {rule: unschedulable, workload: default/web, reason: x, owner: x, expires: 2099-01-01}\n"
	off := "gate: {failOn: 'off'}\n"
	out := rowsOf("beside it,", treeFiles{"k/web.yaml": good}, map[string]treeFiles{
		"a policy of the folder":        {"k/web.yaml": bad, "k/.kubesettle.yaml": off},
		"a policy of the folder, rules": {"k/web.yaml": bad, "k/.kubesettle.yaml": "rules: {unschedulable: 'off'}\n"},
		"a policy of another ending":    {"k/web.yaml": bad, ".kubesettle.yml": off},
		"a policy in .github":           {"k/web.yaml": bad, ".github/kubesettle.yaml": off, ".github/.kubesettle.yaml": off},
		"a waiver":                      {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + waiver},
		"a waiver of all":               {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + strings.Replace(strings.Replace(waiver, "unschedulable", "'*'", 1), "default/web", "'*'", 1)},
		"a waiver and its annotation":   {"k/web.yaml": annotated(1500, "kubesettle.dev/waive: 'unschedulable: known; until 2099-01-01'"), ".kubesettle.yaml": actionPolicy + waiver},
		"a baseline":                    {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + "gate: {baseline: b.yaml}\n", "b.yaml": thirdBaseline},
		"other nodes":                   {"k/web.yaml": bad, ".kubesettle.yaml": strings.Replace(actionPolicy, `cpu: "1"`, `cpu: "64"`, 1)},
		"no nodes":                      {"k/web.yaml": bad, ".kubesettle.yaml": "cluster: {}\n"},
		"an excluded path":              {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + "discovery: {exclude: [k]}\n"},
		"a parked folder":               {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + "parked: [{path: k, reason: x}]\n"},
		"its releases":                  {"k/web.yaml": bad, ".kubesettle.yaml": actionPolicy + "releases: [{id: other, path: other}]\n"},
		"a workflow that lets it pass":  {"k/web.yaml": bad, ".github/workflows/k.yml": "on: pull_request\njobs: {k: {runs-on: ubuntu-latest, steps: [{uses: kubesettle/kubesettle@v0, with: {fail-on: 'off'}}]}}\n"},
		"a link as the policy":          {"k/web.yaml": bad, ".kubesettle.yaml": "link:p", "p": off},
		"a policy in UTF-16":            {"k/web.yaml": bad, ".kubesettle.yaml": "\xff\xfeg\x00a\x00t\x00e\x00"},
	})
	folder := treeFiles{".kubesettle.yaml": actionPolicy, "k/web.yaml": good, "k/.kubesettle.yaml": "gate: {failOn: warning}\n"}
	maps.Copy(out, rowsOf("a folder with a policy,", folder, map[string]treeFiles{
		"and it goes":      {"k/web.yaml": bad, "k/.kubesettle.yaml": ""},
		"and it is off":    {"k/web.yaml": bad, "k/.kubesettle.yaml": off},
		"and web moves":    {"k/web.yaml": "", "l/web.yaml": bad, "k/.kubesettle.yaml": ""},
		"and web moves on": {"k/web.yaml": "", "l/web.yaml": bad, "l/.kubesettle.yaml": off},
		"and it is a link": {"k/web.yaml": bad, "k/.kubesettle.yaml": "link:../p", "p": off},
	}))
	return out
}
