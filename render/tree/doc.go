// Package tree is the content of one revision: the regular files of a commit, the index, a
// directory or standard input, by path. It reads git's objects into memory, by go-git, and
// never the work tree of a commit; it follows symlinks inside the tree and refuses those that
// leave it. It knows no manifest.
package tree
