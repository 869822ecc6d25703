//go:build linux

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

var allHostile = flag.Bool("all-hostile", false, "run every hostile repository, not one in sixteen: make hostile")

const (
	hostileBudget = 10 * time.Second
	// hostileTime is when a run has to be over at the latest: a tenth after its budget, and a
	// little for starting and for writing the reports.
	hostileTime  = hostileBudget + hostileBudget/10 + grace + forReporting
	outsideWords = "outside-7Q-canary"
	insideWords  = "hostile-9Z-value"
)

// A hostile pull request that also brings a violation gets no silent pass: the violation is
// found, or the run says that it was not analysed and does not pass. It takes bounded time and
// memory, reads and writes nothing outside of the repository, and shows no secret.
func TestHostileRepositories(t *testing.T) {
	cases := hostileCases()
	sort.SliceStable(cases, func(i, j int) bool { return cases[i].name < cases[j].name })
	if len(cases) < 150 {
		t.Errorf("%d hostile repositories, want 150", len(cases))
	}
	var table strings.Builder
	for i, c := range cases {
		if !*allHostile && i%16 != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			r := runHostile(t, c)
			fmt.Fprintf(&table, "| %s | %s | %.1f | %d |\n", c.name, r.outcome, r.took.Seconds(), r.memory>>20)
			if r.wrong != "" {
				t.Errorf("%s: exit code %d after %s, %d MiB:\n%.3000s", r.wrong, r.code, r.took.Round(time.Millisecond), r.memory>>20, r.said)
			}
		})
	}
	t.Logf("\n| repository | outcome | s | MiB |\n|---|---|--:|--:|\n%s", table.String())
}

// hostileRun is how a run over a hostile repository ended.
type hostileRun struct {
	code           int
	outcome, wrong string // wrong is what must not be; "" where all is well
	said           string
	took           time.Duration
	memory         int64 // bytes at most, of the process or of one of its workers
}

func runHostile(t *testing.T, c hostileCase) hostileRun {
	t.Helper()
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	put := func(root, name, text string) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "%O", outside)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(outside, "canary.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+strings.ToLower(outsideWords)+"}\ndata: {a: "+outsideWords+"}\n")
	for side, cpu := range map[string]int{"base": 100, "head": 1500} {
		put(filepath.Join(dir, side), ".kubesettle.yaml", actionPolicy)
		put(filepath.Join(dir, side), "app/web.yaml", webManifest(cpu))
	}
	head := filepath.Join(dir, "head")
	for name, text := range c.files {
		put(head, name, text)
	}
	for name, target := range c.links {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(head, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(strings.ReplaceAll(target, "%O", outside), filepath.Join(head, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := filesBelow(t, dir)
	ctx, cancel := context.WithTimeout(context.Background(), 2*hostileTime)
	defer cancel()
	files := map[string]string{}
	args := []string{"check", "--base-dir", filepath.Join(dir, "base"), "--head-dir", head, "--time-budget", hostileBudget.String()}
	out := t.TempDir()
	for _, format := range []string{"json", "sarif", "markdown", "html"} {
		files[format] = filepath.Join(out, "r."+format)
		args = append(args, "--output", format+"="+files[format])
	}
	cmd := exec.CommandContext(ctx, "kubesettle", append(args, "--output", "text")...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "CI=true"}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	begin := time.Now()
	err := cmd.Run()
	r := hostileRun{took: time.Since(begin), said: said.String()}
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	r.code = cmd.ProcessState.ExitCode()
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.memory = use.Maxrss << 10
	}
	text := r.said
	for _, file := range files {
		b, _ := os.ReadFile(file)
		text += string(b)
	}
	r.judge(text, before, filesBelow(t, dir))
	return r
}

// judge says what the run came to, and what of it must not be.
func (r *hostileRun) judge(text, before, after string) {
	found := strings.Contains(text, "unschedulable") && strings.Contains(text, "default/web")
	switch {
	case r.code == exitFinding && found:
		r.outcome = "found"
	case r.code == exitAnalysis:
		r.outcome = "not analysed"
	case r.code == exitUsage:
		r.outcome = "refused"
	default:
		r.outcome = fmt.Sprintf("exit code %d", r.code)
		r.wrong = "the violation was not found, and the run does not say that it was not analysed"
	}
	switch {
	case strings.Contains(text, outsideWords), strings.Contains(strings.ToLower(text), strings.ToLower(outsideWords)), strings.Contains(text, "root:x:0"):
		r.wrong = "it shows what lies outside of the repository"
	case strings.Contains(text, insideWords):
		r.wrong = "it shows a secret"
	case strings.ContainsAny(r.said, "\x1b\x07\u202e\u200b"):
		r.wrong = "its text has marks of the input"
	case strings.Contains(r.said, "\n::"):
		r.wrong = "its text has a workflow command"
	case before != after:
		r.wrong = "it wrote: " + after
	case r.took > hostileTime:
		r.wrong = "it took too long"
	case r.memory > mostMemory:
		r.wrong = "it took too much memory"
	case strings.Contains(r.said, "goroutine "):
		r.wrong = "it crashed"
	}
}

// filesBelow is every file below a folder, with its size.
func filesBelow(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			fmt.Fprintf(&out, "%s %d\n", file, info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}
