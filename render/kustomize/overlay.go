package kustomize

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
	"github.com/kubesettle/kubesettle/render/release"
)

// Apply edits a kustomization. Fields of the same name are replaced, lists grow; an image
// or replica count of a name that is there already takes its place.
//
// Upstream: argo-cd, util/kustomize: (*kustomize).Build; fluxcd/pkg, kustomize:
// (*Generator).GenerateManifest.
func Apply(o *release.Overlay, k *types.Kustomization) {
	SetText(&k.Namespace, o.Namespace)
	SetText(&k.NamePrefix, o.NamePrefix)
	SetText(&k.NameSuffix, o.NameSuffix)
	for _, image := range o.Images {
		i := slices.IndexFunc(k.Images, func(e types.Image) bool { return e.Name == image.Name })
		if i < 0 {
			k.Images = append(k.Images, image)
			continue
		}
		SetText(&k.Images[i].NewName, image.NewName)
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

// SetText sets a text where there is one.
func SetText(to *string, text string) {
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

// editText writes the overlay into the text of a kustomization.
func editText(o *release.Overlay, text []byte) ([]byte, error) {
	var k types.Kustomization
	if err := k.Unmarshal(text); err != nil {
		return nil, err
	}
	k.FixKustomization()
	Apply(o, &k)
	return yaml.Marshal(&k)
}

// Label sets the labels and annotations of every object.
func Label(o *release.Overlay, docs []document.Document) {
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
		for field, pairs := range map[string]map[string]string{"labels": o.Metadata.Labels,
			"annotations": o.Metadata.Annotations} {
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

// PostRender builds what a chart gave with an overlay, as Flux's post-renderers do. Hooks
// do not take part.
func PostRender(o *release.Overlay, docs []document.Document) ([]document.Document, error) {
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
	Apply(o, &k)
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
		name, _ := fieldpath.Path{fieldpath.Key("metadata"), fieldpath.Key("annotations"),
			fieldpath.Key(indexAnnotation)}.Get(content)
		dropAnnotation(content, indexAnnotation)
		d := document.Document{File: "", Content: content}
		if i, err := strconv.Atoi(fmt.Sprint(name)); err == nil && i >= 0 && i < len(docs) {
			d = docs[i]
			d.Content = content
		}
		out = append(out, d)
	}
	Label(o, out)
	return out, nil
}

// ParseImage reads an image as `kustomize edit set image` does: NAME=NEW:TAG, NAME:TAG
// or NAME@DIGEST.
func ParseImage(text string) types.Image {
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
			*f = "" // keep the content
		}
	}
	return image
}

// overlaid is the text of the root's kustomization with the overlay in it.
func overlaid(j *release.Recipe, p string, text []byte) ([]byte, error) {
	if j.Release.Overlay == nil || path.Dir(p) != j.Release.Path {
		return text, nil
	}
	return editText(j.Release.Overlay, text)
}
