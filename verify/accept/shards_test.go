package accept_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/accept"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// shard is a result with one workload and some findings.
func shard(states uint64, bound string, fs ...finding.Finding) *finding.Result {
	return &finding.Result{
		SchemaVersion: finding.SchemaVersion, Tool: "kubesettle test", Base: finding.Side{Name: "main"}, Head: finding.Side{Name: "topic"},
		Workloads: []finding.Workload{{ID: "apps/Deployment default/web", Release: "web", Verdict: finding.Pass}},
		Findings:  fs,
		Coverage:  finding.Coverage{Topologies: 1, States: states, MaxNodes: int(states), ElapsedMs: int64(states), Bound: bound},
		Releases:  []finding.ReleaseResult{{ID: "web", Status: "ok"}},
	}
}

func found(id string, status finding.Status, nodes int) finding.Finding {
	return finding.Finding{
		Rule: "unschedulable", Severity: "error", Status: status, Fingerprint: id,
		Workload: "apps/Deployment default/web", Release: "web", Scale: finding.Scale{Nodes: nodes},
	}
}

var onlyNew = finding.Gate{FailOn: string(rules.Error), OnlyNew: true, OnInconclusive: "fail"}

func TestMergeUnitesFindings(t *testing.T) {
	for _, tc := range []struct {
		title   string
		shards  []*finding.Result
		status  finding.Status
		nodes   int
		verdict finding.Verdict
		code    int
	}{
		{"found at two sizes, the smaller one shows it", []*finding.Result{
			shard(1, "complete", found("a", finding.New, 5)), shard(2, "complete", found("a", finding.New, 3))}, finding.New, 3, finding.Fail, 1},
		{"new in one shard, another size on base in another", []*finding.Result{
			shard(1, "complete", found("a", finding.New, 3)), shard(2, "complete", found("a", finding.Fixed, 2))}, finding.Worsened, 3, finding.Fail, 1},
		{"existing in one shard, new in another", []*finding.Result{
			shard(1, "complete", found("a", finding.Existing, 3)), shard(2, "complete", found("a", finding.New, 2))}, finding.Worsened, 2, finding.Fail, 1},
		{"fixed everywhere", []*finding.Result{
			shard(1, "complete", found("a", finding.Fixed, 3)), shard(2, "complete")}, finding.Fixed, 3, finding.Pass, 0},
	} {
		t.Run(tc.title, func(t *testing.T) {
			for range 2 { // in either order
				whole, err := accept.Merge(tc.shards, onlyNew)
				if err != nil {
					t.Fatal(err)
				}
				if len(whole.Findings) != 1 || whole.Findings[0].Status != tc.status || whole.Findings[0].Scale.Nodes != tc.nodes {
					t.Errorf("findings %+v, want one, %s at %d nodes", whole.Findings, tc.status, tc.nodes)
				}
				if whole.Verdict != tc.verdict || whole.ExitCode(onlyNew) != tc.code {
					t.Errorf("verdict %s, exit code %d; want %s, %d", whole.Verdict, whole.ExitCode(onlyNew), tc.verdict, tc.code)
				}
				slices.Reverse(tc.shards)
			}
		})
	}
}

func TestMergeAddsCoverage(t *testing.T) {
	a, b := shard(10, "complete"), shard(20, "time")
	b.Workloads[0].Verdict, b.Workloads[0].Reason = finding.Inconclusive, "the time budget ran out"
	say := func(names ...string) (out []finding.Note) {
		for _, n := range names {
			out = append(out, finding.Say(finding.NodeAssumed, n))
		}
		return out
	}
	a.Notices, b.Notices = say("in both", "in one"), say("in both")
	a.Notices = append(a.Notices, finding.Say(finding.PolicyHides).At("kubesettle.yaml", 0)) // the first part asks
	a.Assumptions, b.Assumptions = say("x"), say("y", "x")
	whole, err := accept.Merge([]*finding.Result{a, b}, onlyNew)
	if err != nil {
		t.Fatal(err)
	}
	want := finding.Coverage{Topologies: 2, States: 30, MaxNodes: 20, ElapsedMs: 20, Bound: "time"}
	if !reflect.DeepEqual(whole.Coverage, want) {
		t.Errorf("coverage %+v, want %+v", whole.Coverage, want)
	}
	if whole.Verdict != finding.Inconclusive || whole.ExitCode(onlyNew) != 4 || whole.Workloads[0].Reason == "" {
		t.Errorf("verdict %s, workloads %+v", whole.Verdict, whole.Workloads)
	}
	if fmt.Sprint(whole.Notices, whole.Assumptions) != "[node-assumed in both policy-hides kubesettle.yaml:0] [node-assumed x node-assumed y]" {
		t.Errorf("notices %v, assumptions %v", whole.Notices, whole.Assumptions)
	}
}

func TestMergeRefusesOtherRuns(t *testing.T) {
	other := shard(1, "complete")
	other.Head.Name = "another"
	for _, shards := range [][]*finding.Result{nil, {shard(1, "complete"), other}} {
		if _, err := accept.Merge(shards, onlyNew); !errors.Is(err, accept.ErrNotShards) {
			t.Errorf("got %v", err)
		}
	}
}
