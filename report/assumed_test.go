package report

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A finding names the assumptions that it rests on, each with its page, and no others.
func TestAssumptionsOfAFinding(t *testing.T) {
	r := spreadResult()
	r.Releases = []finding.ReleaseResult{{ID: "web"}, {ID: "api"}}
	r.Assumptions = []finding.Note{
		finding.Say(finding.NoCluster), finding.Say(finding.Isolated), finding.Say(finding.MayHide, "hpa").With("a window"),
		finding.Say(finding.ArbitraryTiming), finding.Say(finding.DeschedulerAlone),
		finding.Say(finding.ReleaseNote, object.LookupFindsNothing).In("web"),
		finding.Say(finding.ReleaseNote, object.LookupFindsNothing).In("api"), finding.Say(finding.PolicyUnsupported, "x"),
	}
	f := &r.Findings[0]
	f.Release, f.Timing = "web", "realistic"
	texts := func() (out []string) {
		for _, a := range assumptionsOf(r, f) {
			out = append(out, a.Text+" "+a.Page)
		}
		return out
	}
	want := []string{"the chart calls lookup, which finds nothing without a cluster rendering.md", "in the policy but not checked yet: x policy.md"}
	if got := texts(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Assumptions = append(r.Assumptions, finding.Say(finding.NodeAssumed, "a"))
	size := f.Scale
	f.Scale.Nodes = 0 // such as what the API server refuses
	if got := texts(); !slices.Equal(got, want) {
		t.Errorf("without a cluster: got %q, want %q", got, want)
	}
	f.Scale = size
	if got, want := texts(), append(want, "the assumed cluster has the node a, which a workload names fidelity.md"); !slices.Equal(got, want) {
		t.Errorf("with a cluster: got %q, want %q", got, want)
	}
	r.Assumptions = r.Assumptions[:len(r.Assumptions)-1]
	f.Timing = "arbitrary"
	f.Interleaving = append(f.Interleaving, f.Interleaving[0])
	f.Interleaving[len(f.Interleaving)-1].Actor = "descheduler/RemoveDuplicates"
	want = append([]string{NoteText(r.Assumptions[3]) + " policy.md#timing", NoteText(r.Assumptions[4]) + " fidelity.md#actor-by-actor"}, want...)
	if got := texts(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
