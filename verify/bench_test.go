package verify

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// BenchmarkCases runs every case of testdata/kivi and testdata/failures, and prints the
// table of docs/performance.md; rendering is not in the times.
func BenchmarkCases(b *testing.B) {
	dirs, err := filepath.Glob("../testdata/*/*/*/policy.yaml")
	if err != nil || len(dirs) == 0 {
		b.Fatalf("no cases: %v", err)
	}
	table := newTable("case", "verdict", "findings (nodes, pods, events, steps)", "topologies", "states", "transitions", "ms")
	var all, kivi, slowest time.Duration
	for _, file := range dirs {
		dir := filepath.Dir(file)
		name := strings.TrimPrefix(filepath.ToSlash(dir), "../testdata/")
		b.Run(name, func(b *testing.B) {
			run := caseRun(b, dir)
			var r *Result
			start := time.Now()
			for range b.N {
				r = run()
			}
			took := time.Since(start) / time.Duration(b.N)
			table.set(name, caseRow(r, took)...)
			table.took[name] = took
		})
	}
	for name, took := range table.took {
		all += took
		if strings.HasPrefix(name, "kivi/") {
			kivi, slowest = kivi+took, max(slowest, took)
		}
	}
	table.print()
	fmt.Printf("\nAll: %s s; testdata/kivi: %s s, the slowest %s s; peak resident memory: %d MiB.\n",
		seconds(all), seconds(kivi), seconds(slowest), peakMiB())
}

// BenchmarkGrowth prints how states and time grow with nodes, pods, workloads and node
// classes, one at a time.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range []struct {
		what  string
		sizes []int
		at    func(n int) shop
	}{
		{"nodes", []int{1, 2, 3, 6, 12, 25, 50, 100}, func(n int) shop { return shop{nodes: n, pods: 3, workloads: 1, classes: 1} }},
		{"pods", []int{2, 4, 8, 16, 36, 100, 300, 1000}, func(n int) shop { return shop{nodes: 6, pods: n, workloads: 1, classes: 1} }},
		{"workloads", []int{1, 2, 3, 4, 6, 8}, func(n int) shop { return shop{nodes: 3, pods: 2, workloads: n, classes: 1} }},
		{"node classes", []int{1, 2, 3, 4, 5, 6}, func(n int) shop { return shop{nodes: 6, pods: 3, workloads: 1, classes: n} }},
	} {
		table := newTable(g.what, "verdict", "bound", "topologies", "max nodes", "pods verified", "states", "transitions", "ms", "us a state")
		b.Run(strings.ReplaceAll(g.what, " ", "-"), func(b *testing.B) {
			for _, n := range g.sizes {
				b.Run(fmt.Sprint(n), func(b *testing.B) {
					check := g.at(n).checked(b)
					var r *Result
					start := time.Now()
					for range b.N {
						r = check()
					}
					took := time.Since(start) / time.Duration(b.N)
					c := &r.Coverage
					table.set(fmt.Sprintf("%4d", n), string(r.Verdict), c.Bound, fmt.Sprint(c.Topologies), fmt.Sprint(c.MaxNodes), fmt.Sprint(c.MaxPods),
						fmt.Sprint(c.States), fmt.Sprint(c.Transitions), fmt.Sprint(took.Milliseconds()), fmt.Sprintf("%.1f", float64(took.Microseconds())/float64(max(c.States, 1))))
				})
			}
		})
		table.print()
	}
}
