//go:build unix

package verify

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
)

// TestRulesAreVerifiedAsDeclared takes a rollout that is too large to be searched as declared: rules that do not look at
// where pods are were, those that do were at a reduced scale; and where a full node may refuse pods, none was.
func TestRulesAreVerifiedAsDeclared(t *testing.T) {
	notUnderRace(t)
	manifest := func(image int) string {
		return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 240
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}}]}}
      containers: [{name: c, image: "i:%d", resources: {requests: {cpu: 100m}}}]
`, image)
	}
	for cpu, declared := range map[int][]string{
		64: {"unschedulable", "rollout-stuck", "below-floor", "eviction-loop", "never-settles", "cannot-revert"},
		4:  nil,
	} {
		ch, pol := changeOf(t, manifest(1), manifest(2), fmt.Sprintf("cluster:\n  nodePools: [{name: a, count: {min: 2, max: 2}, allocatable: {cpu: \"%d\", memory: 64Gi, pods: \"500\"}}]\n", cpu))
		r := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2}))
		if len(r.Coverage.Reduced) != 1 {
			t.Fatalf("%d CPUs: nothing was reduced: %+v", cpu, r.Coverage)
		}
		placed := 0
		for _, c := range r.Coverage.Rules {
			want := finding.RuleCoverage{Rule: c.Rule, Pods: r.Coverage.Reduced[0].Verified, Nodes: 2, Bound: "complete"}
			if slices.Contains(declared, c.Rule) {
				want.Pods, want.AsDeclared = 240, true
			} else {
				placed++
			}
			if c != want {
				t.Errorf("%d CPUs: %+v, want %+v", cpu, c, want)
			}
		}
		if placed != len(r.Coverage.Rules)-len(declared) || placed == 0 {
			t.Errorf("%d CPUs: %d rules at a reduced scale of %+v", cpu, placed, r.Coverage.Rules)
		}
	}
}

// TestRulesAreVerifiedWithoutMemory takes eight workloads that look at each other's pods, of which no search comes to its
// end: rules that do not look at places are verified as declared, with each workload by itself, also where the memory ran
// out meanwhile.
func TestRulesAreVerifiedWithoutMemory(t *testing.T) {
	s := shop{nodes: 3, pods: 2, workloads: 8, classes: 1}
	pol, err := policies.Load("policy.yaml", []byte(s.policy()))
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(s.revision(t, "web:1"), s.revision(t, "web:2"))
	if err != nil {
		t.Fatal(err)
	}
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 1, Memory: 1, Part: run.Part{Plain: true}, Compare: run.Compare{Calm: true}}))
	if r.Verdict != finding.Inconclusive || r.Coverage.Bound != "memory" {
		t.Fatalf("%s, bound %s: the memory did not run out", r.Verdict, r.Coverage.Bound)
	}
	verified := 0
	for _, c := range r.Coverage.Rules {
		if c.Rule == "single-domain" || c.Rule == "spread-violated" {
			continue
		}
		if verified++; c != (finding.RuleCoverage{Rule: c.Rule, Pods: 16, Nodes: 3, AsDeclared: true, Bound: "complete"}) {
			t.Errorf("%+v, want it verified with all pods", c)
		}
	}
	if verified < 4 {
		t.Errorf("%d rules were verified: %+v", verified, r.Coverage.Rules)
	}
}
