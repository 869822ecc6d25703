// Package corpus has what all measurements share: the built binary and its published result, clones of public
// repositories, and tables.
package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// EmptyPolicy declares nothing.
const EmptyPolicy = "apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"

// A Binary is Kubesettle as it was built.
type Binary struct {
	Path   string
	Budget time.Duration // --time-budget of a check
	Limit  time.Duration // wall time after which a process is ended; 0: three budgets and a minute
}

// A Run is one call of the binary.
type Run struct {
	Exit            int // -1: ended from outside
	Output          []byte
	Said            string // standard error
	Wall, Processor time.Duration
	Memory          int64 // bytes: the peak of the largest of its processes
}

// Flags are those of a command: its own are added to the set. Parse gives what follows them.
func Flags(name, usage string, budget time.Duration) (*flag.FlagSet, *Binary) {
	b := &Binary{}
	set := flag.NewFlagSet(name, flag.ExitOnError)
	set.StringVar(&b.Path, "kubesettle", "bin/kubesettle", "the binary to show")
	set.DurationVar(&b.Budget, "time-budget", budget, "time budget of one run")
	set.Usage = func() {
		fmt.Fprintf(set.Output(), "usage: measure %s [flags] %s\n", name, usage)
		set.PrintDefaults()
	}
	return set, b
}

// Parse reads the flags and demands at least so many arguments after them.
func (b *Binary) Parse(set *flag.FlagSet, args []string, least int) ([]string, error) {
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() < least {
		set.Usage()
		return nil, fmt.Errorf("%d arguments, not %d", set.NArg(), least)
	}
	var err error
	b.Path, err = filepath.Abs(b.Path)
	return set.Args(), err
}

// Run calls the binary in a folder. An exit code is no error.
func (b Binary) Run(dir string, args ...string) (Run, error) {
	limit := b.Limit
	if limit == 0 {
		limit = 3*b.Budget + time.Minute
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	cmd := exec.CommandContext(ctx, b.Path, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that its workers end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return Run{}, err
	}
	r := Run{Exit: cmd.ProcessState.ExitCode(), Output: out, Said: strings.TrimSpace(stderr.String()), Wall: time.Since(start)}
	r.Processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Memory = usage.Maxrss << 10
	}
	return r, nil
}

// Result calls the binary and reads the JSON that it prints; a wrong call (exit code 2) and no JSON are errors.
func (b Binary) Result(dir string, args ...string) (Result, error) {
	r, err := b.Run(dir, append(args, "--time-budget", b.Budget.String(), "--output", "json")...)
	if err != nil {
		return Result{}, err
	}
	out := Result{Run: r}
	if err := json.Unmarshal(r.Output, &out); err != nil || r.Exit == 2 {
		return out, fmt.Errorf("kubesettle %s: exit code %d: %s", strings.Join(args, " "), r.Exit, r.Said)
	}
	return out, nil
}

// Scratch is a folder for a command's files, and the policy in it that declares nothing.
func Scratch(name string) (dir, policy string, err error) {
	if dir, err = os.MkdirTemp("", name); err != nil {
		return "", "", err
	}
	policy = filepath.Join(dir, "policy.yaml")
	return dir, policy, os.WriteFile(policy, []byte(EmptyPolicy), 0o644)
}
