package policies

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/verify/state"
)

const nodePools = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  limits: {cpu: "9"}
  disruption:
    consolidateAfter: 30s
    budgets:
    - {nodes: "20%", reasons: [Empty]}
    - {nodes: "1"}
    - {nodes: "0", schedule: "@daily", duration: 8h}
  template:
    metadata: {labels: {team: shop}}
    spec:
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
      - {key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}
      taints: [{key: spot, effect: NoSchedule}]
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: general}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: other}
spec: {disruption: {consolidateAfter: Never, consolidationPolicy: WhenEmpty}, template: {spec: {expireAfter: Never, terminationGracePeriod: 1h}}}
`

func TestLoadNodePools(t *testing.T) {
	pools, err := LoadNodePools("pools.yaml", []byte(nodePools))
	if err != nil || len(pools) != 2 {
		t.Fatalf("%d pools, %v", len(pools), err)
	}
	want := state.Karpenter{NodePool: "general", Expires: true, Patient: true, Budgets: []state.DisruptionBudget{{Nodes: "20%", Reasons: []string{"Empty"}}, {Nodes: "1"}}}
	if d := cmp.Diff(want, pools[0].Karpenter); d != "" {
		t.Error(d)
	}
	want = state.Karpenter{NodePool: "other", Never: true, WhenEmpty: true, Budgets: []state.DisruptionBudget{{Nodes: "10%"}}}
	if d := cmp.Diff(want, pools[1].Karpenter); d != "" {
		t.Error(d)
	}
	if _, line := pools[0].Locate("spec.disruption.budgets"); line != 9 {
		t.Errorf("the budgets stand in line %d, want 9", line)
	}

	p, err := Load("policy.yaml", []byte("cluster: {nodePools: [{name: general, count: {min: 1, max: 6}, labels: {team: web}, allocatable: {cpu: \"4\", memory: 8Gi}}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	with, unknown := p.WithKarpenter(pools)
	if d := cmp.Diff([]string{"other"}, unknown); d != "" {
		t.Error(d)
	}
	pool := with.Cluster.Pools[0]
	if pool.Max != 2 || !pool.Autoscaled || pool.Karpenter == nil || len(pool.Taints) != 1 {
		t.Errorf("the pool is %+v, want at most 2 nodes within 9 cores, and the NodePool's taint", pool)
	}
	if d := cmp.Diff(map[string]string{"team": "web", "karpenter.sh/nodepool": "general", "karpenter.sh/capacity-type": "spot"}, pool.Labels); d != "" {
		t.Error(d)
	}
	if p.Cluster.Pools[0].Karpenter != nil {
		t.Error("the policy itself was changed")
	}
}

// TestDisruptionBudgets: the least of the budgets that have the reason counts, and a
// percentage rounds up.
func TestDisruptionBudgets(t *testing.T) {
	k := state.Karpenter{Budgets: []state.DisruptionBudget{{Nodes: "10%"}, {Nodes: "3"}, {Nodes: "0", Reasons: []string{state.DisruptEmpty}}}}
	for _, tt := range []struct {
		reason      string
		nodes, want int
	}{{state.DisruptUnderutilized, 1, 1}, {state.DisruptUnderutilized, 11, 2}, {state.DisruptUnderutilized, 100, 3}, {state.DisruptEmpty, 100, 0}} {
		if got := k.Allowed(tt.reason, tt.nodes); got != tt.want {
			t.Errorf("%s of %d nodes: %d, want %d", tt.reason, tt.nodes, got, tt.want)
		}
	}
	if got := (&state.Karpenter{}).Allowed(state.DisruptEmpty, 5); got != -1 {
		t.Errorf("without a budget: %d, want no limit", got)
	}
}

func FuzzLoadNodePools(f *testing.F) {
	f.Add(nodePools)
	f.Add("kind: NodePool\nmetadata: {name: a}\nspec: {limits: {cpu: x}}")
	f.Fuzz(func(t *testing.T, text string) {
		pools, err := LoadNodePools("f", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("%v names no file", err)
		}
		Default().WithKarpenter(pools)
	})
}

// FuzzExpression: whatever compiles can be looked at, scaled and compiled again.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{
		"self.ready >= 20", "workload('a/b').readyOn('x', 'y') == 0 && quiescent", "[self].all(w, w.ready > 1)",
		"self.load == 'idle' ? true : nodes.present * 2 > 3", "!(events.drains in [1, 2])", "{'a': self}.a.ready > 0",
	} {
		f.Add(s)
	}
	env, err := intentEnv()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, problems := compile(env, text)
		if len(problems) > 0 {
			return
		}
		e.scope()
		whileMoving(e.tree)
		if _, _, err := e.program.Eval(e.activation(make([]int, len(e.reads)))); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
		if _, err := Scaled([]CustomIntent{{Name: "a", Always: text}}, func(n int) int { return n / 2 }); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
