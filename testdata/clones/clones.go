// Package clones makes pull requests out of public repositories that lie in a folder, and
// shows them to the built binary, so that what is measured is what a user sees.
//
// It never touches a clone: new trees and commits go to a scratch repository, which borrows
// the clone's objects.
package clones

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Repository is a clone and the scratch repository that borrows from it.
type Repository struct {
	Name    string // owner/name
	scratch string // bare; what is written goes here
}

// Directories are where the clone of owner/name is looked for below a folder, in order.
func directories(folder, name string) []string {
	owner, repo, _ := strings.Cut(name, "/")
	flat := filepath.Join(folder, owner+"+"+repo)
	nested := filepath.Join(folder, owner, repo)
	bare := filepath.Join(folder, repo)
	return []string{
		filepath.Join(flat, "repo"), flat, flat + ".git", filepath.Join(flat, ".git"),
		nested, nested + ".git", filepath.Join(nested, ".git"),
		bare, bare + ".git", filepath.Join(bare, ".git"),
	}
}

// Open finds the clone of owner/name below folder and puts a scratch repository below work.
func Open(folder, name, work string) (*Repository, error) {
	for _, dir := range directories(folder, name) {
		if isGit(dir) {
			return borrow(name, dir, work)
		}
	}
	return nil, fmt.Errorf("%s: no clone of it below %s (looked for %s+… and %s/…)", name, folder, strings.ReplaceAll(name, "/", "+"), name)
}

// All opens every clone that lies directly below folder, in the order of their names.
func All(folder, work string) ([]*Repository, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []*Repository
	for _, e := range entries {
		for _, dir := range []string{e.Name(), filepath.Join(e.Name(), ".git"), filepath.Join(e.Name(), "repo")} {
			dir = filepath.Join(folder, dir)
			if !isGit(dir) {
				continue
			}
			r, err := borrow(strings.Replace(strings.TrimSuffix(e.Name(), ".git"), "+", "/", 1), dir, work)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
			break
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no clone in it", folder)
	}
	return out, nil
}

func isGit(dir string) bool {
	head, err := os.Stat(filepath.Join(dir, "HEAD"))
	objects, err2 := os.Stat(filepath.Join(dir, "objects"))
	return err == nil && err2 == nil && head.Mode().IsRegular() && objects.IsDir()
}

func borrow(name, dir, work string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Repository{Name: name, scratch: filepath.Join(work, strings.ReplaceAll(name, "/", "+")+".git")}
	if out, err := exec.Command("git", "init", "--quiet", "--bare", r.scratch).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	info := filepath.Join(r.scratch, "objects", "info", "alternates")
	if err := os.WriteFile(info, []byte(filepath.Join(dir, "objects")+"\n"), 0o644); err != nil {
		return nil, err
	}
	head, err := exec.Command("git", "--git-dir", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: HEAD: %w", name, err)
	}
	_, err = r.Git("", "update-ref", "HEAD", strings.TrimSpace(string(head)))
	return r, err
}

// Git runs a command in the scratch repository and gives what it prints. Stdin may be empty.
func (r *Repository) Git(stdin string, args ...string) (string, error) {
	return r.git(stdin, nil, args...)
}

func (r *Repository) git(stdin string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"--git-dir", r.scratch}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com", "GIT_COMMITTER_DATE=1700000000 +0000")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s: git %s: %w: %s", r.Name, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return string(out), err
}

// Resolve gives a revision's full hash.
func (r *Repository) Resolve(revision string) (string, error) {
	out, err := r.Git("", "rev-parse", "--verify", "--quiet", revision+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: %s is no commit of the clone: %w", r.Name, revision, err)
	}
	return strings.TrimSpace(out), nil
}

// Read gives a file of a revision.
func (r *Repository) Read(revision, file string) (string, error) {
	return r.Git("", "cat-file", "blob", revision+":"+file)
}

// Commit is a commit on top of parent with the given files; nil content removes a file.
func (r *Repository) Commit(parent string, files map[string]*string) (string, error) {
	return r.change(parent, func(env []string) error {
		for file, content := range files {
			if content == nil {
				if _, err := r.git("", env, "update-index", "--force-remove", "--", file); err != nil {
					return err
				}
				continue
			}
			blob, err := r.git(*content, env, "hash-object", "-w", "--stdin")
			if err != nil {
				return err
			}
			entry := "100644," + strings.TrimSpace(blob) + "," + file
			if _, err := r.git("", env, "update-index", "--add", "--cacheinfo", entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// Apply is a commit on top of parent with a patch.
func (r *Repository) Apply(parent, patch string) (string, error) {
	return r.change(parent, func(env []string) error {
		_, err := r.git(patch, env, "apply", "--cached", "--recount", "-")
		return err
	})
}

// change makes a commit from an edit of parent's index.
func (r *Repository) change(parent string, edit func(env []string) error) (string, error) {
	index := filepath.Join(r.scratch, "index."+parent[:12])
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.git("", env, "read-tree", parent); err != nil {
		return "", err
	}
	if err := edit(env); err != nil {
		return "", err
	}
	tree, err := r.git("", env, "write-tree")
	if err != nil {
		return "", err
	}
	commit, err := r.Git("a change\n", "commit-tree", strings.TrimSpace(tree), "-p", parent)
	return strings.TrimSpace(commit), err
}
