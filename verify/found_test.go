package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// bigPod takes more of a node than a descheduler lets it.
const bigPod = `apiVersion: apps/v1
kind: Deployment
metadata: {name: big, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: big}}
  template:
    metadata: {labels: {app: big}}
    spec: {containers: [{name: big, image: "big:1", resources: {requests: {cpu: 2500m}}}]}
`

// deschedulerMap is a descheduler's ConfigMap with a target in percent of CPU.
func deschedulerMap(name string, target int) string {
	return fmt.Sprintf(`---
apiVersion: v1
kind: ConfigMap
metadata: {name: %s, namespace: kube-system}
data:
  policy.yaml: |
    apiVersion: descheduler/v1alpha2
    kind: DeschedulerPolicy
    profiles:
    - name: default
      pluginConfig:
      - name: DefaultEvictor
        args: {nodeFit: true}
      - name: LowNodeUtilization
        args: {thresholds: {cpu: 20}, targetThresholds: {cpu: %d}}
      plugins:
        balance: {enabled: [LowNodeUtilization]}
`, name, target)
}

const twoNodes = `
cluster:
  nodePools: [{name: general, count: {min: 2, max: 4}, zones: [a], allocatable: {cpu: "4", memory: 16Gi}}]
events: {none: true}
`

// TestConfigurationFound: a descheduler's policy among the manifests is used, and a change
// of it alone is a change that is checked.
func TestConfigurationFound(t *testing.T) {
	for _, tt := range []struct{ name, policy, base, head, want string }{
		{"new among the manifests", "", bigPod, bigPod + deschedulerMap("d", 50),
			"fail; eviction-loop new at app.yaml:24; controller-used app.yaml:15 descheduler"},
		{"tightened", "", bigPod + deschedulerMap("d", 70), bigPod + deschedulerMap("d", 50),
			"fail; eviction-loop new at app.yaml:24; controller-used app.yaml:15 descheduler"},
		{"loosened", "", bigPod + deschedulerMap("d", 50), bigPod + deschedulerMap("d", 70),
			"pass; eviction-loop fixed; controller-used app.yaml:15 descheduler"},
		{"unchanged", "", bigPod + deschedulerMap("d", 50), bigPod + deschedulerMap("d", 50),
			"pass"},
		{"gone", "", bigPod + deschedulerMap("d", 50), bigPod, "pass; eviction-loop fixed"},
		{"not looked for", "controllers: {discover: false}\n", bigPod, bigPod + deschedulerMap("d", 50), "pass"},
		{"two that differ", "", bigPod, bigPod + deschedulerMap("d", 50) + deschedulerMap("e", 70), "pass"},
		{"two alike", "", bigPod, bigPod + deschedulerMap("d", 50) + deschedulerMap("e", 50), "fail; eviction-loop new"},
		{"not readable", "", bigPod, bigPod + strings.Replace(deschedulerMap("d", 50), "targetThresholds", "targets", 1),
			"pass; controller-unread app.yaml:15 DeschedulerPolicy line 9 of it: "},
	} {
		p, err := policies.Load("policy.yaml", []byte(twoNodes+tt.policy))
		if err != nil {
			t.Fatal(err)
		}
		r := exampleResult(t, p, map[string]string{"base": tt.base, "head": tt.head}, "head")
		got := []string{string(r.Verdict)}
		for _, f := range r.Findings {
			text := f.Rule + " " + string(f.Status)
			if f.Status == finding.New {
				text += fmt.Sprintf(" at %s:%d", f.Locations[0].File, f.Locations[0].StartLine)
			}
			got = append(got, text)
		}
		for _, n := range r.Notices {
			got = append(got, n.String())
		}
		if text := strings.Join(got, "; "); !strings.HasPrefix(text, tt.want) {
			t.Errorf("%s: %s, want %s\n%s", tt.name, text, tt.want, outline(r))
		}
	}
}

