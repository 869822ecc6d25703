package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
)

// TestAnyRolloutBreaksTheSpread: a hard spread that each rollout breaks, as old pods count until they are gone, is new
// for the change that asks for it so, and for none that comes later; what base asks otherwise excuses nothing.
func TestAnyRolloutBreaksTheSpread(t *testing.T) {
	web := spreadWeb(3)
	const hosts = `{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}`
	with := func(field string) string { return strings.Replace(hosts, "{", "{"+field+", ", 1) }
	spread := func(list string) string { return strings.Replace(web, "SPREAD", list, 1) }
	for _, tt := range []struct{ name, base, head, want string }{
		{"another image", spread(hosts), strings.Replace(spread(hosts), "web:1", "web:2", 1), "existing"},
		{"a field that makes no difference here", spread(with("nodeTaintsPolicy: Honor")), spread(hosts), "existing"},
		{"asked for now", spread(""), spread(hosts), "new"},
		{"softly before", spread(strings.Replace(hosts, "DoNotSchedule", "ScheduleAnyway", 1)), spread(hosts), "new"},
		{"over others before", spread(strings.Replace(hosts, "kubernetes.io/hostname", "disk", 1)), spread(hosts), "new"},
		{"revisions told apart before", spread(with("matchLabelKeys: [pod-template-hash]")), spread(hosts), "new"},
		{"and now", spread(hosts), spread(with("matchLabelKeys: [pod-template-hash]")), ""},
	} {
		p, err := policies.Load("policy.yaml", []byte(`
cluster:
  nodePools: [{name: general, count: {min: 3, max: 3}, zones: [a], labels: {disk: fast}, allocatable: {cpu: "4", memory: 16Gi}}]
events: {none: true}
`))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		r := exampleResult(t, p, map[string]string{"base": tt.base, "head": tt.head}, "head")
		for _, f := range r.Findings {
			got += string(f.Status)
			if f.Rule != "spread-violated" {
				t.Errorf("%s: %s", tt.name, f.Rule)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q\n%s", tt.name, got, tt.want, outline(r))
		}
	}
}

// TestAnyRolloutEndsInOneDomain: which of the new pods stay hangs on ties in each rollout, where the spread is only asked
// for softly. That is new for the change that asks for it, and for none that comes later.
func TestAnyRolloutEndsInOneDomain(t *testing.T) {
	web := spreadWeb(2)
	soft := strings.Replace(web, "SPREAD", `{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}`, 1)
	for _, tt := range []struct{ name, base, head, want string }{
		{"another image", soft, strings.Replace(soft, "web:1", "web:2", 1), "existing single-domain"},
		{"a priority that is not among the objects", soft, strings.Replace(soft, "containers:", "priorityClassName: high\n      containers:", 1),
			"existing single-domain"},
		{"asked for now", strings.Replace(web, "[SPREAD]", "[]", 1), soft, "new single-domain"},
	} {
		r := exampleResult(t, policies.Default(), map[string]string{"base": tt.base, "head": tt.head}, "head")
		var got []string
		for _, f := range r.Findings {
			got = append(got, string(f.Status)+" "+f.Rule)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q\n%s", tt.name, got, tt.want, outline(r))
		}
	}
}

// spreadWeb is a Deployment with so many replicas; SPREAD stands for the constraints on where they go.
func spreadWeb(replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints: [SPREAD]
      containers: [{name: web, image: "web:1"}]
`, replicas)
}
