package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// encrypted are the manifests that a kustomization has decrypted: they are built as they
// stand, with their values encrypted.
type encrypted struct {
	Generators []string // entries of the kustomization that name the program
	Files      []string // as it would name them under resources
}

// decryption takes a generator of KSOPS, which does nothing but decrypt the manifests that
// it names, for these manifests. done is false where it is another one, or does more.
//
// Upstream: viaduct-ai/kustomize-sops: its files become resources; secretFrom makes more of
// others.
func (g *kustomizeGatherer) decryption(k *kustomization, dir, ref string) (done bool, f *Failure) {
	at, in := inside(dir, ref)
	docs, broken := decodeStream(at, g.job.Files[at])
	if !in || broken != nil || len(docs) == 0 || !slices.Contains(k.Generators, ref) {
		return false, nil
	}
	var names []string
	for _, d := range docs {
		version, _ := d.Content["apiVersion"].(string)
		if d.Content["kind"] != "ksops" || !strings.HasPrefix(version, "viaduct.ai/") || d.Content["secretFrom"] != nil {
			return false, nil
		}
		names = append(names, texts(d.Content["files"])...)
	}
	e := g.job.Encrypted[k.file]
	for _, name := range names {
		p, in := inside(path.Dir(at), name)
		if !in || !under(p, dir) {
			return false, nil
		}
		if !g.src.hasFile(p) {
			line := keyLine(g.job.Files[at], "files")
			return false, &Failure{
				Reason: fmt.Sprintf("%s:%d: %s does not exist", at, line, name),
				Where:  lineOf(at, line, "file"), Remedy: "commit it, encrypted, or take the line out",
			}
		}
		if f := g.add(k, p, name); f != nil {
			return false, f
		}
		if f := checkYAML(p, g.job.Files[p]); f != nil {
			return false, f
		}
		e.Files = append(e.Files, strings.TrimPrefix(p, dir+"/"))
	}
	e.Generators = append(e.Generators, ref)
	if g.job.Encrypted == nil {
		g.job.Encrypted = map[string]encrypted{}
	}
	g.job.Encrypted[k.file] = e
	g.job.Notes = append(g.job.Notes, fmt.Sprintf("%s: what KSOPS would decrypt stays encrypted", at))
	return true, nil
}

// edit makes resources of what a kustomization has decrypted.
func (e encrypted) edit(m map[string]any) {
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
}

// withoutSeal is a manifest without what was encrypted it with, which decrypting takes out.
func withoutSeal(p string, b []byte) ([]byte, error) {
	docs, f := decodeStream(p, b)
	if f != nil {
		return nil, f
	}
	var out []byte
	for _, d := range docs {
		delete(d.Content, "sops")
		text, err := yaml.Marshal(d.Content)
		if err != nil {
			return nil, err
		}
		out = append(append(out, "---\n"...), text...)
	}
	return out, nil
}
