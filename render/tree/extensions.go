package tree

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	format "github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// unconcerned are the extensions of a repository's format that do not matter to a reader of its references and objects
// (git's Documentation/config/extensions.adoc): a sparse checkout sets worktreeConfig, a partial clone partialClone.
// go-git opens a repository with none of them.
var unconcerned = []string{"partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"}

// tolerant is a store whose configuration names no unconcerned extension.
type tolerant struct{ *filesystem.Storage }

// Config implements [config.ConfigStorer].
func (t tolerant) Config() (*config.Config, error) { return withoutExtensions(t.Storage) }

func withoutExtensions(s *filesystem.Storage) (*config.Config, error) {
	cfg, err := s.Config()
	if err != nil || !cfg.Raw.HasSection("extensions") {
		return cfg, err
	}
	for _, o := range slices.Clone(cfg.Raw.Section("extensions").Options) {
		if slices.Contains(unconcerned, strings.ToLower(o.Key)) {
			cfg.Raw.Section("extensions").RemoveOption(o.Key)
		}
	}
	return cfg, nil
}

// complete reports a file of the revision that was listed last that a partial clone left out: one that both sides lack
// would be no difference, and a change that was not seen.
// Errors: [plumbing.ErrObjectNotFound].
func (r *Repository) complete() error {
	cfg, err := r.repo.Config()
	if err != nil || !slices.ContainsFunc(cfg.Raw.Section("remote").Subsections, func(s *format.Subsection) bool {
		return s.HasOption("partialclonefilter")
	}) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.listed.entries)) {
		if e := r.listed.entries[name]; e.kind != submodule && e.hash != "" {
			if err := r.repo.Storer.HasEncodedObject(plumbing.NewHash(e.hash)); err != nil {
				return fmt.Errorf("%s: %w", name, plumbing.ErrObjectNotFound)
			}
		}
	}
	return nil
}

// storeOf is the store of files that a repository stands on, nil where it has another.
func storeOf(repo *git.Repository) *filesystem.Storage {
	switch s := repo.Storer.(type) {
	case *filesystem.Storage:
		return s
	case tolerant:
		return s.Storage
	}
	return nil
}

// openExtended opens what [git.PlainOpen] refuses for its extensions.
func openExtended(abs string) (*git.Repository, error) {
	for at := abs; ; at = filepath.Dir(at) {
		for _, dir := range []string{filepath.Join(at, git.GitDirName), at} {
			files, err := gitFolder(dir)
			if err != nil {
				continue
			}
			return git.Open(tolerant{filesystem.NewStorage(files, cache.NewObjectLRUDefault())}, nil)
		}
		if at == filepath.Dir(at) {
			return nil, git.ErrRepositoryNotExists
		}
	}
}

// gitFolder is the folder of a repository, or that a file .git points at, with what linked work trees share.
func gitFolder(dir string) (billy.Filesystem, error) {
	if text, err := os.ReadFile(dir); err == nil {
		to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return nil, git.ErrRepositoryNotExists
		}
		dir = under(filepath.Dir(dir), to)
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		return nil, err
	}
	common, err := os.ReadFile(filepath.Join(dir, "commondir"))
	if errors.Is(err, os.ErrNotExist) {
		_, err := os.Stat(filepath.Join(dir, "objects"))
		return osfs.New(dir), err
	}
	if err != nil {
		return nil, err
	}
	return dotgit.NewRepositoryFilesystem(osfs.New(dir), osfs.New(under(dir, strings.TrimSpace(string(common))))), nil
}

// under is a path that may be given relative to a folder.
func under(dir, p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
