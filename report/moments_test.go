package report

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// randomTrace is an interleaving in which some steps change nothing visible, with a loop or a decisive step.
func randomTrace(r *rand.Rand, steps int) finding.Finding {
	f := finding.Finding{Rule: "rollout-stuck", Message: "it stands still"}
	ready := 0
	for i := range steps {
		if r.IntN(3) > 0 {
			ready++
		}
		f.Interleaving = append(f.Interleaving, finding.Step{
			Actor: []string{"apply", "deployment/default/web", "scheduler", "kubelet-start/default/web"}[r.IntN(4)],
			Class: []string{"sync", "sync", "kubelet", "event"}[r.IntN(4)], Text: fmt.Sprintf("step <%d> & %q", i, strings.Repeat("&", r.IntN(200))),
			Object: fmt.Sprintf("Pod default/web-%d", r.IntN(3)), Because: []finding.Because{{File: "a.yaml", Line: i + 1}},
			After: &finding.Snapshot{Nodes: []finding.NodeSnapshot{{Name: "a-1", Pods: []finding.PodsSnapshot{{Workload: "apps/Deployment default/web", Phase: "ready", Count: ready}}}}},
		})
	}
	at := r.IntN(steps)
	if r.IntN(2) == 0 {
		f.CycleStart = &at
	} else {
		f.Decisive, f.Lucky = &at, f.Interleaving[:1]
	}
	return f
}

// TestFoldUnseen holds what folding keeps: every text and every reason in their order, events and the end as steps,
// where a loop begins and what decides; and that nothing else is left that changes nothing.
func TestFoldUnseen(t *testing.T) {
	folded := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 41))
		was := randomTrace(r, 2+r.IntN(30))
		is := was
		foldUnseen(&is)
		folded += len(was.Interleaving) - len(is.Interleaving)
		texts, reasons := "", 0
		for i := range is.Interleaving {
			texts += stepText(&is.Interleaving[i]) + "; "
			reasons += len(is.Interleaving[i].Because)
		}
		at := -1
		for i := range was.Interleaving {
			text := stepText(&was.Interleaving[i])
			if k := strings.Index(texts, text); k <= at {
				t.Fatalf("seed %d: %q is lost, or out of order", seed, text)
			} else {
				at = k
			}
		}
		if reasons != len(was.Interleaving) {
			t.Errorf("seed %d: %d reasons of %d", seed, reasons, len(was.Interleaving))
		}
		for _, at := range [][2]*int{{was.Decisive, is.Decisive}, {was.CycleStart, is.CycleStart}} {
			if at[0] != nil && !strings.HasSuffix(stepText(&is.Interleaving[*at[1]]), stepText(&was.Interleaving[*at[0]])) {
				t.Errorf("seed %d: the step that matters is another one", seed)
			}
		}
		if !reflect.DeepEqual(is.Interleaving[len(is.Interleaving)-1].After, was.Interleaving[len(was.Interleaving)-1].After) {
			t.Errorf("seed %d: it ends elsewhere", seed)
		}
	}
	if folded < 500 {
		t.Errorf("%d steps folded: the test has lost its teeth", folded)
	}
}

// TestLanes: a diagram has a row for each step that is shown, marks the decisive one, and stays small whatever the
// steps say.
func TestLanes(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 43))
		f := randomTrace(r, 2+r.IntN(120))
		shown := elide(&f, laneSteps)
		svg := string(newLanes(&f, shown, "new-300").svg())
		if len(svg) > laneBytes {
			t.Errorf("seed %d: %d bytes for %d steps", seed, len(svg), len(shown))
		}
		if n := strings.Count(svg, `class="row`); n != len(shown) {
			t.Errorf("seed %d: %d rows for %d steps", seed, n, len(shown))
		}
		if turns := strings.Count(svg, `class="row turn"`); (turns == 1) != (f.Decisive != nil) {
			t.Errorf("seed %d: %d decisive rows, decisive %v", seed, turns, f.Decisive)
		}
	}
}

// TestEachPictureDiffers: no step that is shown leaves its picture as it was, however few of them change the cluster.
func TestEachPictureDiffers(t *testing.T) {
	noted := 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 47))
		f := randomTrace(r, 2+r.IntN(30))
		foldUnseen(&f)
		list := shots(elide(&f, htmlSteps))
		for i, s := range list {
			if i > 0 && reflect.DeepEqual(s, list[i-1]) {
				t.Fatalf("seed %d: step %d, %q, changes nothing", seed, i+1, f.Interleaving[i].Text)
			}
			if s.Note != "" {
				noted++
			}
		}
	}
	if noted < 500 {
		t.Errorf("%d steps outside of the picture: the test has lost its teeth", noted)
	}
}

// TestEachOnce: the text says nothing of a run twice, and keeps the step that decides.
func TestEachOnce(t *testing.T) {
	got := eachOnce([]toldLine{{First: 0, Text: "a"}, {First: 1, Text: "b"}, {First: 2, Text: "a", Decides: true}, {First: 3, Text: "b"}})
	if len(got) != 2 || got[0].First != 1 || got[1].First != 2 {
		t.Errorf("%+v", got)
	}
}

// TestReadyOf holds that a step says how many replicas are ready if and only if it changes that, and that the lucky run
// goes on from the state before the decisive step.
func TestReadyOf(t *testing.T) {
	shot := func(ready int) *finding.Snapshot {
		return &finding.Snapshot{Workloads: []finding.WorkloadSnapshot{
			{Workload: "apps/Deployment default/db", Replicas: 1, Ready: ready}, {Workload: "apps/Deployment default/web", Replicas: 3, Ready: ready},
		}}
	}
	ready := readyOf(&finding.Finding{Workload: "apps/Deployment default/web"})
	var got []string
	for _, s := range []*finding.Snapshot{shot(3), nil, shot(3), shot(2), shot(2), {}, shot(0), shot(3)} {
		got = append(got, ready(s))
	}
	if want := []string{"", "", "", "2 of 3 ready", "", "", "0 of 3 ready", "3 of 3 ready"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEditLines holds that the lines of a fix, without those that go, are its replacement, and those that do not come
// are what it replaces; of random lines of two sides.
func TestEditLines(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 41))
		side := func() (out []string) {
			for range 1 + r.IntN(5) {
				out = append(out, strings.Repeat(" ", r.IntN(2))+string("abc"[r.IntN(3)]))
			}
			return out
		}
		old, new := side(), side()
		x := &finding.Fix{Replacement: strings.Join(new, "\n") + "\n", Diff: &finding.Hunk{Removed: old, Added: new}}
		var before, after []string
		for _, l := range editLines(x) {
			if l.Sign != "+" {
				before = append(before, l.Text)
			}
			if l.Sign != "-" {
				after = append(after, l.Text)
			}
		}
		if !slices.Equal(before, old) || !slices.Equal(after, new) {
			t.Fatalf("seed %d: %q to %q became %q to %q", seed, old, new, before, after)
		}
		x.Diff = nil
		if got := editLines(x); len(got) != len(new) || got[0].Sign != "" {
			t.Fatalf("seed %d: lines of which the others are not known: %v", seed, got)
		}
	}
}
