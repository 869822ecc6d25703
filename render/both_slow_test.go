package render

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/reach"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// slowRunner takes long over charts that say so, and renders nothing. Its times are made, as a busy machine may take
// longer over the others.
type slowRunner struct {
	worker.Runner
	clock *release.Clock
	last  int // the run that the time ends with
	ran   *int
	took  map[string]time.Duration
}

func (r slowRunner) Run(j *release.Recipe) release.Output {
	took := time.Microsecond
	for _, b := range j.Files {
		if strings.Contains(string(b), "slow") {
			took = 2 * time.Millisecond
			break
		}
	}
	r.took[j.Release.ID] = took
	if *r.ran++; *r.ran == r.last {
		r.clock.Set(time.Now().Add(-time.Second))
	}
	return release.Output{}
}

// Fourteen charts that the change makes slow, or that it adds, are its doing, wherever the time ends after the first of
// them: otherwise a change could switch off its own gate.
func TestManySlowChartsAreTheChanges(t *testing.T) {
	const charts = 14
	files := func(text string) map[string]string {
		out := map[string]string{"README.md": text}
		for i := range charts {
			if text != "" {
				out[fmt.Sprintf("c%d/Chart.yaml", i)] = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
				out[fmt.Sprintf("c%d/templates/a.yaml", i)] = text
			}
		}
		return out
	}
	for name, base := range map[string]string{"made slow": "quick", "new": ""} {
		first, most := 2, 2*charts // the first run of head, and all
		if base == "" {
			first, most = 1, charts
		}
		for last := first; last <= most; last++ {
			clock := &release.Clock{}
			opt := Options{Clock: clock, Workers: 1}
			run := worker.New(context.Background(), opt.Running())
			var sides []*side.Side
			var runners []slowRunner
			ran := 0
			for _, text := range []string{base, "slow"} {
				m, err := tree.Map("side", files(text))
				if err != nil {
					t.Fatal(err)
				}
				slow := slowRunner{run, clock, last, &ran, map[string]time.Duration{}}
				s, err := side.Prepare(context.Background(), m, opt, slow, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				sides, runners = append(sides, s), append(runners, slow)
			}
			if err := reach.Complete(context.Background(), sides[0], sides[1]); err != nil {
				t.Fatal(err)
			}
			run.Close()
			for i, s := range sides {
				for id := range s.Spent.Of {
					s.Spent.Of[id] = runners[i].took[id]
				}
			}
			if ran != last || !side.Slower(sides[0], sides[1]) {
				t.Errorf("%s, the time ends after %d runs of %d: head does not count as slow", name, ran, last)
			}
		}
	}
}
