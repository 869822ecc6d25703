package kustomize

import (
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// onAll are the settings of a kustomization that act on whatever it consists of.
var onAll = []string{"namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations",
	"transformers", "configurations", "replacements"}

// unseen are the settings that may act on a part which is unknown: all but those that name one object, or an image,
// which the known rest has. Kustomize passes over the others in silence if nothing is there that they select.
func unseen(j *release.Recipe, files map[string][]byte, rest resmap.ResMap) []object.Hole {
	if !slices.ContainsFunc(j.Holes, object.Hole.Part) {
		return nil
	}
	var out []object.Hole
	add := func(p, field string, i int) {
		h := dependent{p, field, i}.hole(j, files)
		h.May, h.Reason = true, strings.Replace(h.Reason, "is about an object that", "may be about a part that", 1)
		out = append(out, h)
	}
	names := make([]string, 0, len(files))
	for p := range files {
		if source.IsKustomizationName(p) {
			names = append(names, p)
		}
	}
	sort.Strings(names)
	images := imagesOf(rest)
	for _, p := range names {
		var k types.Kustomization
		v, err := document.DecodeYAML(files[p])
		m, ok := v.(map[string]any)
		if err != nil || !ok || yaml.Unmarshal(files[p], &k) != nil {
			continue
		}
		for i, patch := range k.Patches {
			if patch.Target != nil && !hasNamed(*patch.Target, rest) {
				add(p, "patches", i)
			}
		}
		//lint:ignore SA1019 repositories still use the field
		for i, patch := range k.PatchesJson6902 {
			if patch.Target != nil && !hasNamed(*patch.Target, rest) {
				add(p, "patchesJson6902", i)
			}
		}
		for i, image := range k.Images {
			if !images[image.Name] && !images[image.NewName] {
				add(p, "images", i)
			}
		}
		for _, field := range onAll {
			if m[field] != nil {
				add(p, field, all)
			}
		}
	}
	return out
}

// oneName is a name in a selector, which is a pattern, that stands for itself.
var oneName = regexp.MustCompile(`^[A-Za-z0-9.:-]+$`)

// hasNamed reports whether a selector is that of one kind and name, and the rest has such an object.
func hasNamed(target types.Selector, rest resmap.ResMap) bool {
	if !oneName.MatchString(target.Kind) || !oneName.MatchString(target.Name) {
		return false
	}
	found, err := rest.Select(target)
	return err == nil && len(found) > 0
}

// imagesOf are the names of the images in objects, without tag and digest.
func imagesOf(m resmap.ResMap) map[string]bool {
	out := map[string]bool{"": false}
	for _, r := range m.Resources() {
		content, err := resourceMap(r)
		if err != nil {
			continue
		}
		fieldpath.Leaves(content, nil, func(p fieldpath.Path, v any) {
			text, ok := v.(string)
			if !ok || p[len(p)-1].Key != "image" {
				return
			}
			out[repositoryOf(text)] = true
		})
	}
	return out
}

// repositoryOf is an image without its tag and digest.
func repositoryOf(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		image = image[:i]
	}
	return image
}

// filesUnder are the paths of files that an entry names: a file, or all of a folder.
func filesUnder(files map[string][]byte, kustomization, ref string) []string {
	at, in := source.Inside(path.Dir(kustomization), ref)
	if !in || ref == "" || IsInline(ref) {
		return nil
	}
	var out []string
	for p := range files {
		if p == at || source.Under(p, at) {
			out = append(out, p)
		}
	}
	sort.Strings(out)
	return out
}
