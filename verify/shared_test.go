package verify

import (
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// Several tests look at one and the same run: of a case in a mode, or of a script. It is made once in a process, by the
// test that asks for it first, with everything that any of them wants to know of it.

// comparison is a test that runs searches one after another, over all of testdata or many random clusters: -short, with which
// the race detector runs, leaves it out.
func comparison(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: it compares searches, one after another; `make test-full` runs it without the race detector")
	}
}

// sharedRun is a run, once it was made.
type sharedRun struct {
	once   sync.Once
	result *finding.Result
	policy *policies.Policy
	seen   recheckAll // its counterexamples
}

var sharedRuns sync.Map // by what is run: *sharedRun

// made gives a run by its name, and makes it where nobody did.
func made(t testing.TB, name string, run func(*sharedRun)) *sharedRun {
	t.Helper()
	x, _ := sharedRuns.LoadOrStore(name, &sharedRun{})
	r := x.(*sharedRun)
	r.once.Do(func() { run(r) })
	if r.result == nil {
		t.Fatalf("%s: the test that ran it first failed", name)
	}
	return r
}

// own gives the result to somebody who may change it, but for what its findings point to.
func (r *sharedRun) own() *finding.Result {
	out := *r.result
	out.Findings = slices.Clone(out.Findings)
	return &out
}

// caseIn is a case, that is one side of a pair of testdata, in a mode.
func caseIn(t testing.TB, dir string, m mode) *sharedRun {
	t.Helper()
	return made(t, filepath.Clean(dir)+", "+m.name, func(r *sharedRun) {
		r.result = caseRunWith(t, dir, func(o *Options) {
			o.Policy = m.policy(t, o.Policy)
			o.Watch, r.policy = r.seen.watch, o.Policy
		})()
	})
}

// scriptAsItIs is a script of testdata, without any of its variants.
func scriptAsItIs(t *testing.T, file string, ar *txtar.Archive) *sharedRun {
	t.Helper()
	return made(t, file, func(r *sharedRun) {
		r.result = runScriptWith(t, ar, "head", func(o *Options) { o.Watch, r.policy = r.seen.watch, o.Policy })
	})
}
