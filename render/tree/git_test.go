package tree

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs the git command in a folder, with no configuration but ours.
func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// twoCommits is a repository whose file a.yaml says "one", then "two".
func twoCommits(t *testing.T) (dir, first, second string) {
	t.Helper()
	dir = t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	writeFile(t, dir+"/sub/a.yaml", "one")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-qm", "one")
	first = runGit(t, dir, "rev-parse", "HEAD")
	writeFile(t, dir+"/sub/a.yaml", "two")
	runGit(t, dir, "commit", "-qam", "two")
	return dir, first, runGit(t, dir, "rev-parse", "HEAD")
}

func readTree(t *testing.T, dir, rev, file string) string {
	t.Helper()
	tree, err := Git(dir, rev)
	if err != nil {
		t.Fatal(err)
	}
	b, err := fs.ReadFile(tree, file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A revision is read from git's objects: what lies in the work tree does not matter.
func TestGitTreeReadsObjects(t *testing.T) {
	dir, first, second := twoCommits(t)
	writeFile(t, dir+"/sub/a.yaml", "dirty")
	for rev, want := range map[string]string{first: "one", second: "two", "HEAD~1": "one", "main": "two", first[:8]: "one"} {
		if got := readTree(t, dir, rev, "sub/a.yaml"); got != want {
			t.Errorf("%s: %q, want %q", rev, got, want)
		}
	}
	if got := readTree(t, dir+"/sub", "HEAD", "sub/a.yaml"); got != "two" {
		t.Errorf("from a folder of the work tree: %q", got)
	}
	tree, err := Git(dir, "main")
	if err != nil {
		t.Fatal(err)
	}
	if tree.Name() != "main" || tree.Commit() != second {
		t.Errorf("name %q, commit %q", tree.Name(), tree.Commit())
	}
}

// Every form in which a repository lies on disk gives the same files.
func TestGitTreeForms(t *testing.T) {
	dir, first, _ := twoCommits(t)
	out := t.TempDir()
	runGit(t, dir, "tag", "-am", "annotated", "v1", first)
	runGit(t, dir, "worktree", "add", "-q", "--detach", out+"/linked", first)
	runGit(t, dir, "clone", "-q", "--bare", dir, out+"/bare.git")
	runGit(t, dir, "clone", "-q", "--shared", dir, out+"/shared")
	runGit(t, dir, "clone", "-q", "--shared", out+"/shared", out+"/again")
	runGit(t, out+"/bare.git", "gc", "-q")
	runGit(t, out+"/bare.git", "pack-refs", "--all")
	for name, c := range map[string]struct{ dir, rev, want string }{
		"linked work tree":             {out + "/linked", "HEAD", "one"},
		"bare, packed":                 {out + "/bare.git", "v1", "one"},
		"bare, packed, branch":         {out + "/bare.git", "main", "two"},
		"alternates":                   {out + "/shared", "origin/main~1", "one"},
		"alternates, abbreviated":      {out + "/shared", first[:8], "one"},
		"alternates, odd abbreviation": {out + "/shared", first[:7], "one"},
		"alternates of alternates":     {out + "/again", first, "one"},
		"of alternates, abbreviated":   {out + "/again", first[:7], "one"},
		"of alternates, by relation":   {out + "/again", "HEAD~1", "one"},
	} {
		if got := readTree(t, c.dir, c.rev, "sub/a.yaml"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A revision that cannot be had is an error that says what to do.
func TestGitTreeErrors(t *testing.T) {
	dir, first, second := twoCommits(t)
	out := t.TempDir()
	runGit(t, out, "clone", "-q", "--depth=1", "file://"+dir, out+"/shallow")
	runGit(t, out, "init", "-q", out+"/empty")
	absent := strings.Repeat("0123456789", 4)
	for name, c := range map[string]struct {
		dir, rev string
		is       error
		say      string
	}{
		"no repository":        {out, "HEAD", ErrNoRepository, "not a git repository"},
		"unknown branch":       {dir, "nope", ErrNoRevision, "nope"},
		"unknown hash":         {dir, absent, ErrNoRevision, "git fetch origin " + absent},
		"empty repository":     {out + "/empty", "HEAD", ErrNoRevision, "the repository has no commit"},
		"empty revision":       {dir, "", ErrNoRevision, "empty"},
		"shallow, by hash":     {out + "/shallow", first, ErrNoRevision, "`git fetch --depth=1 origin " + first + "`"},
		"shallow, by relation": {out + "/shallow", "HEAD~1", ErrNoRevision, "fetch-depth: 0"},
	} {
		_, err := Git(c.dir, c.rev)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := MergeBase(out+"/shallow", "HEAD", first); !errors.Is(err, ErrNoRevision) || !strings.Contains(err.Error(), "fetch-depth: 0") {
		t.Errorf("merge base in a shallow clone: %v", err)
	}
	if p, err := Parents(out+"/shallow", "HEAD"); err != nil || len(p) != 1 || p[0] != first {
		t.Errorf("parents at the edge of a shallow clone: %v %v", p, err)
	}
	if got := readTree(t, out+"/shallow", second, "sub/a.yaml"); got != "two" {
		t.Errorf("the revision a shallow clone has: %q", got)
	}
}

func TestMergeBase(t *testing.T) {
	dir, first, second := twoCommits(t)
	runGit(t, dir, "checkout", "-q", "-b", "side", first)
	writeFile(t, dir+"/b.yaml", "side")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-qm", "side")
	side := runGit(t, dir, "rev-parse", "HEAD")
	if got, err := MergeBase(dir, "main", "side"); err != nil || got != first {
		t.Errorf("merge base %s %v, want %s", got, err, first)
	}
	runGit(t, dir, "merge", "-q", "--no-ff", "-m", "merge", "main")
	if p, err := Parents(dir, "HEAD"); err != nil || len(p) != 2 || p[0] != side || p[1] != second {
		t.Errorf("parents %v %v", p, err)
	}
	runGit(t, dir, "checkout", "-q", "--orphan", "other")
	runGit(t, dir, "commit", "-qm", "other")
	if _, err := MergeBase(dir, "main", "other"); !errors.Is(err, ErrNoRevision) {
		t.Errorf("no common history: %v", err)
	}
}

// Links are followed inside the tree and nowhere else; what the tree does not hold is
// said.
func TestTreeLinks(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	writeFile(t, dir+"/real/a.yaml", "text")
	writeFile(t, dir+"/lfs.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	for name, to := range map[string]string{
		"file.yaml": "real/a.yaml", "folder": "real", "twice": "folder/a.yaml",
		"out.yaml": "../secret", "absolute.yaml": "/etc/hostname", "loop": "loop", "gone": "nowhere",
		"real/up.yaml": "../../../etc/passwd",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Dir(dir)+"/secret", "outside")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	runGit(t, dir, "commit", "-qm", "links")
	fromGit, err := Git(dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	fromDir, err := Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for side, tree := range map[string]Tree{"git": fromGit, "directory": fromDir} {
		for _, name := range []string{"file.yaml", "folder/a.yaml", "twice"} {
			if b, err := fs.ReadFile(tree, name); err != nil || string(b) != "text" {
				t.Errorf("%s: %s: %q %v", side, name, b, err)
			}
		}
		for name, want := range map[string]error{
			"out.yaml": ErrOutsideTree, "absolute.yaml": ErrOutsideTree, "real/up.yaml": ErrOutsideTree,
			"gone": fs.ErrNotExist, "lfs.yaml": ErrNotInTree, "real/none": fs.ErrNotExist, "real/a.yaml/x": fs.ErrNotExist,
		} {
			if _, err := fs.ReadFile(tree, name); !errors.Is(err, want) {
				t.Errorf("%s: %s: %v, want %v", side, name, err, want)
			}
		}
		if _, err := fs.ReadFile(tree, "loop"); err == nil {
			t.Errorf("%s: a loop of links was read", side)
		}
		if got := RealPath(tree, "folder/a.yaml"); got != "real/a.yaml" {
			t.Errorf("%s: real path %s", side, got)
		}
		digest := func(name string) string {
			return Digest(tree, name, func(string) ([]byte, error) { return nil, errors.New("was read") })
		}
		if d, e := digest("twice"), digest("real/a.yaml"); d != e || d == "" {
			t.Errorf("%s: digests %s %s", side, d, e)
		}
	}
	if _, err := fs.ReadFile(fromGit, "module/x"); !errors.Is(err, ErrNotInTree) {
		t.Errorf("submodule: %v", err)
	}
}

// A file over the limit is refused before it is read.
func TestTreeSizeLimit(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	writeFile(t, dir+"/big.yaml", strings.Repeat("a: b # filler\n", 10<<20/14))
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-qm", "big")
	fromGit, err := Git(dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	fromDir, err := Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range []Tree{fromGit, fromDir} {
		_, err := fs.ReadFile(tree, "big.yaml")
		if !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), "big.yaml") || !strings.Contains(err.Error(), "5 MiB") {
			t.Errorf("%v", err)
		}
	}
	if _, err := Stdin(strings.NewReader(strings.Repeat("x", MaxFileBytes+1))); !errors.Is(err, ErrTooBig) {
		t.Errorf("standard input: %v", err)
	}
}
