package tree

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sync"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Repository is an open git repository: its revisions share what they have read of its packs.
type Repository struct {
	dir  string
	repo *git.Repository
	mu   sync.Mutex // go-git's pack reader is not safe for concurrent use
	// listed is the revision that was listed last; nil: none was.
	listed *listed
}

// OpenRepository opens the repository that dir lies in.
// Errors: [ErrNoRepository].
func OpenRepository(dir string) (*Repository, error) {
	repo, err := openRepository(dir)
	if err != nil {
		return nil, err
	}
	return &Repository{dir: dir, repo: repo}, nil
}

// Tree is a revision, read from git's objects; the work tree is never looked at.
// Errors: [ErrNoRevision].
func (r *Repository) Tree(rev string) (Tree, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	commit, err := findCommit(r.repo, r.dir, rev)
	if err != nil {
		return nil, err
	}
	return r.treeOf(commit, rev)
}

// Git is [Repository.Tree] of the repository that dir lies in.
// Errors: [ErrNoRepository], [ErrNoRevision].
func Git(dir, rev string) (Tree, error) {
	r, err := OpenRepository(dir)
	if err != nil {
		return nil, err
	}
	return r.Tree(rev)
}

// Commit is the tree of a commit of an open repository.
func Commit(repo *git.Repository, hash string) (Tree, error) {
	commit, err := repo.CommitObject(plumbing.NewHash(hash))
	if err != nil {
		return nil, err
	}
	return (&Repository{repo: repo}).treeOf(commit, hash)
}

func (r *Repository) treeOf(commit *object.Commit, rev string) (Tree, error) {
	repo := r.repo
	root, err := commit.Tree()
	if err != nil {
		return nil, fmt.Errorf("revision %s: %w", rev, explainMissing(repo, err, rev))
	}
	if r.listed, err = listing(repo, root, r.listed); err != nil {
		return nil, fmt.Errorf("revision %s: %w", rev, explainMissing(repo, err, rev))
	}
	if err := r.complete(); err != nil {
		return nil, fmt.Errorf("revision %s: %w", rev, explainMissing(repo, err, rev))
	}
	t := &fileTree{name: rev, commit: commit.Hash.String(), entries: r.listed.entries, dirs: r.listed.dirs}
	t.load = func(p string, e entry) ([]byte, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return readBlob(repo, p, e)
	}
	return t, nil
}

// openRepository opens a work tree, one of its folders, a linked work tree or a bare
// repository, with the object stores it borrows from.
func openRepository(dir string) (*git.Repository, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	opt := git.PlainOpenOptions{EnableDotGitCommonDir: true}
	repo, err := git.PlainOpenWithOptions(abs, &opt)
	if errors.Is(err, git.ErrRepositoryNotExists) {
		opt.DetectDotGit = true
		repo, err = git.PlainOpenWithOptions(abs, &opt)
	}
	if errors.Is(err, git.ErrUnknownExtension) || errors.Is(err, git.ErrUnsupportedExtensionRepositoryFormatVersion) {
		repo, err = openExtended(abs)
	}
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepository)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", dir, ErrNoRepository, err)
	}
	return withPacks(withAlternates(keepPacks(repo))), nil
}

// keepPacks reopens a repository so that its packs stay open: go-git opens them again for every
// object otherwise. They are read only, and closed with the process.
func keepPacks(repo *git.Repository) *git.Repository {
	s := storeOf(repo)
	if s == nil {
		return repo
	}
	kept := filesystem.NewStorageWithOptions(s.Filesystem(), cache.NewObjectLRUDefault(),
		filesystem.Options{KeepDescriptors: true})
	again, err := git.Open(tolerant{kept}, nil)
	if err != nil {
		return repo
	}
	return again
}

var fullHash = regexp.MustCompile(`^[0-9a-f]{40}$`)

// findCommit resolves a revision as git rev-parse does, as far as go-git knows it.
func findCommit(repo *git.Repository, dir, rev string) (*object.Commit, error) {
	if rev == "" {
		return nil, fmt.Errorf("%s: %w: the revision is empty", dir, ErrNoRevision)
	}
	if fullHash.MatchString(rev) { // as CI gives it, and no reference is called so
		if commit, err := repo.CommitObject(plumbing.NewHash(rev)); err == nil {
			return commit, nil
		}
	}
	hash, err := repo.ResolveRevision(plumbing.Revision(rev))
	if err != nil {
		return nil, missingRevision(repo, dir, rev, err)
	}
	commit, err := repo.CommitObject(*hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		if tag, tagErr := repo.TagObject(*hash); tagErr == nil {
			commit, err = tag.Commit()
		}
	}
	if err != nil {
		return nil, missingRevision(repo, dir, rev, err)
	}
	return commit, nil
}

