package verify

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// conflicting is the change of hpa_meets_conflicting_spread, with its policy.
func conflicting(t *testing.T) (*object.Changes, *policies.Policy) {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/hpa_meets_conflicting_spread.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policies.Load(ar.Files[0].Name, ar.Files[0].Data)
	if err != nil {
		t.Fatal(err)
	}
	return ch, p
}

// text is a result as JSON, without what the clock decides and the folders that a test made.
func text(t *testing.T, r *finding.Result) string {
	t.Helper()
	c := *r
	c.Coverage.ElapsedMs, c.Base.Name, c.Head.Name = 0, "", ""
	b, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wholeRun is the run of the conflicting pair by two workers, with the last progress that it reported: made once, as
// three tests hold something of it.
var wholeRun struct {
	once   sync.Once
	result *finding.Result
	last   scenario.Progress
}

func conflictingRun(t *testing.T) (*finding.Result, scenario.Progress) {
	t.Helper()
	wholeRun.once.Do(func() {
		ch, p := conflicting(t)
		wholeRun.result = verdict(t)(Check(context.Background(), ch, Options{Policy: p, Workers: 2,
			Progress: func(x scenario.Progress) { wholeRun.last = x }}))
	})
	if wholeRun.result == nil {
		t.Fatal("the run failed in the test that made it")
	}
	return wholeRun.result, wholeRun.last
}

func TestAnyNumberOfWorkersGivesTheSameBytes(t *testing.T) {
	ch, p := conflicting(t)
	two, _ := conflictingRun(t)
	want := text(t, two)
	counts := []int{5, 1}
	if testing.Short() {
		counts = counts[:1] // one worker takes the longest
	}
	for _, n := range counts {
		if got := text(t, verdict(t)(Check(context.Background(), ch, Options{Policy: p, Workers: n}))); got != want {
			t.Errorf("%d workers give another result than 2", n)
		}
	}
}

func TestShardsFindTogetherWhatOneRunFinds(t *testing.T) {
	ch, p := conflicting(t)
	whole, _ := conflictingRun(t)
	var parts []*finding.Result
	for i := 1; i <= 3; i++ {
		parts = append(parts, verdict(t)(Check(context.Background(), ch, Options{Policy: p, Shard: scenario.Shard{Index: i, Of: 3}})))
	}
	merged, err := accept.Merge(parts, p.Gate.Gate)
	if err != nil {
		t.Fatal(err)
	}
	names := func(r *finding.Result) []string {
		var out []string
		for _, f := range r.Findings {
			out = append(out, strings.Join([]string{string(f.Status), f.Rule, f.Workload}, " "))
		}
		slices.Sort(out)
		return out
	}
	if got, want := names(merged), names(whole); !slices.Equal(got, want) {
		t.Errorf("merged shards find %q, one run finds %q", got, want)
	}
	if merged.Verdict != whole.Verdict || merged.Coverage.Topologies != whole.Coverage.Topologies {
		t.Errorf("merged: %s over %d topologies; one run: %s over %d", merged.Verdict, merged.Coverage.Topologies, whole.Verdict, whole.Coverage.Topologies)
	}
}

func TestRunningOutOfTimeIsNoPass(t *testing.T) {
	ch, p := conflicting(t)
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: p, Workers: 1, TimeBudget: time.Nanosecond}))
	if r.Verdict != finding.Inconclusive || r.Coverage.Bound != "time" {
		t.Errorf("verdict %s, bound %s; want inconclusive, time", r.Verdict, r.Coverage.Bound)
	}
	if w := r.Workloads[0]; w.Verdict != finding.Inconclusive || !strings.Contains(w.Reason, "time") {
		t.Errorf("workload %s: %q; want inconclusive for want of time", w.Verdict, w.Reason)
	}
}

func TestCancellingEndsTheRun(t *testing.T) {
	ch, p := conflicting(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, ch, Options{Policy: p}); err == nil {
		t.Error("a cancelled check gave a result")
	}
}

func TestProgressIsReported(t *testing.T) {
	r, last := conflictingRun(t)
	if last.Done != last.Of || last.Of != r.Coverage.Topologies || last.States == 0 {
		t.Errorf("last progress %+v, want all %d searches done", last, r.Coverage.Topologies)
	}
}
