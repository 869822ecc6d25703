package verify

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// loosened says in which way a result is weaker than that of a smaller budget: a verdict is taken back. What is
// inconclusive may become anything; "": it is not weaker.
func loosened(small, large *finding.Result) string {
	switch {
	case small.Verdict == finding.Fail && large.Verdict != finding.Fail:
		return "what failed does not"
	case small.Verdict == finding.Pass && large.Verdict != finding.Pass:
		return "what passed does not"
	}
	return ""
}

// A larger budget gives no weaker verdict. States stand for time, which no test can hold still: each of some budgets is
// held against the next larger one, and the last against none.
func TestALargerBudgetGivesNoWeakerVerdict(t *testing.T) {
	comparison(t)
	pairs := 16
	if *morePairs > 0 {
		pairs = *morePairs
	}
	var mu sync.Mutex
	compared, undecided, told := 0, 0, 0
	one := func(t *testing.T, seed int) {
		p := newRandomPair(rand.New(rand.NewPCG(17, uint64(seed))))
		r := rand.New(rand.NewPCG(19, uint64(seed)))
		var small *finding.Result
		var states uint64
		for _, most := range []uint64{uint64(3 + r.IntN(30)), uint64(30 + r.IntN(150)), uint64(200 + r.IntN(800)), 0} {
			large := p.check(t, plainDress, Options{Compare: run.Compare{States: most}})
			if cutOff(large) {
				return
			}
			if small != nil {
				mu.Lock()
				if compared++; small.Verdict == finding.Inconclusive {
					undecided++
				}
				told += len(small.Findings)
				mu.Unlock()
				if why := loosened(small, large); why != "" {
					t.Errorf("pair %d, %d states: %s with %d:\n%s\nbecomes\n%s", seed, states, why, most,
						strings.Join(toldIn(small), "\n"), strings.Join(toldIn(large), "\n"))
				}
			}
			small, states = large, most
		}
	}
	workers := runtime.GOMAXPROCS(0)
	t.Run("pairs", func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint(w+1), func(t *testing.T) {
				t.Parallel()
				for seed := w; seed < pairs; seed += workers {
					one(t, *firstPair+seed)
				}
			})
		}
	})
	if undecided < pairs/6 || told < pairs/6 {
		t.Errorf("of %d comparisons %d are with what was cut off, with %d findings in all: they say little",
			compared, undecided, told)
	}
	t.Logf("%d comparisons, %d with what was cut off, %d findings", compared, undecided, told)
}

func toldIn(r *finding.Result) []string { return told(r, plainDress) }
