package verify

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
)

// What is wrong with objects as they stand is mended by an edit that holds: applied as text, nothing new is left.
func TestStaticFixHeals(t *testing.T) {
	web := webWith("      - name: web\n        image: web\n        resources:\n          requests:\n            cpu: 100m\n")
	const service = "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: default\nspec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n"
	const hpa = "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\n  namespace: default\nspec:\n  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: web\n  minReplicas: 1\n  maxReplicas: 3\n  metrics:\n  - type: Resource\n    resource:\n      name: cpu\n      target:\n        type: Utilization\n        averageUtilization: 80\n"
	const job = "---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  namespace: default\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - name: migrate\n        image: migrate:1\n"
	const budget = "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: web\n  namespace: default\nspec:\n  minAvailable: 1\n  selector:\n    matchLabels:\n      app: web\n"
	const quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\n  namespace: default\nspec:\n  hard:\n    requests.cpu: 500m\n"
	bare := strings.NewReplacer("        resources:\n          requests:\n            cpu: 100m\n", "",
		"  strategy: {type: Recreate}\n", "").Replace(web)
	blockWeb := strings.NewReplacer("selector: {matchLabels: {app: web}}", "selector:\n    matchLabels:\n      app: web",
		"metadata: {labels: {app: web}}", "metadata:\n      labels:\n        app: web").Replace(web)
	for name, c := range map[string]struct{ rule, base, from, to, say string }{
		"a field that is misspelt": {"apply-rejected", web, "        resources:", "        resorces:", "write resources instead of resorces"},
		"a misspelt selector":      {"dangling-target", web + service, "  selector:\n    app: web\n", "  selector:\n    app: wbe\n", "select the labels that the pods of Deployment web have"},
		"a misspelt target":        {"dangling-target", strings.Replace(web, "  replicas: 1\n", "", 1) + hpa, "    name: web\n", "    name: wbe\n", "name Deployment web as its target"},
		"a misspelt target that is not ready for it": {"dangling-target", bare, "        image: web\n",
			"        image: web\n" + strings.Replace(hpa, "    name: web\n", "    name: web-app\n", 1),
			"name Deployment web as its target, and request the resource that is measured in percent for each container (here cpu: 100m: use its real demand), and remove spec.replicas of Deployment web: the autoscaler owns it"},
		"a field of the Job in its pods": {"apply-rejected", web + job, "      restartPolicy: Never\n", "      restartPolicy: Never\n      backoffLimit: 2\n",
			"move spec.template.spec.backoffLimit to spec.backoffLimit"},
		"a field of the pods beside them": {"apply-rejected", web, "    spec:\n      containers", "    nodeSelector:\n      disk: ssd\n    spec:\n      containers",
			"move spec.template.nodeSelector to spec.template.spec.nodeSelector"},
		"a field of the containers beside them": {"apply-rejected", web, "    spec:\n      containers", "    spec:\n      securityContext:\n        readOnlyRootFilesystem: true\n      containers",
			"move spec.template.spec.securityContext.readOnlyRootFilesystem to spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem"},
		"a probe beside the containers": {"apply-rejected", web, "    spec:\n      containers", "    spec:\n      readinessProbe:\n        tcpSocket:\n          port: 80\n      containers",
			"move spec.template.spec.readinessProbe to spec.template.spec.containers[0].readinessProbe"},
		"a field of the pods with their labels": {"apply-rejected", blockWeb, "      labels:\n        app: web\n", "      labels:\n        app: web\n      nodeSelector:\n        disk: ssd\n",
			"move spec.template.metadata.nodeSelector to spec.template.spec.nodeSelector"},
		"a backend of an older Ingress": {"apply-rejected", web + service, "  - port: 80\n", "  - port: 80\n---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: web\n  namespace: default\nspec:\n  rules:\n  - host: a.example.com\n    http:\n      paths:\n      - path: /\n        backend:\n          serviceName: web\n          servicePort: 80\n",
			"write it as the newest version of its API has it"},
		"a target of an older autoscaler": {"apply-rejected", strings.Replace(web, "  replicas: 1\n", "", 1), "            cpu: 100m\n", "            cpu: 100m\n" + strings.Replace(hpa, "      target:\n        type: Utilization\n        averageUtilization: 80\n", "      targetAverageUtilization: 80\n", 1),
			"write it as the newest version of its API has it"},
		"a field that nothing has": {"apply-rejected", web + service, "  ports:\n", "  strategy:\n    type: Recreate\n  ports:\n", "remove spec.strategy, which the API does not have and would drop"},
		"a budget with both": {"apply-rejected", strings.Replace(web, "replicas: 1", "replicas: 2", 1) + budget, "  minAvailable: 1\n", "  minAvailable: 1\n  maxUnavailable: 1\n",
			"remove minAvailable: a budget has one of the two, and maxUnavailable keeps up with the number of replicas"},
		"a wish that selects none of its own pods": {"dangling-target", strings.Replace(web, "    spec:\n", "    spec:\n      topologySpreadConstraints:\n"+
			"      - maxSkew: 1\n        topologyKey: zone\n        whenUnsatisfiable: ScheduleAnyway\n        labelSelector:\n          matchLabels:\n            app: web\n", 1),
			"          matchLabels:\n            app: web\n", "          matchLabels:\n            app: wbe\n",
			"have spec.template.spec.topologySpreadConstraints[0].labelSelector select the labels that the workload selects its own pods by"},
		"a pod that holds its node": {
			"drain-blocked", strings.Replace(web, "    metadata: {labels: {app: web}}\n",
				"    metadata:\n      labels: {app: web}\n      annotations:\n        a: b\n", 1),
			"        a: b\n", "        a: b\n        cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\"\n",
			"remove the annotation, and have a PodDisruptionBudget with maxUnavailable: 1 pace evictions"},
		"a label that is selected from now on": {"apply-rejected", blockWeb, "      app: web\n  strategy: {type: Recreate}\n  template:\n    metadata:\n      labels:\n        app: web\n",
			"      app: web\n      tier: a\n  strategy: {type: Recreate}\n  template:\n    metadata:\n      labels:\n        app: web\n        tier: a\n",
			"have tier on the pods alone: spec.selector cannot change"},
		"a quota that counts what a pod does not say": {"rollout-stuck", web + quota, "        resources:\n          requests:\n            cpu: 100m\n", "",
			"have each container say what quota team counts (here 100m and 128Mi: use its real demand)"},
		"a quota below the replicas": {"rollout-stuck", web + quota, "replicas: 1", "replicas: 7",
			"raise requests.cpu of the quota to 800m: what 7 pods ask for, and one more during a rollout"},
		"a Job's template that goes": {"apply-rejected", web + job, "migrate:1", "migrate:2", "give the Job a new name with its new template, such as migrate-2"},
	} {
		t.Run(name, func(t *testing.T) {
			head := strings.Replace(c.base, c.from, c.to, 1)
			r := checkedWith(t, policies.Default(), c.base, head)
			if len(r.Findings) != 1 || r.Findings[0].Rule != c.rule {
				t.Fatalf("not one finding of %s:\n%s", c.rule, outline(r))
			}
			f := r.Findings[0]
			// What leaves out something that was asked for is an edit to look at, and no fix that is verified.
			leavesOut := strings.Contains(name, "nothing has") || strings.Contains(name, "with both")
			if f.Fix == nil || !f.Fix.Mechanical || f.Fix.Verified == leavesOut || f.Fix.Text != c.say {
				t.Fatalf("fix %+v", f.Fix)
			}
			e := judge.Edit{First: f.Fix.Location.StartLine, Last: f.Fix.Location.EndLine}
			for _, l := range judge.SplitLines(f.Fix.Replacement) {
				e.Lines = append(e.Lines, strings.TrimSuffix(l, "\n"))
			}
			mended, ok := e.Apply(head)
			if !ok {
				t.Fatalf("%+v does not apply", f.Fix)
			}
			for _, left := range checkedWith(t, policies.Default(), c.base, mended).Findings {
				if left.Status == finding.New || left.Status == finding.Worsened {
					t.Errorf("left: %s: %s", left.Rule, left.Message)
				}
			}
		})
	}
}
