package verify

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubesettle/kubesettle/policies"
)

// app is a Deployment of one pod with lines of its own in the template's labels and spec.
func app(name, labels, spec string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: shop}
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s%[2]s}}
    spec:
      %[3]s
      containers: [{name: c, image: "%[1]s:1", resources: {requests: {cpu: 10m}}}]
`, name, labels, spec)
}

// pods is a term of an affinity of a kind that looks at the pods of an application.
func pods(kind, app, key string) string {
	return fmt.Sprintf("affinity: {%s: {requiredDuringSchedulingIgnoredDuringExecution: "+
		"[{labelSelector: {matchLabels: {app: %s}}, topologyKey: %s}]}}", kind, app, key)
}

func inZone(zone string) string { return "nodeSelector: {topology.kubernetes.io/zone: " + zone + "}" }

func tierBudget(least string) string {
	return "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: shop}\n" +
		"spec: {minAvailable: " + least + ", selector: {matchLabels: {tier: x}}}\n"
}

const (
	twoZonedNodes = `
cluster:
  nodePools: [{name: general, count: {min: 2, max: 2}, zones: [a, b], allocatable: {cpu: "1", memory: 16Gi, pods: "110"}}]
`
	spreadTier = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, " +
		"whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {tier: x}}}]"
	diskClaim = `---
apiVersion: v1
kind: PersistentVolume
metadata: {name: v}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: ""
  claimRef: {namespace: shop, name: data}
  csi: {driver: d.example, volumeHandle: x}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", volumeName: v, resources: {requests: {storage: 1Gi}}}
