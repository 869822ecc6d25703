package tree

import "io/fs"

// Tree is the content of one revision: regular files only, by slash-separated path
// relative to the repository's root. Symlinks are resolved inside the tree; one that
// leaves it is an error of the file that is read.
type Tree interface {
	// Name is the revision as the user gave it; Commit its full hash, or "".
	Name() string
	Commit() string
	fs.FS
}
