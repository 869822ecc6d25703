package kustomize

import (
	"fmt"
	"path"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// generators adds the files that generators take their data from.
func (g *gatherer) generators(k *File, dir string) {
	for _, c := range k.ConfigMapGenerator {
		g.sources(k, dir, c.KvPairSources, false)
	}
	for _, c := range k.SecretGenerator {
		g.sources(k, dir, c.KvPairSources, true)
	}
}

func (g *gatherer) sources(k *File, dir string, s types.KvPairSources, secret bool) {
	envs := map[string]bool{}
	for _, ref := range s.EnvSources {
		envs[ref] = true
	}
	for _, ref := range SourcesOf(s) {
		may := secret || envs[ref] || isEnvFile(ref) || g.madeElsewhere(k, ref) || g.withheld(k, ref)
		if may && g.placeholder(k, dir, ref, envs[ref]) {
			continue
		}
		g.fails(g.need(k, dir, ref))
	}
}

// placeholder reports whether a text stands in the place of a file that no repository should hold: of a Secret's
// generator, or of variables of an environment. One that base has and head has not is no such file. One whose content
// is not in the repository's own objects has a placeholder that differs where the file does.
func (g *gatherer) placeholder(k *File, dir, ref string, env bool) bool {
	p, in := source.Inside(dir, ref)
	withheld := g.withheld(k, ref)
	if !in || ref == "" || g.src.HasFile(p) && !withheld || g.src.HasDir(p) || RemoteRef().MatchString(ref) {
		return false
	}
	if twin := g.src.Twin; twin != nil && twin.HasFile(p) && !withheld {
		return false
	}
	if _, there := g.recipe.Files[p]; there {
		return true
	}
	text := "not-in-the-repository"
	if withheld {
		text += "-" + g.src.Digest(p)
	}
	g.recipe.Files[p] = []byte(text)
	if env {
		g.recipe.Files[p] = []byte("NOT_IN_THE_REPOSITORY=" + text + "\n")
	}
	at := object.LineOf(k.Path, max(k.line(ref), k.lineEnding("="+ref)), "file")
	g.recipe.Notes = append(g.recipe.Notes, object.Say(object.PlaceholderStands, p).At(at))
	return true
}

// isEnvFile reports whether a file holds the variables of an environment by its name: .env,
// .env.local, prod.env.
func isEnvFile(ref string) bool {
	base := path.Base(ref)
	return strings.HasPrefix(base, ".env") || strings.HasSuffix(base, ".env")
}

// SourcesOf lists the files of a generator; "key=file" names a file under another key.
func SourcesOf(s types.KvPairSources) []string {
	var refs []string
	for _, f := range s.FileSources {
		if _, file, ok := strings.Cut(f, "="); ok {
			f = file
		}
		refs = append(refs, f)
	}
	return append(refs, s.EnvSources...)
}

// anyFile reports whether files outside a kustomization's folder may be read: where the
// release says so, and in a repository that Flux builds, whose controller does.
func (g *gatherer) anyFile() bool {
	rel := &g.recipe.Release
	rel.AnyFile = rel.AnyFile || !rel.Declared && rel.By.File == "" && g.src.BuiltByFlux()
	return rel.AnyFile
}

// alone says which other kustomization file stands in the folder of one: Kustomize builds neither.
//
// Upstream: kustomize api v0.21.1, internal/target: LoadKustFile.
func alone(s *source.Source, file string) *object.Failure {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if p := path.Join(path.Dir(file), name); p != file && s.HasFile(p) {
			return &object.Failure{Reason: fmt.Sprintf("%s stands beside %s, and Kustomize takes one kustomization file", p, file),
				Where: object.FileStart(p), Remedy: "remove one of the two"}
		}
	}
	return nil
}
