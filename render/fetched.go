package render

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/tree"
)

// fetchedRoot is the folder under which a source shows what was fetched: each chart and
// each base in a folder of its own, which nothing in it leaves and nothing outside of
// what refers to it enters.
const fetchedRoot = ".kubesettle-fetched"

// mountOf is the folder of fetched files that a path lies in, or "".
func mountOf(p string) string {
	rest, ok := strings.CutPrefix(p, fetchedRoot+"/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return fetchedRoot + "/" + name
}

// remotes is what a source fetches with, and what it fetched.
type remotes struct {
	ctx     context.Context // of the run: fetching ends with it
	fetcher *fetch.Fetcher
	mu      sync.Mutex
	mounts  map[string]*mounted
}

// mounted is one thing that was fetched.
type mounted struct {
	src  *source
	what Fetched
}

// mounted gives the source that a path lies in, and the path there.
func (s *source) mounted(p string) (*source, string, bool) {
	m := mountOf(p)
	if m == "" || s.net == nil {
		return nil, "", false
	}
	s.net.mu.Lock()
	there := s.net.mounts[m]
	s.net.mu.Unlock()
	if there == nil {
		return nil, "", false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, m), "/")
	if rest == "" {
		rest = "."
	}
	return there.src, rest, true
}

// fetchWith lets a source fetch, and what it fetches be seen.
func (s *source) fetchWith(ctx context.Context, fetcher *fetch.Fetcher) {
	s.net = &remotes{ctx: ctx, fetcher: fetcher, mounts: map[string]*mounted{}}
}

// fetchTree fetches a revision of a repository of another host.
func (s *source) fetchTree(address, rev string) (*fetch.Tree, error) {
	return s.net.fetcher.Tree(s.net.ctx, address, rev)
}

// mount shows a tree under a folder of [fetchedRoot].
func (s *source) mount(at string, what Fetched, open func() (tree.Tree, error)) error {
	if s.dirs[fetchedRoot] != nil || s.lists(fetchedRoot) {
		return fmt.Errorf("%s is a name of this tool's own: rename the folder", fetchedRoot)
	}
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.net.mounts[at] != nil {
		return nil
	}
	t, err := open()
	if err != nil {
		return err
	}
	inner, err := newSource(t)
	if err != nil {
		return err
	}
	s.net.mounts[at] = &mounted{inner, what}
	return nil
}

// fetchedBy lists what a job took from other hosts, in the order of their folders.
func (s *source) fetchedBy(j *job) []Fetched { return s.fetchedAt(j.fetchedNames()) }

// fetchedAt is what is shown in some folders, in their order.
func (s *source) fetchedAt(folders []string) []Fetched {
	if s.net == nil {
		return nil
	}
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	var out []Fetched
	for _, name := range folders {
		if m := s.net.mounts[name]; m != nil {
			out = append(out, m.what)
		}
	}
	return out
}

var notInMount = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// mountFolder is the folder of something fetched, told apart by the whole reference.
func mountFolder(what string, ref ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(ref, "\x00")))
	return fetchedRoot + "/" + strings.Trim(notInMount.ReplaceAllString(what, "_"), "_.") + "@" + hex.EncodeToString(sum[:6])
}

// chartFolder is where a chart lies once it is fetched: it is known before.
func chartFolder(ref fetch.ChartRef) string {
	host := strings.TrimPrefix(strings.TrimPrefix(ref.Repository, "https://"), "oci://")
	return mountFolder(host+"_"+ref.Name+"-"+versionText(ref), ref.Repository, ref.Name, ref.Version, ref.Tag, ref.Digest)
}