`
	mountsClaim = "volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]\n      "
)

// partOf is the folder of a workload of two.
var partOf = map[string]string{"web": "app", "db": "platform"}

// kinMistakes are changes of one of two workloads that concern both.
var kinMistakes = []struct {
	name, policy  string
	app, platform [2]string // base and head
}{
	{"repels", smallNode, [2]string{app("web", "", ""), app("web", "", pods("podAntiAffinity", "db", "kubernetes.io/hostname"))},
		[2]string{app("db", "", ""), ""}},
	{"is attracted", twoZonedNodes, [2]string{app("web", "", inZone("a")),
		app("web", "", inZone("a")+"\n      "+pods("podAffinity", "db", "topology.kubernetes.io/zone"))},
		[2]string{app("db", "", inZone("b")), ""}},
	{"moves away from who is attracted", twoZonedNodes,
		[2]string{app("web", "", inZone("a")+"\n      "+pods("podAffinity", "db", "topology.kubernetes.io/zone")), ""},
		[2]string{app("db", "", inZone("a")), app("db", "", inZone("b"))}},
	{"takes a port", smallNode,
		[2]string{strings.Replace(app("web", "", ""), "cpu: 10m}}", "cpu: 10m}}, ports: [{containerPort: 80, hostPort: 80}]", 1), ""},
		[2]string{app("db", "", ""), strings.Replace(app("db", "", ""), "cpu: 10m}}", "cpu: 10m}}, ports: [{containerPort: 80, hostPort: 80}]", 1)}},
	{"is under the budget of both", twoZonedNodes, [2]string{app("web", ", tier: x", ""), ""},
		[2]string{app("db", ", tier: x", "") + tierBudget("1"), app("db", ", tier: x", "") + tierBudget("2")}},
	{"leaves a budget beside another's workload", "", [2]string{app("web", ", tier: x", "") + tierBudget("1"), ""},
		[2]string{strings.Replace(app("db", ", tier: x", ""), "replicas: 1", "replicas: 3", 1),
			strings.Replace(app("db", "", ""), "replicas: 1", "replicas: 3", 1)}},
	{"counts in the spread of another", twoZonedNodes, [2]string{strings.Replace(app("web", ", tier: x", spreadTier), "replicas: 1", "replicas: 2", 1), ""},
		[2]string{strings.Replace(app("db", ", tier: x", inZone("a")), "replicas: 1", "replicas: 0", 1),
			strings.Replace(app("db", ", tier: x", inZone("a")), "replicas: 1", "replicas: 4", 1)}},
	{"mounts the claim of another", twoZonedNodes, [2]string{app("web", "", mountsClaim) + diskClaim, ""},
		[2]string{app("db", "", ""), app("db", "", mountsClaim+pods("podAntiAffinity", "web", "kubernetes.io/hostname"))}},
	{"grows and preempts another's pod", smallNode, [2]string{sized(app("web", "", ""), "600m"), ""},
		[2]string{sized(app("db", "", "priorityClassName: front"), "100m") + "---\n" + fmt.Sprintf(frontClass, "1000"),
			sized(app("db", "", "priorityClassName: front"), "600m") + "---\n" + fmt.Sprintf(frontClass, "1000")}},
	{"comes to outrank another", smallNode, [2]string{sized(app("web", "", ""), "600m"), ""},
		[2]string{sized(app("db", "", ""), "600m") + "---\n" + fmt.Sprintf(frontClass, "1000"),
			sized(app("db", "", "priorityClassName: front"), "600m") + "---\n" + fmt.Sprintf(frontClass, "1000")}},
	{"leaves the zone of a volume of another release", twoZonedNodes,
		[2]string{app("web", "", mountsClaim+inZone("a")), app("web", "", mountsClaim+inZone("b"))},
		[2]string{strings.Replace(diskClaim, "  csi:", "  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "+
			"[{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}]}}\n  csi:", 1), ""}},
}

// sized is a workload whose pod requests other CPU.
func sized(text, cpu string) string { return strings.Replace(text, "cpu: 10m", "cpu: "+cpu, 1) }

// TestWorkloadsOfOneCluster: two workloads that concern each other are searched together in whatever releases of a
// cluster they are. In two clusters each is searched alone; where nobody says that there is one, what takes both is a
// warning.
func TestWorkloadsOfOneCluster(t *testing.T) {
	for _, m := range kinMistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			for _, part := range []*[2]string{&m.app, &m.platform} {
				if part[1] == "" {
					part[1] = part[0]
				}
			}
			check := func(name string, declared bool) map[string]string {
				l := layouts[name]
				text := "apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n" + m.policy
				if declared && m.policy == "" {
					text += "cluster:\n"
				}
				if declared {
					text = strings.Replace(text, "cluster:\n", "cluster:\n  releases: [\"**\"]\n", 1)
				}
				pol, err := policies.Load("policy.yaml", []byte(text))
				if err != nil {
					t.Fatal(err)
				}
				ch := clusterChanges(t, l(m.app[0], m.platform[0]), l(m.app[1], m.platform[1]), pol)
				r := verdict(t)(Check(context.Background(), ch, Options{Policy: pol, Workers: 2}))
				seen := map[string]bool{}
				for _, f := range r.Findings {
					if k := f.Rule + " " + f.Workload; seen[k] {
						t.Errorf("%s: %s is told twice", name, k)
					}
					seen[f.Rule+" "+f.Workload] = true
					if of := partOf[path.Base(f.Workload)]; !strings.HasPrefix(name, "one") && !strings.HasSuffix(f.Release, of) {
						t.Errorf("%s: %s of %s is told of %s", name, f.Rule, f.Workload, f.Release)
					}
				}
				return broken(r)
			}
			one := check("one", false)
			if len(one) == 0 {
				t.Fatal("nothing is found in one release")
			}
			if d := cmp.Diff(one, check("plain", true)); d != "" {
				t.Errorf("declared (-one release +two):\n%s", d)
			}
			for _, by := range []string{"argo", "flux"} {
				if d := cmp.Diff(check("one by "+by, false), check(by, false)); d != "" {
					t.Errorf("%s (-one release +two):\n%s", by, d)
				}
			}
			if found := check("two clusters", false); len(found) > 0 {
				t.Errorf("two clusters: found %v", found)
			}
			for k, what := range check("plain", false) {
				if was, known := one[k]; !known || strings.Contains(what, "error") {
					t.Errorf("plain folders: %s is %s, and %s in one release", k, what, was)
				}
			}
		})
	}
}
