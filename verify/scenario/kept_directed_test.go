package scenario

import (
	"context"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A directed search is asked for once: what it found, and that it found nothing, is kept for the same question alone, and
// not where the clock stopped it.
func TestADirectedSearchIsKept(t *testing.T) {
	p := keptProblem(t)
	start := gitops.Install(p.Cfg, state.Base).B
	program := func() string { return "this one" }
	store := memo.Open(t.TempDir(), program, true)
	bud := Budget{Kept: store}
	runs := 0
	ask := func(d directed, kind string, start []byte) *search.Violation {
		d.problem, d.ctx = p, context.Background()
		return d.keptAs(bud, kind, start, func() *search.Violation { runs++; return nil })
	}
	late := time.Now().Add(-time.Second)
	other := append([]byte(nil), start...)
	other[len(other)-1]++
	for _, tt := range []struct {
		name string
		d    directed
		kind string
		from []byte
		runs int // in all
	}{
		{"stopped by the clock", directed{until: late}, "run", start, 1},
		{"not stopped", directed{}, "run", start, 2},
		{"again", directed{}, "run", start, 2},
		{"after its time", directed{until: late}, "run", start, 2},
		{"another kind", directed{}, "search", start, 3},
		{"lingering", directed{linger: true}, "run", start, 4},
		{"another rule", directed{rule: 1}, "run", start, 5},
		{"another guide", directed{guide: []guideStep{{1, false}}}, "run", start, 6},
		{"another loop", directed{loop: 1}, "run", start, 7},
		{"another start", directed{}, "run", other, 8},
		{"again", directed{guide: []guideStep{{1, false}}}, "run", start, 8},
	} {
		if v := ask(tt.d, tt.kind, tt.from); v != nil || runs != tt.runs {
			t.Errorf("%s: %v after %d runs, want %d", tt.name, v, runs, tt.runs)
		}
	}
	want, ok := p.calm(start)
	for range 2 {
		if got, rests := p.calmKept(bud, start); rests != ok || string(got) != string(want) {
			t.Errorf("it settles in %x, %v, by itself in %x, %v", got, rests, want, ok)
		}
	}
	if asked, found := store.Counts(); asked != 13 || found != 4 {
		t.Errorf("%d asked, %d found: settling was not kept", asked, found)
	}
}
