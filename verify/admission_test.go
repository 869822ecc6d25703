package verify

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// A fail-closed webhook that guards the only pods that serve it keeps them away for good,
// once all are gone. One that fails open, sees other pods or is asked while somebody still
// answers does not.
func TestWebhookGuardsItself(t *testing.T) {
	file, err := os.ReadFile("../testdata/failures/f52/violating/manifests/guard.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const (
		failure  = ", nodeFailure: {budget: 1}"
		drain    = ", drain: {concurrent: 1}"
		recreate = "  replicas: 1\n  strategy: {type: Recreate}\n"
	)
	for _, x := range []struct {
		name, events string
		edits        []string // old, new, …
		image        string   // of head; "" for one state alone
		want         string   // rules that are broken
	}{
		{"a node is lost", failure, nil, "", "never-replaced"},
		{"the webhook fails open", failure, []string{"failurePolicy: Fail", "failurePolicy: Ignore"}, "", ""},
		{"it fails closed by default", failure, []string{"  failurePolicy: Fail\n", ""}, "", "never-replaced"},
		{"its own pods are left out", failure, []string{"  rules:\n", "  objectSelector: {matchExpressions: [{key: app, operator: NotIn, values: [guard]}]}\n  rules:\n"}, "", ""},
		{"it asks about Deployments", failure, []string{`apiGroups: [""]`, "apiGroups: [apps]", "resources: [pods]", "resources: [deployments]"}, "", ""},
		{"it asks about deletions", failure, []string{"operations: [CREATE]", "operations: [DELETE]"}, "", ""},
		{"somebody else answers", failure, []string{"selector: {app: guard}\n  ports", "selector: {app: other}\n  ports"}, "", ""},
		{"a drain is survived", drain, nil, "", ""},
		{"a rollout is survived", "", nil, "guard:2", ""},
		{"Recreate takes all of them away", "", []string{"  replicas: 1\n", recreate}, "guard:2", "rollout-stuck"},
	} {
		t.Run(x.name, func(t *testing.T) {
			text := strings.NewReplacer(x.edits...).Replace(string(file))
			p, err := policies.Load("policy.yaml", []byte(`apiVersion: kubesettle.dev/v1alpha1
kind: Policy
cluster: {nodePools: [{name: general, count: {min: 2, max: 2}, allocatable: {cpu: "4", memory: 16Gi}}]}
events: {none: true`+x.events+`}
`))
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{Policy: p, Workers: 1}
			var r *finding.Result
			if x.image == "" {
				r, err = Verify(context.Background(), chartOf(t, text), opt)
			} else {
				ch, diffErr := render.Diff(chartOf(t, text), chartOf(t, strings.Replace(text, "guard:1", x.image, 1)))
				if diffErr != nil {
					t.Fatal(diffErr)
				}
				r, err = Check(context.Background(), ch, opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if f.Certainty != finding.Inevitable {
					t.Errorf("%s is %s", f.Rule, f.Certainty)
				}
				got = append(got, f.Rule)
			}
			if strings.Join(got, " ") != x.want || r.Coverage.Bound != "complete" {
				t.Errorf("broken: %v, want %q\n%s", got, x.want, outline(r))
			}
		})
	}
}
