package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// pacedBy is a workload on the one node of one CPU whose rollouts go as a strategy says.
func pacedBy(kind, replicas, image, cpu, strategy string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: %s
metadata: {name: web, namespace: default}
spec:
  %s
  selector: {matchLabels: {app: web}}
  %s
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "%s", resources: {requests: {cpu: %s}}}]}
`, kind, replicas, strategy, image, cpu)
}

// A field that paces a rollout is changed together with the image, so that the rollout
// sticks for want of room: the field is to blame, and the image is not, whatever the kind.
func TestTheFieldThatPacesARolloutIsBlamed(t *testing.T) {
	for _, c := range []struct {
		kind, replicas, cpu string
		base, head          string
		field               string
	}{
		{
			"Deployment", "replicas: 2", "400m",
			"strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
			"strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
			"spec.strategy.rollingUpdate.maxSurge",
		},
		{
			"Deployment", "replicas: 1", "800m",
			"strategy: {type: Recreate}",
			"strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
			"spec.strategy.type",
		},
		{
			"DaemonSet", "minReadySeconds: 0", "800m",
			"updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
			"updateStrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
			"spec.updateStrategy.rollingUpdate.maxSurge",
		},
	} {
		t.Run(c.kind+" "+c.field, func(t *testing.T) {
			r := checked(t, pacedBy(c.kind, c.replicas, "web:1", c.cpu, c.base), pacedBy(c.kind, c.replicas, "web:2", c.cpu, c.head))
			i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return f.Status == finding.New && f.Rule == "rollout-stuck" })
			if i < 0 {
				t.Fatalf("no rollout is stuck:\n%s", text(t, r))
			}
			var blamed []string
			for _, b := range r.Findings[i].Blame {
				blamed = append(blamed, b.Path)
				if strings.HasSuffix(b.Path, ".image") {
					t.Error("the image is to blame")
				}
			}
			if !slices.Contains(blamed, c.field) {
				t.Errorf("to blame are %v, not %s", blamed, c.field)
			}
		})
	}
}
