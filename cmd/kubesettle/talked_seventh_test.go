package main

import (
	"maps"
	"strings"
)

// The seventh set: one file changes that a workload hangs on by a means that is followed in part, or not at all.
func seventh() map[string]talk {
	out := seventhTools()
	maps.Copy(out, seventhScripts())
	maps.Copy(out, seventhFlux())
	return out
}

// edits are rows in which one text of one file becomes another.
func edits(prefix string, rows map[string]struct {
	base          treeFiles
	file, was, is string
}) map[string]talk {
	out := map[string]talk{}
	for name, row := range rows {
		head := row.base.with(treeFiles{row.file: strings.Replace(row.base[row.file], row.was, row.is, 1)})
		out[prefix+" "+name] = talk{base: row.base, head: head}
	}
	return out
}

// seventhChart is a chart, and files beside it.
func seventhChart(more treeFiles) treeFiles {
	return treeFiles{"k/Chart.yaml": "apiVersion: v2\nname: k\nversion: 1.0.0\n", "k/values.yaml": "cpu: 100m\n",
		"k/templates/web.yaml": strings.Replace(webManifest(100), "100m", "{{ .Values.cpu }}", 1)}.with(more)
}

func seventhTools() map[string]talk {
	web := webManifest(100)
	type row = struct {
		base          treeFiles
		file, was, is string
	}
	return edits("a tool", map[string]row{
		"is Fleet with values":        {treeFiles{"f/fleet.yaml": "helm: {chart: k, repo: 'https://charts.example.com', valuesFiles: [v.yaml]}\n", "f/v.yaml": "cpu: 100m\n"}, "f/v.yaml", "100m", "1500m"},
		"is Kluctl":                   {treeFiles{".kluctl.yaml": "targets: [{name: p, args: {cpu: 100m}}]\n", "deployment.yaml": "deployments: [{path: w}]\n", "w/web.yaml": strings.Replace(web, "100m", "'{{ args.cpu }}'", 1)}, ".kluctl.yaml", "100m", "1500m"},
		"is werf":                     {treeFiles{"werf.yaml": "project: k\n", ".helm/values.yaml": "cpu: 100m\n", ".helm/templates/web.yaml": web}, ".helm/values.yaml", "100m", "1500m"},
		"is DevSpace":                 {treeFiles{"devspace.yaml": "version: v2beta1\ndeployments: {k: {helm: {values: {cpu: 100m}}}}\n"}, "devspace.yaml", "100m", "1500m"},
		"is Garden":                   {seventhChart(treeFiles{"garden.yml": "kind: Deploy\ntype: helm\nspec: {chart: {path: k}, values: {cpu: 100m}}\n"}), "garden.yml", "100m", "1500m"},
		"is Ansible":                  {seventhChart(treeFiles{"ansible/p.yml": "- tasks:\n  - kubernetes.core.helm: {name: k, chart_ref: ../k, values: {cpu: 100m}}\n"}), "ansible/p.yml", "100m", "1500m"},
		"is Ansible's values":         {seventhChart(treeFiles{"ansible/p.yml": "- tasks:\n  - kubernetes.core.helm: {name: k, chart_ref: ../k, values_files: [v.yaml]}\n", "ansible/v.yaml": "cpu: 100m\n"}), "ansible/v.yaml", "100m", "1500m"},
		"is Terragrunt":               {treeFiles{"m/main.tf": "resource \"helm_release\" \"k\" {\n  chart = \"k\"\n}\n", "live/terragrunt.hcl": "terraform {\n  source = \"../m\"\n}\ninputs = { cpu = \"100m\" }\n", "k/web.yaml": web}, "live/terragrunt.hcl", "100m", "1500m"},
		"is Terraform's JSON":         {seventhChart(treeFiles{"tf/main.tf.json": `{"resource": {"helm_release": {"k": {"chart": "../k", "set": [{"name": "cpu", "value": "100m"}]}}}}`}), "tf/main.tf.json", "100m", "1500m"},
		"is Timoni":                   {treeFiles{"b.cue": "bundle: {\n instances: {k: {values: {cpu: \"100m\"}}}\n}\n", "k/web.yaml": web}, "b.cue", "100m", "1500m"},
		"is a resource set":           {treeFiles{"s.yaml": "apiVersion: addons.cluster.x-k8s.io/v1beta1\nkind: ClusterResourceSet\nmetadata: {name: s, namespace: default}\nspec: {resources: [{kind: ConfigMap, name: c}]}\n", "c.yaml": thirdConfig + "data: {a: 100m}\n"}, "c.yaml", "100m", "1500m"},
		"is a package's values":       {treeFiles{"s.yaml": "apiVersion: packaging.carvel.dev/v1alpha1\nkind: PackageInstall\nmetadata: {name: k, namespace: default}\nspec: {packageRef: {refName: k}, values: [{secretRef: {name: v}}]}\n", "c.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: v, namespace: default}\nstringData: {a: 100m}\n"}, "c.yaml", "100m", "1500m"},
		"is kustomize's patch above":  {treeFiles{"k/kustomization.yaml": "resources: [web.yaml]\npatches: [{path: ../p.yaml, target: {kind: Deployment}}]\n", "k/web.yaml": web, "p.yaml": strings.Replace(thirdCPU, "1500m", "100m", 1)}, "p.yaml", "100m", "1500m"},
		"is kustomize's values above": {seventhChart(treeFiles{"o/kustomization.yaml": "helmGlobals: {chartHome: ../}\nhelmCharts: [{name: k, releaseName: k, additionalValuesFiles: [../v.yaml]}]\n", "v.yaml": "cpu: 100m\n"}), "v.yaml", "100m", "1500m"},
	})
}

