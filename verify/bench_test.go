//go:build unix

package verify

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
)

// BenchmarkCases runs every case of testdata/kivi and testdata/failures, and prints the
// table of verify/COST.md; rendering is not in the times.
func BenchmarkCases(b *testing.B) {
	dirs, err := filepath.Glob("../testdata/*/*/*/policy.yaml")
	if err != nil || len(dirs) == 0 {
		b.Fatalf("no cases: %v", err)
	}
	table := newTable("case", "verdict", "findings (nodes, pods, events, steps)", "topologies", "states", "transitions", "ms", "ms of processor")
	var all, kivi, slowest, used, kiviUsed time.Duration
	for _, file := range dirs {
		dir := filepath.Dir(file)
		name := strings.TrimPrefix(filepath.ToSlash(dir), "../testdata/")
		b.Run(name, func(b *testing.B) {
			run := caseRun(b, dir)
			var r *finding.Result
			start, before := time.Now(), processor()
			for range b.N {
				r = run()
			}
			took, used := time.Since(start)/time.Duration(b.N), (processor()-before)/time.Duration(b.N)
			table.set(name, caseRow(r, took, used)...)
			table.took[name], table.used[name] = took, used
		})
	}
	for name, took := range table.took {
		all, used = all+took, used+table.used[name]
		if strings.HasPrefix(name, "kivi/") {
			kivi, kiviUsed, slowest = kivi+took, kiviUsed+table.used[name], max(slowest, took)
		}
	}
	table.print()
	fmt.Printf("\nAll: %s s, %s s of processor time; testdata/kivi: %s s, %s s of processor time, the slowest %s s; peak resident memory: %d MiB.\n",
		seconds(all), seconds(used), seconds(kivi), seconds(kiviUsed), seconds(slowest), peakMiB())
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
		table := newTable(g.what, "verdict", "bound", "topologies", "max nodes", "pods verified", "states", "transitions", "ms", "ms of processor")
		b.Run(strings.ReplaceAll(g.what, " ", "-"), func(b *testing.B) {
			for _, n := range g.sizes {
				b.Run(fmt.Sprint(n), func(b *testing.B) {
					check := g.at(n).checked(b)
					var r *finding.Result
					start, before := time.Now(), processor()
					for range b.N {
						r = check()
					}
					took, used := time.Since(start)/time.Duration(b.N), (processor()-before)/time.Duration(b.N)
					c := &r.Coverage
					table.set(fmt.Sprintf("%4d", n), string(r.Verdict), c.Bound, fmt.Sprint(c.Topologies), fmt.Sprint(c.MaxNodes), fmt.Sprint(c.MaxPods),
						fmt.Sprint(c.States), fmt.Sprint(c.Transitions), millis(took), millis(used))
				})
			}
		})
		table.print()
	}
}

// BenchmarkReductions prints how many states the change of a script takes with all
// reductions and without each of them, on the default cluster.
func BenchmarkReductions(b *testing.B) {
	table := newTable("slice, nodes by zone", "all reductions", "no zone symmetry", "no node symmetry", "deletions and loads at any moment", "none of the three")
	b.Run("all", func(b *testing.B) {
		for range b.N {
			for _, file := range reducibles {
				for _, topology := range []scale.Topology{{1, 1, 1}, {2, 1, 1}} {
					var cells []string
					for _, off := range []without{{}, {zones: true}, {zones: true, nodes: true}, {unseen: true}, {zones: true, nodes: true, unseen: true}} {
						_, n := reducedViolated(b, reducible(b, file), topology, off)
						cells = append(cells, fmt.Sprint(n))
					}
					table.set(fmt.Sprint(file, " ", topology), cells...)
				}
			}
		}
	})
	table.print()
}
