package verify

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// Of two autoscalers of one workload that which the change adds is to blame, of whichever kind it is and in whichever
// order they are found; of two that it adds, both.
func TestTheAutoscalerThatComesIsToBlame(t *testing.T) {
	web := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, resources: {requests: {cpu: 100m}}}]}
`
	hpa := func(name string) string {
		return `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: ` + name + `, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  minReplicas: 2
  maxReplicas: 3
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 60}}}]
`
	}
	scaled := `---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: web, namespace: default}
spec:
  scaleTargetRef: {name: web}
  minReplicaCount: 2
  maxReplicaCount: 3
  triggers:
  - {type: cpu, metricType: Utilization, metadata: {value: "50"}}
`
	for _, tt := range []struct{ name, base, head, blamed string }{
		{"ScaledObject", web + hpa("web"), web + hpa("web") + scaled, "keda.sh/ScaledObject default/web"},
		{"HPA", web + scaled, web + scaled + hpa("web"), "autoscaling/HorizontalPodAutoscaler default/web"},
		{"earlier HPA", web + hpa("web"), web + hpa("a") + hpa("web"), "autoscaling/HorizontalPodAutoscaler default/a"},
		{"later HPA", web + hpa("web"), web + hpa("web") + hpa("z"), "autoscaling/HorizontalPodAutoscaler default/z"},
		{"both", web, web + hpa("web") + scaled,
			"autoscaling/HorizontalPodAutoscaler default/web keda.sh/ScaledObject default/web"},
	} {
		told := false
		for _, f := range checked(t, tt.base, tt.head).Findings {
			if f.Rule != "never-settles" || f.Status != finding.New {
				continue
			}
			told = true
			var blamed []string
			for _, b := range f.Blame {
				blamed = append(blamed, b.Object)
			}
			if got := strings.Join(blamed, " "); got != tt.blamed || !f.Locations[0].InDiff {
				t.Errorf("%s: blamed is %q, first at line %d", tt.name, got, f.Locations[0].StartLine)
			}
		}
		if !told {
			t.Errorf("%s: nothing is told", tt.name)
		}
	}
}
