package github

import (
	"context"
	"fmt"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
)

// FetchCommit fetches one commit, without its history, into a new bare repository in
// dir. The token goes to the repository's own address only.
// Errors: those of git.
func FetchCommit(ctx context.Context, dir, repository, sha, token string) error {
	if !isSHA(sha) {
		return fmt.Errorf("fetch %q: not a full hash", sha)
	}
	repo, err := git.PlainInit(dir, true)
	if err != nil {
		return fmt.Errorf("fetch %.12s: %w", sha, err)
	}
	remote, err := repo.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{repository}})
	if err != nil {
		return fmt.Errorf("fetch %.12s: %w", sha, err)
	}
	opt := &git.FetchOptions{
		RefSpecs: []config.RefSpec{config.RefSpec(sha + ":refs/heads/base")},
		Depth:    1, Tags: git.NoTags,
	}
	if token != "" {
		opt.Auth = &http.BasicAuth{Username: "x-access-token", Password: token}
	}
	if err := remote.FetchContext(ctx, opt); err != nil {
		return fmt.Errorf("fetch %.12s: %w", sha, err)
	}
	return nil
}
