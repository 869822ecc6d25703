package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// web is a Deployment with so many replicas.
func webOf(replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1", resources: {requests: {cpu: 10m}}}]}
`, replicas)
}

// customResult verifies one Deployment, without events, against one intent.
func customResult(t *testing.T, manifest, intent string) *finding.Result {
	t.Helper()
	p, err := policies.Load("policy.yaml", []byte(`
cluster:
  nodePools: [{name: general, count: {min: 2, max: 2}, allocatable: {cpu: "8", memory: 32Gi, pods: "250"}}]
events: {none: true}
intents: {custom: [`+intent+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return exampleResult(t, p, map[string]string{"violating": manifest}, "violating")
}

// TestCustomRulesDecide: an expression that gives no answer is no pass, whatever the
// reason is.
func TestCustomRulesDecide(t *testing.T) {
	for _, tt := range []struct {
		intent  string
		verdict finding.Verdict
		says    string // in a message, a notice or the reason of a workload
	}{
		{`{name: a, always: "self.ready == 2"}`, finding.Pass, ""},
		{`{name: a, never: "self.ready > 2"}`, finding.Pass, ""},
		{`{name: a, eventually: "quiescent"}`, finding.Pass, ""},
		{`{name: a, eventually: "self.ready == 3"}`, finding.Fail, "can be false forever: self.ready == 3: default/web ready 2"},
		{`{name: a, settles: "quiescent && self.ready == 2"}`, finding.Pass, ""},
		{`{name: a, settles: "!quiescent"}`, finding.Fail, "at rest"},
		{`{name: a, always: "!quiescent || self.replicas == 3", message: "three are wanted"}`, finding.Fail, "three are wanted: at rest; default/web replicas 2"},
		{`{name: a, always: "self.ready == 3", severity: warning}`, finding.Pass, "not always true"},
		{`{name: a, never: "self.ready / (self.ready - 2) > 1"}`, finding.Inconclusive, "policy.yaml:5: intents.custom a: division by zero"},
		{`{name: a, never: "{'x': 1}[self.load] == 1"}`, finding.Inconclusive, "no such key"},
		{`{name: a, never: "[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, a + b + c + d + e + self.ready > 0)))))"}`, finding.Inconclusive, "cost limit"},
		{`{name: a, always: "workload('default/api').ready > 0"}`, finding.Pass, "rule-names-unknown policy.yaml:5 a default/api"},
		{`{name: a, always: "self.ready == 3", workloads: [default/api]}`, finding.Pass, ""},
		{`{name: a, always: "nodes.present == nodes.serving && !(events.drains > 0) && applied"}`, finding.Pass, ""},
		{`{name: a, always: "[workload('default/web'), self].all(w, w.minReplicas == w.ready)"}`, finding.Pass, ""},
	} {
		r := customResult(t, webOf(2), tt.intent)
		var said strings.Builder
		for _, f := range r.Findings {
			fmt.Fprintln(&said, f.Message)
		}
		for _, w := range r.Workloads {
			fmt.Fprintln(&said, w.Reason)
		}
		fmt.Fprintln(&said, r.Notices)
		if r.Verdict != tt.verdict || !strings.Contains(said.String(), tt.says) {
			t.Errorf("%s: %s, want %s with %q; said\n%s", tt.intent, r.Verdict, tt.verdict, tt.says, said.String())
		}
	}
}

// TestCustomRulesAtReducedScale: a number that pods are compared with is scaled as they
// are, and one that reckons is not judged by stand-ins.
func TestCustomRulesAtReducedScale(t *testing.T) {
	notUnderRace(t)
	const replicas = 400
	for i, tt := range []struct {
		intent  string
		verdict finding.Verdict
	}{
		{`{name: a, always: "self.ready >= 400"}`, finding.Pass},
		{`{name: a, always: "self.ready >= 401"}`, finding.Fail},
		{`{name: a, never: "400 > self.ready"}`, finding.Pass},
		{`{name: a, always: "self.ready == self.replicas"}`, finding.Pass},
		{`{name: a, always: "self.ready * 2 >= 800"}`, finding.Inconclusive},
		{`{name: a, always: "self.nodes >= 2"}`, finding.Inconclusive},
	} {
		if testing.Short() && i%3 != 1 {
			continue // 400 pods take seconds: one that fails, and one that cannot be told
		}
		if r := customResult(t, webOf(replicas), tt.intent); r.Verdict != tt.verdict {
			t.Errorf("%s: %s, want %s\n%s", tt.intent, r.Verdict, tt.verdict, outline(r))
		}
	}
}

// TestCustomRulesSeeTerminatingPods: where nobody else could tell a pod on deletion from
// one that is gone, a rule that looks at it makes the difference.
func TestCustomRulesSeeTerminatingPods(t *testing.T) {
	p, err := policies.Load("policy.yaml", []byte(`
events: {none: true}
intents: {custom: [{name: a, never: "self.terminating > 0"}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{"base": webOf(2), "head": webOf(1)}
	if r := exampleResult(t, p, blocks, "head"); !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == "a" }) {
		t.Errorf("no pod terminates:\n%s", outline(r))
	}
}

// BenchmarkCustomRule is the cost of a rule in a search.
func BenchmarkCustomRule(b *testing.B) {
	for _, intent := range []string{"", `{name: a, never: "quiescent && self.ready >= 2 && self.zones < 2"}`} {
		p, err := policies.Load("policy.yaml", []byte("intents: {custom: ["+intent+"]}\n"))
		if err != nil {
			b.Fatal(err)
		}
		rev := caseRevision(b, "../testdata/kivi/c6/violating/manifests")
		b.Run(fmt.Sprint(intent != ""), func(b *testing.B) {
			for b.Loop() {
				if _, err := Verify(context.Background(), rev, Options{Policy: p, Workers: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
