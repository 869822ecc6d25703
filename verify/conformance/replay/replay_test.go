//go:build replay

package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

var record = flag.Bool("record", false, "write what was shown to verify/judge/confirmed.json, and what was observed to testdata")

// TestReplay plays the cases of testdata/kivi and testdata/failures on a real control plane: the violating ones
// show what was found of them, the repaired ones, on the same nodes and under the same
// events, do not.
func TestReplay(t *testing.T) {
	var shown []judge.Confirmation
	binary := os.Getenv(BinaryEnv)
	if binary == "" {
		t.Fatalf("%s is not set: `make replay` builds the control plane and sets it", BinaryEnv)
	}
	for _, tt := range []struct{ dir, rule string }{
		{"kivi/c1", "runaway-scale"},
		{"kivi/c2", "replicas-reset"},
		{"kivi/c3", "unschedulable"},
		{"kivi/c4", "crash-loop"},
		{"kivi/c5", "eviction-loop"},
		{"kivi/c6", "below-floor"},
		{"kivi/c7", "eviction-loop"},
		{"kivi/c8", "eviction-loop"},
		{"failures/f01", "rollout-stuck"},
		{"failures/f02", "rollout-stuck"},
		{"failures/f03", "rollout-stuck"},
		{"failures/f05", "rollout-stuck"},
		{"failures/f18", "drain-blocked"},
		{"failures/f46", "eviction-loop"},
		{"failures/f47", "eviction-loop"},
		{"failures/g47", "never-replaced"},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			ctx := t.Context()
			violating := load(ctx, t, tt.dir, "violating")
			r, err := violating.Check(ctx)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == tt.rule })
			if i < 0 {
				t.Fatalf("no %s was found", tt.rule)
			}
			for _, c := range []*Case{violating, load(ctx, t, tt.dir, "repaired")} {
				name := filepath.Base(c.Dir)
				log := &strings.Builder{}
				play := c.Play
				if c != violating {
					play = c.PlayEvents
				}
				o, err := play(ctx, binary, &r.Findings[i], log)
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, log)
				}
				t.Logf("| %s %s | %s | shown %t: %s | %d of %d steps | %.0f s |\n%s", tt.dir, name, tt.rule, o.Shown, o.Seen, o.Matched, o.Steps, o.Elapsed.Seconds(), log)
				if o.Shown != (c == violating) {
					t.Errorf("%s: the violation was shown: %t", name, o.Shown)
				} else if o.Shown {
					shown = append(shown, judge.Confirmation{
						Shape: judge.Shape(&r.Findings[i]), Case: "testdata/" + tt.dir, Kubernetes: version(t),
						Seen: o.Seen, Steps: o.Steps, Matched: o.Matched,
					})
				}
			}
		})
	}
	if *record && !t.Failed() {
		known, err := judge.Confirmations() // of what -run left out
		for _, c := range known {
			if !slices.ContainsFunc(shown, func(s judge.Confirmation) bool { return s.Case == c.Case }) {
				shown = append(shown, c)
			}
		}
		slices.SortStableFunc(shown, func(a, b judge.Confirmation) int {
			return cmp.Or(cmp.Compare(path.Dir(b.Case), path.Dir(a.Case)), cmp.Compare(a.Case, b.Case)) // kivi first
		})
		var b []byte
		if err == nil {
			b, err = json.MarshalIndent(shown, "", "  ")
		}
		if err == nil {
			err = os.WriteFile("../../judge/confirmed.json", append(b, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// version is that of Kubernetes in this module's go.mod.
func version(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func load(ctx context.Context, t *testing.T, dir, twin string) *Case {
	t.Helper()
	c, err := Load(ctx, filepath.Join("../../../testdata", dir, twin))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAPIServerDies kills the API server while a case is played: the replay says so, and
// ends its processes and removes its directory.
func TestAPIServerDies(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	c := load(t.Context(), t, "kivi/c8", "violating")
	r, err := c.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &player{c: c, out: io.Discard}
	done := make(chan error, 1)
	go func() {
		_, err := c.playOn(t.Context(), os.Getenv(BinaryEnv), &r.Findings[0], p)
		done <- err
	}()
	killed := killChild(t, tmp, "kube-apiserver", 30*time.Second)
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "kube-apiserver ended in mid-replay (signal: killed)") {
			t.Errorf("killed %d: got error %v", killed, err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the replay did not end")
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if pids := processes(t, tmp, ""); len(pids) > 0 {
		t.Errorf("processes left: %v", pids)
	}
}

// killChild waits for a component whose arguments name the directory and kills it.
func killChild(t *testing.T, dir, component string, limit time.Duration) int {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if len(processes(t, dir, "kube-scheduler")) == 0 {
			continue // not all of it is up yet
		}
		for _, pid := range processes(t, dir, component) {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("no %s to kill", component)
	return 0
}

// processes lists those whose arguments name a directory and a component.
func processes(t *testing.T, dir, component string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !strings.Contains(string(b), dir) || !strings.Contains(string(b), "\x00"+component) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			out = append(out, pid)
		}
	}
	return out
}
