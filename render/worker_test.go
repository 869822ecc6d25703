package render

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// TestMain lets the test binary be its own worker process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "render-worker" {
		if err := worker.Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	code := m.Run()
	if raceDetector {
		if exe, err := workerBinary(); err == nil {
			_ = os.RemoveAll(filepath.Dir(exe))
		}
	}
	os.Exit(code)
}

// workerBinary is what a worker is a process of: this test, or under the race detector,
// which needs more memory than a worker may have, the command itself.
var workerBinary = sync.OnceValues(func() (string, error) {
	if !raceDetector {
		return os.Executable()
	}
	dir, err := os.MkdirTemp("", "kubesettle-worker-")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "kubesettle")
	build := exec.Command("go", "build", "-o", exe, "github.com/kubesettle/kubesettle/cmd/kubesettle")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as users have it
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the worker: %w\n%s", err, out)
	}
	return exe, nil
})

func sandbox(t *testing.T, limit time.Duration, memory int64) worker.Sandbox {
	t.Helper()
	exe, err := workerBinary()
	if err != nil {
		t.Fatal(err)
	}
	return worker.Sandbox{Command: []string{exe, "render-worker"}, Time: limit, Memory: memory}
}

const (
	chartYAML = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	goodYAML  = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\ndata: {n: \"1\", f: \"{{ .Values.n }}\"}\n"
)

// A worker gives what rendering in this process gives, and knows nothing of our
// environment.
func TestSandboxIsTransparent(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", canary)
	files := map[string]string{
		"c/Chart.yaml": chartYAML, "c/values.yaml": "n: 3\nbig: 12345678901\n", "c/templates/a.yaml": goodYAML,
		"c/templates/b.yaml":   "apiVersion: example.com/v1\nkind: T\nmetadata: {name: t}\nspec: {i: 12345678901, f: 1.5, s: \"x\", n: null, l: [1, a], r: {{ randAlphaNum 5 }}}\n",
		"k/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n", "k/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n",
		"bad/Chart.yaml": chartYAML, "bad/templates/a.yaml": "{{ fail \"no\" }}",
	}
	tree, err := tree.Map("t", files)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := Render(context.Background(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	outside, err := Render(context.Background(), tree, Options{Sandbox: sandbox(t, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := describe(inside), describe(outside); a != b {
		t.Errorf("here\n%s\nin a worker\n%s", a, b)
	}
	for i, r := range inside.Releases {
		for k, o := range r.Objects {
			other := outside.Releases[i].Objects[k]
			if a, b := fmt.Sprintf("%#v", o.Content), fmt.Sprintf("%#v", other.Content); a != b {
				t.Errorf("%s: %s, in a worker %s", o.ID, a, b)
			}
			if a, b := o.Locate("data.f"), other.Locate("data.f"); a != b {
				t.Errorf("%s: located at %v, in a worker at %v", o.ID, a, b)
			}
		}
	}
}

// A command that is no worker is the release's failure, not a hang.
func TestSandboxWithoutWorker(t *testing.T) {
	tree, err := tree.Map("t", map[string]string{"p/kustomization.yaml": "resources: [a.yaml]\n",
		"p/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"/nonexistent/program", "/bin/true"} {
		rev, err := Render(context.Background(), tree, Options{Sandbox: worker.Sandbox{Command: []string{command}}})
		if err != nil || rev.Releases[0].Err == nil {
			t.Errorf("%s: %v %v", command, err, rev.Releases[0].Err)
		}
	}
}
