package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/report"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A machine that is ten, a hundred or a thousand times slower has as much less time: the verdict of a change is the same
// on it, or inconclusive, and then it says how far the time fell short.
func TestASlowMachineChangesNoVerdict(t *testing.T) {
	t.Parallel()
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
		budgets := []string{"12s", "1200ms", "120ms", "12ms", "1ms"}
		if strings.Contains(name, "loop") {
			budgets = []string{"12s", "120ms", "1ms"} // each of them takes its time
		}
		for _, budget := range budgets {
			c := checkTrees(t, trees[0].with(policy), trees[1].with(policy), "--time-budget", budget)
			same := c.code == whole.code && c.result.Verdict == whole.result.Verdict
			short := c.code == exitPass && c.result.Verdict == finding.Inconclusive && strings.Contains(c.text, "time")
			if !same && !short {
				t.Errorf("%s within %s: exit code %d, %s; with all the time %d, %s:\n%s", name, budget, c.code, c.result.Verdict, whole.code, whole.result.Verdict, c.text)
			}
		}
	}
}

// An analysis that does not heed its time is inconclusive in every phase, with a report that says which phase overran and
// by how much; what hangs goes on hanging, and changes nothing of it.
func TestWhatOverrunsItsTimeIsInconclusive(t *testing.T) {
	trees := [2]tree.Tree{}
	for i, millicores := range []int{100, 1500} {
		var err error
		if trees[i], err = tree.Dir(deployables(millicores)["plain"].put(t, t.TempDir())); err != nil {
			t.Fatal(err)
		}
	}
	for _, base := range []tree.Tree{trees[0], nil} {
		for _, phase := range []string{phaseRendering, phaseComparing, phaseSearching} {
			d := newDeadline(func(err error) { t.Errorf("%s ends the run: %v", phase, err) }, func(int) {})
			var expire func()
			d.after = func(_ time.Duration, f func()) func() bool { expire = f; return func() bool { return true } }
			p := &process{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{},
				getenv: func(string) string { return "" }, deadline: d}
			var f runFlags
			cmd := &cobra.Command{}
			f.rendering.flags(cmd)
			f.gating.flags(cmd)
			f.searching.flags(cmd)
			spent, hang := spend(p, time.Minute), make(chan bool)
			done, err := spent.within(func() (*finished, error) {
				spent.enter(phase)
				go expire()
				<-hang
				return nil, nil
			}, func(why error) (*finished, error) {
				return f.undecided(context.Background(), p, base, trees[1], render.Options{}, why)
			})
			if err != nil {
				t.Fatal(err)
			}
			close(hang)
			var text bytes.Buffer
			if err := report.Text(&text, done.result, done.options()); err != nil {
				t.Fatal(err)
			}
			strict := done.gate
			strict.OnInconclusive = "fail"
			said := strings.Join(strings.Fields(text.String()), " ")
			if c, s := done.result.ExitCode(done.gate), done.result.ExitCode(strict); c != exitPass || s != exitInconclusive ||
				!strings.Contains(said, fmt.Sprintf("%s did not within another %s", phase, beyond(time.Minute))) || strings.Contains(said, "release is made") {
				t.Errorf("%s, with base: %v: exit codes %d and %d:\n%s", phase, base != nil, c, s, text.String())
			}
		}
	}
}
