package kustomize

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// Annotations of generated objects that say how to treat them, and the one by which the library does so.
//
// Upstream: kustomize api v0.21, internal/plugins/utils.UpdateResourceOptions.
const (
	behaviorAnnotation = "kustomize.config.k8s.io/behavior"
	hashAnnotation     = "kustomize.config.k8s.io/needs-hash"
	hashedAnnotation   = "internal.config.kubernetes.io/needsHashSuffix"
)

// decryption takes a generator of KSOPS, which only decrypts the manifests that
// it names, for these manifests. done is false where it is another one, or does more.
//
// Upstream: viaduct-ai/kustomize-sops: its files become resources; secretFrom makes more of
// others.
func (g *gatherer) decryption(k *File, dir, ref string) (done bool, f *object.Failure) {
	at, in := source.Inside(dir, ref)
	docs, broken := document.Decode(at, g.recipe.Files[at])
	if !in || broken != nil || len(docs) == 0 || !slices.Contains(k.Generators, ref) {
		return false, nil
	}
	var names []string
	for _, d := range docs {
		version, _ := d.Content["apiVersion"].(string)
		if d.Content["kind"] != "ksops" || !strings.HasPrefix(version, "viaduct.ai/") || d.Content["secretFrom"] != nil {
			return false, nil
		}
		names = append(names, document.Texts(d.Content["files"])...)
	}
	e := g.recipe.Encrypted[k.Path]
	e.Files, e.Patches = slices.Clone(e.Files), slices.Clone(e.Patches)
	for _, name := range names {
		p, in := source.Inside(path.Dir(at), name)
		if !in || !source.Under(p, dir) {
			return false, nil
		}
		if !g.src.HasFile(p) {
			line := document.KeyLine(g.recipe.Files[at], "files")
			return false, &object.Failure{
				Reason: fmt.Sprintf("%s:%d: %s does not exist", at, line, name),
				Where:  object.LineOf(at, line, "file"), Remedy: "commit it, encrypted, or remove the line",
			}
		}
		if f := g.add(k, p, name); f != nil {
			return false, f
		}
		if f := source.CheckYAML(p, g.recipe.Files[p]); f != nil {
			return false, f
		}
		switch merged, all := mergedInto(p, g.recipe.Files[p]); {
		case !all:
			return false, nil
		case merged:
			e.Patches = append(e.Patches, inFolder(p, dir))
		default:
			e.Files = append(e.Files, inFolder(p, dir))
		}
	}
	e.Generators = append(e.Generators, ref)
	if g.recipe.Encrypted == nil {
		g.recipe.Encrypted = map[string]release.Encrypted{}
	}
	g.recipe.Encrypted[k.Path] = e
	g.recipe.Notes = append(g.recipe.Notes, object.Say(object.StaysEncrypted).At(object.Location{File: at}))
	return true, nil
}

// editEncrypted makes resources of decrypted files of a kustomization.
func editEncrypted(e release.Encrypted, m map[string]any) {
	list, _ := m["generators"].([]any)
	list = slices.DeleteFunc(slices.Clone(list), func(v any) bool {
		ref, ok := v.(string)
		return ok && slices.Contains(e.Generators, ref)
	})
	if delete(m, "generators"); len(list) > 0 {
		m["generators"] = list
	}
	resources, _ := m["resources"].([]any)
	for _, f := range e.Files {
		resources = append(resources, f)
	}
	m["resources"] = resources
	if len(e.Patches) == 0 {
		return
	}
	field, older := "patches", m["patchesStrategicMerge"] != nil
	if older { // which run before
		field = "patchesStrategicMerge"
	}
	var patches []any // before the author's own, as generators run before them
	for _, f := range e.Patches {
		if older {
			patches = append(patches, f)
		} else {
			patches = append(patches, map[string]any{"path": f})
		}
	}
	own, _ := m[field].([]any)
	m[field] = append(patches, own...)
}

// inFolder is a path as seen from the folder that holds it.
func inFolder(p, dir string) string {
	if dir == "." {
		return p
	}
	return strings.TrimPrefix(p, dir+"/")
}

// mergedInto reports whether the objects of a file are merged into others, or replace them, and
// whether that is so of all or of none: Secrets and ConfigMaps only.
func mergedInto(p string, b []byte) (merged, all bool) {
	docs, _ := document.Decode(p, b)
	n := 0
	for _, d := range docs {
		switch annotation(d, behaviorAnnotation) {
		case "", "create":
			continue
		}
		if kind := d.Content["kind"]; kind != "Secret" && kind != "ConfigMap" {
			return false, false
		}
		n++
	}
	return n > 0, n == 0 || n == len(docs)
}

// annotation is the text of an annotation, or "".
func annotation(d document.Document, name string) string {
	meta, _ := d.Content["metadata"].(map[string]any)
	notes, _ := meta["annotations"].(map[string]any)
	text, _ := notes[name].(string)
	return text
}

// takeAsGenerated carries out a manifest's annotations for generators: a name that ends in the content's hash, and that
// it is merged into another object, for which it becomes a patch.
//
// Upstream: kustomize api v0.21, resmap appendReplaceOrMerge and Resource.CopyMergeMetaDataFieldsFrom: labels
// and annotations are united, data and binaryData as well where it merges, and of all else only what is
// generated stays; the name has a hash where both want one.
func takeAsGenerated(d document.Document) {
	behavior := annotation(d, behaviorAnnotation)
	hash, _ := strconv.ParseBool(annotation(d, hashAnnotation))
	dropAnnotation(d.Content, behaviorAnnotation)
	dropAnnotation(d.Content, hashAnnotation)
	merged := behavior == "merge" || behavior == "replace"
	if meta, ok := d.Content["metadata"].(map[string]any); ok && hash != merged { // merged, the other asks for it too
		notes, _ := meta["annotations"].(map[string]any)
		if notes == nil {
			notes = map[string]any{}
			meta["annotations"] = notes
		}
		if notes[hashedAnnotation] = nil; hash {
			notes[hashedAnnotation] = "enabled"
		}
	}
	if !merged {
		return
	}
	united := func(key string) bool { return behavior == "merge" && (key == "data" || key == "binaryData") }
	for _, key := range []string{"data", "binaryData", "stringData", "type", "immutable"} {
		switch v := d.Content[key].(type) {
		case nil:
			if !united(key) {
				d.Content[key] = nil
			}
		case map[string]any:
			if !united(key) {
				v["$patch"] = "replace"
			}
		}
	}
}

// withoutSeal is a manifest without the metadata of its encryption, which decrypting removes, and treated as its
// annotations say.
func withoutSeal(p string, b []byte) ([]byte, error) {
	docs, f := document.Decode(p, b)
	if f != nil {
		return nil, f
	}
	var out []byte
	for _, d := range docs {
		delete(d.Content, "sops")
		takeAsGenerated(d)
		text, err := yaml.Marshal(d.Content)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "---\n"...), text...)
	}
	return out, nil
}