func seventhScripts() map[string]talk {
	web := treeFiles{"k/web.yaml": webManifest(100), "k/kustomization.yaml": "resources: [web.yaml]\n"}
	type row = struct {
		base          treeFiles
		file, was, is string
	}
	script := func(lines string) treeFiles { return web.with(treeFiles{"d.sh": "#!/bin/bash\n" + lines + "\n"}) }
	chart := func(lines string) treeFiles { return seventhChart(treeFiles{"d.sh": "#!/bin/bash\n" + lines + "\n"}) }
	helmfile := treeFiles{"hf/helmfile.yaml": "releases:\n- name: k\n  chart: ../k\n  values: [{cpu: '{{ .Values.cpu }}'}]\n"}
	return edits("a script", map[string]row{
		"scales":                {script("kubectl apply -k k\nkubectl scale deploy/web --replicas 1"), "d.sh", "replicas 1", "replicas 90"},
		"sets requests":         {script("kubectl set resources deploy/web --requests cpu=100m"), "d.sh", "100m", "1500m"},
		"patches":               {script("kubectl patch deploy web -p '{\"spec\": {\"replicas\": 1}}'"), "d.sh", ": 1}", ": 90}"},
		"writes a manifest":     {script("kubectl apply -f - <<EOF\n" + webManifest(100) + "EOF"), "d.sh", "100m", "1500m"},
		"fills one in":          {script("export CPU=100m\nenvsubst < web.tpl | kubectl apply -f -").with(treeFiles{"web.tpl": "cpu: ${CPU}\n"}), "d.sh", "100m", "1500m"},
		"has a template":        {script("envsubst < web.tpl | kubectl apply -f -").with(treeFiles{"web.tpl": "cpu: 100m\n"}), "web.tpl", "100m", "1500m"},
		"edits what helm gave":  {chart("helm template k ./k | sed s/100m/100m/ | kubectl apply -f -"), "d.sh", "/100m/ |", "/1500m/ |"},
		"edits a kustomization": {script("cd k && kustomize edit set replicas web=1\nkubectl apply -k ."), "d.sh", "web=1", "web=90"},
		"takes an address":      {script("kubectl apply -f https://example.com/100m.yaml"), "d.sh", "100m", "1500m"},
		"gives helm JSON":       {chart("helm upgrade k ./k --set-json 'cpu=\"100m\"'"), "d.sh", "100m", "1500m"},
		"gives a renderer":      {chart("helm upgrade k ./k --post-renderer ./100m"), "d.sh", "100m", "1500m"},
		"installs who knows":    {chart("helm upgrade k $CHART --set cpu=100m"), "d.sh", "100m", "1500m"},
		"writes values":         {chart("CPU=100m envsubst < v.tpl > v.yaml\nhelm upgrade k ./k -f v.yaml"), "d.sh", "100m", "1500m"},
		"gives helmfile":        {seventhChart(helmfile).with(treeFiles{"Makefile": "d:\n\thelmfile -f hf/helmfile.yaml --state-values-set cpu=100m apply\n"}), "Makefile", "100m", "1500m"},
		"gives it a file":       {seventhChart(helmfile).with(treeFiles{"Makefile": "d:\n\thelmfile -f hf/helmfile.yaml --state-values-file s.yaml apply\n", "s.yaml": "cpu: 100m\n"}), "s.yaml", "100m", "1500m"},
		"takes variables":       {seventhChart(treeFiles{"hf/helmfile.yaml": "releases:\n- name: k\n  chart: ../k\n  values: [{cpu: '{{ requiredEnv \"CPU\" }}'}]\n", "d.sh": "#!/bin/bash\nset -a; . ./.env\nhelmfile -f hf/helmfile.yaml apply\n", ".env": "CPU=100m\n"}), ".env", "100m", "1500m"},
		"is run by helmfile":    {seventhChart(treeFiles{"hf/helmfile.yaml": "releases:\n- name: k\n  chart: ../k\n  values: [{cpu: '{{ exec \"./c.sh\" (list) }}'}]\n", "hf/c.sh": "echo 100m\n"}), "hf/c.sh", "100m", "1500m"},
		"sets an application":   {script("argocd app set k -p cpu=100m"), "d.sh", "100m", "1500m"},
	})
}

