package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A Repository is a clone and the scratch repository that borrows from it.
type Repository struct {
	Name    string // owner/name
	Clone   string // its git directory, which is only read
	scratch string // bare; new objects are written here
}

// Find gives the git directory of the clone of owner/name below a folder: OWNER+NAME, OWNER/NAME or NAME, a work tree or
// bare, perhaps in a folder "repo".
func Find(folder, name string) (string, bool) {
	owner, repo, _ := strings.Cut(name, "/")
	for _, at := range []string{owner + "+" + repo, filepath.Join(owner, repo), cmp.Or(repo, owner)} {
		for _, suffix := range []string{"", "/.git", ".git", "/repo", "/repo/.git"} {
			dir := filepath.Join(folder, filepath.FromSlash(at+suffix))
			head, err := os.Stat(filepath.Join(dir, "HEAD"))
			objects, err2 := os.Stat(filepath.Join(dir, "objects"))
			if err == nil && err2 == nil && head.Mode().IsRegular() && objects.IsDir() {
				return dir, true
			}
		}
	}
	return "", false
}

// Open finds the clone of owner/name below folder and puts a scratch repository below work.
func Open(folder, name, work string) (*Repository, error) {
	if dir, ok := Find(folder, name); ok {
		return borrow(name, dir, work)
	}
	return nil, fmt.Errorf("%s: no clone of it below %s (looked for %s and %s)", name, folder, strings.ReplaceAll(name, "/", "+"), name)
}

// All opens every clone directly below folder whose name has one of the patterns between commas, in the order of their
// names; no pattern is all.
func All(folder, work, patterns string) ([]*Repository, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var out []*Repository
	for _, e := range entries {
		base := strings.TrimSuffix(e.Name(), ".git")
		name := strings.Replace(base, "+", "/", 1)
		dir, ok := Find(folder, base)
		if some, err := named(name, patterns); err != nil {
			return nil, err
		} else if !ok || !some {
			continue
		}
		r, err := borrow(name, dir, work)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no clone or bare repository in it is called %q", folder, patterns)
	}
	return out, nil
}

func named(name, patterns string) (bool, error) {
	for _, p := range strings.Split(patterns, ",") {
		if ok, err := path.Match(p, name); ok || err != nil || strings.Contains(name, p) {
			return true, err
		}
	}
	return false, nil
}

func borrow(name, dir, work string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &Repository{Name: name, Clone: dir, scratch: filepath.Join(work, strings.ReplaceAll(name, "/", "+")+".git")}
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

// Ask runs a command that only reads in the clone itself: a shallow or partial one knows what it lacks.
func (r *Repository) Ask(args ...string) (string, error) {
	return (&Repository{Name: r.Name, scratch: r.Clone}).git("", []string{"GIT_OPTIONAL_LOCKS=0"}, args...)
}

func (r *Repository) git(stdin string, env []string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"--git-dir", r.scratch, "-c", "core.quotePath=false"}, args...)...)
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

// Check compares two commits with nothing of the repository's own policy.
func (b Binary) Check(r *Repository, base, head, policy string, paths ...string) (Result, error) {
	out, err := b.Result("", append([]string{"check", "--repo", r.scratch, "--base", base, "--head", head, "--merge-base=false",
		"--policy", policy}, paths...)...)
	if err != nil {
		err = fmt.Errorf("%s: %w", r.Name, err)
	}
	return out, err
}

// A Change is an object that two commits have differently, with the paths of its fields.
type Change struct {
	ID     string
	Fields []struct{ Path string }
}

// Changed gives what differs between two commits, nothing where head fails to render; it is not searched.
func (b Binary) Changed(r *Repository, base, head, policy string, paths ...string) ([]Change, error) {
	run, err := b.Run("", append([]string{"diff", "--repo", r.scratch, "--base", base, "--head", head, "--merge-base=false",
		"--policy", policy, "--output", "json"}, paths...)...)
	if err != nil || run.Exit == 3 {
		return nil, err
	}
	var out struct{ Changes []Change }
	if err := json.Unmarshal(run.Output, &out); err != nil {
		return nil, fmt.Errorf("%s: kubesettle diff: exit code %d: %s", r.Name, run.Exit, run.Said)
	}
	return out.Changes, nil
}
