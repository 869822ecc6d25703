package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// fetchedBy lists what a job took from other hosts, in the order of their folders.
func fetchedBy(s *source.Source, j *job) []source.Fetched { return s.FetchedAt(j.fetchedNames()) }

// fetchedAt remembers which line brought something fetched into a job.
func (j *job) fetchedAt(dir string, where document.Location) {
	if j.Fetched == nil {
		j.Fetched = map[string]document.Location{}
	}
	if _, ok := j.Fetched[source.MountOf(dir)]; !ok {
		where.Rung = "release"
		j.Fetched[source.MountOf(dir)] = where
	}
}

// placed is a location in the repository: what lies in something fetched is where the
// line is that brought it in.
func (j *job) placed(at document.Location) document.Location {
	for range len(j.fetched()) {
		where, ok := j.fetched()[source.MountOf(at.File)]
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
	out.Reason = strings.ReplaceAll(f.Reason, source.FetchedRoot+"/", "")
	if source.MountOf(f.Where.File) == "" {
		return &out
	}
	out.Where = j.placed(f.Where)
	out.Reason = fmt.Sprintf("%s:%d: in what it fetches: %s", out.Where.File, out.Where.StartLine, out.Reason)
	out.Remedy = "use another version, or vendor it and correct it: " + f.Remedy
	return &out
}

// own are the files of a job that lie in the repository.
func (j *job) own() []string {
	return slices.DeleteFunc(j.reads(), func(p string) bool { return source.MountOf(p) != "" })
}

// fetchedNames are the names of what a job fetched, sorted.
func (j *job) fetchedNames() []string {
	return slices.Sorted(maps.Keys(j.fetched()))
}

// baseTree is the tree of a commit that was fetched.
func baseTree(t *fetch.Tree) (tree.Tree, error) {
	return tree.Commit(t.Repository, t.Commit)
}
