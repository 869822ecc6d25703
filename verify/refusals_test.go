package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

const refusedJob = `apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: shop%s}
spec:
  template:
    metadata: {annotations: {at: %q}}
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "migrate:1"}]
`

const refusedClaim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: %s}}}
`

func claim(size string) string { return fmt.Sprintf(refusedClaim, size) }
func refusable(meta, at string) string {
	return fmt.Sprintf(refusedJob, meta, at)
}

func statefulSet(claim string) string {
	return `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
  volumeClaimTemplates:
  - {` + claim + `metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}
`
}

func service(spec string) string {
	return "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec: {" + spec + "ports: [{port: 80}]}\n"
}

// barePod is a Pod without an owner; rest is what its container and its spec have beside a name.
func barePod(container, rest string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: tool, namespace: shop}\nspec:\n  containers:\n  - name: tool\n    " + container + "\n" + rest
}

// atTime gives a Job another name at every render.
func atTime(job string) string {
	return strings.Replace(job, "name: migrate", "name: migrate-{{ now | unixEpoch }}", 1)
}

func configMap(rest string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: shop}\n" + rest
}

const budget200 = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: shop}\nspec: {selector: {matchLabels: {app: web}}, maxUnavailable: %s}\n"

// podUpdates is what upstream says of any other change of a Pod.
const podUpdates = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"

// What the API server refuses, of what differs between two manifests, is a finding at the
// changed line, without a run; what the apply replaces, or what the cluster fills in, is none.
func TestRefusals(t *testing.T) {
	const now = "{{ now | date `15:04:05` }}"
	for _, x := range []struct {
		name       string
		base, head string // the file a.yaml of a chart
		want       string // status, severity, certainty, scenario, line and message, or ""
	}{
		{"a Job's template", refusable("", "1"), refusable("", "2"),
			"new error inevitable change 6+ the API server refuses the change of batch/Job shop/migrate: spec.template: field is immutable"},
		{"a Helm hook is replaced", refusable(`, annotations: {helm.sh/hook: pre-upgrade}`, "1"), refusable(`, annotations: {helm.sh/hook: pre-upgrade}`, "2"), ""},
		{"an Argo CD hook is replaced", refusable(`, annotations: {argocd.argoproj.io/hook: PreSync}`, "1"), refusable(`, annotations: {argocd.argoproj.io/hook: PreSync}`, "2"), ""},
		{"Force=true replaces", refusable(`, annotations: {argocd.argoproj.io/sync-options: "Replace=true, Force=true"}`, "1"), refusable(`, annotations: {argocd.argoproj.io/sync-options: "Replace=true, Force=true"}`, "2"), ""},
		{"Force=true of base does not", strings.Replace(configMap("immutable: true\ndata: {a: b}\n"), "shop}",
			"shop, annotations: {argocd.argoproj.io/sync-options: Force=true}}", 1), configMap("immutable: true\ndata: {a: c}\n"),
			"new error inevitable change 5+ the API server refuses the change of ConfigMap shop/web: data: field is immutable when `immutable` is set"},
		{"Replace=true alone does not", refusable(`, annotations: {argocd.argoproj.io/sync-options: Replace=true}`, "1"), refusable(`, annotations: {argocd.argoproj.io/sync-options: Replace=true}`, "2"),
			"new error inevitable change 6+ the API server refuses the change of batch/Job shop/migrate: spec.template: field is immutable"},
		{"Flux is told to force", refusable(`, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}`, "1"), refusable(`, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}`, "2"), ""},
		{"a time in the template", refusable("", "1"), refusable("", now),
			"new error inevitable change 6+ the API server refuses the change of batch/Job shop/migrate: spec.template: field is immutable"},
		{"a time in the template of a new Job", configMap("data: {a: b}\n"), configMap("data: {a: b}\n") + "---\n" + refusable("", now),
			"new error inevitable steady 11+ the API server refuses every further apply of batch/Job shop/migrate: spec.template: field is immutable, and every render gives it another value"},
		{"it was there before", configMap("data: {a: b}\n") + "---\n" + refusable("", now), configMap("data: {a: c}\n") + "---\n" + refusable("", now),
			"existing error inevitable steady 11 the API server refuses every further apply of batch/Job shop/migrate: spec.template: field is immutable, and every render gives it another value"},
		{"two names with a time", configMap("data: {a: b}\n"), configMap("data: {a: b}\n") + "---\n" + atTime(refusable("", "1")) + "---\n" + atTime(refusable("", "2")), ""},
		{"a time in the name", atTime(refusable("", "1")), atTime(refusable("", "2")), ""},
		{"nothing of the release changed", refusable("", now), refusable("", now), ""},
		{"a claim template says what it is", statefulSet(""), statefulSet("apiVersion: v1, kind: PersistentVolumeClaim, "), ""},
		{"a claim template gets a label", statefulSet(""), strings.Replace(statefulSet(""), "metadata: {name: data", "metadata: {labels: {a: b}, name: data", 1),
			"new error inevitable change 10+ the API server refuses the change of apps/StatefulSet shop/db: spec: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"},
		{"a claim grows", claim("1Gi"), claim("2Gi"),
			"new warning inevitable revert 4+ the API server refuses the revert of PersistentVolumeClaim shop/disk: spec.resources.requests.storage: field can not be less than status.capacity"},
		{"a ConfigMap becomes immutable", configMap("data: {a: b}\n"), configMap("data: {a: b}\nimmutable: true\n"),
			"new warning inevitable revert 5+ the API server refuses the revert of ConfigMap shop/web: immutable: field is immutable when `immutable` is set"},
		{"a claim shrinks", claim("2Gi"), claim("1Gi"),
			"new error inevitable change 4+ the API server refuses the change of PersistentVolumeClaim shop/disk: spec.resources.requests.storage: field can not be less than status.capacity"},
		{"a Service gets no address", service(""), service("clusterIP: None, "),
			"new error inevitable change 4+ the API server refuses the change of Service shop/web: spec.clusterIP: may not change once set"},
		{"a headless Service no longer says so", service("clusterIP: None, "), service(""), ""},
		{"a Service names what may be its address", service(""), service("clusterIP: 10.0.0.1, "), ""},
		{"an immutable ConfigMap", configMap("immutable: true\ndata: {a: b}\n"), configMap("immutable: true\ndata: {a: c}\n"),
			"new error inevitable change 5+ the API server refuses the change of ConfigMap shop/web: data: field is immutable when `immutable` is set"},
		{"a random value in an immutable Secret", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: web, namespace: shop}\nimmutable: true\nstringData: {a: {{ randAlphaNum 8 }}}\n",
			"new error inevitable steady 5+ the API server refuses every further apply of Secret shop/web: data: field is immutable when `immutable` is set, and every render gives it another value"},
		{"a bare Pod's image", barePod("image: tool:1", ""), barePod("image: tool:2", ""), ""},
		{"a bare Pod's image is the latest", barePod("image: tool:1", ""), barePod("image: tool", ""), ""},
		{"a bare Pod says a default", barePod("image: tool:1", ""), barePod("image: tool:1", "  restartPolicy: Always\n  serviceAccountName: default\n"), ""},
		{"a bare Pod's arguments and image", barePod("image: tool:1", ""), barePod("image: tool:2\n    args: [serve]", ""),
			"new error inevitable change 8+ the API server refuses the change of Pod shop/tool: spec: " + podUpdates},
		{"a bare Pod's requests", barePod("image: tool:1\n    resources: {requests: {cpu: 100m}}", ""), barePod("image: tool:1\n    resources: {requests: {cpu: 200m}}", ""),
			"new error inevitable change 8+ the API server refuses the change of Pod shop/tool: spec: " + podUpdates},
		{"a bare Pod gets a container", barePod("image: tool:1", ""), barePod("image: tool:1", "  - {name: log, image: log:1}\n"),
			"new error inevitable change 8+ the API server refuses the change of Pod shop/tool: spec.containers: pod updates may not add or remove containers"},
		{"a bare Pod gets a toleration", barePod("image: tool:1", ""), barePod("image: tool:1", "  tolerations: [{key: a, operator: Exists}]\n"),
			"new warning inevitable revert 8+ the API server refuses the revert of Pod shop/tool: spec.tolerations: existing toleration can not be modified except its tolerationSeconds"},
		{"a bare Pod is a test", strings.Replace(barePod("image: tool:1", ""), "namespace: shop", "namespace: shop, annotations: {helm.sh/hook: test}", 1),
			strings.Replace(barePod("image: tool:1\n    args: [x]", ""), "namespace: shop", "namespace: shop, annotations: {helm.sh/hook: test}", 1), ""},
		{"an invalid object", fmt.Sprintf(budget200, "1"), fmt.Sprintf(budget200, "200%"),
			"new error inevitable change 4+ the API server refuses the change of policy/PodDisruptionBudget shop/web: spec.maxUnavailable: must not be greater than 100%"},
		{"a new invalid object", "", fmt.Sprintf(budget200, "200%"),
			"new error inevitable change 4+ the API server refuses to create policy/PodDisruptionBudget shop/web: spec.maxUnavailable: must not be greater than 100%"},
		{"invalid on both sides", fmt.Sprintf(budget200, "200%"), fmt.Sprintf(budget200, "300%"),
			"existing error inevitable change 4+ the API server refuses the change of policy/PodDisruptionBudget shop/web: spec.maxUnavailable: must not be greater than 100%"},
		{"no longer invalid", fmt.Sprintf(budget200, "200%"), fmt.Sprintf(budget200, "1"),
			"fixed error inevitable change 4+ the API server refuses the change of policy/PodDisruptionBudget shop/web: spec.maxUnavailable: must not be greater than 100%"},
	} {
		t.Run(x.name, func(t *testing.T) {
			ch, err := render.Diff(chartOf(t, x.base), chartOf(t, x.head))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(context.Background(), ch, Options{Policy: policies.Default()})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.Findings {
				if want := map[bool]string{true: rules.CannotRevert, false: rules.ApplyRejected}[f.Scenario == "revert"]; f.Rule != want {
					t.Errorf("a finding of %s", f.Rule)
				}
				line := fmt.Sprint(f.Locations[0].StartLine)
				if f.Locations[0].InDiff {
					line += "+"
				}
				got = append(got, fmt.Sprintf("%s %s %s %s %s %s", f.Status, f.Severity, f.Certainty, f.Scenario, line, f.Message))
			}
			if strings.Join(got, "\n") != x.want {
				t.Errorf("got  %q\nwant %q", got, x.want)
			}
		})
	}
}

// A Job of plain manifests may have been applied once and deleted: nobody is known to update
// it, so that its change is a warning, unless a GitOps controller keeps what is declared.
// A selector where base had none that the API server takes is no change of it.
func TestRefusalsHangOnHowItIsApplied(t *testing.T) {
	const daemon = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d, namespace: shop}\nspec: {%stemplate: {metadata: {labels: {app: d}}, spec: {containers: [{name: c, image: a}]}}}\n"
	for _, x := range []struct{ name, base, head, policy, want string }{
		{"by hand", refusable("", "1"), refusable("", "2"), "",
			"new warning the API server refuses the change of batch/Job shop/migrate: spec.template: field is immutable: delete the Job first, if it still exists"},
		{"by a controller", refusable("", "1"), refusable("", "2"), "controllers: {gitops: {selfHeal: true}}",
			"new error the API server refuses the change of batch/Job shop/migrate: spec.template: field is immutable"},
		{"a selector comes where there was none", fmt.Sprintf(daemon, ""), fmt.Sprintf(daemon, "selector: {matchLabels: {app: d}}, "), "",
			"fixed error the API server refuses the change of apps/DaemonSet shop/d: spec.template.metadata.labels: `selector` does not match template `labels`"},
		{"a selector changes", fmt.Sprintf(daemon, "selector: {matchLabels: {app: d}}, "), fmt.Sprintf(daemon, "selector: {matchExpressions: [{key: app, operator: Exists}]}, "), "",
			"new error the API server refuses the change of apps/DaemonSet shop/d: spec.selector: field is immutable"},
	} {
		ch, pol := changeOf(t, x.base, x.head, x.policy)
		r, err := Check(context.Background(), ch, Options{Policy: pol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			if f.Rule == rules.ApplyRejected {
				got = append(got, fmt.Sprintf("%s %s %s", f.Status, f.Severity, f.Message))
			}
		}
		if strings.Join(got, "\n") != x.want {
			t.Errorf("%s:\ngot  %q\nwant %q", x.name, got, x.want)
		}
	}
}

// The rule is tuned and waived as any other.
func TestRefusalsAreTuned(t *testing.T) {
	ch, err := render.Diff(chartOf(t, claim("2Gi")), chartOf(t, claim("1Gi")))
	if err != nil {
		t.Fatal(err)
	}
	for policy, want := range map[string]string{
		"intents: {apply-rejected: {severity: warning}}":                                                   "warning",
		"intents: {apply-rejected: {severity: \"off\"}}":                                                   "",
		"intents: {apply-rejected: {severity: warning, workloads: [shop/disk]}}":                           "warning",
		"intents: {apply-rejected: {severity: warning, workloads: [shop/other]}}":                          "error",
		"waivers: [{rule: apply-rejected, workload: shop/disk, reason: a, owner: b, expires: 2999-01-01}]": "waived",
	} {
		p, err := policies.Load("policy.yaml", []byte("apiVersion: kubesettle.dev/v1alpha1\nkind: Policy\n"+policy+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(context.Background(), ch, Options{Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(r.Findings) > 0 {
			got = r.Findings[0].Severity
		} else if len(r.Waived) > 0 {
			got = "waived"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", policy, got, want)
		}
	}
}

// checkSides renders two trees of files and checks the change between them with the default policy.
func checkSides(t *testing.T, before, after tree.Tree) *finding.Result {
	t.Helper()
	base, head, err := render.RenderBoth(context.Background(), before, after, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := render.Diff(base, head)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(context.Background(), ch, Options{Policy: policies.Default()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// chartOf renders a chart with one template.
func chartOf(t *testing.T, template string) *object.Revision {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "c/templates/a.yaml": template} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return caseRevision(t, dir)
}

// A value with a placeholder is filled in by whoever applies the manifest, where nobody knows who
// that is; what Helm, Argo CD or Flux apply as it is written is refused.
func TestPlaceholdersAreNoRefusal(t *testing.T) {
	object := func(namespace string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, namespace: '" + namespace + "'}\ndata: {a: b}\n"
	}
	const app = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\n" +
		"spec: {source: {repoURL: https://git.example.com/org/repo, path: shop}, destination: {namespace: shop}}\n"
	for _, x := range []struct {
		name, namespace, app string
		refused              bool
	}{
		{"a placeholder", "${NAMESPACE}", "", false},
		{"no name", "Shop_1", "", true},
		{"an unclosed placeholder", "${NAMESPACE", "", true},
		{"a placeholder that Argo CD applies", "${NAMESPACE}", app, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			var sides []tree.Tree
			for _, files := range []map[string]string{{}, {"shop/a.yaml": object(x.namespace)}} {
				files["shop/b.yaml"] = object("shop")
				if x.app != "" {
					files["apps/app.yaml"] = x.app
				}
				side, err := tree.Map("side", files)
				if err != nil {
					t.Fatal(err)
				}
				sides = append(sides, side)
			}
			r := checkSides(t, sides[0], sides[1])
			if refused := len(r.Findings) > 0; refused != x.refused {
				t.Errorf("findings %+v, want some: %v", r.Findings, x.refused)
			}
		})
	}
}
