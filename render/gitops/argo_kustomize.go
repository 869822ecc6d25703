package gitops

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// kustomize takes the options that Argo CD edits into the kustomization.
func (a *argoSource) kustomize() *object.Failure {
	k, _ := document.Value(a.content, "kustomize").(map[string]any)
	a.r.AnyFile = a.Found.argoAnyFile()
	a.r.KubeVersion = document.Text(k, "kubeVersion")
	if len(k) == 0 {
		return nil
	}
	if f := a.others(a.field+".kustomize", k, argoKustomize); f != nil {
		return f
	}
	ov := &release.Overlay{
		Namespace: document.Text(k, "namespace"), NamePrefix: document.Text(k, "namePrefix"),
		NameSuffix:        document.Text(k, "nameSuffix"),
		CommonAnnotations: document.TextMap(k["commonAnnotations"]), Components: document.Texts(k["components"]),
	}
	for _, image := range document.Texts(k["images"]) {
		ov.Images = append(ov.Images, kustomize.ParseImage(a.env(image)))
	}
	if k["commonAnnotationsEnvsubst"] == true {
		for name, v := range ov.CommonAnnotations {
			ov.CommonAnnotations[name] = a.env(v)
		}
	}
	if labels := document.TextMap(k["commonLabels"]); len(labels) > 0 {
		for name, v := range labels {
			labels[name] = a.env(v)
		}
		if k["labelWithoutSelector"] == true || k["labelIncludeTemplates"] == true {
			ov.Labels = []types.Label{{Pairs: labels, IncludeTemplates: k["labelIncludeTemplates"] == true}}
		} else {
			ov.CommonLabels = labels
		}
	}
	if f := a.decode("patches", k["patches"], &ov.Patches); f != nil {
		return f
	}
	for i, e := range document.Items(k, "replicas") {
		var r types.Replica
		if err := convert(e, &r); err != nil {
			return a.failure(fmt.Sprintf("%s.kustomize.replicas[%d]", a.field, i), "correct the entry", "replicas: %v", err)
		}
		ov.Replicas = append(ov.Replicas, r)
	}
	if k["ignoreMissingComponents"] == true {
		ov.Components = presentComponents(a.Src, a.r.Path, ov.Components)
	}
	a.r.Overlay = ov
	a.r.OverlayAt = a.overlayPlace(nil, a.field+".kustomize.")
	return nil
}

// decode reads a list of the kustomize options.
func (a *argoSource) decode(name string, from, to any) *object.Failure {
	if err := convert(from, to); err != nil {
		return a.failure(a.field+".kustomize."+name, "correct the entry", "%s: %v", name, err)
	}
	return nil
}

// convert decodes a value into a separate type.
func convert(from, to any) error {
	if from == nil {
		return nil
	}
	b, err := yaml.Marshal(from)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(b, to)
}

// argoAnyFile reports whether the repository's own Argo CD builds kustomizations with
// --load-restrictor LoadRestrictionsNone.
func (s *Found) argoAnyFile() bool {
	for _, p := range s.objects {
		d := p.doc.Content
		if document.GVK(d).Kind == "ConfigMap" && document.Text(d, "metadata", "name") == "argocd-cm" {
			for k, v := range document.TextMap(d["data"]) {
				if strings.HasPrefix(k, "kustomize.buildOptions") && strings.Contains(v, "LoadRestrictionsNone") {
					return true
				}
			}
		}
	}
	return false
}