// TestAutoscalerFound: a cluster autoscaler among the manifests sizes the pools that are
// autoscaled, as its flags say.
func TestAutoscalerFound(t *testing.T) {
	const autoscaled = `
cluster:
  nodePools: [{name: general, count: {min: 1, max: 2}, zones: [a], allocatable: {cpu: "4", memory: 16Gi}, autoscaled: true}]
events: {none: true}
intents: {custom: [{name: two, never: "quiescent && nodes.present == 2"}, {name: one, never: "quiescent && nodes.present == 1"}]}
`
	two := strings.NewReplacer("name: big", "name: web", "app: big", "app: web", "replicas: 1", "replicas: 2").Replace(bigPod)
	scaler := func(args string) string {
		return "---\n" + strings.NewReplacer("name: big", "name: scaler", "app: big", "app: scaler", "cpu: 2500m", "cpu: 1m",
			`image: "big:1"`, `image: "registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.0", args: [`+args+`]`).Replace(bigPod)
	}
	for _, tt := range []struct{ args, head, want string }{
		{"", two, "two"},    // a second node for the second pod
		{"", bigPod, "one"}, // and none for one
		{`"--scale-down-enabled=false"`, two, "two"}, // the same: it only grows
		{`"--scale-down-utilization-threshold=x"`, two, "two"},
	} {
		p, err := policies.Load("policy.yaml", []byte(autoscaled))
		if err != nil {
			t.Fatal(err)
		}
		r := exampleResult(t, p, map[string]string{"head": tt.head + scaler(tt.args)}, "head")
		found := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Rule == tt.want })
		said := slices.ContainsFunc(r.Notices, func(n finding.Note) bool {
			return n.Kind == finding.ControllerUsed && n.File == "app.yaml" && n.Arg(0) == "cluster autoscaler"
		})
		if !found || !said {
			t.Errorf("%s: want %s and where it was found, got\n%s\n%q", tt.args, tt.want, outline(r), r.Notices)
		}
	}
}

// TestAutoscalerChanged: a change of the flags of a cluster autoscaler alone is searched for what it does to every
// workload, whether the policy names the autoscaler or not; a flag that nothing hangs on is none that is told.
func TestAutoscalerChanged(t *testing.T) {
	const policy = `
cluster:
  nodePools: [{name: general, count: {min: 1, max: 2}, zones: [a], allocatable: {cpu: "4", memory: 16Gi}, autoscaled: true}]
events: {none: true, loadChange: {budget: 2}}
intents: {custom: [{name: two, never: "quiescent && nodes.present == 2 && workload('default/big').ready == 2"}]}
`
	const named = "controllers: {clusterAutoscaler: {}}\n"
	const scaled = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: big, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: big}
  minReplicas: 2
  maxReplicas: 3
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]
`
	// Two pods that rest on two nodes of which each takes both, and one of them in the way of that.
	big := strings.NewReplacer("  replicas: 1\n", "", "cpu: 2500m", "cpu: 1900m, memory: 64Mi", "spec: {containers",
		"spec: {volumes: [{name: tmp, emptyDir: {}}], containers").Replace(bigPod) + scaled
	scaler := func(args string) string {
		return big + "---\n" + strings.NewReplacer("name: big", "name: scaler", "namespace: default", "namespace: ops",
			"app: big", "app: scaler", "cpu: 2500m", "cpu: 1m", `image: "big:1"`,
			`image: "registry.k8s.io/autoscaling/cluster-autoscaler:v1.36.0", args: [`+args+`]`).Replace(bigPod)
	}
	const local, at40 = `"--skip-nodes-with-local-storage=false"`, `"--skip-nodes-with-local-storage=false", "--scale-down-utilization-threshold", "0.4"`
	for _, tt := range []struct{ name, policy, base, head, want string }{
		{"keeps what it moved", policy, scaler(local), scaler(""), "two new"},
		{"says so", policy, scaler(local), scaler(`"--skip-nodes-with-local-storage"`), "two new"},
		{"moves what it kept", policy, scaler(""), scaler(local), "two fixed"},
		{"finds more of it used", policy, scaler(local), scaler(at40), "two new"},
		{"named by the policy", policy + named, scaler(local), scaler(""), "two new"},
		{"an expander", policy, scaler(local), scaler(local + `, "--expander=least-waste"`), ""},
		{"the cluster's own", policy, scaler(local), scaler(local + `, "--skip-nodes-with-system-pods=false"`), ""},
		{"not readable", policy, scaler(local), scaler(`"--skip-nodes-with-local-storage=maybe"`), "two new"},
	} {
		p, err := policies.Load("policy.yaml", []byte(tt.policy))
		if err != nil {
			t.Fatal(err)
		}
		r := exampleResult(t, p, map[string]string{"base": tt.base, "head": tt.head}, "head")
		var got []string
		for _, f := range r.Findings {
			if f.Status != finding.Existing {
				got = append(got, f.Rule+" "+string(f.Status))
			}
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %q, want %q\n%s\n%q", tt.name, text, tt.want, outline(r), r.Notices)
		}
	}
}

func hasKind(list []finding.Note, k finding.Kind) bool {
	return slices.ContainsFunc(list, func(n finding.Note) bool { return n.Kind == k })
}
