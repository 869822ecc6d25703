package discover

import (
	"path"
	"slices"

	"github.com/kubesettle/kubesettle/render/source"
)

// Paths are the folders and files that a run is limited to; none: it is not.
type Paths []string

// Within reports whether a path lies in a named one.
func (w Paths) Within(p string) bool {
	return slices.ContainsFunc(w, func(want string) bool { return source.Under(p, path.Clean(want)) })
}

// Inside reports whether a folder holds a named path: naming a file of a chart names the chart.
func (w Paths) Inside(dir string) bool {
	return slices.ContainsFunc(w, func(want string) bool { return source.Under(path.Clean(want), dir) })
}

// narrow keeps the named ones of a folder's files, and all where none is.
func (w Paths) narrow(files []string) []string {
	var named []string
	for _, f := range files {
		if w.Within(f) {
			named = append(named, f)
		}
	}
	if len(named) == 0 {
		return files
	}
	return named
}

// asked reports whether a path was asked for by name, or lies in one that was.
func (w Paths) asked(p string) bool {
	for _, want := range w {
		if want = path.Clean(want); want != "." && source.Under(p, want) {
			return true
		}
	}
	return false
}
