package kustomize

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/types"

	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/source"
)

// remoteBase is a reference to a folder of another repository.
type remoteBase struct {
	address string // of the repository, by https
	path    string // in it
	rev     string
}

var manifestFile = regexp.MustCompile(`\.(ya?ml|json)$`)

// parseBase reads a reference as Kustomize does, as far as it leads to an https address.
//
// Upstream: kustomize api v0.21.1, internal/git, NewRepoSpecFromURL: the marks of the
// repository's end are "_git/", "//" and ".git", in this order; without one it is the
// first two elements of the path.
func parseBase(ref string) (b remoteBase, why string) {
	n, query, _ := strings.Cut(strings.TrimPrefix(ref, "git::"), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return b, "has a query that cannot be read"
	}
	if b.rev = values.Get("ref"); b.rev == "" {
		b.rev = values.Get("version")
	}
	switch rest, https := strings.CutPrefix(n, "https://"); {
	case https:
		n = rest
	case strings.HasPrefix(n, "github.com/"):
	case strings.Contains(n, "://"), strings.Contains(n, "@"), strings.Contains(n, ":"):
		return b, "is not over https"
	}
	host, rest, ok := strings.Cut(n, "/")
	if !ok || host == "" || strings.Contains(host, "@") {
		return b, "is not an address of a repository without credentials"
	}
	if b.rev == "" && manifestFile.MatchString(rest) && !strings.Contains(rest, "//") {
		return b, "is a file of another host, without a pinned version"
	}
	repo, dir := splitRepository(rest)
	if repo == "" {
		return b, "is not an address of a repository"
	}
	if b.path = path.Clean(strings.TrimPrefix(dir, "/")); b.path == ".." || strings.HasPrefix(b.path, "../") {
		return b, "leaves its repository"
	}
	b.address = (&url.URL{Scheme: "https", Host: host, Path: "/" + repo}).String()
	return b, ""
}

// splitRepository cuts the path of an address where the repository ends.
func splitRepository(n string) (repo, dir string) {
	if i := strings.Index(n, "_git/"); i >= 0 {
		name, rest, _ := strings.Cut(n[i+len("_git/"):], "/")
		return n[:i] + "_git/" + name, rest
	}
	if i := strings.Index(n, "//"); i >= 0 {
		return n[:i], n[i+2:]
	}
	if i := strings.Index(n, ".git"); i >= 0 {
		return n[:i+len(".git")], n[i+len(".git"):]
	}
	parts := strings.SplitN(n, "/", 3)
	if len(parts) < 2 || parts[1] == "" {
		return "", ""
	}
	return parts[0] + "/" + parts[1], strings.Join(parts[2:], "/")
}

// exactVersion is an element of an address that a version or a commit is, perhaps behind the name of what has it. A
// branch may be named after two numbers.
var exactVersion = regexp.MustCompile(
	`^([A-Za-z][A-Za-z0-9]*[-_])*v?[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$|^[0-9a-f]{40}$`)

// fileAt is the version of a reference to a file of another host that always means the same file: an https address
// with an exact version among its folders, such as that of a file of a release; "" for another reference.
func fileAt(ref string) (version string) {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "https" || u.RawQuery != "" || !manifestFile.MatchString(u.Path) ||
		strings.Contains(u.Path, "//") {
		return ""
	}
	for _, part := range strings.Split(path.Dir(u.Path), "/") {
		if exactVersion.MatchString(part) {
			version = part
		}
	}
	return version
}

// file includes a file of another host, of which the result records the digest.
func (g *gatherer) file(k *File, dir, ref, version string) *object.Failure {
	if g.src.Dry {
		g.recipe.Later = true
		return nil
	}
	where := object.LineOf(k.Path, k.line(ref), "release")
	target, f := g.src.FetchFile(ref, redact.URL(ref), version, where)
	if f != nil {
		return f
	}
	b, err := g.src.Read(target)
	if err != nil {
		return source.FetchFailure(redact.URL(ref), err, where)
	}
	g.recipe.Files[target] = b
	return g.fetched(k, dir, ref, target, where)
}

// fetched puts what was fetched in the place of a reference to it.
func (g *gatherer) fetched(k *File, dir, ref, target string, where object.Location) *object.Failure {
	g.recipe.FetchedAt(target, where)
	if g.recipe.Bases == nil {
		g.recipe.Bases = map[string]map[string]string{}
	}
	if g.recipe.Bases[k.Path] == nil {
		g.recipe.Bases[k.Path] = map[string]string{}
	}
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(target))
	if err != nil {
		return source.FetchFailure(redact.URL(ref), err, where)
	}
	g.recipe.Bases[k.Path][ref] = filepath.ToSlash(rel)
	return nil
}

