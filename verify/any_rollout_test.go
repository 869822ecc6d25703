package verify

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
)

// TestAnyRolloutBreaksTheSpread: a hard spread that each rollout breaks, as old pods count until they are gone, is new
// for the change that asks for it so, and for none that comes later; what base asks otherwise excuses nothing.
func TestAnyRolloutBreaksTheSpread(t *testing.T) {
	const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints: [SPREAD]
      containers: [{name: web, image: "web:1"}]
`
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
