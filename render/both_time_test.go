package render

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/pair"
	"github.com/kubesettle/kubesettle/render/reach"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

// A repository that there is no time to look through on either side is one release that was cut,
// on both: the change has no part in it.
func TestNoTimeToLookIsNotTheChange(t *testing.T) {
	tree, err := tree.Map("t", map[string]string{"web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n"})
	if err != nil {
		t.Fatal(err)
	}
	c := &release.Clock{}
	c.Set(time.Now().Add(-time.Second))
	b, h, err := RenderBoth(context.Background(), tree, tree, Options{Clock: c})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []*object.Revision{b, h} {
		if len(rev.Releases) != 1 || rev.Releases[0].Err == nil || !rev.Releases[0].Err.Cut {
			t.Fatalf("%+v", rev.Releases)
		}
	}
	if Broke(ch, b.Releases[0], h.Releases[0]) || len(ch.Changes) != 0 {
		t.Errorf("taken for the change's: %+v", ch.Changes)
	}
}

// recordedRunner notes what is rendered, and ends the time after some of it.
type recordedRunner struct {
	worker.Runner
	clock *release.Clock
	last  int
	ran   *[]*release.Recipe
}

func (r recordedRunner) Run(j *release.Recipe) release.Output {
	if *r.ran = append(*r.ran, j); len(*r.ran) == r.last {
		r.clock.Set(time.Now().Add(-time.Second))
	}
	return r.Runner.Run(j)
}

// timedSides are base and head of some files, ready to be rendered until the time ends in a rendering.
func timedSides(t *testing.T, last int, trees ...map[string]string) ([]*side.Side, recordedRunner) {
	t.Helper()
	opt := Options{Clock: &release.Clock{}, Workers: 1}
	inner := worker.New(t.Context(), opt.Running())
	t.Cleanup(inner.Close)
	run := recordedRunner{inner, opt.Clock, last, new([]*release.Recipe)}
	var sides []*side.Side
	for _, files := range trees {
		m, err := tree.Map("t", files)
		if err != nil {
			t.Fatal(err)
		}
		s, err := side.Prepare(t.Context(), m, opt, run, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, s)
	}
	return sides, run
}

// Wherever the time ends, head had none for a release that base had none for: what head takes is held against what
// base takes for the same.
func TestTimeEndsOnBothSidesAlike(t *testing.T) {
	files := func(image string) map[string]string {
		out := map[string]string{}
		for _, name := range []string{"a", "b", "c", "d"} {
			out[name+"/kustomization.yaml"] = "resources: [pod.yaml]\n"
			out[name+"/pod.yaml"] = "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: " + image + "}]}\n"
		}
		return out
	}
	ctx := context.Background()
	for last := 1; last <= 8; last++ {
		sides, timed := timedSides(t, last, files("one"), files("two"))
		if err := reach.Complete(ctx, sides[0], sides[1]); err != nil {
			t.Fatal(err)
		}
		onHead := 0
		for i, r := range sides[1].Releases {
			if sides[1].Outputs[i].Err != nil {
				continue
			}
			onHead++
			if sides[0].Outputs[sides[0].ByID[r.ID]].Err != nil {
				t.Errorf("after %d: %s was rendered on head alone", last, r.ID)
			}
		}
		if ran := *timed.ran; onHead != last/2 || len(ran) != last {
			t.Errorf("after %d of %d: %d releases rendered on head", last, len(ran), onHead)
		}
	}
}

// No release is rendered after the time ended, wherever that is: not what waited for others, what is woken, nor what is
// declared later; and each that was not says so.
func TestNothingIsRenderedAfterTheTime(t *testing.T) {
	ctx, cut := context.Background(), 0
	for seed := range uint64(6) {
		files := fluxFiles("https://charts.example.com", rand.New(rand.NewPCG(seed, 3)))
		head := maps.Clone(files)
		for f, text := range files {
			head[f] = text + "# changed\n"
		}
		for last := 1; last <= 16; last += 3 {
			sides, timed := timedSides(t, last, files, head)
			if err := reach.Complete(ctx, sides[0], sides[1]); err != nil {
				t.Fatal(err)
			}
			if n := len(*timed.ran); n > last {
				t.Errorf("seed %d: %d renderings, the time ended in number %d", seed, n, last)
			}
			over := timed.clock.Over()
			for _, s := range sides {
				covered := pair.Coverers(s)
				for i, r := range s.Releases {
					_, dropped := covered[i]
					none := len(s.Outputs[i].Docs) == 0 && s.Outputs[i].Err == nil && !dropped
					if over && none {
						t.Errorf("seed %d, %d: %s was neither rendered nor cut", seed, last, r.ID)
					}
					if err := s.Outputs[i].Err; err != nil && err.Cut {
						cut++
					}
				}
			}
		}
	}
	if cut < 100 {
		t.Errorf("%d releases were cut: the repositories show nothing", cut)
	}
}

