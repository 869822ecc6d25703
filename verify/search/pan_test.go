package search_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// spinAvailable reports whether SPIN and a C compiler are installed, and if not what is
// missing.
func spinAvailable() error {
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed (Debian: apt-get install spin gcc): %w", tool, err)
		}
	}
	return nil
}

// pan is SPIN's verifier for one model at one size, compiled.
type pan struct {
	size spinSize
	path string
}

// compilePan makes the verifier with partial-order reduction off and safety checks only,
// in a directory of its own within dir.
func compilePan(ctx context.Context, dir string, size spinSize, optimize string) (*pan, error) {
	model, err := filepath.Abs(filepath.Join("testdata", "spin", size.Model+".pml"))
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(dir, size.Model)
	if err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"spin", "-a", fmt.Sprintf("-DN=%d", size.N), fmt.Sprintf("-DM=%d", size.M), fmt.Sprintf("-DK=%d", size.K), model},
		{"gcc", optimize, "-w", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c"},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = work
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return &pan{size, filepath.Join(work, "pan")}, nil
}

// panCounts is what a verifier counted.
type panCounts struct {
	spinSize
	Elapsed  time.Duration // wall time of the process
	CPU      time.Duration // its processor time
	PeakKiB  uint64        // resident memory
	Megabyte float64       // what pan says it used
}

// run runs the verifier; hash is the number of bits of its table's size.
func (p *pan) run(ctx context.Context, hash int) (*panCounts, error) {
	depth := p.size.States + 100
	if p.size.States == 0 {
		depth = 1e7 // not recorded yet
	}
	cmd := exec.CommandContext(ctx, p.path, "-c0", fmt.Sprintf("-m%d", depth), fmt.Sprintf("-w%d", hash))
	cmd.Dir = filepath.Dir(p.path)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return nil, err // pan's exit status is not 0 where it found errors
	}
	c := &panCounts{spinSize: p.size, Elapsed: time.Since(begin), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), PeakKiB: peak(cmd.ProcessState)}
	text := out.String()
	if strings.Contains(text, "max search depth too small") {
		return nil, fmt.Errorf("pan %s: the search was cut off", p.size)
	}
	for _, f := range []struct {
		pattern string
		set     func(v string) error
	}{
		{`(\S+) states, stored`, func(v string) (err error) { c.States, err = number(v); return }},
		{`(\S+) transitions`, func(v string) (err error) { c.Transitions, err = number(v); c.Transitions--; return }},
		{`errors: (\d+)`, func(v string) (err error) { c.Deadlocks, err = strconv.Atoi(v); return }},
		{`(\S+)\s+total actual memory usage`, func(v string) (err error) { c.Megabyte, err = strconv.ParseFloat(v, 64); return }},
	} {
		m := regexp.MustCompile(f.pattern).FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("pan %s: no %q in its output:\n%s", p.size, f.pattern, text)
		}
		if err := f.set(m[1]); err != nil {
			return nil, fmt.Errorf("pan %s: %w", p.size, err)
		}
	}
	return c, nil
}

// number reads a count as pan writes it: digits, or such as 1e+06.
func number(s string) (uint64, error) {
	f, err := strconv.ParseFloat(s, 64)
	return uint64(f), err
}

// peak is the largest resident memory of an ended process in KiB, where it is known.
func peak(p *os.ProcessState) uint64 {
	use := reflect.Indirect(reflect.ValueOf(p.SysUsage())) // syscall.Rusage, but for Windows
	if use.Kind() != reflect.Struct {
		return 0
	}
	if f := use.FieldByName("Maxrss"); f.IsValid() && f.CanInt() {
		return uint64(f.Int())
	}
	return 0
}
