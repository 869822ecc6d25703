package verify

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/run"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
)

// rolledOutChange is a new image for Deployments of two pods that see each other's, one of which may be gone at a time, on two
// nodes of which so many fail.
func rolledOutChange(t *testing.T, workloads, failures int) (*object.Changes, *policies.Policy) {
	revision := func(image string) string {
		var all []string
		for i := range workloads {
			all = append(all, fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web-%[1]d, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web-%[1]d}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web-%[1]d, shop: all}}
    spec:
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
          - {weight: 100, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {shop: all}}}}
      containers:
      - {name: web, image: %[2]q, resources: {requests: {cpu: 500m}}}
`, i, image))
		}
		return strings.Join(all, "---\n")
	}
	policy := fmt.Sprintf(`cluster:
  nodePools: [{name: a, count: {min: 2, max: 2}, allocatable: {cpu: "3", memory: 8Gi, pods: "20"}}]
bound: {nodes: 2}
events: {drain: {budget: 0}, nodeFailure: {budget: %d}}
`, failures)
	return changeOf(t, revision("web:1"), revision("web:2"), policy)
}

// rolledOut checks such a change; every counterexample is replayed.
func rolledOut(t *testing.T, workloads, failures int) func(states uint64, calm bool) *finding.Result {
	ch, pol := rolledOutChange(t, workloads, failures)
	return func(states uint64, calm bool) *finding.Result {
		opt := Options{Policy: pol, Workers: 1, Part: run.Part{Plain: true}, Compare: run.Compare{States: states, Calm: calm}}
		opt.Watch = func(v scenario.Violation) {
			sys := v.Problem.System
			sys.Initial = [][]byte{v.Start}
			if err := search.Confirm(sys, v.Violation); err != nil {
				t.Errorf("%v: %v", v.Key(), err)
			}
		}
		return verdict(t)(Check(context.Background(), ch, opt))
	}
}

// Random runs may find a violation that a search which is cut off does not reach: with one node lost in the middle of a
// rollout nothing is ready. Where there is nothing to find the workloads stay inconclusive, as without them.
func TestRunsFindWhatTheBudgetDoesNotReach(t *testing.T) {
	const states = 100
	below := func(f finding.Finding) bool { return f.Rule == "below-floor" }
	check := rolledOut(t, 1, 1)
	without, with, whole := check(states, true), check(states, false), check(0, false)
	if without.Verdict != finding.Inconclusive || slices.ContainsFunc(without.Findings, below) || without.Coverage.Bound != "states" {
		t.Fatalf("%d states alone: %s, %v", states, without.Verdict, foundIn(without))
	}
	i := slices.IndexFunc(with.Findings, below)
	if i < 0 || with.Findings[i].FoundBy != "runs" || with.Findings[i].Certainty != finding.Possible || with.Coverage.Swarmed[0].Found == 0 {
		t.Fatalf("with runs: %v, %+v", foundIn(with), with.Coverage.Swarmed)
	}
	if k := slices.IndexFunc(whole.Findings, below); k < 0 || whole.Findings[k].FoundBy != "" || whole.Coverage.Swarmed != nil ||
		len(whole.Findings[k].Interleaving) > len(with.Findings[i].Interleaving) {
		t.Errorf("the whole search: %v, %+v", foundIn(whole), whole.Coverage.Swarmed)
	}
	check = rolledOut(t, 3, 0) // two of them are apart, and searched one by one
	without, with = check(states, true), check(states, false)
	if len(with.Findings) > 0 || with.Verdict != finding.Inconclusive || without.Verdict != finding.Inconclusive || len(with.Coverage.Swarmed) != 1 ||
		!slices.ContainsFunc(with.Assumptions, func(n finding.Note) bool { return n.Kind == finding.RandomRuns && n.Arg(3) == "0" }) {
		t.Errorf("a change that is well: %s, %v, %+v; without %s", with.Verdict, foundIn(with), with.Coverage.Swarmed, without.Verdict)
	}
	if whole := check(0, false); whole.Verdict != finding.Pass || whole.Coverage.Swarmed != nil {
		t.Errorf("searched to the end: %s, %+v", whole.Verdict, whole.Coverage.Swarmed)
	}
}

func foundIn(r *finding.Result) (out []string) {
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintln(f.Status, f.Severity, f.Certainty, f.Rule, f.Workload, f.FoundBy))
	}
	return out
}

// On random clusters, whatever runs find where a small budget cuts the search, the whole search finds too, and what base
// has it has for them, too. A change is blamed for no more than a warning, which says so, where base cannot tell.
func TestRunsFindNothingElse(t *testing.T) {
	clusters := 8
	if testing.Short() {
		clusters = 4
	}
	found, had, unsure, swarms := 0, 0, 0, 0
	for seed := range clusters {
		r := rand.New(rand.NewPCG(41, uint64(5*seed+1)))
		base, head, policy := randomShop(r, 3+r.IntN(3), seed%2 == 0)
		ch, pol := changeOf(t, base, head, policy)
		run := func(states uint64) *finding.Result {
			return verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 1, Part: run.Part{Plain: true}, Compare: run.Compare{States: states}}))
		}
		cut := run(150)
		if swarms += len(cut.Coverage.Swarmed); len(cut.Coverage.Swarmed) == 0 {
			continue
		}
		if !slices.ContainsFunc(cut.Findings, func(f finding.Finding) bool { return f.FoundBy != "" }) {
			continue
		}
		whole := run(20_000)
		if ranOut(whole) {
			continue
		}
		for _, f := range cut.Findings {
			if f.FoundBy == "" {
				continue
			}
			found++
			if strings.Contains(f.Message, "not searched far enough") {
				if unsure++; f.Severity == string(rules.Error) {
					t.Errorf("cluster %d: %s of %s is an error that base cannot tell of", seed, f.Rule, f.Workload)
				}
			}
			i := slices.IndexFunc(whole.Findings, func(o finding.Finding) bool { return o.Rule == f.Rule && o.Workload == f.Workload })
			if i < 0 {
				t.Errorf("cluster %d: runs find %s of %s, the whole search does not", seed, f.Rule, f.Workload)
				continue
			}
			if whole.Findings[i].Status == finding.Existing {
				if had++; f.Status != finding.Existing {
					t.Errorf("cluster %d: %s of %s is %s by runs, a %s, existing by the whole search", seed, f.Rule, f.Workload, f.Status, f.Severity)
				}
			}
		}
	}
	t.Logf("%d clusters, %d swarms, %d findings of runs, %d of them base's, %d of which base cannot tell", clusters, swarms, found, had, unsure)
	if found == 0 && !testing.Short() {
		t.Error("runs found nothing: the test has lost its teeth")
	}
}

// How many workers search changes no byte of what runs find.
func TestRunsAreTheSameForAnyWorkers(t *testing.T) {
	ch, pol := rolledOutChange(t, 1, 1)
	var first []byte
	for _, workers := range []int{1, 2, 4} {
		res := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: workers, Part: run.Part{Plain: true}, Compare: run.Compare{States: 100}}))
		if len(res.Coverage.Swarmed) == 0 || res.Coverage.Swarmed[0].Found == 0 {
			t.Fatalf("%d workers: runs find nothing: %+v", workers, res.Coverage.Swarmed)
		}
		res.Coverage.ElapsedMs = 0
		got, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(first, got) {
			t.Errorf("%d workers:\n%s\none:\n%s", workers, got, first)
		}
	}
}
