package gitops

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// A path that this tree has is taken for one of it, as nothing says which repository this is. Any other one is in
// another repository, and so is all that a release of another repository takes from that one; and what stays at a tag
// or a commit is not what a merge here changes. These are fetched, when the release is rendered: what is equal on both
// sides needs no fetching.

// fixedRevision is a revision that is a commit, or by its form a tag. Only its host knows that it is no branch.
var fixedRevision = regexp.MustCompile(
	`^refs/tags/|^[0-9a-f]{40}$|^([A-Za-z][A-Za-z0-9]*[-_/@])*v?[0-9]+\.[0-9]+\.[0-9]+([-+.][0-9A-Za-z.+-]+)?$|^v?[0-9]+(\.[0-9]+)?$`)

// remote is the revision of a git repository that an object names, and whether it is to be fetched; stays says that a
// merge here changes it, if it is of this repository.
func (o *declaring) remote(address, revision string, stays bool) (g release.Git, ok bool) {
	at := overHTTPS(address)
	if filledInLater.MatchString(address) || filledInRevision.MatchString(revision) {
		return g, false
	}
	own := o.git != "" && o.git == object.FromGit(address, "").Repository
	if at == "" || stays && !own || !o.Src.MayFetch(at, revision) {
		return g, false
	}
	return release.Git{Repository: at, Revision: revision, Folder: source.GitFolder(at, revision)}, true
}

// filledInLater and filledInRevision are parts of an address and of a revision that something writes before it is
// applied: "${BRANCH}".
var (
	filledInLater    = regexp.MustCompile(`[\s{}$<>"']`)
	filledInRevision = regexp.MustCompile(`[{}$]|<[A-Za-z]`)
)

// elsewhereIn leaves out what the object delivers from a git repository.
func (o *declaring) elsewhereIn(address, revision string, format string, args ...any) {
	o.elsewhere(format, args...)
	at := overHTTPS(address)
	o.Ignored[len(o.Ignored)-1].Fetchable = at != "" && !o.Src.MayFetch(at, revision)
}

// overHTTPS is the https address of a repository that is named for git or ssh, on the same host; "" if there is none.
// The account is left out: none is given to git hosts. An address with a password is none.
func overHTTPS(address string) string {
	address = strings.TrimSpace(address)
	rest, ssh := strings.CutPrefix(address, "ssh://")
	if !strings.Contains(rest, "://") {
		if account, after, ok := strings.Cut(rest, "@"); ok && !strings.ContainsAny(account, "/:") {
			rest = after
		} else if !ssh {
			return ""
		}
		host, path, ok := strings.Cut(rest, map[bool]string{true: "/", false: ":"}[ssh])
		if !ok || host == "" || strings.ContainsAny(host, ":/@") || path == "" {
			return ""
		}
		return (&url.URL{Scheme: "https", Host: host, Path: "/" + strings.Trim(path, "/")}).String()
	}
	u, err := url.Parse(rest)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	if _, secret := u.User.Password(); secret {
		return ""
	}
	u.User, u.Path = nil, strings.TrimRight(u.Path, "/")
	return u.String()
}

// mount fetches revisions, and reports whether one of them is of a branch.
func mount(s *source.Source, list []release.Git) (moves bool, notes []object.Note, f *object.Failure) {
	for _, g := range list {
		moved, said, f := s.FetchGit(g.Repository, g.Revision, g.At)
		if f != nil {
			return false, nil, f
		}
		moves, notes = moves || moved, append(notes, said...)
	}
	return moves, notes, nil
}

// notDelivered are the fields of a spec that do not say what is applied: how often and with which account it is
// fetched, what is waited for, and how Argo CD goes about it.
var notDelivered = []string{"interval", "timeout", "retryInterval", "serviceAccountName", "dependsOn", "wait",
	"healthChecks", "healthCheckExprs", "project", "revisionHistoryLimit", "info", "syncPolicy"}

// options is what an object says about what it delivers, as JSON.
func (o *declaring) options() string {
	spec, _ := document.Value(o.content, "spec").(map[string]any)
	spec = maps.Clone(spec)
	for _, name := range notDelivered {
		delete(spec, name)
	}
	b, err := json.Marshal(spec)
	if err != nil { // where YAML cannot be JSON
		return ""
	}
	return string(b)
}

// apart is the same object, read for one release: what it declares beside that is dropped.
func (o *declaring) apart(s *source.Source) *declaring {
	alone := *o
	alone.Declared = &Declared{Found: o.Found, Src: s, Runner: o.Runner, Versions: o.Versions}
	return &alone
}

// gitOf is the repository that a release is made of, where that is another one.
func gitOf(r release.Release) string {
	i := slices.IndexFunc(r.Git, func(g release.Git) bool { return g.Folder == source.MountOf(r.Path) })
	if i < 0 {
		return ""
	}
	return object.FromGit(r.Git[i].Repository, "").Repository
}
