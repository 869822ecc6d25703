package verify

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// fingerprints are those of the findings of all scripts, as testdata/fingerprints keeps them: baselines and waivers
// of users hang on each, so that none of them changes for as long as the finding is the same.
type fingerprints struct {
	mu  sync.Mutex
	got map[string][]string // by script
}

func (p *fingerprints) add(script string, r *finding.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.got == nil {
		p.got = map[string][]string{}
	}
	lines := []string{}
	for i := range r.Findings {
		f := &r.Findings[i]
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", script, f.Fingerprint, f.Standing, f.Rule, f.Workload))
	}
	slices.Sort(lines)
	p.got[script] = lines
}

// compare holds the scripts that ran against what is kept of them.
func (p *fingerprints) compare(t *testing.T) {
	const file = "testdata/fingerprints"
	kept, err := os.ReadFile(file)
	if err != nil && !*rewrite {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var want, rest []string
	for line := range strings.Lines(string(kept)) {
		line = strings.TrimSpace(line)
		name, _, _ := strings.Cut(line, " ")
		if known[name] = true; p.got[name] != nil {
			want = append(want, line)
		} else if line != "" {
			rest = append(rest, line)
		}
	}
	var got []string
	for name, lines := range p.got {
		if known[name] || *rewrite { // a new script has none to keep
			got = append(got, lines...)
		}
	}
	slices.Sort(got)
	if *rewrite {
		all := append(rest, got...)
		slices.Sort(all)
		if err := os.WriteFile(file, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("fingerprints (-kept +now):\n%s", d)
	}
}
