package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// TestForecastHolds compares what is foreseen of changes to random clusters with what a search without reductions sees:
// no state that the change leads to lies beyond the numbers, and each number is reached.
func TestForecastHolds(t *testing.T) {
	notUnderRace(t)
	clusters, budget := 40, time.Minute
	if testing.Short() {
		clusters = 6
	}
	told, fell, surged := 0, 0, 0
	for seed := range clusters {
		r := rand.New(rand.NewPCG(41, uint64(seed)))
		base, head, policy := randomShop(r, 2+r.IntN(4), seed%2 == 0)
		ch, pol := changeOf(t, base, head, policy)
		foreseen := func(off bool) (*finding.Result, []string) {
			res := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 1, TimeBudget: budget,
				Compare: run.Compare{States: 60_000, Calm: true, Unlumped: off, Whole: off, Twice: off, Interleaved: off, Unreduced: off}}))
			return res, numbersOf(res)
		}
		less, got := foreseen(false)
		more, want := foreseen(true)
		if ranOut(less) || ranOut(more) {
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("cluster %d: foreseen\n%s\nof all states\n%s", seed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, f := range less.Forecasts {
			for _, w := range f.Workloads {
				told++
				if w.Ready.Min < w.Before {
					fell++
				}
				if w.Pods.Max > w.Before {
					surged++
				}
			}
		}
	}
	t.Logf("%d workloads foreseen, %d fall below what was ready, %d exceed it", told, fell, surged)
	if told < clusters/2 || fell < clusters/8 || surged < clusters/8 {
		t.Error("the test has lost its teeth")
	}
}

// numbersOf lists the ranges of a result's forecasts.
func numbersOf(r *finding.Result) []string {
	var out []string
	for _, f := range r.Forecasts {
		for _, w := range f.Workloads {
			out = append(out, fmt.Sprintf("%s: replicas %v, pods %v, ready %v", w.Workload, w.Replicas, w.Pods, w.Ready))
		}
	}
	return out
}

// TestForeseeAgrees asks what random changes will do, by a search of its own, and compares it with what the searches of
// the check saw on the way.
func TestForeseeAgrees(t *testing.T) {
	notUnderRace(t)
	clusters := 24
	if testing.Short() {
		clusters = 8
	}
	told := 0
	for seed := range clusters {
		r := rand.New(rand.NewPCG(42, uint64(seed)))
		base, head, policy := randomShop(r, 2+r.IntN(4), seed%2 == 0)
		ch, pol := changeOf(t, base, head, policy)
		opt := Options{Policy: pol, Workers: 1, TimeBudget: time.Minute, Compare: run.Compare{States: 60_000, Calm: true}}
		res := verdict(t)(Check(context.Background(), ch, opt))
		if ranOut(res) {
			continue
		}
		asked, err := Foresee(context.Background(), ch, scenario.Question{}, opt)
		if err != nil {
			t.Fatal(err)
		}
		got := numbersOf(asked)
		for _, want := range numbersOf(res) {
			if told++; !slices.Contains(got, want) {
				t.Errorf("cluster %d: checked %s, asked\n%s", seed, want, strings.Join(got, "\n"))
			}
		}
		for _, f := range asked.Forecasts {
			if f.Run == nil {
				t.Errorf("cluster %d: no likeliest run", seed)
			}
		}
	}
	if told < clusters/2 {
		t.Errorf("%d workloads: the test has lost its teeth", told)
	}
}
