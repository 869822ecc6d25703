package source

import (
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// StandIn is a comment for a file that could not be read. It is another one where the file is.
func (s *Source) StandIn(p string, err error) []byte {
	return []byte("# " + s.Digest(p) + " " + err.Error() + "\n")
}

// AsFailure words an error about a file that could not be read.
func AsFailure(file string, err error) *object.Failure {
	remedy := "make the file readable from the repository's root"
	switch text := err.Error(); {
	case strings.Contains(text, tree.ErrTooBig.Error()):
		remedy = "split the file, or keep it out of the release"
	case strings.Contains(text, tree.ErrOutsideTree.Error()):
		remedy = "let the link point inside the repository, or replace it by a copy"
	case strings.Contains(text, "git-crypt encrypts it"):
		remedy = "compare two unlocked checkouts, with --base-dir and --head-dir"
	case strings.Contains(text, "is in Git LFS"):
		remedy = "compare two checkouts that have it, after `git lfs pull`, with --base-dir and --head-dir"
	case strings.Contains(text, "file does not exist"):
		remedy = "commit the file or correct the path"
	}
	return &object.Failure{Reason: err.Error(), Where: object.FileStart(file), Remedy: remedy}
}
