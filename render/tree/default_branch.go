package tree

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// DefaultBranch is the branch that others merge into, as a revision: the default branch of the remote "origin" as the
// clone recorded it (of the only remote, where there is one of another name), else its main or master, else the
// repository's own main or master. It is "" where the repository has none of them.
func (r *Repository) DefaultBranch() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	remote := "origin"
	if all, err := r.repo.Remotes(); err == nil && len(all) == 1 {
		remote = all[0].Config().Name
	}
	if head, err := r.repo.Reference(plumbing.NewRemoteHEADReferenceName(remote), false); err == nil {
		name := strings.TrimPrefix(head.Target().String(), "refs/remotes/")
		if head.Type() == plumbing.SymbolicReference && r.has(head.Target()) {
			return name
		}
	}
	for _, name := range []string{"main", "master"} {
		if r.has(plumbing.NewRemoteReferenceName(remote, name)) {
			return remote + "/" + name
		}
	}
	for _, name := range []string{"main", "master"} {
		if r.has(plumbing.NewBranchReferenceName(name)) {
			return name
		}
	}
	return ""
}

func (r *Repository) has(name plumbing.ReferenceName) bool {
	ref, err := r.repo.Reference(name, true)
	return err == nil && !ref.Hash().IsZero()
}
