package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// fakeGitHub takes the comment of a run, and has none before.
type fakeGitHub struct {
	mu      sync.Mutex
	comment string
}

func (f *fakeGitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/issues/1/comments"):
		var body struct{ Body string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		f.comment = body.Body
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":7,"html_url":"https://github.example/shop/shop/pull/1#issuecomment-7","user":{"login":"github-actions[bot]"}}`)
	case strings.HasSuffix(r.URL.Path, "/issues/1/comments"):
		fmt.Fprint(w, `[]`)
	case strings.HasSuffix(r.URL.Path, "/graphql"):
		fmt.Fprint(w, `{"data":{"viewer":{"login":"github-actions[bot]"}}}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"Not Found"}`)
	}
}

// unpack writes what an image holds into a folder, as a container's engine does.
func unpack(t *testing.T, img v1.Image, dir string) {
	t.Helper()
	r := mutate.Extract(img)
	defer r.Close()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(to, 0o755)
		} else {
			var f *os.File
			if f, err = os.Create(to); err == nil {
				_, err = io.Copy(f, tr)
				f.Close()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(h.Mode & 0o777)
		if h.Mode&0o1000 != 0 {
			mode |= os.ModeSticky
		}
		if err := os.Chmod(to, mode); err != nil {
			t.Fatal(err)
		}
	}
}

