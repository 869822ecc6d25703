package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// quickThirds is of how many pull requests of the first three sets one is tried with -short.
const quickThirds = 17

// Nor by anything of further sets: what breaks web fails, or the run says that it was not analysed; what takes its pods
// away, rests them or has them twice is named.
func TestNobodyTalksTheCheckOutOfItByFurtherSets(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	for _, set := range []struct {
		name         string
		list         map[string]talk
		quick, least int    // of how many one is tried with -short; how many there are
		also         string // what a pass may say instead
	}{
		{"third", third(), quickThirds, 200, "default/web"},
		{"fourth", fourth(), 37, 400, "nothing is claimed of them"},
		{"fifth", fifth(), 19, 100, "nothing is claimed of them"},
		{"sixth", sixth(), 11, 55, "nothing is claimed of it"},
		{"seventh", seventh(), 7, 40, "default/web"},
		{"sixth, nested", sixthNested(), 59, 150, "nothing is claimed of it"},
	} {
		if len(set.list) < set.least {
			t.Errorf("%s: %d pull requests, want %d", set.name, len(set.list), set.least)
		}
		policy := treeFiles{".kubesettle.yaml": actionPolicy}
		outcomes := map[string]int{}
		for i, name := range slices.Sorted(maps.Keys(set.list)) {
			if testing.Short() && i%set.quick != 0 { // a check takes a tenth of a second
				continue
			}
			one := set.list[name]
			t.Run(set.name+"/"+name, func(t *testing.T) {
				base, head := policy.with(one.base), policy.with(one.head)
				_, own := one.base[".kubesettle.yaml"]
				if own {
					head = one.head
				}
				c := checkTrees(t, base, head)
				outcomes[fmt.Sprint(c.code, " ", c.result.Verdict)]++
				about := strings.Contains(c.text, "default/web") || strings.Contains(c.text, set.also) ||
					slices.ContainsFunc(c.result.Findings, func(f finding.Finding) bool { return f.Status != "fixed" })
				if c.code == exitPass && c.result.Verdict == finding.Pass && !about {
					t.Errorf("it passes in silence:\n%s", c.text)
				}
				if c.code == exitUsage {
					t.Errorf("a usage error:\n%s", c.text)
				}
			})
		}
		t.Logf("%s: %d pull requests: %v", set.name, len(set.list), outcomes)
	}
}
