package release

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/source"
)

// FetchedAt remembers which line brought something fetched into a recipe.
func (j *Recipe) FetchedAt(dir string, where object.Location) {
	if j.Fetched == nil {
		j.Fetched = map[string]object.Location{}
	}
	if _, ok := j.Fetched[source.MountOf(dir)]; !ok {
		where.Rung = "release"
		j.Fetched[source.MountOf(dir)] = where
	}
}

// Placed is a location in the repository: what lies in something fetched is where the
// line is that brought it in, and what is written from a template is there.
func (j *Recipe) Placed(at object.Location) object.Location {
	if j != nil && j.Written[at.File] != "" {
		at.File = j.Written[at.File]
	}
	for range len(j.fetched()) {
		where, ok := j.fetched()[source.MountOf(at.File)]
		if !ok {
			break
		}
		at = where
	}
	return at
}

func (j *Recipe) fetched() map[string]object.Location {
	if j == nil {
		return nil
	}
	return j.Fetched
}

// PlacedFailure is a failure with its location in the repository.
func (j *Recipe) PlacedFailure(f *object.Failure) *object.Failure {
	out := *f
	out.Reason = strings.ReplaceAll(f.Reason, source.FetchedRoot+"/", "")
	if source.MountOf(f.Where.File) == "" {
		return &out
	}
	out.Where = j.Placed(f.Where)
	out.Reason = fmt.Sprintf("%s:%d: in what it fetches: %s", out.Where.File, out.Where.StartLine, out.Reason)
	out.Remedy = "correct its values here, use another version, or vendor it and correct it there"
	return &out
}

// Own are the files of a recipe that lie in the repository.
func (j *Recipe) Own() []string {
	return slices.DeleteFunc(j.Reads(), func(p string) bool { return source.MountOf(p) != "" || j.Written[p] != "" })
}

// FetchedNames are the names of what a recipe fetched, sorted.
func (j *Recipe) FetchedNames() []string {
	return slices.Sorted(maps.Keys(j.fetched()))
}
