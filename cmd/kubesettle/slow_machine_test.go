package main

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// A machine that is ten, a hundred or a thousand times slower has as much less time: the verdict of a change is the same
// on it, or inconclusive, and then it says how far the time fell short.
func TestASlowMachineChangesNoVerdict(t *testing.T) {
	policy := treeFiles{".kubesettle.yaml": actionPolicy}
	loops := treeFiles{"n/Chart.yaml": "apiVersion: v2\nname: n\nversion: 1.0.0\n", "n/templates/a.yaml": "{{ range until 3000 }}{{ range until 3000 }}{{ end }}{{ end }}"}
	good, bad := deployables(100), deployables(1500)
	for name, trees := range map[string][2]treeFiles{
		"broken": {good["plain"], bad["plain"]}, "in order": {good["chart"], good["chart"].with(treeFiles{"k/c.yaml": "x"})},
		"another image": {good["kustomization"], good["kustomization"].with(treeFiles{"k/web.yaml": strings.Replace(webManifest(100), "image: web", "image: web2", 1)})},
		"a loop":        {good["plain"], good["plain"].with(loops)}, "broken with a loop": {good["plain"], bad["plain"].with(loops)},
	} {
		if testing.Short() && strings.Contains(name, "loop") {
			continue // two million steps take seconds
		}
		whole := checkTrees(t, trees[0].with(policy), trees[1].with(policy))
		for _, budget := range []string{"12s", "1200ms", "120ms", "12ms", "1ms"} {
			c := checkTrees(t, trees[0].with(policy), trees[1].with(policy), "--time-budget", budget)
			same := c.code == whole.code && c.result.Verdict == whole.result.Verdict
			short := c.code == exitPass && c.result.Verdict == finding.Inconclusive && strings.Contains(c.text, "time")
			if !same && !short {
				t.Errorf("%s within %s: exit code %d, %s; with all the time %d, %s:\n%s", name, budget, c.code, c.result.Verdict, whole.code, whole.result.Verdict, c.text)
			}
		}
	}
}