// missingRevision words the error and says how to fix it.
func missingRevision(repo *git.Repository, dir, rev string, cause error) error {
	if hasNoCommit(repo) {
		return fmt.Errorf("%s: %w: %s: the repository has no commit", dir, ErrNoRevision, rev)
	}
	if isShallow(repo) {
		return fmt.Errorf("%s: %w: %s is not in this shallow clone: %s", dir, ErrNoRevision, rev, deepen(rev))
	}
	if fullHash.MatchString(rev) {
		return fmt.Errorf("%s: %w: %s: fetch it: git fetch origin %s", dir, ErrNoRevision, rev, rev)
	}
	if errors.Is(cause, plumbing.ErrReferenceNotFound) || errors.Is(cause, plumbing.ErrObjectNotFound) ||
		errors.Is(cause, io.EOF) {
		return fmt.Errorf("%s: %w: %s", dir, ErrNoRevision, rev)
	}
	return fmt.Errorf("%s: %w: %s: %w", dir, ErrNoRevision, rev, cause)
}

// hasNoCommit reports whether no reference names an object.
func hasNoCommit(repo *git.Repository) bool {
	refs, err := repo.References()
	if err != nil {
		return false
	}
	defer refs.Close()
	for {
		ref, err := refs.Next()
		if err != nil {
			return err == io.EOF
		}
		if ref.Type() == plumbing.HashReference {
			return false
		}
	}
}

func deepen(rev string) string {
	if fullHash.MatchString(rev) {
		return "set `fetch-depth: 0` for actions/checkout, or run `git fetch --depth=1 origin " + rev + "`"
	}
	return "set `fetch-depth: 0` for actions/checkout, or run `git fetch --unshallow origin`"
}

func isShallow(repo *git.Repository) bool {
	hashes, err := repo.Storer.Shallow()
	return err == nil && len(hashes) > 0
}

// explainMissing says why an object is absent.
func explainMissing(repo *git.Repository, err error, rev string) error {
	if !errors.Is(err, plumbing.ErrObjectNotFound) {
		return err
	}
	if isShallow(repo) {
		return fmt.Errorf("%w: not in this shallow clone: %s", ErrNoRevision, deepen(rev))
	}
	return fmt.Errorf("%w: an object is missing; is this a partial clone? run `git fetch --refetch --no-filter origin`", ErrNoRevision)
}

func readBlob(repo *git.Repository, p string, e entry) ([]byte, error) {
	blob, err := repo.BlobObject(plumbing.NewHash(e.hash))
	if err != nil {
		return nil, explainMissing(repo, err, e.hash)
	}
	if limit := sizeLimit(p); blob.Size > limit {
		return nil, fmt.Errorf("%w: %.1f MiB, the limit is %d MiB", ErrTooBig, float64(blob.Size)/(1<<20), limit>>20)
	}
	r, err := blob.Reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// MergeBase is [Repository.MergeBase] of the repository that dir lies in.
// Errors: [ErrNoRepository], [ErrNoRevision].
func MergeBase(dir, a, b string) (string, error) {
	r, err := OpenRepository(dir)
	if err != nil {
		return "", err
	}
	return r.MergeBase(a, b)
}

// MergeBase is the full hash of the best common ancestor of two revisions.
// Errors: [ErrNoRevision] (also where a shallow clone cuts the history off, or there is no
// common ancestor).
func (r *Repository) MergeBase(a, b string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	repo, dir := r.repo, r.dir
	ca, err := findCommit(repo, dir, a)
	if err != nil {
		return "", err
	}
	cb, err := findCommit(repo, dir, b)
	if err != nil {
		return "", err
	}
	bases, err := ca.MergeBase(cb)
	if err != nil {
		return "", fmt.Errorf("%s: merge base of %s and %s: %w", dir, a, b, explainMissing(repo, err, b))
	}
	if len(bases) == 0 {
		if isShallow(repo) {
			return "", fmt.Errorf("%s: merge base of %s and %s: %w: not in this shallow clone: %s", dir, a, b,
				ErrNoRevision, deepen(""))
		}
		return "", fmt.Errorf("%s: merge base of %s and %s: %w: they share no history", dir, a, b, ErrNoRevision)
	}
	best := bases[0].Hash.String()
	for _, c := range bases[1:] { // criss-cross merges have several; take one deterministically
		best = min(best, c.Hash.String())
	}
	return best, nil
}

// Parents are the full hashes of a revision's parents, first parent first. A commit at
// the edge of a shallow clone has its parents listed though their objects are absent.
// Errors: [ErrNoRepository], [ErrNoRevision].
func Parents(dir, rev string) ([]string, error) {
	repo, err := openRepository(dir)
	if err != nil {
		return nil, err
	}
	c, err := findCommit(repo, dir, rev)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, h := range c.ParentHashes {
		list = append(list, h.String())
	}
	return list, nil
}
