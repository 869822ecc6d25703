package render

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// Overlay is what a GitOps object adds to the kustomization it names, or to what a chart
// gave: Argo CD runs `kustomize edit`, Flux writes the file anew.
type Overlay struct {
	Namespace  string          `json:"namespace,omitempty"`
	NamePrefix string          `json:"namePrefix,omitempty"`
	NameSuffix string          `json:"nameSuffix,omitempty"`
	Images     []types.Image   `json:"images,omitempty"`
	Replicas   []types.Replica `json:"replicas,omitempty"`
	Patches    []types.Patch   `json:"patches,omitempty"`
	// CommonLabels go into selectors too, Labels where each of them says.
	CommonLabels      map[string]string `json:"commonLabels,omitempty"`
	CommonAnnotations map[string]string `json:"commonAnnotations,omitempty"`
	Labels            []types.Label     `json:"labels,omitempty"`
	Components        []string          `json:"components,omitempty"`
	// Metadata is set on every object after the build, which is Flux's commonMetadata.
	Metadata *CommonMetadata `json:"commonMetadata,omitempty"`
}

// CommonMetadata are labels and annotations of every object.
type CommonMetadata struct {
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// apply edits a kustomization. Fields of the same name are replaced, lists grow; an image
// or replica count of a name that is there already takes its place.
//
// Upstream: argo-cd, util/kustomize: (*kustomize).Build; fluxcd/pkg, kustomize:
// (*Generator).GenerateManifest.
func (o *Overlay) apply(k *types.Kustomization) {
	setText(&k.Namespace, o.Namespace)
	setText(&k.NamePrefix, o.NamePrefix)
	setText(&k.NameSuffix, o.NameSuffix)
	for _, image := range o.Images {
		i := slices.IndexFunc(k.Images, func(e types.Image) bool { return e.Name == image.Name })
		if i < 0 {
			k.Images = append(k.Images, image)
			continue
		}
		setText(&k.Images[i].NewName, image.NewName)
		if image.NewTag != "" || image.Digest != "" {
			k.Images[i].NewTag, k.Images[i].Digest = image.NewTag, image.Digest
		}
	}
	for _, r := range o.Replicas {
		i := slices.IndexFunc(k.Replicas, func(e types.Replica) bool { return e.Name == r.Name })
		if i < 0 {
			k.Replicas = append(k.Replicas, r)
			continue
		}
		k.Replicas[i].Count = r.Count
	}
	//lint:ignore SA1019 what Argo CD writes
	k.CommonLabels = merged(k.CommonLabels, o.CommonLabels)
	k.CommonAnnotations = merged(k.CommonAnnotations, o.CommonAnnotations)
	k.Labels = append(k.Labels, o.Labels...)
	k.Patches = append(k.Patches, o.Patches...)
	k.Components = append(k.Components, o.Components...)
}

func setText(to *string, text string) {
	if text != "" {
		*to = text
	}
}

func merged(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// edit writes the overlay into the text of a kustomization.
func (o *Overlay) edit(text []byte) ([]byte, error) {
	var k types.Kustomization
	if err := k.Unmarshal(text); err != nil {
		return nil, err
	}
	k.FixKustomization()
	o.apply(&k)
	return yaml.Marshal(&k)
}

// label sets the labels and annotations of every object.
func (o *Overlay) label(docs []document.Document) {
	if o == nil || o.Metadata == nil {
		return
	}
	for _, d := range docs {
		if d.Hook {
			continue
		}
		meta, ok := d.Content["metadata"].(map[string]any)
		if !ok {
			continue
		}
		for field, pairs := range map[string]map[string]string{"labels": o.Metadata.Labels, "annotations": o.Metadata.Annotations} {
			if len(pairs) == 0 {
				continue
			}
			have, ok := meta[field].(map[string]any)
			if !ok {
				have = map[string]any{}
				meta[field] = have
			}
			for k, v := range pairs {
				have[k] = v
			}
		}
	}
}

// indexAnnotation carries an object's place through a build.
const indexAnnotation = "kubesettle.invalid/index"

// postRender builds what a chart gave with an overlay, as Flux's post-renderers do. Hooks
// do not take part.
func (o *Overlay) postRender(docs []document.Document) ([]document.Document, error) {
	var text bytes.Buffer
	var out []document.Document
	for i, d := range docs {
		if d.Hook {
			out = append(out, d)
			continue
		}
		content, _ := fieldpath.DeepCopy(d.Content).(map[string]any)
		meta, ok := content["metadata"].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s has no metadata, which a post-renderer needs", document.GVK(content).Kind)
		}
		notes, _ := meta["annotations"].(map[string]any)
		if notes == nil {
			notes = map[string]any{}
		}
		notes[indexAnnotation] = strconv.Itoa(i)
		meta["annotations"] = notes
		b, err := yaml.Marshal(content)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "---\n%s", b)
	}
	k := types.Kustomization{Resources: []string{"chart.yaml"}}
	o.apply(&k)
	b, err := yaml.Marshal(&k)
	if err != nil {
		return nil, err
	}
	opt := krusty.MakeDefaultOptions()
	m, err := build(map[string][]byte{"chart.yaml": text.Bytes(), "kustomization.yaml": b}, "/", opt)
	if err != nil {
		return nil, err
	}
	for _, r := range m.Resources() {
		content, err := resourceMap(r)
		if err != nil {
			return nil, err
		}
		v, err := document.ToJSON(content, 0)
		if err != nil {
			return nil, err
		}
		content, _ = v.(map[string]any)
		name, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("annotations"), fieldpath.Key(indexAnnotation)}.Get(content)
		dropAnnotation(content, indexAnnotation)
		d := document.Document{File: "", Content: content}
		if i, err := strconv.Atoi(fmt.Sprint(name)); err == nil && i >= 0 && i < len(docs) {
			d = docs[i]
			d.Content = content
		}
		out = append(out, d)
	}
	o.label(out)
	return out, nil
}

// parseImage reads an image as `kustomize edit set image` does: NAME=NEW:TAG, NAME:TAG
// or NAME@DIGEST.
func parseImage(text string) types.Image {
	name, rest, renamed := strings.Cut(text, "=")
	if !renamed {
		rest = name
	}
	image := types.Image{}
	rest, image.Digest, _ = strings.Cut(rest, "@")
	if i := strings.LastIndex(rest, ":"); i > strings.LastIndex(rest, "/") {
		rest, image.NewTag = rest[:i], rest[i+1:]
	}
	if image.Name = rest; renamed {
		image.Name, image.NewName = name, rest
	}
	for _, f := range []*string{&image.NewName, &image.NewTag, &image.Digest} {
		if *f == "*" {
			*f = "" // keep what there is
		}
	}
	return image
}

// overlaid is the text of the root's kustomization with the overlay in it.
func (j *job) overlaid(p string, text []byte) ([]byte, error) {
	if j.Release.Overlay == nil || path.Dir(p) != j.Release.Path {
		return text, nil
	}
	return j.Release.Overlay.edit(text)
}
