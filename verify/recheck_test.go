package verify

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/verify/scenario"
)

// recheckAll gives an option's watch that holds every counterexample against the documentation,
// and counts them.
type recheckAll struct {
	mu           sync.Mutex
	runs, steps  int
	wrong        []string
	ofRule, seen map[string]bool
}

func (r *recheckAll) watch(v scenario.Violation) {
	wrong := recheckViolation(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs++
	r.steps += len(v.Steps)
	if r.ofRule == nil {
		r.ofRule, r.seen = map[string]bool{}, map[string]bool{}
	}
	r.ofRule[v.Key().Rule] = true
	for _, w := range wrong {
		if s := v.Key().Rule + " of " + v.Key().Workload + " (" + v.Scenario + "): " + w; !r.seen[s] {
			r.seen[s] = true
			r.wrong = append(r.wrong, s)
		}
	}
}

// TestCounterexamplesKeepToTheDocumentation holds every counterexample of testdata, told or
// not, against what Kubernetes' documentation says of its steps.
func TestCounterexamplesKeepToTheDocumentation(t *testing.T) {
	comparison(t)
	var all recheckAll
	report := func(t *testing.T, mine *recheckAll) {
		for _, w := range mine.wrong {
			t.Error(w)
		}
		all.mu.Lock()
		defer all.mu.Unlock()
		all.runs, all.steps = all.runs+mine.runs, all.steps+mine.steps
		if all.ofRule == nil {
			all.ofRule = map[string]bool{}
		}
		for k := range mine.ofRule {
			all.ofRule[k] = true
		}
	}
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("of", func(t *testing.T) {
		for _, f := range scripts {
			t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) {
				t.Parallel()
				ar, err := txtar.ParseFile(f)
				if err != nil {
					t.Fatal(err)
				}
				report(t, &scriptAsItIs(t, f, ar).seen)
			})
		}
		for _, tt := range documentedCases {
			t.Run(tt.dir, func(t *testing.T) {
				t.Parallel()
				for _, side := range []string{"violating", "repaired"} {
					dir := filepath.Join("../testdata", tt.dir, side)
					if _, err := os.Stat(dir); err != nil {
						t.Fatal(err)
					}
					report(t, &caseIn(t, dir, asDeclared).seen)
				}
			})
		}
	})
	t.Logf("%d counterexamples of %d rules, %d steps", all.runs, len(all.ofRule), all.steps)
	if all.runs < 100 || len(all.ofRule) < 12 {
		t.Errorf("%d counterexamples of %d rules: that is not all of testdata", all.runs, len(all.ofRule))
	}
}
