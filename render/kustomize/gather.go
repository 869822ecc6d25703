package kustomize

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// maxKustomizations is how many kustomizations one release may consist of.
const maxKustomizations = 2000

// maxBuilds is how many it may build: one that several include is built for each of them.
const maxBuilds = 10_000

type gatherer struct {
	src     *source.Source
	recipe  *release.Recipe
	done    map[string]bool
	builds  map[string]int // by folder, with what it includes
	built   int            // so far
	parents map[string]bool
	space   string // namespace of the root, for charts
	failed  *object.Failure
}

// fails notes that the release cannot be rendered, and gathering goes on, to know all files that it may be made of. An
// error of the manifests is reported before a missing file.
func (g *gatherer) fails(f *object.Failure) {
	if f != nil && (g.failed == nil || g.failed.Skipped && !f.Skipped) {
		g.failed = f
	}
}

// Gather collects the files of a kustomization and everything it includes, and
// refuses what would leave the tree or the process before any of it can start.
func Gather(s *source.Source, rel release.Release) (*release.Recipe, *object.Failure) {
	g := &gatherer{
		src: s, recipe: &release.Recipe{Release: rel, Files: map[string][]byte{}, Inflate: map[string]*release.Chart{}},
		done: map[string]bool{}, builds: map[string]int{}, parents: map[string]bool{},
	}
	g.fails(g.folder(rel.Path, rel.Path, func() int { return 1 }))
	return g.recipe, g.failed
}

// folder adds the kustomization of a folder; from and at say who includes it.
func (g *gatherer) folder(dir, from string, at func() int) (fail *object.Failure) {
	defer func() { g.recipe.Unread = g.recipe.Unread || fail != nil }()
	if g.parents[dir] {
		line := at()
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s includes itself", from, line, dir),
			Where:  object.LineOf(from, line, "file"), Remedy: "break the cycle",
		}
	}
	if g.done[dir] {
		g.built += g.builds[dir]
	} else if len(g.done) >= maxKustomizations {
		g.built = maxBuilds + 1
	}
	if g.built > maxBuilds {
		return &object.Failure{Reason: fmt.Sprintf("%s: more than %d kustomizations in one release, or %d builds of them",
			from, maxKustomizations, maxBuilds), Where: object.FileStart(from), Remedy: "split the release"}
	}
	if g.done[dir] {
		return nil
	}
	before := g.built
	g.built++
	g.done[dir], g.parents[dir] = true, true
	defer func() {
		delete(g.parents, dir)
		g.builds[dir] = g.built - before
	}()
	file := FileOf(g.src, dir)
	if rel := g.recipe.Release; file == "" && dir == rel.Path && len(rel.Files) > 0 {
		return g.generated(dir)
	}
	if file == "" {
		line := at()
		if f := fromTemplate(g.src, dir, object.LineOf(from, line, "file")); f != nil {
			return f
		}
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s has no kustomization file", from, line, dir),
			Where:  object.LineOf(from, line, "file"), Remedy: "add a kustomization.yaml there, or correct the path",
		}
	}
	if f := alone(g.src, file); f != nil {
		return f
	}
	k, f := Read(g.src, file)
	if f != nil {
		return f
	}
	return g.content(k, dir)
}

// generated adds the kustomization that Flux generates for a folder without one.
func (g *gatherer) generated(dir string) *object.Failure {
	var text strings.Builder
	text.WriteString("resources:\n")
	k := &File{Path: path.Join(dir, "kustomization.yaml")}
	for _, f := range g.recipe.Release.Files {
		rel := strings.TrimPrefix(f, dir+"/")
		k.Resources = append(k.Resources, rel)
		fmt.Fprintf(&text, "- %q\n", rel)
	}
	k.Text = []byte(text.String())
	return g.content(k, dir)
}

// content adds a kustomization and everything it names.
func (g *gatherer) content(k *File, dir string) *object.Failure {
	if ov := g.recipe.Release.Overlay; ov != nil && dir == g.recipe.Release.Path {
		own, f := parse(k.Path, k.Text)
		if f != nil {
			return f
		}
		k = own
		Apply(ov, &k.Kustomization)
	}
	if err := k.CheckEmpty(); err != nil { // in the original: the text for the build is no longer empty
		return &object.Failure{
			Reason: fmt.Sprintf("%s:1: %s", k.Path, err),
			Where:  object.FileStart(k.Path), Remedy: "list what it consists of, or remove the file",
		}
	}
	if g.space == "" {
		g.space = k.Namespace
	}
	g.recipe.Files[k.Path] = k.Text
	g.resources(k, dir)
	g.filesOf(k, dir)
	g.plugins(k, dir)
	g.charts(k, dir)
	return nil
}

// resources follows the accumulated files and folders.
func (g *gatherer) resources(k *File, dir string) {
	for _, r := range k.Resources {
		g.entry(k, "resources", r, g.include(k, dir, r, false))
	}
	for _, c := range k.Components { // without it, its effect on all others is unknown
		g.fails(g.include(k, dir, c, true))
	}
}

// RemoteRef matches a reference that leads out of the repository.
var RemoteRef = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(https?|ssh|git|file|git::https?|oci)://|^git@|^git::|^(www\.)?(github\.com|gitlab\.com|bitbucket\.org|gitea\.com)[/:]|\?ref=|\?version=|\.git(//|/|\?|$)|^[a-z0-9-]+(\.[a-z0-9-]+)+/[^/]+/[^/]+//`)
})

