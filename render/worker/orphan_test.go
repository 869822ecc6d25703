package worker

import (
	"context"
	"encoding/json"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// TestMain lets the test binary be its own worker process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "render-worker" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// endlessJob renders for longer than any test waits.
func endlessJob() *release.Recipe {
	j := &release.Recipe{Release: release.Release{Release: object.Release{ID: "bad", Kind: object.Helm, Path: "bad", Name: "bad"}}, Chart: &release.Chart{Dir: "bad", Name: "bad", Names: map[string]string{}}, Files: map[string][]byte{}}
	for name, text := range map[string]string{
		"Chart.yaml":       "apiVersion: v2\nname: bad\nversion: 0.1.0\n",
		"templates/a.yaml": "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}",
	} {
		j.Files["bad/"+name] = []byte(text)
		j.Chart.Names[name] = "bad/" + name
	}
	return j
}

// A worker whose input ends in the middle of a recipe has lost its parent, and ends: this is
// what other systems than Linux rest on.
func TestOrphanedWorkerEnds(t *testing.T) {
	w := startEndless(t)
	w.in.Close()
	ends(t, w, exitOrphan)
}

// A worker heeds SIGTERM at once, in the middle of a template that loops.
func TestWorkerHeedsASignal(t *testing.T) {
	w := startEndless(t)
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ends(t, w, -1)
}

func startEndless(t *testing.T) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// No limit of memory, as the race detector takes a multiple of it.
	p := &pool{ctx: context.Background(), box: Sandbox{Command: []string{exe, "render-worker"}, Time: time.Minute}}
	w, err := p.start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.kill)
	b, err := json.Marshal(endlessJob())
	if err == nil {
		err = writeFrame(w.in, b)
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // it renders by now
	return w
}

func ends(t *testing.T, w *process, code int) {
	t.Helper()
	done := make(chan struct{})
	go func() { _ = w.cmd.Wait(); close(done) }()
	select {
	case <-done:
		if got := w.cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("it ended with %s, code %d, want %d: %s", w.cmd.ProcessState, got, code, w.said.text)
		}
	case <-time.After(10 * time.Second):
		t.Error("it renders on")
	}
}
