package fetch

import (
	"bytes"
	"compress/zlib"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// gitIn runs git without any configuration of this machine.
func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// newGitHost serves a repository with two commits as hosts do; it gives their hashes.
func newGitHost(t testing.TB, files map[string]string) (s *site, old, latest string) {
	t.Helper()
	root := t.TempDir()
	work := filepath.Join(root, "work")
	gitIn(t, root, "init", "-q", "-b", "trunk", work)
	commit := func(message string) string {
		gitIn(t, work, "add", "-A")
		gitIn(t, work, "commit", "-qm", message)
		return gitIn(t, work, "rev-parse", "HEAD")
	}
	for name, text := range files {
		file := filepath.Join(work, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	old = commit("one")
	if err := os.WriteFile(filepath.Join(work, "later.yaml"), []byte("later: true\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	gitIn(t, work, "tag", "light")
	gitIn(t, work, "tag", "-am", "release", "v1.0.0", old)
	latest = commit("two")
	gitIn(t, root, "clone", "-q", "--bare", work, filepath.Join(root, "org", "repo.git"))
	bare := filepath.Join(root, "org", "repo.git")
	gitIn(t, bare, "config", "uploadpack.allowReachableSHA1InWant", "true")
	backend := filepath.Join(gitIn(t, root, "--exec-path"), "git-http-backend")
	h := &cgi.Handler{Path: backend, Root: "/", Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null"}}
	s = &site{pages: map[string]http.HandlerFunc{}, root: root}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Clone(r.Context()))
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s, old, latest
}

func TestTreeOfACommit(t *testing.T) {
	files := map[string]string{"base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": strings.Repeat("kind: Deployment\n", 200)}
	s, old, latest := newGitHost(t, files)
	dir := t.TempDir()
	for _, c := range []struct {
		commit string
		later  bool
	}{{old, false}, {latest, true}} {
		f := fetcher(t, Options{Network: true, CacheDir: dir}, s)
		tree, err := f.Tree(t.Context(), s.URL+"/org/repo.git", c.commit)
		if err != nil {
			t.Fatal(err)
		}
		o, err := tree.Repository.CommitObject(plumbing.NewHash(c.commit))
		if err != nil {
			t.Fatal(err)
		}
		web, err := o.File("base/web.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := web.Contents(); err != nil || text != files["base/web.yaml"] {
			t.Errorf("%q, %v", text, err)
		}
		if _, err := o.File("later.yaml"); (err == nil) != c.later {
			t.Errorf("later.yaml at %s: %v", c.commit, err)
		}
	}
	asked := len(s.requests())
	for _, r := range s.requests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("credentials were sent")
		}
	}
	offline := more(t, Options{CacheDir: dir}, s)
	if _, err := offline.Tree(t.Context(), s.URL+"/org/repo.git", old); err != nil || len(s.requests()) != asked {
		t.Errorf("from the cache: %v, %d requests", err, len(s.requests())-asked)
	}
	if _, err := offline.Tree(t.Context(), s.URL+"/org/repo.git", strings.Repeat("0", 40)); !errors.Is(err, ErrOffline) {
		t.Errorf("offline: %v", err)
	}

	online := more(t, Options{Network: true}, s)
	for _, c := range []struct{ address, commit, reason string }{
		{s.URL + "/org/repo.git", "nosuch", "has no tag or branch nosuch"},
		{s.URL + "/org/repo.git", "../heads/trunk", "has no tag or branch"},
		{s.URL + "/org/repo.git", "refs/heads/nosuch", "has no tag or branch"},
		{s.URL + "/org/repo.git", old[:12], "too short for a commit"},
		{s.URL + "/org/repo.git", "^2.0", "has no tag in the range ^2.0"},
		{s.URL + "/org/repo.git", "semver:1.1.0", "has no tag in the range 1.1.0"},
		{s.URL + "/org/repo.git", "semver:main", "is no range of versions"},
		{s.URL + "/org/repo.git", strings.Repeat("0", 39) + "1", "does not give commit"},
		{s.URL + "/org/nosuch.git", old, "no such repository"},
		{"https://me:secret@" + s.host() + "/org/repo.git", old, "without credentials"},
		{"https://other.example/org/repo.git", old, "host other.example is not allowed"},
		{"ssh://" + s.host() + "/org/repo.git", old, "not an address of http"},
		{"file://" + dir, old, "without credentials"},
	} {
		_, err := online.Tree(t.Context(), c.address, c.commit)
		wantError(t, err, c.reason, "")
		if strings.Contains(err.Error(), "secret") {
			t.Error("the password is in the message")
		}
	}
}

// A branch is the commit that it names when the run first asks, whatever it names later; only the commit is kept.
func TestTreeOfABranch(t *testing.T) {
	s, old, latest := newGitHost(t, map[string]string{"a.yaml": "a: 1\n"})
	dir, address := t.TempDir(), s.URL+"/org/repo.git"
	f := fetcher(t, Options{Network: true, CacheDir: dir}, s)
	names := []string{"trunk", "refs/heads/trunk", "", "HEAD"}
	read := func(f *Fetcher, name string) *Tree {
		t.Helper()
		tree, err := f.Tree(t.Context(), address, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return tree
	}
	if tree := read(f, names[0]); tree.Commit != latest || tree.Moves != "branch trunk" {
		t.Fatalf("trunk is %s of %q, want %s", tree.Commit, tree.Moves, latest)
	}
	gitIn(t, filepath.Join(s.root, "org", "repo.git"), "update-ref", "refs/heads/trunk", old)
	for _, name := range names {
		if tree := read(f, name); tree.Commit != latest || tree.Moves != "branch trunk" {
			t.Errorf("%q is %s of %q in the same run, want %s", name, tree.Commit, tree.Moves, latest)
		}
	}
	if tree := read(f, "refs/tags/v1.0.0"); tree.Commit != old || tree.Moves != "" {
		t.Errorf("a tag's full name is %s of %q", tree.Commit, tree.Moves)
	}
	if tree := read(more(t, Options{Network: true, CacheDir: dir}, s), "trunk"); tree.Commit != old {
		t.Errorf("the next run reads %s, want %s", tree.Commit, old)
	}
	offline := more(t, Options{CacheDir: dir}, s)
	if _, err := offline.Tree(t.Context(), address, "trunk"); !errors.Is(err, ErrOffline) {
		t.Errorf("offline: %v", err)
	}
	if !offline.Kept(address, latest) || offline.Kept(address, "trunk") || offline.Kept(address, strings.Repeat("0", 40)) {
		t.Error("the cache has the commit, and no name")
	}
}

// A range of versions is its newest tag, which may be another one tomorrow; it is not known which of two tags of one
// version it is.
func TestTreeOfARange(t *testing.T) {
	s, old, latest := newGitHost(t, map[string]string{"a.yaml": "a: 1\n"})
	bare, address := filepath.Join(s.root, "org", "repo.git"), s.URL+"/org/repo.git"
	for tag, commit := range map[string]string{"1.9.0": latest, "v1.10.0": old, "1.11": latest, "v2.0.0-rc.1": latest, "v3.0.0": latest, "3.0.0": old} {
		gitIn(t, bare, "tag", tag, commit)
	}
	f := fetcher(t, Options{Network: true}, s)
	for name, want := range map[string]string{"semver:^1.0.0": "v1.10.0", "1.*": "1.11", ">=1.0 <1.10": "1.9.0", "semver:1.0.0": "v1.0.0"} {
		tree, err := f.Tree(t.Context(), address, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		hash := gitIn(t, bare, "rev-parse", want+"^{commit}")
		text := "tag " + want + ", the newest in " + strings.TrimPrefix(name, Versions) + ","
		if tree.Commit != hash || tree.Moves != text {
			t.Errorf("%s is %s of %q, want %s of %q", name, tree.Commit, tree.Moves, hash, text)
		}
	}
	_, err := f.Tree(t.Context(), address, "semver:*")
	wantError(t, err, "several tags of version 3.0.0", "name one")
}

// A tree from a broken cache is fetched again, and one of another commit does not pass
// for the commit that was asked for.
// A tag is the commit that it names, annotated or not; without a network nobody knows which.
func TestTreeOfATag(t *testing.T) {
	s, old, _ := newGitHost(t, map[string]string{"base/kustomization.yaml": "resources: []\n"})
	dir := t.TempDir()
	for _, tag := range []string{"v1.0.0", "light"} {
		tree, err := fetcher(t, Options{Network: true, CacheDir: dir}, s).Tree(t.Context(), s.URL+"/org/repo.git", tag)
		if err != nil || tree.Commit != old {
			t.Errorf("%s is %+v, %v, want %s", tag, tree, err, old)
		}
		if _, err := more(t, Options{CacheDir: dir}, s).Tree(t.Context(), s.URL+"/org/repo.git", tag); !errors.Is(err, ErrOffline) {
			t.Errorf("offline: %v", err)
		}
	}
}

func TestTreeIsTheCommit(t *testing.T) {
	s, old, latest := newGitHost(t, map[string]string{"a.yaml": "a: 1\n"})
	dir := t.TempDir()
	f := fetcher(t, Options{Network: true, CacheDir: dir}, s)
	if _, err := f.Tree(t.Context(), s.URL+"/org/repo.git", old); err != nil {
		t.Fatal(err)
	}
	pack, err := os.ReadFile(blobs(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openPack(t.Context(), pack, latest); err == nil {
		t.Error("a pack of one commit passes for another")
	}
	forged := entry{Name: "git " + s.URL + "/org/repo.git " + latest, Digest: digestOf(pack)}
	if err := f.cache.keep(forged, pack); err != nil {
		t.Fatal(err)
	}
	tree, err := more(t, Options{Network: true, CacheDir: dir}, s).Tree(t.Context(), s.URL+"/org/repo.git", latest)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := tree.Repository.CommitObject(plumbing.NewHash(latest)); err != nil || o.Message != "two\n" {
		t.Errorf("%v, %v", o, err)
	}
}

// A delta of a few bytes that stands for gigabytes is refused before it is unpacked.
func TestPackIsWeighed(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x01") // one object,
	b.Write([]byte{0xb0, 0x80, 0x80, 0x80, 0x10})         // a blob of 512 MiB
	zip := zlib.NewWriter(&b)
	if _, err := zip.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := openPack(t.Context(), b.Bytes(), strings.Repeat("0", 40))
	wantError(t, err, "more than 256 MiB", "copy what is used")

	// The second number of a delta is the size of what it makes.
	for _, c := range []struct {
		delta []byte
		want  int64
	}{
		{[]byte{5, 7}, 7}, {[]byte{0x85, 1, 0x80, 2}, 256}, {[]byte{5, 0xff, 0xff, 0xff, 0xff, 0x7f}, maxTreeBytes + 1}, {[]byte{5}, maxTreeBytes + 1}, {nil, maxTreeBytes + 1},
	} {
		f := &firstBytes{}
		if _, err := f.Write(c.delta); err != nil {
			t.Fatal(err)
		}
		if got := f.target(); got != c.want {
			t.Errorf("%v makes %d, want %d", c.delta, got, c.want)
		}
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := openPack(t.Context(), b, strings.Repeat("0", 40)); err == nil {
			t.Fatal("anything passes for a commit")
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add(packed(f, "db", "1.2.0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := unpack(b)
		if err != nil {
			return
		}
		for name := range files {
			if strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../") {
				t.Fatalf("%q leaves the chart", name)
			}
		}
	})
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("entries: {db: [{version: 1.2.0, urls: [a]}, null, {version: x, urls: [b]}]}"), "^1")
	f.Fuzz(func(t *testing.T, b []byte, version string) {
		i, err := parseIndex(b)
		if err != nil {
			return
		}
		for name := range i.Entries {
			if e, ok := i.get(name, version); ok && (e.Version == "" || len(e.URLs) == 0) {
				t.Fatalf("%q gives %+v", version, e)
			}
		}
	})
}
