package verify

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
)

const revertible = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
%s  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
%s      containers: [{name: web, image: "web:%s", resources: {requests: {cpu: 500m}}}]
`

// A change that has come to rest can be taken back, unless its own pods keep those of base
// away. What base cannot do by itself is not held against the change.
func TestRevert(t *testing.T) {
	const (
		apart = "      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			"[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}\n"
		recreate = "  strategy: {type: Recreate}\n"
		quota    = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: shop}\nspec: {hard: {requests.cpu: \"1\"}}\n---\n"
	)
	web := func(strategy, pod, image string) string { return fmt.Sprintf(revertible, strategy, pod, image) }
	for _, x := range []struct {
		name, base, head string
		want             string // of cannot-revert
	}{
		{"another image", web("", "", "1"), web("", "", "2"), ""},
		{"apart, and recreated", web("", "", "1"), web(recreate, apart, "2"),
			"inevitable reverting the change does not bring shop/web back: 0 of 2 replicas are of the reverted revision and available"},
		{"base's own rollouts get stuck", web("", apart, "1"), web(recreate, apart, "2"), ""},
		{"base's own quota is full", quota + web("", "", "1"), quota + web(recreate, "", "2"), ""},
		{"it was never stuck", web(recreate, apart, "1"), web(recreate, "", "2"), ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			p, err := policies.Load("policy.yaml", []byte(`apiVersion: kubesettle.dev/v1alpha1
kind: Policy
cluster: {nodePools: [{name: general, count: {min: 2, max: 2}, allocatable: {cpu: "4", memory: 16Gi}}]}
events: {none: true}
`))
			if err != nil {
				t.Fatal(err)
			}
			ch, err := render.Diff(chartOf(t, x.base), chartOf(t, x.head))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(context.Background(), ch, Options{Policy: p, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if f.Rule == rules.CannotRevert {
					got = append(got, f.Certainty.String()+" "+f.Message)
					if f.Scenario != "revert" || f.Interleaving[0].Action != "revert" || len(f.Blame) == 0 {
						t.Errorf("scenario %s, first step %+v, blame %+v", f.Scenario, f.Interleaving[0], f.Blame)
					}
				}
			}
			if strings.Join(got, "; ") != x.want || r.Coverage.Bound != "complete" {
				t.Errorf("got  %q\nwant %q\n%s", got, x.want, outline(r))
			}
		})
	}
}
