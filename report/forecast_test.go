package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestForecastLines holds how forecasts are worded.
func TestForecastLines(t *testing.T) {
	span := func(min, max int) finding.Span { return finding.Span{Min: min, Max: max} }
	rollout := finding.Foreseen{Workload: "apps/Deployment default/web", Replicas: span(4, 4), Pods: span(3, 5), Ready: span(3, 5), Before: 4, After: 4}
	for _, c := range []struct {
		name string
		edit func(*finding.Foreseen)
		want string
	}{
		{"a rollout", func(*finding.Foreseen) {}, "web: at least 3 of 4 ready throughout, 5 pods at most"},
		{"Recreate", func(f *finding.Foreseen) { f.Ready, f.Pods = span(0, 4), span(0, 4) }, "web: for a while none of 4 is ready, 4 pods at most"},
		{"a bad end", func(f *finding.Foreseen) { f.Ready, f.After = span(0, 4), 0 }, "web: none of 4 stays ready, 5 pods at most"},
		{"growth", func(f *finding.Foreseen) { f.Ready, f.Pods, f.After = span(4, 6), span(4, 6), 6 }, "web: from 4 to 6 ready, at least 4 throughout, 6 pods at most"},
		{"a new one", func(f *finding.Foreseen) { f.Ready, f.Pods, f.Before = span(0, 4), span(0, 4), 0 }, "web: comes with 4 pods, 4 ready in the end"},
		{"no rollout", func(f *finding.Foreseen) { f.Ready, f.Pods = span(4, 4), span(4, 4) }, "web: no pod is replaced, 4 of 4 stay ready"},
	} {
		f := rollout
		c.edit(&f)
		r := &finding.Result{Forecasts: []finding.Forecast{{Of: "apply", Workloads: []finding.Foreseen{f}}}}
		if got := forecastLines(r); len(got) != 1 || got[0][1] != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	run := &finding.ForeseenRun{Settles: true, Seconds: &finding.Span{Min: 80, Max: 3900},
		Wait:  &finding.Wait{Workload: rollout.Workload, Field: "spec.minReadySeconds", Seconds: 60},
		Moves: []finding.Move{{Workload: "apps/Deployment default/batch", How: "preempt", Pods: 2, From: []string{"a-1"}, To: []string{"a-2", "a-3", "a-4"}}}}
	r := &finding.Result{Forecasts: []finding.Forecast{{Of: "apply", Run: run}}}
	want := []string{"likely 2 pods of batch are preempted on a-1, to a-2, a-3 and 1 more",
		"1 min 20 s to 1 h 5 min until the last pod is ready, as declared; up to 1 min of it for spec.minReadySeconds of web"}
	for i, l := range forecastLines(r) {
		if l[1] != want[i] {
			t.Errorf("%q, want %q", l[1], want[i])
		}
	}
}

// TestForecastIsBrief: however many workloads there are, a change has three lines at most, none of them long, and
// nothing where nothing is known.
func TestForecastIsBrief(t *testing.T) {
	if got := forecastLines(&finding.Result{}); len(got) > 0 {
		t.Errorf("nothing is known, and there is %q", got)
	}
	r := rand.New(rand.NewPCG(41, 0))
	for range 300 {
		var list []finding.Forecast
		for i := range 1 + r.IntN(40) {
			f := finding.Forecast{Of: "apply", Release: fmt.Sprint(r.IntN(4)), Run: &finding.ForeseenRun{Settles: r.IntN(2) == 0, NodesAdded: r.IntN(3)}}
			for k := range r.IntN(4) {
				w := finding.Foreseen{Workload: fmt.Sprintf("apps/Deployment ns/w%d-%d", i, k), Before: r.IntN(5), After: r.IntN(5)}
				w.Ready, w.Pods, w.Replicas.Max = finding.Span{Max: r.IntN(5)}, finding.Span{Max: 5 + r.IntN(5)}, r.IntN(3)
				f.Workloads = append(f.Workloads, w)
				f.Run.Moves = append(f.Run.Moves, finding.Move{Workload: w.Workload, How: "evict", Pods: 1 + r.IntN(3), From: []string{"a", "b", "c", "d"}})
			}
			list = append(list, f)
		}
		lines := forecastLines(&finding.Result{Forecasts: list})
		if len(lines) > 3 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines {
			if len(l[1]) > 400 || strings.Contains(l[1], "\n") {
				t.Fatalf("a line of %d bytes: %s", len(l[1]), l[1])
			}
		}
	}
}

// TestForecastNamesApart: no two workloads of a forecast are called the same, and none longer than it takes.
func TestForecastNamesApart(t *testing.T) {
	of := func(release string, ids ...string) finding.Forecast {
		f := finding.Forecast{Of: "apply", Release: release}
		for _, id := range ids {
			f.Workloads = append(f.Workloads, finding.Foreseen{Workload: id, Before: 1, After: 1})
		}
		return f
	}
	name := namesIn([]finding.Forecast{
		of("a", "apps/Deployment prod/api", "apps/Deployment prod/web", "apps/Deployment default/db"),
		of("b", "apps/Deployment staging/web", "apps/Deployment default/db", "apps/StatefulSet default/db"),
	})
	for _, c := range [][3]string{
		{"a", "apps/Deployment prod/api", "api"},
		{"a", "apps/Deployment prod/web", "prod/web"},
		{"b", "apps/Deployment staging/web", "staging/web"},
		{"a", "apps/Deployment default/db", "Deployment default/db (a)"},
		{"b", "apps/Deployment default/db", "Deployment default/db (b)"},
		{"b", "apps/StatefulSet default/db", "StatefulSet default/db (b)"},
	} {
		if got := name(c[0], c[1]); got != c[2] {
			t.Errorf("%s of release %s is called %q, want %q", c[1], c[0], got, c[2])
		}
	}
}
