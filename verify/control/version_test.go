package control_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// whole are the files that ask which version of the manifests is applied, and why none of them means that of a
// workload, which may come with a later step ([state.State.VersionOf]).
var whole = map[string]string{
	"admission/admission.go":          "a webhook comes with no step",
	"descheduler/descheduler.go":      "its policy comes with no step",
	"faults/bad_revision.go":          "a change that is reverted turns out bad no more",
	"gitops/apply.go":                 "it is what is applied",
	"gitops/helm.go":                  "it is what is applied",
	"gitops/resync.go":                "it is what is applied",
	"gitops/revert.go":                "it is what is applied",
	"gitops/rollback.go":              "it is what is applied",
	"gitops/steps.go":                 "it is what is applied",
	"others/declared.go":              "the policy file has one version",
	"scheduler/preemption_victims.go": "a budget's place in the list is that of one version for all workloads",
	"scheduler/preemption_words.go":   "a PriorityClass comes with no step",
	"scheduler/words.go":              "its configuration comes with no step",
}

// TestStepsAreMinded: no loop takes the version that is being applied for that of its workload.
func TestStepsAreMinded(t *testing.T) {
	asks := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		asks[filepath.ToSlash(path)] = strings.Contains(string(text), ".Version()")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, is := range asks {
		if is && whole[path] == "" {
			t.Errorf("%s asks for the version of all manifests: use VersionOf, or say here why not", path)
		}
	}
	for path := range whole {
		if !asks[path] {
			t.Errorf("%s is listed, and does not ask", path)
		}
	}
}