// fetchChart mounts a chart and gives its folder; where says who refers to it, note what
// is to be said about it.
func (s *source) fetchChart(ref fetch.ChartRef, where document.Location) (dir, note string, f *document.Failure) {
	c, err := s.net.fetcher.Chart(s.net.ctx, ref)
	if err != nil {
		return "", "", fetchFailure("chart "+chartName(ref), err, where)
	}
	if c.Resolved {
		note = fmt.Sprintf("%s:%d: chart %s is %s today: %s may mean another one tomorrow", where.File, where.StartLine, c.Name, c.Version, versionText(ref))
	}
	if !c.Checked {
		note = strings.TrimPrefix(note+fmt.Sprintf("; the repository gives no digest for chart %s@%s: it is not checked", c.Name, c.Version), "; ")
	}
	dir = chartFolder(ref)
	err = s.mount(dir, Fetched{Name: c.Name, Version: c.Version, From: c.Repository, Digest: c.Digest}, func() (tree.Tree, error) {
		files := make(map[string]string, len(c.Files))
		for name, b := range c.Files {
			files[name] = string(b)
		}
		return tree.Map(c.Name, files)
	})
	if err != nil {
		return "", "", fetchFailure("chart "+chartName(ref), err, where)
	}
	return dir, note, nil
}

func chartName(ref fetch.ChartRef) string {
	name := ref.Name
	if name == "" {
		name = path.Base(ref.Repository)
	}
	if v := versionText(ref); v != "" {
		name += "@" + v
	}
	return name
}

func versionText(ref fetch.ChartRef) string {
	for _, v := range []string{ref.Digest, ref.Tag, ref.Version} {
		if v != "" {
			return v
		}
	}
	return "the newest version"
}

// fetchFailure words what fetching says, at the line that refers to it.
func fetchFailure(what string, err error, where document.Location) *document.Failure {
	f := &document.Failure{Where: where, Remedy: "vendor it into the repository"}
	reason := err.Error()
	var own *fetch.Error
	if errors.As(err, &own) {
		if own.Unreachable && !strings.Contains(own.Remedy, "vendor") {
			own = &fetch.Error{Unreachable: true, Reason: own.Reason, Remedy: own.Remedy + ", or vendor it into the repository"}
		}
		f.Skipped, f.Remedy = own.Refused || own.Unreachable, own.Remedy
	}
	if errors.Is(err, fetch.ErrOffline) {
		f.Skipped, reason = true, "is neither in the repository nor in the cache, and there is no network"
		f.Reason = fmt.Sprintf("%s:%d: %s %s", where.File, where.StartLine, what, reason)
		f.Remedy = "vendor it, or run without --offline"
		return f
	}
	f.Reason = fmt.Sprintf("%s:%d: %s cannot be fetched: %s", where.File, where.StartLine, what, reason)
	return f
}

// canFetch reports whether anything may be fetched, from a host or from the cache.
func (s *source) canFetch() bool { return s.net != nil && s.net.fetcher != nil }

// fetchedAt remembers which line brought something fetched into a job.
func (j *job) fetchedAt(dir string, where document.Location) {
	if j.Fetched == nil {
		j.Fetched = map[string]document.Location{}
	}
	if _, ok := j.Fetched[mountOf(dir)]; !ok {
		where.Rung = "release"
		j.Fetched[mountOf(dir)] = where
	}
}

// placed is a location in the repository: what lies in something fetched is where the
// line is that brought it in.
func (j *job) placed(at document.Location) document.Location {
	for range len(j.fetched()) {
		where, ok := j.fetched()[mountOf(at.File)]
		if !ok {
			break
		}
		at = where
	}
	return at
}

func (j *job) fetched() map[string]document.Location {
	if j == nil {
		return nil
	}
	return j.Fetched
}

// placedFailure is a failure with its location in the repository.
func (j *job) placedFailure(f *document.Failure) *document.Failure {
	out := *f
	out.Reason = strings.ReplaceAll(f.Reason, fetchedRoot+"/", "")
	if mountOf(f.Where.File) == "" {
		return &out
	}
	out.Where = j.placed(f.Where)
	out.Reason = fmt.Sprintf("%s:%d: in what it fetches: %s", out.Where.File, out.Where.StartLine, out.Reason)
	out.Remedy = "use another version, or vendor it and correct it: " + f.Remedy
	return &out
}

// own are the files of a job that lie in the repository.
func (j *job) own() []string {
	return slices.DeleteFunc(j.reads(), func(p string) bool { return mountOf(p) != "" })
}

// fetchedNames are the names of what a job fetched, sorted.
func (j *job) fetchedNames() []string {
	return slices.Sorted(maps.Keys(j.fetched()))
}

// baseTree is the tree of a commit that was fetched.
func baseTree(t *fetch.Tree) (tree.Tree, error) {
	return tree.Commit(t.Repository, t.Commit)
}