// base includes a folder of another repository, fetched at a tag, a full commit, or the commit
// that a branch has now, which the result records.
func (g *gatherer) base(k *File, dir, ref string) *object.Failure {
	const copyIt = "copy it into the repository"
	b, why := parseBase(ref)
	switch {
	case !g.src.CanFetch():
		return g.remote(k, ref)
	case fileAt(ref) != "":
		return g.file(k, dir, ref, fileAt(ref))
	case why == "is a file of another host, without a pinned version":
		return k.skip(ref, why,
			copyIt+", or refer to it at a version, or to its folder at a full commit: "+
				"https://HOST/ORG/REPOSITORY//FOLDER?ref=COMMIT")
	case why != "":
		return k.skip(ref, "is remote and "+why, copyIt+", or give an https address")
	}
	if g.src.Dry {
		g.recipe.Later = true
		return nil
	}
	where := object.LineOf(k.Path, k.line(ref), "release")
	t, notes, err := g.src.FetchTree(b.address, b.rev, where)
	if err != nil {
		return source.FetchFailure(redact.URL(ref), err, where)
	}
	if t.Range {
		return k.fail(ref, "names a range of versions, which Kustomize does not read", "name a tag, or a full commit")
	}
	mount := source.MountFolder(strings.TrimPrefix(b.address, "https://"), "git", b.address, t.Commit)
	if err := g.src.MountTree(mount, b.address, b.rev, t); err != nil {
		return source.FetchFailure(redact.URL(ref), err, where)
	}
	g.recipe.Notes = append(g.recipe.Notes, notes...)
	target := path.Join(mount, b.path)
	if !g.src.HasDir(target) {
		g.recipe.FetchedAt(mount, where)
		return k.fail(ref, "has no folder "+b.path, "correct the path or the commit")
	}
	if f := g.fetched(k, dir, ref, target, where); f != nil {
		return f
	}
	return g.folder(target, k.Path, func() int { return where.StartLine })
}

// skip is a failure that is no error of the manifests.
func (k *File) skip(ref, what, remedy string) *object.Failure {
	f := k.fail(ref, what, remedy)
	f.Skipped, f.Refused = true, helperRef.MatchString(ref)
	return f
}

// helperRef is what git would run a program for, or read from the machine's own disk.
var helperRef = regexp.MustCompile(`^(git::)?(file:|[a-z]+::)`)

// ReplaceRemote puts the folders that were fetched in the place of references to them.
func (k *File) ReplaceRemote(bases map[string]string) {
	for _, list := range [][]string{k.Resources, k.Components, k.Generators, k.Transformers, k.Validators} {
		for i, ref := range list {
			if dir, ok := bases[ref]; ok {
				list[i] = dir
			}
		}
	}
}

// replaceBases is replaceRemote in the text that is built.
func replaceBases(m map[string]any, bases map[string]string) {
	for _, field := range []string{"resources", "bases", "components", "generators", "transformers", "validators"} {
		list, _ := m[field].([]any)
		for i, e := range list {
			if ref, ok := e.(string); ok && bases[ref] != "" {
				list[i] = bases[ref]
			}
		}
	}
}

// fetchInflated fetches the chart of an entry of helmCharts and gives its folder.
func (g *gatherer) fetchInflated(k *File, h types.HelmChart) (string, *object.Failure) {
	where := object.LineOf(k.Path, k.line(h.Name), "release")
	ref := fetch.ChartRef{Repository: strings.TrimSuffix(h.Repo, "/"), Name: h.Name, Version: h.Version}
	dir, notes, f := g.src.FetchChart(ref, where)
	if f != nil {
		return "", f
	}
	g.recipe.Notes = append(g.recipe.Notes, notes...)
	g.recipe.FetchedAt(dir, where)
	return dir, nil
}

// here reports whether a reference to another host may be one to this repository: some end of its path is here.
func (g *gatherer) here(ref string) bool {
	p, _, _ := strings.Cut(ref, "?")
	for ok := true; ok; {
		if _, p, ok = strings.Cut(p, "/"); p != "" && (g.src.HasDir(path.Clean(p)) || g.src.HasFile(path.Clean(p))) {
			return true
		}
	}
	return false
}
