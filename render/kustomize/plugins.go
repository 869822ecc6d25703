package kustomize

import (
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// plugins follows generators, transformers and validators, and lets only the built-in ones pass: others are programs.
// An object that one adds can be left out, a change that it makes cannot.
func (g *gatherer) plugins(k *File, dir string) {
	for _, ref := range k.Generators {
		g.entry(k, "generators", ref, g.extension(k, dir, ref))
	}
	for _, ref := range k.Transformers {
		g.fails(g.extension(k, dir, ref))
	}
	for _, ref := range k.Validators {
		g.entry(k, "validators", ref, g.extension(k, dir, ref))
	}
}

// extension follows one of them.
func (g *gatherer) extension(k *File, dir, ref string) *object.Failure {
	if done, f := g.inflator(k, dir, ref); done || f != nil {
		return f
	}
	if IsInline(ref) {
		return g.plugin(k.Path, k.line(ref), []byte(ref), dir, k)
	}
	before := map[string]bool{}
	for p := range g.recipe.Files {
		before[p] = true
	}
	if f := g.include(k, dir, ref, false); f != nil {
		return f
	}
	if done, f := g.decryption(k, dir, ref); done || f != nil {
		return f
	}
	for _, p := range g.recipe.Reads() {
		if before[p] || path.Base(p) == path.Base(FileOf(g.src, path.Dir(p))) {
			continue
		}
		if f := g.plugin(p, 1, g.recipe.Files[p], path.Dir(p), k); f != nil {
			return f
		}
	}
	return nil
}

// plugin checks one plugin configuration and adds the files it names.
func (g *gatherer) plugin(file string, line int, text []byte, dir string, k *File) *object.Failure {
	docs, f := document.Decode(file, text)
	if f != nil {
		return f
	}
	for _, d := range docs {
		kind, _ := d.Content["kind"].(string)
		if v, _ := d.Content["apiVersion"].(string); v != "builtin" || kind == "HelmChartInflationGenerator" {
			return &object.Failure{
				Skipped: true, Refused: true,
				Reason: fmt.Sprintf("%s:%d: %s %s runs a program; plugins and functions are refused", file, line, v, kind),
				Where:  object.LineOf(file, line, "file"), Remedy: "commit what it generates, and list that under resources",
			}
		}
		var refs []string
		fieldpath.Leaves(d.Content, nil, func(p fieldpath.Path, v any) {
			if text, ok := v.(string); ok &&
				(RemoteRef().MatchString(text) || strings.Contains("path files paths envs env", p[len(p)-1].Key) || inFileList(p)) {
				refs = append(refs, text)
			}
		})
		sort.Strings(refs)
		for _, ref := range refs {
			if _, file, ok := strings.Cut(ref, "="); ok {
				ref = file
			}
			if RemoteRef().MatchString(ref) {
				return g.remote(k, ref)
			}
			if p, in := source.Inside(dir, ref); in && g.src.HasFile(p) {
				if f := g.add(k, p, ref); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// inFileList reports whether a path is an element of a list of files.
func inFileList(p fieldpath.Path) bool {
	if len(p) < 2 || p[len(p)-1].Index < 0 {
		return false
	}
	switch p[len(p)-2].Key {
	case "files", "paths", "envs":
		return true
	}
	return false
}
