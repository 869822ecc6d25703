package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// record is one run.
type record struct {
	Repository string
	change
	Exit      int    // -1 where it was ended from outside
	Said      string // the end of its standard error
	Wall      time.Duration
	Budget    time.Duration // that it was given
	Processor time.Duration // user and system, of all its processes
	Memory    int64         // bytes: the peak of all its processes together
	Commands  comparison
	Result    *result `json:"-"` // nil where it wrote none
}

// result is the part of the published JSON that the tables need.
type result struct {
	Verdict   string
	Workloads []struct{ ID, Release, Change, Verdict, Reason string }
	Findings  []finding
	Releases  []release
	Coverage  struct {
		Topologies, States int
		Bound              string
	}
	Notices []string
}

type release struct {
	ID, Kind, Status, Reason string
	Changed                  bool
}

// stopped reports whether the change reaches a release that was not analysed.
func (r release) stopped() bool {
	return r.Changed && r.Status != "ok" && r.Status != "untouched"
}

type finding struct {
	Rule, Severity, Certainty, Scenario, Status, Workload, Release, Message string
	Events                                                                  []string
	Locations                                                               []struct {
		File      string
		StartLine int
		InDiff    bool
	}
	Interleaving []struct{ Text string }
}

// check runs kubesettle on one change.
func (s *store) check(c clone, ch change) (record, error) {
	r := record{Repository: c.name, change: ch, Budget: s.budget}
	out := s.file(c.name, ch.Commit, "result.json")
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return r, err
	}
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	ctx, stop := context.WithTimeout(context.Background(), s.limit)
	defer stop()
	args := []string{"check", "--repo", c.dir, "--base", ch.Base, "--head", ch.Commit, "--merge-base=false",
		"--time-budget", s.budget.String(), "--output", "json=" + out}
	cmd := exec.CommandContext(ctx, s.binary, append(args, s.extra...)...)
	cmd.Dir = filepath.Dir(out) // no policy of this folder, no work tree
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its workers end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	m := watch(cmd.Process.Pid)
	err := cmd.Wait()
	r.Wall, r.Memory = time.Since(start), m.end()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return r, err
	}
	r.Exit = cmd.ProcessState.ExitCode()
	r.Processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.Said = lastLines(stderr.String(), 5)
	return r, s.readResult(&r)
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// beyond reports whether a run took more than a tenth longer than its budget.
func (r record) beyond() bool { return r.Budget > 0 && r.Wall > r.Budget+r.Budget/10 }
