package source

import (
	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// FetchTree fetches a revision of a repository of another host. A note says at which commit a branch was read.
func (s *Source) FetchTree(address, rev string, where object.Location) (*fetch.Tree, []object.Note, error) {
	t, err := s.net.fetcher.Tree(s.net.ctx, address, rev)
	if err != nil || t.Moves == "" {
		return t, nil, err
	}
	return t, []object.Note{object.Say(object.BranchRead, t.Moves, address, t.Commit[:7]).At(where)}, nil
}

// MountTree shows what was fetched under a folder of [FetchedRoot].
func (s *Source) MountTree(at, address, rev string, t *fetch.Tree) error {
	what := object.Fetched{Name: address, Version: rev, From: address, Digest: "git:" + t.Commit}
	return s.Mount(at, what, func() (tree.Tree, error) { return tree.Commit(t.Repository, t.Commit) })
}
