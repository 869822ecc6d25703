package verify

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// TestShrunkQuotaFixesNothing: a quota that leaves the next rollout no room, and now not even what runs, breaks the
// rule once: what a search saw of base is not fixed where arithmetic sees it of head.
func TestShrunkQuotaFixesNothing(t *testing.T) {
	const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1", resources: {requests: {cpu: 500m, memory: 1Gi}}}
---
`
	const queue = `apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: shop}
spec: {clusterQueue: team}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: CPU}, {name: memory, nominalQuota: 8Gi}]
`
	const quota = `apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: shop}
spec: {hard: {requests.cpu: CPU}}
`
	for _, tt := range []struct{ name, objects, base, head, want string }{
		{"Kueue, below what runs", queue, "1500m", "1", "rollout-stuck new"},
		{"Kueue, with room at last", queue, "1500m", "2", "rollout-stuck fixed"},
		{"quota, below what runs", quota, "1500m", "1", "rollout-stuck new"},
		{"quota, with room at last", quota, "1500m", "2", "rollout-stuck fixed"},
		{"quota, further below", quota, "1", "500m", "rollout-stuck worsened"},
	} {
		p, err := policies.Load("policy.yaml", []byte("events: {none: true}\n"))
		if err != nil {
			t.Fatal(err)
		}
		with := func(cpu string) string { return web + strings.Replace(tt.objects, "CPU", cpu, 1) }
		r := exampleResult(t, p, map[string]string{"base": with(tt.base), "head": with(tt.head)}, "head")
		var got []string
		for _, f := range r.Findings {
			if f.Status != finding.Existing {
				got = append(got, f.Rule+" "+string(f.Status))
			}
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %q, want %q\n%s", tt.name, text, tt.want, outline(r))
		}
	}
}
