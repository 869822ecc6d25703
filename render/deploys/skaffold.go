package deploys

import (
	"cmp"
	"path"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
)

// skaffold reads a file of Skaffold, its profiles included: each gives separate releases.
func (p *pipeline) skaffold(n *yaml3.Node) {
	dirs := []string{path.Dir(p.sh.file), "."}
	add := func(d Deploy, line int) {
		d.File, d.Line = p.sh.file, line
		p.sh.calls = append(p.sh.calls, call{Deploy: d, dirs: dirs})
	}
	configurations := []*yaml3.Node{n}
	if profiles := child(n, "profiles"); profiles != nil {
		configurations = append(configurations, profiles.Content...)
	}
	for _, c := range configurations {
		for _, helm := range []*yaml3.Node{child(child(c, "deploy"), "helm"), child(child(c, "manifests"), "helm")} {
			releases := child(helm, "releases")
			for i := 0; releases != nil && i < len(releases.Content); i++ {
				r := document.ResolveAlias(releases.Content[i])
				add(skaffoldRelease(r), r.Line)
			}
		}
		for _, k := range []*yaml3.Node{child(child(c, "deploy"), "kustomize"), child(child(c, "manifests"), "kustomize")} {
			for _, dir := range texts(child(k, "paths")) {
				add(Deploy{Tool: Kustomize, Path: shellText(dir)}, k.Line)
			}
		}
		kubectl := child(child(c, "deploy"), "kubectl")
		for _, k := range []*yaml3.Node{child(kubectl, "manifests"), child(child(c, "manifests"), "rawYaml")} {
			for _, file := range texts(k) {
				add(Deploy{Tool: Manifests, Path: shellText(file)}, k.Line)
			}
		}
	}
}

func skaffoldRelease(r *yaml3.Node) Deploy {
	get := func(k string) string { return shellText(text(child(r, k))) }
	d := Deploy{Tool: Helm, Name: get("name"), Namespace: get("namespace"), Version: get("version"),
		Repository: get("repo"), Path: cmp.Or(get("chartPath"), get("remoteChart"))}
	for _, v := range texts(child(r, "valuesFiles")) {
		d.Values = append(d.Values, shellText(v))
	}
	for _, k := range []string{"setValues", "setValueTemplates"} {
		settings := child(r, k)
		for i := 0; settings != nil && i+1 < len(settings.Content); i += 2 {
			if v := settings.Content[i+1]; v.Kind == yaml3.ScalarNode {
				d.Settings = append(d.Settings, Setting{"set", settings.Content[i].Value, shellText(v.Value)})
			}
		}
	}
	return d
}
