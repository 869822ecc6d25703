package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// webAsking is a Deployment on the one node of one CPU, with what else is in its namespace.
func webAsking(replicas int, cpu, rest string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: %s}}}]}
`, replicas, cpu) + rest
}

func hpaUpTo(n int) string {
	return fmt.Sprintf(`---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: default}
spec:
  minReplicas: 1
  maxReplicas: %d
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
`, n)
}

func quotaOf(cpu string) string {
	return "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {requests.cpu: " + cpu + "}}\n"
}

// What cannot fit at the declared size is an error at the declared size, however many pods
// that are: sums against what is allocatable, pods against the node's most, one request against
// the largest node, an autoscaler's maximum, replicas against a quota.
func TestArithmeticDecidesAtTheDeclaredSize(t *testing.T) {
	for _, c := range []struct {
		name, base, head string
		rule             string // "": nothing is found
		status           finding.Status
		words            string
	}{
		{"sum", webAsking(1, "100m", ""), webAsking(100000, "1500m", ""), "unschedulable", finding.New, "100000 pods"},
		{"sum that just does not fit", webAsking(10, "100m", ""), webAsking(11, "100m", ""), "unschedulable", finding.New, ""},
		{"sum that fits", webAsking(1, "100m", ""), webAsking(10, "100m", ""), "", "", ""},
		{"pods", webAsking(1, "1m", ""), webAsking(111, "1m", ""), "unschedulable", finding.New, ""},
		{"pods that fit", webAsking(1, "1m", ""), webAsking(110, "1m", ""), "", "", ""},
		{"largest node", webAsking(1, "100m", ""), webAsking(1, "1001m", ""), "unschedulable", finding.New, ""},
		{"maximum", webAsking(1, "100m", hpaUpTo(10)), webAsking(1, "100m", hpaUpTo(200)), "unschedulable", finding.New, "of 200 replicas"},
		{"quota", webAsking(1, "1m", quotaOf("50m")), webAsking(90, "1m", quotaOf("50m")), "rollout-stuck", finding.New, "ResourceQuota q"},
		{"as bad before", webAsking(200, "100m", ""), webAsking(200, "100m", "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: default}\nspec: {selector: {app: web}, ports: [{port: 80}]}\n"), "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := checked(t, c.base, c.head)
			var found *finding.Finding
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Rule == c.rule && f.Status == finding.New {
					found = f
				}
				if f := &r.Findings[i]; c.rule == "" && f.Status == finding.New && (f.Rule == "unschedulable" || strings.Contains(f.Message, "declared size")) {
					t.Errorf("%s: %s", f.Rule, f.Message)
				}
			}
			if c.rule == "" {
				return
			}
			if found == nil {
				t.Fatalf("no new %s in %s", c.rule, text(t, r))
			}
			if found.Severity != "error" || !found.AtDeclaredScale || found.Reduced != nil || r.Verdict != finding.Fail || !strings.Contains(found.Message, c.words) {
				t.Errorf("%s, at the declared scale: %v, verdict %s: %s", found.Severity, found.AtDeclaredScale, r.Verdict, found.Message)
			}
			if len(found.Locations) == 0 || found.Locations[0].File != "web.yaml" || len(found.Interleaving) == 0 {
				t.Errorf("nothing is shown of it: %v", found.Locations)
			}
		})
	}
}
