package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/tree"
)

// fakeClock is one for a [deadline].
type fakeClock struct {
	now time.Duration
	at  time.Duration
	do  func()
}

func (c *fakeClock) after(d time.Duration, f func()) func() bool {
	c.at, c.do = c.now+d, f
	return func() bool { c.do = nil; return true }
}

func (c *fakeClock) pass(d time.Duration) {
	if c.now += d; c.do != nil && c.now >= c.at {
		c.do()
	}
}

// Each phase that does not heed the time budget is ended within a tenth of it and a little,
// with words and a code.
func TestDeadlineEndsEveryPhase(t *testing.T) {
	for _, phase := range []string{phaseRendering, phaseComparing, phaseSearching, phaseReporting, phasePosting} {
		for _, budget := range []time.Duration{time.Second, time.Minute, time.Hour} {
			clock, code, said := &fakeClock{}, -1, ""
			d := newDeadline(func(err error) { said = err.Error() }, func(c int) { code = c })
			d.after = clock.after
			d.set(phaseRendering, budget, budget)
			clock.pass(budget / 2)
			d.set(phase, budget, budget/2)
			if clock.pass(budget / 2); code >= 0 {
				t.Errorf("%s: ended when its time was up, before it could end by itself", phase)
			}
			if clock.pass(budget/10 + grace); code != exitAnalysis || !strings.Contains(said, phase) {
				t.Errorf("%s of %s: code %d: %q", phase, budget, code, said)
			}
		}
	}
	clock, code := &fakeClock{}, -1
	d := newDeadline(func(error) {}, func(c int) { code = c })
	d.after = clock.after
	d.set(phaseSearching, 0, 0)
	if clock.pass(1000 * time.Hour); code >= 0 {
		t.Error("no budget ended")
	}
	d.set(phaseSearching, time.Minute, time.Minute)
	d.clear()
	if clock.pass(1000 * time.Hour); code >= 0 {
		t.Error("a phase that was over ended the run")
	}
	d.hear(func(error) int { return exitFinding })
	d.set(phaseReporting, time.Minute, time.Second)
	if clock.pass(time.Hour); code != exitFinding {
		t.Errorf("a verdict was lost with its report: code %d", code)
	}
	(*deadline)(nil).set(phaseSearching, time.Minute, 0)
	(*deadline)(nil).hear(nil)
	(*deadline)(nil).clear()
}

// slowTree is one whose files take long to read.
type slowTree struct {
	tree.Tree
	clock *release.Clock
	reads int
}

func (s *slowTree) ReadFile(name string) ([]byte, error) {
	if s.reads++; s.reads == 3 {
		s.clock.Set(time.Now().Add(-time.Second))
	}
	return []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"), nil
}

// Looking for what there is to render ends with the time, and says so.
func TestDiscoveryIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+name+"}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := tree.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	clock := &release.Clock{}
	slow := &slowTree{Tree: tree, clock: clock}
	rev, err := render.Render(context.Background(), slow, render.Options{Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if f := rev.Releases[0].Err; f == nil || !f.Cut || !strings.Contains(f.Reason, "the time budget ended") {
		t.Errorf("failure %v", f)
	}
	if slow.reads > 4 {
		t.Errorf("%d files were read", slow.reads)
	}
}

// A system that gives too little memory is an answer with a code of its own, not a crash of
// the runtime with the code of a wrong flag.
func TestOutOfMemoryIsAMessage(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's shadow memory counts against the same limit, and it ends the process by itself")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("no address space to limit")
	}
	dir := t.TempDir()
	for side, image := range map[string]string{"base": "1", "head": "2"} {
		var text strings.Builder
		for i := range 60 { // that look at each other's pods, so that a search never ends
			text.WriteString(strings.NewReplacer("NAME", "w"+string(rune('a'+i/26))+string(rune('a'+i%26)), "IMAGE", image).Replace(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME, tied: "yes"}}
    spec:
      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {tied: "yes"}}}]}}
      containers: [{name: c, image: "x:IMAGE", resources: {requests: {cpu: 100m}}}]
`))
		}
		if err := os.MkdirAll(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, side, "a.yaml"), []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, kib := range []string{"2200000", "2600000"} {
		cmd := exec.Command("sh", "-c", "ulimit -v "+kib+"; exec kubesettle check --on-inconclusive fail --time-budget 6s --base-dir base --head-dir head")
		cmd.Dir = dir
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		_ = cmd.Run()
		code := cmd.ProcessState.ExitCode()
		if code != exitAnalysis && code != exitInconclusive || strings.Contains(said.String(), "goroutine ") || said.Len() == 0 {
			t.Errorf("%s KiB: exit code %d:\n%.600s", kib, code, said.String())
		}
	}
}
