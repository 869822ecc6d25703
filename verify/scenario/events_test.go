package scenario

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestCrashesThatTell: a crash is explored where something takes pods away that does not
// ask what is ready.
func TestCrashesThatTell(t *testing.T) {
	bare := state.Manifest{Deployment: &appsv1.Deployment{}}
	covered := state.Manifest{Deployment: &appsv1.Deployment{}, PDBs: []*policyv1.PodDisruptionBudget{{}}}
	one := func(base, head state.Manifest) []state.Workload {
		return []state.Workload{{Manifests: [2]state.Manifest{base, head}}}
	}
	for _, x := range []struct {
		name      string
		policy    string
		workloads []state.Workload
		want      int
	}{
		{"nothing evicts", "events: {podCrash: {budget: 2}}", one(bare, bare), 0},
		{"a drain, no budget", "events: {drain: {}, podCrash: {budget: 2}}", one(bare, bare), 2},
		{"a drain, a budget", "events: {drain: {}, podCrash: {budget: 2}}", one(covered, covered), 0},
		{"a new workload with a budget", "events: {drain: {}, podCrash: {budget: 2}}", one(state.Manifest{}, covered), 0},
		{"the change brings the budget", "events: {drain: {}, podCrash: {budget: 2}}", one(bare, covered), 2},
		{"one of two has a budget", "events: {drain: {}, podCrash: {budget: 2}}", append(one(covered, covered), one(bare, bare)...), 2},
		{"a drain that does not ask", "events: {drain: {respectPDB: false}, podCrash: {budget: 2}}", one(covered, covered), 2},
		{"a node is removed", "events: {nodeRemoved: {budget: 1}, podCrash: {budget: 2}}", one(covered, covered), 0},
		{"a spot market", "events: {spotReclaim: {budget: 1}, podCrash: {budget: 2}}", one(covered, covered), 2},
		{"the user's floor", "events: {podCrash: {budget: 2}}\nintents: {below-floor: {minReady: 1}}", one(covered, covered), 2},
		{"an autoscaler of nodes", "controllers: {clusterAutoscaler: {}}\nevents: {podCrash: {budget: 2}}", one(bare, bare), 2},
	} {
		p, err := policies.Load("p.yaml", []byte(x.policy))
		if err != nil {
			t.Fatal(err)
		}
		if got := Budgets(p, x.workloads).PodCrash; got != x.want {
			t.Errorf("%s: %d crashes, want %d", x.name, got, x.want)
		}
	}
}