// mustRun runs a command in a folder.
func mustRun(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// pullRequest makes the repository of a pull request that asks for more than the one node
// has, owned by another user, and the event's file beside it.
func pullRequest(t *testing.T, dir string, owner int) (repo, files string) {
	t.Helper()
	repo, files = filepath.Join(dir, "workspace"), filepath.Join(dir, "files")
	for _, d := range []string{repo, files} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	web := func(cpu string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  selector: {matchLabels: {app: web}}\n" +
			"  strategy: {type: Recreate}\n  template:\n    metadata: {labels: {app: web}}\n" +
			"    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: " + cpu + "}}}]}\n"
	}
	git := func(args ...string) string {
		return mustRun(t, repo, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.example"}, args...)...)
	}
	git("init", "--quiet", "--initial-branch=main")
	write(filepath.Join(repo, ".kubesettle.yaml"), "cluster:\n  nodePools:\n  - {name: n, count: {min: 1, max: 1}, allocatable: {cpu: \"1\", memory: 16Gi, pods: \"110\"}}\n")
	write(filepath.Join(repo, "web.yaml"), web("100m"))
	git("add", ".")
	git("commit", "--quiet", "-m", "base")
	git("checkout", "--quiet", "-b", "topic")
	write(filepath.Join(repo, "web.yaml"), web("1500m"))
	git("commit", "--quiet", "-am", "head")
	head := git("rev-parse", "topic")
	git("checkout", "--quiet", "--detach", "main")
	git("merge", "--quiet", "--no-ff", "-m", "merge", "topic")
	write(filepath.Join(files, "event.json"), fmt.Sprintf(`{"pull_request":{"number":1,"head":{"sha":%q,"ref":"topic","repo":{"full_name":"shop/shop"}},`+
		`"base":{"ref":"main","repo":{"full_name":"shop/shop"}}}}`, head))
	write(filepath.Join(files, "output"), "")
	write(filepath.Join(files, "summary.md"), "")
	mustRun(t, dir, "chown", "-R", fmt.Sprintf("%d:%d", owner, owner), repo, files)
	return repo, files
}

// The image, unpacked and run as GitHub's runner runs it: its root is read-only, there is
// nothing in it but what the image holds, and the workspace is another user's. The action
// fails the pull request, says so in the summary, the outputs and the reports, and comments.
func TestTheImageRuns(t *testing.T) {
	dist := os.Getenv("KUBESETTLE_DIST") // of make image, which says that it has to run here
	skip := t.Skipf
	if dist != "" {
		skip = t.Fatalf
	}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		skip("chroot and mounts need root on Linux: make image-run")
	}
	if out, err := exec.CommandContext(t.Context(), "unshare", "--mount", "true").CombinedOutput(); err != nil {
		skip("this machine allows no mount namespace: %v %s", err, out)
	}
	dir := t.TempDir()
	here := platform{"linux", runtime.GOARCH}
	if dist == "" {
		dist = filepath.Join(dir, "dist")
		if err := build(t.Context(), filepath.Join("..", ".."), "v0.1.0", here, here.binary(dist)); err != nil {
			t.Fatal(err)
		}
		for _, p := range platforms() { // the other architecture's image is not run
			if p.os == "linux" && p != here {
				mustRun(t, dir, "mkdir", "-p", filepath.Dir(p.binary(dist)))
				mustRun(t, dir, "cp", here.binary(dist), p.binary(dist))
			}
			if p.os == "linux" {
				if err := os.WriteFile(p.notices(dist), []byte("notices for "+p.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(t, "image", "--src", filepath.Join("..", ".."), "--dist", dist, "--version", "v0.1.0")
	}
	idx, err := layout.ImageIndexFromPath(layoutDir(dist, "action"))
	if err != nil {
		t.Fatal(err)
	}
	img := imageFor(t, idx, here)
	root := filepath.Join(dir, "root")
	unpack(t, img, root)
	repo, files := pullRequest(t, dir, 1001)
	api := &fakeGitHub{}
	server := httptest.NewServer(api)
	defer server.Close()
	for _, d := range []string{"github/workspace", "github/files", "proc"} { // an engine makes mount points
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const mounts = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
mount --bind "$2" "$1/github/workspace"
mount --bind "$3" "$1/github/files"
mount --rbind /proc "$1/proc"
mount -o remount,bind,ro "$1"
if touch "$1/tmp/x" 2>/dev/null; then echo "the root is not read-only"; exit 99; fi
root=$1; shift 3
exec env "INPUT_GITHUB-TOKEN=$token" chroot "$root" "$@"` // a shell drops variables with a hyphen
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "unshare", "--mount", "sh", "-c", mounts, "sh", root, repo, files, entryPoint, "action")
	cmd.Env = []string{
		"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=/github/workspace", "GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH=/github/files/event.json",
		"GITHUB_OUTPUT=/github/files/output", "GITHUB_STEP_SUMMARY=/github/files/summary.md", "GITHUB_REPOSITORY=shop/shop",
		"GITHUB_API_URL=" + server.URL, "GITHUB_GRAPHQL_URL=" + server.URL + "/graphql", "GITHUB_SERVER_URL=https://github.example",
		"GITHUB_RUN_ID=5", "GITHUB_RUN_ATTEMPT=1", "token=secret-of-the-run", "INPUT_OFFLINE=true", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
	}
	out, err := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	t.Logf("exit code %d, %.1f s of processor time\n%s", code, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), out)
	if code != 1 {
		t.Fatalf("exit code %d, %v; want 1", code, err)
	}
	for file, want := range map[string]string{
		filepath.Join(files, "output"): "\nfail\n", filepath.Join(files, "summary.md"): "unschedulable",
		filepath.Join(repo, "kubesettle.json"): `"verdict": "fail"`, filepath.Join(repo, "kubesettle.sarif"): "unschedulable",
	} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %q in %q, %v", file, want, text, err)
		}
	}
	api.mu.Lock()
	defer api.mu.Unlock()
	if !strings.HasPrefix(api.comment, "<!-- kubesettle ") || !strings.Contains(api.comment, "web") {
		t.Errorf("the comment is %q", api.comment)
	}
	if strings.Contains(strings.ReplaceAll(string(out), "::add-mask::secret-of-the-run", ""), "secret-of-the-run") {
		t.Error("the log shows the token")
	}
}

// imageFor is a platform's image of an index, or of an index in it.
func imageFor(t *testing.T, idx v1.ImageIndex, p platform) v1.Image {
	t.Helper()
	manifest, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifest.Manifests {
		switch {
		case m.MediaType.IsIndex():
			inner, err := idx.ImageIndex(m.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return imageFor(t, inner, p)
		case m.Platform != nil && m.Platform.OS == p.os && m.Platform.Architecture == p.arch:
			img, err := idx.Image(m.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return img
		}
	}
	t.Fatalf("no image for %s", p)
	return nil
}
