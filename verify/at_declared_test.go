package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
)

// manyPods is a change of the image of a Deployment on a cluster of three nodes.
func manyPods(t *testing.T, replicas int, policy string) *finding.Result {
	t.Helper()
	p, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+policy))
	if err != nil {
		t.Fatal(err)
	}
	manifest := func(image string) []byte {
		return fmt.Appendf(nil, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  strategy: {rollingUpdate: {maxSurge: 10%%, maxUnavailable: 10%%}}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: %q, resources: {requests: {cpu: "1"}}}
`, replicas, image)
	}
	ar := &txtar.Archive{Files: []txtar.File{{Name: "base/w.yaml", Data: manifest("web:1")}, {Name: "head/w.yaml", Data: manifest("web:2")}}}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	return verdict(t)(Check(context.Background(), ch, Options{Policy: p, Workers: 2}))
}

const roomy = "events: {none: true}\ncluster: {nodePools: [{name: n, count: {min: 3, max: 3}, allocatable: {cpu: \"400\", memory: 1Ti, pods: \"500\"}}]}\n"

// TestHoldsAtAReducedScale: a result that rests on fewer pods than declared says so, in
// its coverage and in its assumptions.
func TestHoldsAtAReducedScale(t *testing.T) {
	notUnderRace(t)
	reduced, whole := []int{500, 700}, []int{6, 50, 100}
	if testing.Short() {
		reduced, whole = reduced[:1], whole[:2]
	}
	for _, replicas := range reduced {
		r := manyPods(t, replicas, roomy)
		if r.Verdict != finding.Pass || len(r.Findings) > 0 || r.Coverage.Bound != "complete" {
			t.Errorf("%d replicas:\n%s", replicas, outline(r))
		}
		if len(r.Coverage.Reduced) != 1 || r.Coverage.Reduced[0].Declared != replicas || r.Coverage.Reduced[0].Verified > scenario.FewPods {
			t.Errorf("%d replicas: coverage says %+v", replicas, r.Coverage.Reduced)
		}
		says := finding.Say(finding.SearchedReduced).With(
			fmt.Sprintf("%d pods of default/web as %d", replicas, r.Coverage.Reduced[0].Verified))
		if !finding.Has(r.Assumptions, says) {
			t.Errorf("%d replicas: no assumption %q in %q", replicas, says, r.Assumptions)
		}
	}
	for _, replicas := range whole {
		if r := manyPods(t, replicas, roomy); r.Coverage.Reduced != nil || r.Coverage.MaxPods != replicas {
			t.Errorf("%d replicas are verified as declared, coverage says %+v", replicas, r.Coverage)
		}
	}
}

// TestProbeShowsFullNodes: nodes that are too small for the declared pods are not small
// at a reduced scale; a run with the declared numbers shows it.
func TestProbeShowsFullNodes(t *testing.T) {
	notUnderRace(t)
	r := manyPods(t, 50, "events: {none: true}\ncluster: {nodePools: [{name: n, count: {min: 3, max: 3}, allocatable: {cpu: \"16\", memory: 1Ti}}]}\n")
	i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "unschedulable" })
	if i < 0 || r.Findings[i].Status != finding.Existing || !r.Findings[i].AtDeclaredScale || !strings.Contains(r.Findings[i].Message, "48 of 50") {
		t.Errorf("48 pods fit:\n%s", outline(r))
	}
}
