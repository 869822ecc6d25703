package render

import (
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endlessJob renders for longer than any test waits.
func endlessJob() *job {
	files := hostileChart(`{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}`)()
	j := &job{Release: Release{ID: "bad", Kind: Helm, Path: "bad", Name: "bad"}, Chart: &chartJob{Dir: "bad", Name: "bad", Names: map[string]string{}}, Files: map[string][]byte{}}
	for name, text := range files {
		j.Files[name] = []byte(text)
		j.Chart.Names[strings.TrimPrefix(name, "bad/")] = name
	}
	return j
}

// A worker whose input ends in the middle of a job has lost its parent, and ends: this is
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
	p := &pool{ctx: context.Background(), box: sandbox(t, time.Minute, DefaultRenderMemory)}
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
