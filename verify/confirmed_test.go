package verify

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// TestConfirmations verifies that each replay on record is of a finding that its case
// still has: a record of something else would confirm nothing.
func TestConfirmations(t *testing.T) {
	known, err := judge.Confirmations()
	if err != nil || len(known) == 0 {
		t.Fatalf("%d records, error %v", len(known), err)
	}
	for _, c := range known {
		t.Run(filepath.Base(c.Case), func(t *testing.T) {
			t.Parallel()
			r := caseResult(t, filepath.Join("..", c.Case, "violating"))
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return judge.Shape(&f) == c.Shape })
			if i < 0 {
				t.Fatalf("no finding has the shape %q:\n%s", c.Shape, outline(r))
			}
			if r.Findings[i].ConfirmedBy == "" {
				t.Error("the finding does not say that it was confirmed")
			}
		})
	}
}

func TestShape(t *testing.T) {
	f := finding.Finding{Rule: "below-floor", Interleaving: []finding.Step{
		{Actor: "drain", Class: "event"},
		{Actor: "replicaset/default/web", Class: "sync"},
		{Actor: "kubelet-start/default/web", Class: "kubelet"},
		{Actor: "scheduler", Class: "sync"},
		{Actor: "replicaset/default/web@new", Class: "sync"},
	}}
	if got, want := judge.Shape(&f), "below-floor: drain + replicaset, scheduler"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := judge.Shape(&finding.Finding{Rule: "eviction-loop", Interleaving: f.Interleaving[1:2]}), "eviction-loop: replicaset"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := judge.Shape(&finding.Finding{Rule: "replicas-reset", Interleaving: f.Interleaving[:1]}), "replicas-reset: drain"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	pending := func(why string) string {
		return judge.Shape(&finding.Finding{Rule: "rollout-stuck", Interleaving: []finding.Step{
			{Actor: "scheduler", Action: "no-feasible-node", Text: "no node for a pod: 0/3 nodes are available: " + why},
		}})
	}
	port, affinity := pending("3 node(s) didn't have free ports for the requested pod ports"), pending("3 node(s) didn't match pod anti-affinity rules")
	if port == affinity {
		t.Errorf("a port and anti-affinity have the one shape %q", port)
	}
	if more, few := pending("1 Insufficient cpu, 2 node(s) didn't match pod anti-affinity rules"), pending("2 Insufficient cpu, 1 node(s) didn't match pod anti-affinity rules"); more != few {
		t.Errorf("by the number of nodes: %q and %q", more, few)
	}
	evicted := func(plugin string) string {
		return judge.Shape(&finding.Finding{Rule: "eviction-loop", Interleaving: []finding.Step{
			{Actor: "descheduler", Class: "periodic", Action: "evict", Text: "the descheduler's " + plugin + " evicts 1 starting pod of default/web on node-1"},
		}})
	}
	if a, b := evicted("RemoveDuplicates"), evicted("LowNodeUtilization"); a == b {
		t.Errorf("two plugins have the one shape %q", a)
	}
}
