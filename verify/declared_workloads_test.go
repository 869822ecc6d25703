package verify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// deploymentOf is a Deployment of pods that ask for some CPU, in thousandths.
func deploymentOf(namespace, name, image string, replicas, cpu int) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  replicas: %[4]d
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s}}
    spec:
      containers:
      - {name: c, image: "%[3]s", resources: {requests: {cpu: %[5]dm}}}
`, namespace, name, image, replicas, cpu)
}

// A workload of the release that the change does not touch, and the same declared in cluster.workloads, leave the changed
// one as much room: what is found of it is the same.
func TestDeclaredWorkloadsTakeRoomAsThoseOfARelease(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 3))
	found := 0
	for range 12 {
		nodes, n, cpu := 1+random.IntN(2), 1+random.IntN(3), 250*(1+random.IntN(12))
		count, each := 1+random.IntN(3), 250*(1+random.IntN(8))
		text := fmt.Sprintf("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\nevents: {none: true}\ncluster:\n  nodePools: [{name: general, count: {min: %[1]d, max: %[1]d}, allocatable: {cpu: \"4\", memory: 16Gi}}]\n", nodes)
		outcome := func(policy, beside string) []string {
			p, err := policies.Load("policy.yaml", []byte(policy))
			if err != nil {
				t.Fatal(err)
			}
			web := func(image string) string { return deploymentOf("default", "web", image, n, cpu) }
			var out []string
			for _, f := range checkedWith(t, p, web("web:1")+beside, web("web:2")+beside).Findings {
				if strings.HasSuffix(f.Workload, "/web") && f.Status == finding.New {
					out = append(out, fmt.Sprint(f.Severity, f.Rule, f.Certainty, f.Scale.Nodes, f.Events))
				}
			}
			return out
		}
		released := outcome(text, deploymentOf("other", "filler", "filler:1", count, each))
		declared := outcome(text+fmt.Sprintf("  workloads: [{namespace: other, name: filler, count: %d, requests: {cpu: %dm}}]\n", count, each), "")
		if !slices.Equal(released, declared) {
			t.Errorf("%d nodes, web %d x %dm, filler %d x %dm: declared %v, in the release %v", nodes, n, cpu, count, each, declared, released)
		}
		found += len(released)
	}
	if found == 0 {
		t.Error("nothing was found in any of them")
	}
}

// Declared workloads take of the quotas of their namespace, and of no other, without any nodes.
func TestDeclaredWorkloadsTakeOfQuotas(t *testing.T) {
	const text = "apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\nevents: {none: true}\ncluster:\n  workloads: [{namespace: %s, name: broker, count: 2, requests: {cpu: 500m}}]\n"
	for namespace, want := range map[string]bool{"default": true, "other": false} {
		p, err := policies.Load("policy.yaml", fmt.Appendf(nil, text, namespace))
		if err != nil {
			t.Fatal(err)
		}
		web := func(image string) string {
			return deploymentOf("default", "web", image, 2, 100) + quotaOf("1200m")
		}
		r := checkedWith(t, p, web("web:1"), web("web:2"))
		has := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
			return f.Rule == "rollout-stuck" && strings.HasSuffix(f.Workload, "/web")
		})
		if has != want {
			t.Errorf("declared in %s: %v", namespace, outline(r))
		}
		if !hasKind(r.Assumptions, finding.WorkloadsTakeNoRoom) {
			t.Error("that they take no room on unknown nodes is not said")
		}
	}
}
