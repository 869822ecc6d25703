package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// documentedCase is a pair of testdata that is known for breaking a rule.
type documentedCase struct {
	dir, rule   string
	nodes, pods int // smallest known scale; pods without those that terminate
	events      int
}

var documentedCases = []documentedCase{
	{"kivi/c1", "runaway-scale", 1, 3, 0},
	{"kivi/c2", "replicas-reset", 1, 2, 1},
	{"kivi/c3", "unschedulable", 3, 6, 0},
	{"kivi/c4", "crash-loop", 2, 5, 0},
	{"kivi/c5", "eviction-loop", 2, 4, 0},
	{"kivi/c6", "below-floor", 2, 2, 2},
	{"kivi/c7", "eviction-loop", 1, 1, 0},
	{"kivi/c8", "eviction-loop", 3, 6, 0},
	{"kivi/c9", "spread-violated", 2, 6, 0},
	{"kivi/c11", "unschedulable", 2, 3, 1},
	{"kivi/c12", "preemption-cascade", 1, 3, 1},
	{"kivi/c13", "spread-violated", 3, 6, 1},
	{"failures/f01", "rollout-stuck", 3, 4, 1}, // and one that surges, as below
	{"failures/f02", "rollout-stuck", 1, 2, 1},
	{"failures/f03", "rollout-stuck", 1, 3, 1},
	{"failures/f05", "rollout-stuck", 1, 2, 1},
	{"failures/f06", "rollout-stuck", 2, 2, 1},   // and one that surges
	{"failures/f07", "spread-violated", 3, 4, 1}, // and one that surges
	{"failures/f08", "rollout-stuck", 6, 6, 1},
	{"failures/f09", "rollout-stuck", 2, 2, 3},
	{"failures/f10", "apply-stuck", 0, 0, 1},
	{"failures/f11", "apply-stuck", 0, 0, 1},
	{"failures/f12", "apply-rejected", 0, 0, 1},
	{"failures/f13", "apply-rejected", 0, 0, 1},
	{"failures/f14", "apply-rejected", 0, 0, 1},
	{"failures/f15", "apply-rejected", 0, 0, 1},
	{"failures/f16", "rollout-stuck", 1, 2, 1},
	{"failures/f17", "drain-blocked", 2, 1, 1},
	{"failures/f18", "drain-blocked", 3, 4, 2},
	{"failures/f19", "drain-blocked", 2, 3, 1},
	{"failures/f20", "drain-blocked", 3, 2, 3},
	{"failures/f21", "drain-blocked", 3, 3, 1},
	{"failures/f22", "eviction-loop", 2, 2, 1},
	{"failures/f23", "never-replaced", 2, 1, 1},
	{"failures/f24", "unschedulable", 3, 3, 0},
	{"failures/f25", "unschedulable", 3, 3, 1},
	{"failures/f26", "unschedulable", 2, 3, 0},
	{"failures/f27", "single-domain", 3, 10, 2},
	{"failures/f28", "drain-blocked", 1, 1, 1},
	{"failures/f29", "runaway-scale", 2, 4, 2},
	{"failures/f30", "runaway-scale", 1, 2, 0},
	{"failures/f31", "runaway-scale", 3, 10, 1},
	{"failures/f32", "runaway-scale", 2, 6, 1},
	{"failures/f33", "never-settles", 1, 2, 1},
	{"failures/f34", "never-settles", 1, 1, 1},
	{"failures/f35", "runaway-scale", 2, 2, 0},
	{"failures/f36", "unschedulable", 1, 1, 1},
	{"failures/f38", "replica-oscillation", 2, 6, 1},
	{"failures/f39", "replicas-reset", 1, 4, 2},
	{"failures/f40", "replica-oscillation", 1, 1, 1},
	{"failures/f41", "never-settles", 1, 0, 1},
	{"failures/f43", "unschedulable", 2, 1, 1},
	{"failures/f44", "node-churn", 3, 4, 0},
	{"failures/f45", "node-churn", 3, 6, 0},
	{"failures/f46", "eviction-loop", 2, 1, 0},
	{"failures/f47", "eviction-loop", 2, 3, 0},
	{"failures/f48", "eviction-loop", 2, 1, 0},
	{"failures/f50", "preemption-cascade", 1, 4, 1},
	{"failures/f51", "preemption-cascade", 1, 4, 1},
	{"failures/f52", "never-replaced", 2, 1, 1},
	{"failures/f53", "rollout-stuck", 1, 2, 1},
	{"failures/f54", "crash-loop", 1, 2, 0},
	{"failures/f55", "rollout-stuck", 2, 3, 1},
	{"failures/f57", "crash-loop", 1, 1, 1},
	{"failures/f56", "unschedulable", 2, 2, 0},
	{"failures/f59", "runaway-scale", 1, 3, 4},
	{"failures/f58", "eviction-loop", 1, 1, 1},
	{"failures/f60", "below-floor", 3, 2, 1},
	{"failures/g01", "runaway-scale", 3, 8, 1},
	{"failures/g02", "rollout-stuck", 3, 6, 2},
	{"failures/g06", "apply-stuck", 0, 0, 2},
	{"failures/g07", "drain-blocked", 2, 3, 4},
	{"failures/g08", "deleted-on-the-way", 0, 0, 1},
	{"failures/g09", "deleted-on-the-way", 0, 0, 1},
	{"failures/g11", "apply-stuck", 0, 0, 1},
	{"failures/g12", "deleted-on-the-way", 0, 0, 1},
	{"failures/g18", "drain-blocked", 1, 1, 1},
	{"failures/g21", "apply-rejected", 0, 0, 1},
	{"failures/g26", "rollout-stuck", 1, 2, 3},
	{"failures/g31", "unschedulable", 0, 0, 1},
	{"failures/g37", "never-settles", 1, 2, 0},
	{"failures/g38", "never-replaced", 2, 2, 3},
	{"failures/g39", "service-gap", 0, 0, 1},
	{"failures/g40", "replica-oscillation", 2, 2, 0},
	{"failures/g41", "apply-rejected", 0, 0, 1},
	{"failures/g43", "apply-stuck", 0, 0, 1},
	{"failures/g44", "eviction-loop", 4, 6, 0},
	{"failures/g47", "never-replaced", 2, 1, 1},
	{"failures/g49", "dangling-target", 0, 0, 1},
	{"failures/g51", "below-floor", 2, 2, 2},
}

