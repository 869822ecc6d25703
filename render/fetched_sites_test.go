package render

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// trustTests makes this process trust the certificate that httptest's servers have. It
// is read once in a process, by the first connection.
var trustTests = sync.OnceValue(func() error {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	f, err := os.CreateTemp("", "kubesettle-test-*.pem")
	if err != nil {
		return err
	}
	err = pem.Encode(f, &pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return errors.Join(err, f.Close(), os.Setenv("SSL_CERT_FILE", f.Name()))
})

// chartSite is a chart repository: each chart is a set of files, by name and version.
func chartSite(t *testing.T, charts map[string]map[string]string) *httptest.Server {
	t.Helper()
	if err := trustTests(); err != nil {
		t.Fatal(err)
	}
	pages := map[string][]byte{}
	var index strings.Builder
	index.WriteString("entries:\n")
	for _, id := range sortedNamesOf(charts) {
		name, version, _ := strings.Cut(id, "@")
		b := packChart(t, name, version, charts[id])
		sum := sha256.Sum256(b)
		fmt.Fprintf(&index, "  %s:\n", name)
		if strings.Contains(index.String()[:index.Len()-len(name)-4], "\n  "+name+":\n") {
			t.Fatalf("%s twice: give versions of one chart other names", name)
		}
		fmt.Fprintf(&index, "  - {version: %s, urls: [%s.tgz], digest: %s}\n", version, id, hex.EncodeToString(sum[:]))
		pages["/"+id+".tgz"] = b
	}
	pages["/index.yaml"] = []byte(index.String())
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(b)
	}))
	t.Cleanup(s.Close)
	return s
}

func sortedNamesOf[V any](m map[string]V) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func packChart(t *testing.T, name, version string, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	all := map[string]string{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version)}
	for f, text := range files {
		all[f] = text
	}
	for _, f := range sortedNamesOf(all) {
		if err := w.WriteHeader(&tar.Header{Name: name + "/" + f, Mode: 0o644, Size: int64(len(all[f]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(all[f])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gitSite serves the files of a repository as org/repo, at a commit.
func gitSite(t *testing.T, files map[string]string) (s *httptest.Server, commit string) {
	t.Helper()
	s, commits, _ := gitHistory(t, files)
	return s, commits[0]
}

// gitHistory serves a repository as org/repo: one commit for each set of files, tagged v1, v2 and so on, and the branch
// main and the tag 1.0.0 at the last one. SELF in a file is its address. It gives the commits, and runs git in it.
func gitHistory(t *testing.T, sets ...map[string]string) (s *httptest.Server, commits []string,
	run func(...string) string) {
	t.Helper()
	if err := trustTests(); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	bare, work := filepath.Join(root, "org", "repo.git"), filepath.Join(root, "work")
	git := func(dir string, args ...string) string {
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
	h := &cgi.Handler{Path: filepath.Join(git(root, "--exec-path"), "git-http-backend"), Root: "/", Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"}}
	s = httptest.NewTLSServer(h)
	t.Cleanup(s.Close)
	git(root, "init", "-q", "-b", "main", work)
	for i, files := range sets {
		if i > 0 {
			git(work, "rm", "-rq", ".")
		}
		for name, text := range files {
			text = strings.ReplaceAll(text, "SELF", s.URL+"/org/repo.git")
			file := filepath.Join(work, name)
			err := os.MkdirAll(filepath.Dir(file), 0o755)
			if to, link := strings.CutPrefix(text, "-> "); link {
				err = errors.Join(err, os.Symlink(to, file))
			} else {
				err = errors.Join(err, os.WriteFile(file, []byte(text), 0o644))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		git(work, "add", "-A")
		git(work, "commit", "--allow-empty", "-qm", "one")
		git(work, "tag", fmt.Sprintf("v%d", i+1))
		commits = append(commits, git(work, "rev-parse", "HEAD"))
	}
	git(work, "tag", "1.0.0")
	git(root, "clone", "-q", "--bare", work, bare)
	git(bare, "config", "uploadpack.allowReachableSHA1InWant", "true")
	return s, commits, func(args ...string) string { return git(bare, args...) }
}
