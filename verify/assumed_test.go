package verify

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// changeOf gives the change from one set of manifests to another, with a policy; "" is the
// embedded one.
func changeOf(t testing.TB, base, head, policy string) (*object.Changes, *policies.Policy) {
	t.Helper()
	ar := &txtar.Archive{Files: []txtar.File{{Name: "base/m.yaml", Data: []byte(base)}, {Name: "head/m.yaml", Data: []byte(head)}}}
	ch, err := render.Diff(scriptRevision(t, ar, "base"), scriptRevision(t, ar, "head"))
	if err != nil {
		t.Fatal(err)
	}
	if policy == "" {
		return ch, policies.Default()
	}
	p, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+policy))
	if err != nil {
		t.Fatal(err)
	}
	return ch, p
}

// podsOf is a Deployment with so many replicas and more fields in its pod template.
func podsOf(replicas int, image, pod string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: c, image: "web:%s"}]
%s`, replicas, image, pod)
}

// required is a node affinity with one requirement.
func required(key, operator, values string) string {
	return `      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: ` +
		key + `, operator: ` + operator + `, values: ` + values + `}]}]}}}`
}

func apartOf(key string) string {
	return `      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: web}}, topologyKey: ` + key + `}]}}`
}

// TestAnUndeclaredNodeThatFitsExists: with nothing declared, no error and nothing inevitable
// rests on the labels, the capacity or the number of nodes that were assumed.
func TestAnUndeclaredNodeThatFitsExists(t *testing.T) {
	notUnderRace(t)
	for name, pod := range map[string]string{
		"architecture":     `      nodeSelector: {kubernetes.io/arch: arm64}`,
		"operating system": `      nodeSelector: {kubernetes.io/os: windows}`,
		"zone":             `      nodeSelector: {topology.kubernetes.io/zone: eu-west-1a}`,
		"region":           `      nodeSelector: {topology.kubernetes.io/region: eu-west-1}`,
		"hostname":         `      nodeSelector: {kubernetes.io/hostname: node-7}`,
		"name":             `      nodeName: node-7`,
		"any label":        `      nodeSelector: {disk: ssd}`,
		"a role":           "      nodeSelector: {node-role.kubernetes.io/control-plane: \"\"}\n      tolerations: [{operator: Exists}]",
		"greater":          required("generation", "Gt", `["5"]`),
		"not amd64":        required("kubernetes.io/arch", "NotIn", `[amd64]`),
		"one of zones":     required("topology.kubernetes.io/zone", "In", `[eu-1, eu-2, eu-3, eu-4]`),
		"racks":            `      topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]`,
		"domains":          `      topologySpreadConstraints: [{maxSkew: 1, minDomains: 5, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]`,
		"friends":          `      affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: redis}}, topologyKey: kubernetes.io/hostname}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			ch, p := changeOf(t, podsOf(2, "1", ""), podsOf(2, "2", pod), "")
			for _, f := range verdict(t)(Check(context.Background(), ch, Options{Policy: p})).Findings {
				if f.Severity == "error" || f.Rule == "unschedulable" || f.Rule == "rollout-stuck" {
					t.Errorf("%s %s: %s", f.Severity, f.Rule, f.Message)
				}
			}
		})
	}
}

// TestTheNumberOfAssumedNodesIsNamed: a finding that more nodes or zones would mend is a
// warning, is not inevitable, and says of which clusters it speaks.
func TestTheNumberOfAssumedNodesIsNamed(t *testing.T) {
	comparison(t)
	for name, head := range map[string]string{
		"nodes": podsOf(8, "2", apartOf("kubernetes.io/hostname")),
		"zones": podsOf(4, "2", apartOf("topology.kubernetes.io/zone")),
	} {
		t.Run(name, func(t *testing.T) {
			ch, p := changeOf(t, podsOf(2, "1", ""), head, "")
			found := verdict(t)(Check(context.Background(), ch, Options{Policy: p})).Findings
			if len(found) == 0 {
				t.Error("nothing was found")
			}
			for _, f := range found {
				if f.Severity == "error" || f.Certainty == finding.Inevitable || !strings.Contains(f.Message, "while at most") {
					t.Errorf("%s %s %s: %s", f.Severity, f.Certainty, f.Rule, f.Message)
				}
			}
		})
	}
}

// TestWhatNoClusterMendsIsAnError: what no node can mend stays what it is.
func TestWhatNoClusterMendsIsAnError(t *testing.T) {
	both := required("disk", "In", "[ssd]") + "\n      nodeSelector: {disk: hdd}"
	ch, p := changeOf(t, podsOf(2, "1", ""), podsOf(2, "2", both), "")
	r := verdict(t)(Check(context.Background(), ch, Options{Policy: p}))
	if r.Verdict != finding.Fail {
		t.Errorf("a pod that wants two values of one label: %s, want fail", r.Verdict)
	}
}
