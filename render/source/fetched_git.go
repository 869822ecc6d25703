package source

import (
	"strings"

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

// GitFolder is where a revision of a repository lies once it is fetched: it is known before.
func GitFolder(address, rev string) string {
	name := strings.TrimPrefix(strings.TrimSuffix(address, ".git"), "https://")
	return MountFolder(name+"-"+shortRevision(rev), "git revision", address, rev)
}

func shortRevision(rev string) string {
	if rev == "" {
		return "HEAD"
	}
	for _, mark := range []string{"refs/heads/", "refs/tags/", fetch.Versions} {
		rev = strings.TrimPrefix(rev, mark)
	}
	return rev
}

// MayFetch reports whether a revision of a git repository may be had, from its host or from the cache.
func (s *Source) MayFetch(address, rev string) bool {
	return s.CanFetch() && (s.net.fetcher.Network() || s.net.fetcher.Kept(address, rev))
}

// FetchGit mounts a revision of a git repository in its folder. moves says that it is that of a branch.
func (s *Source) FetchGit(address, rev string, where object.Location) (moves bool, notes []object.Note,
	f *object.Failure) {
	t, notes, err := s.FetchTree(address, rev, where)
	if err == nil {
		err = s.MountTree(GitFolder(address, rev), address, shortRevision(rev), t)
	}
	if err != nil {
		return false, nil, FetchFailure("revision "+shortRevision(rev)+" of "+address, err, where)
	}
	return t.Moves != "", notes, nil
}

// MountTree shows what was fetched under a folder of [FetchedRoot].
func (s *Source) MountTree(at, address, rev string, t *fetch.Tree) error {
	what := object.Fetched{Name: address, Version: rev, From: address, Digest: "git:" + t.Commit}
	return s.Mount(at, what, func() (tree.Tree, error) { return tree.Commit(t.Repository, t.Commit) })
}
