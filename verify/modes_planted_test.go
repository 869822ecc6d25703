package verify

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
)

// latest is the folder of what a case comes to: of a change its head.
func latest(t testing.TB, dir string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "head")); err == nil {
		return filepath.Join(dir, "head")
	}
	return filepath.Join(dir, "manifests")
}

// long are pairs whose planting takes seconds: the vertical autoscaler of f35 may set many sizes. What is told of
// their violating variants alone says it already.
var long = map[string]bool{"f35": true}

// plants reports whether the two variants of a pair differ in what their repository holds, and not
// in the policy alone: only then a pull request can plant the mistake.
func plants(t testing.TB, dir string) bool {
	t.Helper()
	if long[filepath.Base(dir)] {
		return false
	}
	return !slices.EqualFunc(filesBelow(t, latest(t, filepath.Join(dir, "repaired"))), filesBelow(t, latest(t, filepath.Join(dir, "violating"))), bytes.Equal)
}

// filesBelow are the names and contents of the files of a folder, in order.
func filesBelow(t testing.TB, dir string) [][]byte {
	t.Helper()
	var out [][]byte
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out = append(out, []byte(rel), b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// plantedStates bounds each search for what is planted, so that a pair whose change touches more than
// the mistake stays small.
const plantedStates = 500

// plantedIn is the pull request that makes the mistake of a pair, in a mode: from the repaired variant
// as it ends to the violating one as it ends.
func plantedIn(t testing.TB, dir string, m mode) *sharedRun {
	t.Helper()
	return made(t, filepath.Clean(dir)+", planted, "+m.name, func(r *sharedRun) {
		opt := caseOptions(t, filepath.Join(dir, "violating"))
		opt.Policy = m.policy(t, opt.Policy)
		ch, err := render.Diff(caseRevision(t, latest(t, filepath.Join(dir, "repaired"))), caseRevision(t, latest(t, filepath.Join(dir, "violating"))))
		if err != nil {
			t.Fatal(err)
		}
		opt.States, opt.Plain = plantedStates, true
		opt.Policy.Bound.Nodes = min(opt.Policy.Bound.Nodes, 3)
		r.policy = opt.Policy
		r.result = verdict(t)(Check(context.Background(), ch, opt))
	})
}

// plantedWords words the gravest of what is told, mode by mode, of the pull request that makes the mistake of a
// pair. That the API server refuses to change what the repair has is none of the mistake.
func plantedWords(t testing.TB, c documentedCase) []string {
	t.Helper()
	var out []string
	for _, m := range modes {
		told := toldOf(plantedIn(t, filepath.Join("../testdata", c.dir), m).result)
		out = append(out, gravestOf(slices.DeleteFunc(told, func(s string) bool {
			return c.rule != rules.ApplyRejected && strings.HasSuffix(s, " "+rules.ApplyRejected)
		})))
	}
	return out
}