// TestCases verifies the cases of testdata/kivi and testdata/failures as a user would:
// manifests and a policy. The violating one breaks its rule at a scale not above the one
// that is known; the repaired one breaks none. A case is one state (manifests/) or a
// change (base/ and head/).
func TestCases(t *testing.T) {
	for _, tt := range documentedCases {
		t.Run(tt.dir, func(t *testing.T) {
			t.Parallel()
			r := caseResult(t, filepath.Join("../testdata", tt.dir, "violating"))
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == tt.rule })
			if i < 0 {
				t.Fatalf("violating: no %s:\n%s", tt.rule, outline(r))
			}
			if f := r.Findings[i]; f.Scale.Nodes > tt.nodes || f.Scale.Pods > tt.pods || len(f.Events) != tt.events || !f.AtDeclaredScale {
				t.Errorf("violating: want %s at %d nodes, %d pods and %d events at the most, got\n%s", tt.rule, tt.nodes, tt.pods, tt.events, outline(r))
			}
			if r := caseResult(t, filepath.Join("../testdata", tt.dir, "repaired")); len(r.Findings) > 0 || r.Coverage.Bound != "complete" {
				t.Errorf("repaired:\n%s", outline(r))
			}
		})
	}
}

// caseResult is what a case gives with its own policy.
func caseResult(t testing.TB, dir string) *finding.Result {
	t.Helper()
	return caseIn(t, dir, asDeclared).own()
}

// caseRun renders a case, and gives what verifies it.
func caseRun(t testing.TB, dir string) func() *finding.Result {
	t.Helper()
	return caseRunWith(t, dir, func(*Options) {})
}

// caseRunWith is caseRun with other options.
func caseRunWith(t testing.TB, dir string, tune func(*Options)) func() *finding.Result {
	t.Helper()
	opt := caseOptions(t, dir)
	tune(&opt)
	if _, err := os.Stat(filepath.Join(dir, "base")); err != nil {
		rev := caseRevision(t, filepath.Join(dir, "manifests"))
		return func() *finding.Result { return verdict(t)(Verify(context.Background(), rev, opt)) }
	}
	ch, err := render.Diff(caseRevision(t, filepath.Join(dir, "base")), caseRevision(t, filepath.Join(dir, "head")))
	if err != nil {
		t.Fatal(err)
	}
	return func() *finding.Result { return verdict(t)(Check(context.Background(), ch, opt)) }
}

// caseOptions are those of a case's policy.
func caseOptions(t testing.TB, dir string) Options {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	p, err := policies.Load("policy.yaml", read("policy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Cluster.NodesFile != "" {
		if err := p.SetNodes(p.Cluster.NodesFile, read(p.Cluster.NodesFile)); err != nil {
			t.Fatal(err)
		}
	}
	if f := p.Controllers.SchedulerConfig; f != "" {
		if p.Controllers.Scheduler, err = policies.LoadScheduler(f, read(f)); err != nil {
			t.Fatal(err)
		}
	}
	if f := p.Controllers.DeschedulerPolicy; f != "" {
		if p.Controllers.Descheduler, err = policies.LoadDescheduler(f, read(f)); err != nil {
			t.Fatal(err)
		}
	}
	return Options{Policy: p, Workers: 2}
}

func caseRevision(t testing.TB, dir string) *object.Revision {
	t.Helper()
	tree, err := tree.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := render.Render(context.Background(), tree, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return rev
}