// Wherever the time ends, neither side has a release that the other one has not, where the change adds and removes none:
// what there was no time to list is not gone, or new.
func TestNothingIsGoneForLackOfTime(t *testing.T) {
	ctx, cut := context.Background(), 0
	for seed := range uint64(6) {
		files := fluxFiles("https://charts.example.com", rand.New(rand.NewPCG(seed, 3)))
		for _, dir := range []string{"apps/app0", "apps/app1", "apps/app2"} { // found by themselves, too
			files[dir+"/kustomization.yaml"] = "resources: [ks.yaml]\n"
		}
		head := maps.Clone(files)
		for _, f := range []string{"apps/app0/app/release.yaml", "apps/app1/ks.yaml"} {
			head[f] += "# changed\n"
		}
		for last := 1; last <= 22; last += 3 {
			sides, _ := timedSides(t, last, files, head)
			b, h, err := compared(ctx, sides[0], sides[1])
			if err != nil {
				t.Fatal(err)
			}
			onBase := map[string]bool{}
			for _, r := range b.Releases {
				onBase[r.ID] = true
			}
			for _, r := range h.Releases {
				if r.Err != nil && r.Err.Cut {
					cut++
				}
				if !onBase[r.ID] {
					t.Errorf("seed %d, %d: %s is on head alone: %s", seed, last, r.ID, r.Why)
				}
				delete(onBase, r.ID)
			}
			for id := range onBase {
				t.Errorf("seed %d, %d: %s is on base alone", seed, last, id)
			}
		}
	}
	if cut < 50 {
		t.Errorf("%d releases were cut: the repositories show nothing", cut)
	}
}

// Wherever the time ends, what a change does to a chart is told, or a release of the chart was cut: also what shows only
// with values of chart-testing, of either side, with what switches it on, or with what the chart asks for.
func TestNothingPassesForLackOfTime(t *testing.T) {
	chart := func(out map[string]string, dir, values, template string) {
		out[dir+"/Chart.yaml"] = "apiVersion: v2\nname: " + path.Base(dir) + "\nversion: 1.0.0\n"
		out[dir+"/values.yaml"], out[dir+"/templates/web.yaml"] = values, template
	}
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: %s}]}\n"
	files := func(image string) map[string]string {
		out := map[string]string{}
		chart(out, "needs", "{}\n", fmt.Sprintf(pod, image+"{{ .Values.image.name }}"))
		out["needs/ci/test-values.yaml"] = "image: {name: " + image + "}\n"
		chart(out, "idle", "image: ''\n", "{{ if .Values.image }}\n"+fmt.Sprintf(pod, image+"{{ .Values.image }}")+"{{ end }}\n")
		out["idle/ci/test-values.yaml"] = "image: " + image + "\n"
		chart(out, "hides", "on: false\n", "{{ if .Values.on }}\n"+fmt.Sprintf(pod, image)+"{{ end }}\n")
		chart(out, "asks", "{}\n", fmt.Sprintf(pod, image+`{{ required "give a tag" .Values.tag }}`))
		return out
	}
	head := files("two")
	head["needs/ci/more-values.yaml"] = "image: {name: three}\n"
	run := func(last int) (map[string]bool, map[string]bool, int) {
		sides, timed := timedSides(t, last, files("one"), head)
		b, h, err := compared(t.Context(), sides[0], sides[1])
		if err != nil {
			t.Fatal(err)
		}
		ch, err := Diff(b, h)
		if err != nil {
			t.Fatal(err)
		}
		changed, cut := map[string]bool{}, map[string]bool{}
		for _, c := range ch.Changes {
			changed[c.Release] = true
		}
		for _, r := range h.Releases {
			cut[r.Path] = cut[r.Path] || r.Err != nil && r.Err.Cut
		}
		return changed, cut, len(*timed.ran)
	}
	all, _, n := run(1 << 20)
	if len(all) < 5 {
		t.Fatalf("%v change", all)
	}
	for last := 1; last <= n; last++ {
		changed, cut, _ := run(last)
		for id := range all {
			if dir, _, _ := strings.Cut(id, ":"); !changed[id] && !cut[dir] {
				t.Errorf("after %d of %d: nothing is said of %s", last, n, id)
			}
		}
	}
}

// A side that was cut may have more than it lists: what the other side has and is made of files that are here, too. One
// that was not cut, or that lacks the files, has no more.
func TestUnlisted(t *testing.T) {
	pod := func(name string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec: {containers: [{name: c, image: i}]}\n"
	}
	for name, tt := range map[string]struct {
		cut, here bool
		want      int
	}{"cut": {true, true, 2}, "looked through": {false, true, 1}, "cut, and without the file": {true, false, 1}} {
		files := map[string]string{"a/pod.yaml": pod("a"), "b/pod.yaml": pod("b"),
			"a/kustomization.yaml": "resources: [pod.yaml]\n", "b/kustomization.yaml": "resources: [pod.yaml]\n"}
		base, err := tree.Map("base", maps.Clone(files))
		if err != nil {
			t.Fatal(err)
		}
		if !tt.here {
			delete(files, "b/pod.yaml")
		}
		head, err := tree.Map("head", files)
		if err != nil {
			t.Fatal(err)
		}
		b, h, err := RenderBoth(context.Background(), base, head, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Releases) != 2 || h.Releases[1].ID != "b" {
			t.Fatalf("%s: head has %d releases", name, len(h.Releases))
		}
		h.Releases = h.Releases[:1]
		if tt.cut {
			h.Releases[0].Err = side.MadeOf(h.Releases[0]).Recipe.Cut()
		}
		unlisted(h, b)
		if len(h.Releases) != tt.want || tt.want == 2 && (h.Releases[1].ID != "b" || !h.Releases[1].Err.Cut) {
			t.Errorf("%s: %d releases, want %d", name, len(h.Releases), tt.want)
		}
	}
}