func seventhFlux() map[string]talk {
	type row = struct {
		base          treeFiles
		file, was, is string
	}
	repository := "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: r, namespace: flux-system}\n" +
		"spec: {interval: 1m, url: 'https://example.com/r.git', ref: {branch: main}}\n"
	kustomization := func(more string) treeFiles {
		return treeFiles{"flux/k.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n" +
			"metadata: {name: k, namespace: flux-system}\nspec:\n  interval: 10m\n  prune: true\n  path: ./k\n" +
			"  sourceRef: {kind: GitRepository, name: r}\n" + more + repository,
			"k/web.yaml": strings.Replace(webManifest(100), "100m", "'${CPU}'", 1)}
	}
	variables := "  postBuild: {substituteFrom: [{kind: Secret, name: s}]}\n"
	release := seventhChart(treeFiles{"flux/r.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n" +
		"metadata: {name: k, namespace: flux-system}\nspec:\n  interval: 10m\n  chart: {spec: {chart: ./k, sourceRef: {kind: GitRepository, name: r}}}\n" +
		"  valuesFrom: [{kind: Secret, name: s}]\n" + repository})
	secret := func(key string) treeFiles {
		return treeFiles{"flux/s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: flux-system}\nstringData:\n  " + key +
			": ENC[AES256_GCM,data:aaaa,iv:a,tag:a,type:str]\nsops: {mac: x, version: 3.9.0}\n"}
	}
	sealed := treeFiles{"flux/s.yaml": "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s, namespace: flux-system}\n" +
		"spec: {encryptedData: {CPU: aaaa, values.yaml: aaaa}}\n"}
	external := treeFiles{"flux/s.yaml": "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e, namespace: flux-system}\n" +
		"spec: {target: {name: s}, data: [{secretKey: values.yaml, remoteRef: {key: aaaa}}]}\n"}
	return edits("flux", map[string]row{
		"has an encrypted variable":   {kustomization(variables).with(secret("CPU")), "flux/s.yaml", "aaaa", "bbbb"},
		"has a sealed variable":       {kustomization(variables).with(sealed), "flux/s.yaml", "aaaa", "bbbb"},
		"has a variable from outside": {kustomization(variables).with(external), "flux/s.yaml", "aaaa", "bbbb"},
		"has encrypted values":        {release.with(secret("values.yaml")), "flux/s.yaml", "aaaa", "bbbb"},
		"has sealed values":           {release.with(sealed), "flux/s.yaml", "values.yaml: aaaa", "values.yaml: bbbb"},
		"has values from outside":     {release.with(external), "flux/s.yaml", "aaaa", "bbbb"},
		"resumes":                     {kustomization("  suspend: true\n").with(treeFiles{"k/web.yaml": webManifest(1500)}), "flux/k.yaml", "suspend: true", "suspend: false"},
		"leaves a file out":           {kustomization("").with(treeFiles{"k/web.yaml": webManifest(100), ".sourceignore": "k/more.yaml\n", "k/more.yaml": strings.ReplaceAll(webManifest(1500), "web", "more")}), ".sourceignore", "k/more.yaml", ""},
	})
}
