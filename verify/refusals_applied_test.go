package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// What the API server answers to each was seen on one: see verify/conformance/replay, TestAdmitted.
func TestRefusalsAreTheAPIServers(t *testing.T) {
	const (
		space  = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {%s}}\nspec: {%s}\n"
		policy = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: few}\nspec: {matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}, validations: [{expression: %q}]}\n"
		hook   = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: one}\nwebhooks: [{name: a.example.com, sideEffects: %s, admissionReviewVersions: [v1], clientConfig: {url: \"https://example.com\"}}]\n"
		class  = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: fast}\nhandler: %s\n"
		budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: shop, finalizers: [%s]}\nspec: {minAvailable: 1, selector: {matchLabels: {app: web}}}\n"
		job    = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web, namespace: shop}\nspec: {%s, template: {spec: {restartPolicy: Never, containers: [{name: web, image: \"web:%d\", env: [%s]}]}}}\n"
		web    = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: \"web:1\", env: [%s]}], volumes: [{name: a, emptyDir: {}}%s]}}}\n"
		pod    = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {nodeSelector: {%s}, schedulingGates: [{name: a}], containers: [{name: web, image: \"web:1\"}]}\n"
		twice  = "{name: A, value: a}, {name: A, value: b}"
	)
	baseline := "pod-security.kubernetes.io/enforce: baseline"
	labels := func(level string) string { return "pod-security.kubernetes.io/enforce: " + level }
	for _, x := range []struct{ name, way, base, head, want string }{
		{"a level of Pod Security that there is not", "", fmt.Sprintf(space, baseline, ""), fmt.Sprintf(space, labels("tight"), ""), "metadata.labels[pod-security.kubernetes.io/enforce]"},
		{"a version of it", "", "", fmt.Sprintf(space, baseline+", pod-security.kubernetes.io/warn-version: v1.x", ""), "metadata.labels[pod-security.kubernetes.io/warn-version]"},
		{"another level", "", fmt.Sprintf(space, baseline, ""), fmt.Sprintf(space, labels("restricted"), ""), ""},
		{"the finalizers of a namespace's spec are kept", "", fmt.Sprintf(space, "", ""), fmt.Sprintf(space, "", "finalizers: [mine]"), ""},
		{"an expression that does not compile", "", fmt.Sprintf(policy, "object.spec.replicas < 5"), fmt.Sprintf(policy, "object.spec.replicas <"), "spec.validations[0].expression"},
		{"an expression of another type", "", "", fmt.Sprintf(policy, "1"), "spec.validations[0].expression"},
		{"another expression", "", fmt.Sprintf(policy, "object.spec.replicas < 5"), fmt.Sprintf(policy, "object.spec.replicas < 6"), ""},
		{"a webhook with side effects", "", fmt.Sprintf(hook, "None"), fmt.Sprintf(hook, "Some"), "webhooks[0].sideEffects"},
		{"another handler", "", fmt.Sprintf(class, "fast"), fmt.Sprintf(class, "slow"), "handler"},
		{"a finalizer without a form", "", fmt.Sprintf(budget, ""), fmt.Sprintf(budget, "a b"), "metadata.finalizers"},
		{"a client merges what stands twice", "", fmt.Sprintf(web, "", ""), fmt.Sprintf(web, "", ", {name: a, emptyDir: {}}"), "spec.template.spec.volumes[1].name"},
		{"it creates nothing that stands twice", "", "", fmt.Sprintf(web, "", ", {name: a, emptyDir: {}}"), "spec.template.spec.volumes[1].name"},
		{"a server does neither", "server-side", fmt.Sprintf(web, "", ""), fmt.Sprintf(web, "", ", {name: a, emptyDir: {}}"), "spec.template.spec.volumes"},
		{"variables that stand twice, from a client", "", fmt.Sprintf(web, "", ""), fmt.Sprintf(web, twice, ""), ""},
		{"variables that stand twice, from a server", "server-side", fmt.Sprintf(web, "", ""), fmt.Sprintf(web, twice, ""), "spec.template.spec.containers[0].env"},
		{"what a server did not create is not there", "server-side", fmt.Sprintf(job, "suspend: false", 1, twice), fmt.Sprintf(job, "suspend: false", 2, ""), ""},
		{"a selector of one's own keeps the generated one", "server-side", fmt.Sprintf(job, "suspend: false", 1, ""), fmt.Sprintf(job, "manualSelector: true", 1, ""), ""},
		{"a Job that will be deleted has to be finished first", "", fmt.Sprintf(job, "suspend: false", 1, ""), fmt.Sprintf(job, "ttlSecondsAfterFinished: 9", 2, ""), "spec.template"},
		{"a Job that is deleted", "", fmt.Sprintf(job, "ttlSecondsAfterFinished: 9", 1, ""), fmt.Sprintf(job, "suspend: false", 2, ""), ""},
		{"no update generates a selector", "replace", fmt.Sprintf(job, "suspend: false", 1, ""), fmt.Sprintf(job, "backoffLimit: 2", 1, ""), "spec.selector"},
		{"a gated pod gets a label more", "", fmt.Sprintf(pod, "a: b"), fmt.Sprintf(pod, "a: b, c: d"), ""},
		{"a gated pod loses one", "", fmt.Sprintf(pod, "a: b, c: d"), fmt.Sprintf(pod, "a: b"), "spec.nodeSelector"},
	} {
		t.Run(x.name, func(t *testing.T) {
			way := "client-side"
			if x.way == "server-side" {
				way = x.way
			}
			ch, pol := changeOf(t, x.base, x.head, "apply: "+way)
			for _, rel := range slices.Concat(ch.Base.Releases, ch.Head.Releases) {
				rel.Delivery.Replaces = x.way == "replace"
			}
			r, err := Check(context.Background(), ch, Options{Policy: pol})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if f.Rule == rules.ApplyRejected && f.Status != finding.Fixed {
					got = append(got, f.Message)
				}
			}
			if len(got) != min(len(x.want), 1) || x.want != "" && !strings.Contains(got[0], ": "+x.want+": ") &&
				!strings.HasPrefix(got[0], x.want+" of ") {
				t.Errorf("got %q, want one about %q", got, x.want)
			}
		})
	}
}