// include adds a file or a folder that a kustomization names.
func (g *gatherer) include(k *File, dir, ref string, component bool) *object.Failure {
	p, in := source.Inside(dir, ref)
	switch {
	case in && !component && g.src.HasFile(p):
		return g.add(k, p, ref)
	case in && g.src.HasDir(p):
		if f := g.wrongKind(k, p, ref, component); f != nil {
			g.recipe.Unread = true
			return f
		}
		return g.folder(p, k.Path, func() int { return k.line(ref) })
	case RemoteRef().MatchString(ref):
		g.recipe.Unread = g.recipe.Unread || g.here(ref)
		return g.base(k, dir, ref)
	case !in:
		return k.fail(ref, "leaves the repository", "copy it into the repository")
	}
	return g.missing(k, p, ref)
}

// wrongKind refuses a component among resources and a kustomization among components,
// where the library would not say the line.
func (g *gatherer) wrongKind(k *File, dir, ref string, component bool) *object.Failure {
	file := FileOf(g.src, dir)
	if file == "" {
		return nil
	}
	inner, f := Read(g.src, file)
	if f != nil {
		return nil // it is said where it is included
	}
	switch {
	case !component && inner.Kind == types.ComponentKind:
		return k.fail(ref, "is a component", "list it under `components`")
	case component && inner.Kind != types.ComponentKind:
		return k.fail(ref, "is not a component", "list it under `resources`, or make its kind Component")
	}
	return nil
}

// remote refuses a reference to another machine.
func (g *gatherer) remote(k *File, ref string) *object.Failure {
	remedy := "vendor it into the repository"
	if _, why := parseBase(ref); fileAt(ref) != "" || why == "" {
		remedy += ", or run without --offline"
	}
	return k.skip(ref, "is remote; nothing is fetched", remedy)
}

// fail is a failure about a reference of this kustomization.
func (k *File) fail(ref, what, remedy string) *object.Failure {
	line := k.line(ref)
	return &object.Failure{
		Reason: fmt.Sprintf("%s:%d: %s %s", k.Path, line, redact.URL(ref), what),
		Where:  object.LineOf(k.Path, line, "file"), Remedy: remedy,
	}
}

// add reads one file.
func (g *gatherer) add(k *File, p, ref string) *object.Failure {
	if root := path.Dir(k.Path); !g.anyFile() && !source.Under(g.src.Real(p), g.src.Real(root)) {
		if b, err := g.src.Read(p); err == nil {
			g.recipe.Files[p] = b // it is one of those whose change may be a change of the release
		}
		return k.fail(ref, "is outside of "+root+", which `kustomize build` refuses to read",
			"move it below that folder, or make its folder a base; where the cluster builds with LoadRestrictionsNone, declare the release with `loadRestrictor: none`")
	}
	b, err := g.src.Read(p)
	if _, ok := g.recipe.Files[p]; ok && err == nil {
		return nil
	}
	if err != nil {
		g.recipe.Unread, g.recipe.Files[p] = true, g.src.StandIn(p, err)
		f := source.AsFailure(p, err)
		f.Where = object.LineOf(k.Path, k.line(ref), "file")
		f.Reason = fmt.Sprintf("%s:%d: %s", k.Path, f.Where.StartLine, f.Reason)
		return f
	}
	if hasAlias(b) { // Kustomize expands aliases without a limit; our decoder has one
		if f := g.src.Memo.CheckYAML(p, b); f != nil {
			return f
		}
	}
	g.recipe.Files[p] = b
	return nil
}

// hasAlias reports whether a text may hold a YAML alias: a star in front of a name, where a value begins.
func hasAlias(b []byte) bool {
	for i := 0; ; i++ {
		next := bytes.IndexByte(b[i:], '*')
		if next < 0 || i+next+1 >= len(b) {
			return false
		}
		i += next
		if i > 0 && strings.IndexByte(" \t\n\f\r[{,:-", b[i-1]) >= 0 && strings.IndexByte(" \t\n\f\r*", b[i+1]) < 0 {
			return true
		}
	}
}

// need adds a file that must exist.
func (g *gatherer) need(k *File, dir, ref string) *object.Failure {
	if ref == "" {
		return nil
	}
	p, in := source.Inside(dir, ref)
	switch {
	case in && g.src.HasFile(p):
		return g.add(k, p, ref)
	case RemoteRef().MatchString(ref):
		return g.remote(k, ref)
	case !in:
		return k.fail(ref, "leaves the repository", "copy it into the repository")
	}
	return g.missing(k, p, ref)
}

// filesOf adds the files that patches, generators and settings name.
func (g *gatherer) filesOf(k *File, dir string) {
	for _, ref := range k.PatchFiles() {
		g.fails(g.patchFile(k, dir, ref))
	}
	var refs []string
	for _, r := range k.Replacements {
		refs = append(refs, r.Path)
	}
	refs = append(refs, k.Crds...)
	refs = append(refs, k.Configurations...)
	refs = append(refs, k.OpenAPI["path"])
	for _, ref := range refs {
		g.fails(g.need(k, dir, ref))
	}
	g.generators(k, dir)
}
