//go:build unix

package verify

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// BenchmarkForesee prints the part of a check's processor time that forecasts take: every pair of testdata with a base,
// and larger rollouts, with forecasts and without, in turns. Rendering is not in the times.
func BenchmarkForesee(b *testing.B) {
	const rounds = 5 // the quickest of them counts: the rest is the machine
	pairs := map[string]func(unforeseen bool) func() *finding.Result{}
	dirs, err := filepath.Glob("../testdata/*/*/*/head")
	if err != nil || len(dirs) == 0 {
		b.Fatalf("no pairs: %v", err)
	}
	for _, d := range dirs {
		dir := filepath.Dir(d)
		pairs[strings.TrimPrefix(filepath.ToSlash(dir), "../testdata/")] = func(unforeseen bool) func() *finding.Result {
			return caseRunWith(b, dir, func(o *Options) { o.Unforeseen = unforeseen })
		}
	}
	for _, s := range []shop{{3, 3, 1, 1}, {6, 8, 1, 1}, {25, 3, 1, 1}, {3, 2, 2, 1}, {3, 2, 3, 1}, {6, 3, 1, 4}} {
		pairs[fmt.Sprintf("shop %v", s)] = func(unforeseen bool) func() *finding.Result {
			return s.checkedWith(b, func(o *Options) { o.Unforeseen = unforeseen })
		}
	}
	table := newTable("pair", "forecasts", "states", "ms of processor", "without", "more")
	var with, without time.Duration
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		runs := [2]func() *finding.Result{pairs[name](false), pairs[name](true)}
		var r *finding.Result
		least := [2]time.Duration{time.Hour, time.Hour}
		for range rounds {
			for arm := range runs {
				runtime.GC()
				before := processor()
				got := runs[arm]()
				if least[arm] = min(least[arm], processor()-before); arm == 0 {
					r = got
				}
			}
		}
		if r.Coverage.States == 0 {
			continue
		}
		with, without = with+least[0], without+least[1]
		table.set(name, fmt.Sprint(len(r.Forecasts)), fmt.Sprint(r.Coverage.States), micros(least[0]), micros(least[1]),
			fmt.Sprintf("%+.1f %%", 100*(least[0].Seconds()/least[1].Seconds()-1)))
	}
	table.print()
	fmt.Printf("\n%d pairs that are searched: %s s of processor time, %s s without forecasts: %+.1f %%.\n", len(table.rows),
		seconds(with), seconds(without), 100*(with.Seconds()/without.Seconds()-1))
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
