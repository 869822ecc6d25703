package render

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/kubesettle/kubesettle/render/fetch"
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
	mounts  map[string]*source
}

// mounted gives the source that a path lies in, and the path there.
func (s *source) mounted(p string) (*source, string, bool) {
	m := mountOf(p)
	if m == "" || s.net == nil {
		return nil, "", false
	}
	s.net.mu.Lock()
	inner := s.net.mounts[m]
	s.net.mu.Unlock()
	if inner == nil {
		return nil, "", false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, m), "/")
	if rest == "" {
		rest = "."
	}
	return inner, rest, true
}

// mount shows a tree under a name and gives its folder.
func (s *source) mount(name string, open func() (Tree, error)) (string, error) {
	if s.dirs[fetchedRoot] != nil || s.isF[fetchedRoot] {
		return "", fmt.Errorf("%s is a name of this tool's own: rename the folder", fetchedRoot)
	}
	at := fetchedRoot + "/" + name
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.net.mounts[at] != nil {
		return at, nil
	}
	t, err := open()
	if err != nil {
		return "", err
	}
	inner, err := newSource(t)
	if err != nil {
		return "", err
	}
	s.net.mounts[at] = inner
	return at, nil
}

var notInMount = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// mountName is a folder's name for something fetched, told apart by its digest.
func mountName(what, digest string) string {
	_, digest, _ = strings.Cut(digest, ":")
	return strings.Trim(notInMount.ReplaceAllString(what, "_"), "_.") + "@" + digest[:min(12, len(digest))]
}

// fetchChart mounts a chart and gives its folder; where says who refers to it, note what
// is to be said about it.
func (s *source) fetchChart(ref fetch.ChartRef, where Location) (dir, note string, f *Failure) {
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
	host := strings.TrimPrefix(strings.TrimPrefix(c.Repository, "https://"), "oci://")
	dir, err = s.mount(mountName(host+"_"+c.Name+"-"+c.Version, c.Digest), func() (Tree, error) {
		files := make(map[string]string, len(c.Files))
		for name, b := range c.Files {
			files[name] = string(b)
		}
		return MapTree(c.Name, files)
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
func fetchFailure(what string, err error, where Location) *Failure {
	f := &Failure{Where: where, Remedy: "vendor it into the repository"}
	reason := err.Error()
	var own *fetch.Error
	if errors.As(err, &own) {
		f.Skipped, f.Remedy = own.Refused, own.Remedy
	}
	if errors.Is(err, fetch.ErrOffline) {
		f.Skipped, reason = true, "is neither in the repository nor in the cache, and there is no network"
		f.Reason = fmt.Sprintf("%s:%d: %s %s", where.File, where.StartLine, what, reason)
		f.Remedy = "vendor it, or run with --allow-network"
		return f
	}
	f.Reason = fmt.Sprintf("%s:%d: %s cannot be fetched: %s", where.File, where.StartLine, what, reason)
	return f
}

// canFetch says whether anything may be fetched, from a host or from the cache.
func (s *source) canFetch() bool { return s.net != nil && s.net.fetcher != nil }

// fetchedAt remembers which line brought something fetched into a job.
func (j *job) fetchedAt(dir string, where Location) {
	if j.Fetched == nil {
		j.Fetched = map[string]Location{}
	}
	if _, ok := j.Fetched[mountOf(dir)]; !ok {
		where.Rung = "release"
		j.Fetched[mountOf(dir)] = where
	}
}

// placed is a location in the repository: what lies in something fetched is where the
// line is that brought it in.
func (j *job) placed(at Location) Location {
	for range len(j.fetched()) {
		where, ok := j.fetched()[mountOf(at.File)]
		if !ok {
			break
		}
		at = where
	}
	return at
}

func (j *job) fetched() map[string]Location {
	if j == nil {
		return nil
	}
	return j.Fetched
}

// placedFailure is a failure with its location in the repository.
func (j *job) placedFailure(f *Failure) *Failure {
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
func baseTree(t *fetch.Tree) (Tree, error) {
	return commitTree(t.Repository, t.Commit)
}
