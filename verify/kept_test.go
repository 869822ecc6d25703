package verify

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/memo"
)

// spentBy is the processor time that a call takes.
func spentBy(t *testing.T, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	from := used()
	do()
	return used() - from
}

// TestKeptVerdictsAreTheSame runs cases and scripts without anything kept, with what the runs before it kept and with
// what itself kept, all in one folder: all give the same bytes, whatever another case left there. It is every third one
// of them, and every one with -clusters.
func TestKeptVerdictsAreTheSame(t *testing.T) {
	comparison(t)
	dir := t.TempDir()
	program := func() string { return "this one" }
	var cold, warm time.Duration
	var asked, found int64
	of := 0
	compare := func(name string, plain func() *sharedRun, run func(*memo.Store) *finding.Result) {
		if of++; of%3 > 0 && *moreClusters == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			want := text(t, plain().own())
			var first, again string
			cold += spentBy(t, func() {
				kept := memo.Open(dir, program, true)
				first = text(t, run(kept))
				kept.Close()
			})
			kept := memo.Open(dir, program, false)
			warm += spentBy(t, func() { again = text(t, run(kept)) })
			if first != want {
				t.Errorf("cold:\n%s\nnot\n%s", first, want)
			}
			if again != want {
				t.Errorf("warm:\n%s\nnot\n%s", again, want)
			}
			a, f := kept.Counts()
			asked, found = asked+a, found+f
		})
	}
	for _, tt := range documentedCases {
		for _, side := range []string{"violating", "repaired"} {
			dir := filepath.Join("../testdata", tt.dir, side)
			compare(tt.dir+"/"+side, func() *sharedRun { return caseIn(t, dir, asDeclared) }, func(s *memo.Store) *finding.Result {
				return caseRunWith(t, dir, func(o *Options) { o.Kept = s })()
			})
		}
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		compare(strings.TrimSuffix(filepath.Base(f), ".txtar"), func() *sharedRun { return scriptAsItIs(t, f, ar) }, func(s *memo.Store) *finding.Result {
			return runScriptWith(t, ar, "head", func(o *Options) { o.Kept = s })
		})
	}
	entries, size := 0, int64(0)
	_ = filepath.WalkDir(dir, func(file string, d os.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			entries, size = entries+1, size+info.Size()
		}
		return nil
	})
	t.Logf("%v cold, %v warm; %d of %d searches found, %d kept in %d bytes", cold, warm, found, asked, entries, size)
	if found*2 < asked {
		t.Errorf("%d of %d searches found", found, asked)
	}
}
