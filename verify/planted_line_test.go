package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

const plantedWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: web:1
        resources: {requests: {cpu: 250m}}
        envFrom: [{configMapRef: {name: env}}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: env
data: {A: "1"}
`

const plantedQuota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: web}\nspec:\n  hard:\n    %s\n"

// A mistake is shown at the line that makes it, not at the workload that it hits.
func TestPlantedLines(t *testing.T) {
	wave := func(n string) string {
		return "metadata:\n  annotations: {argocd.argoproj.io/sync-wave: \"" + n + "\"}\n"
	}
	for _, x := range []struct {
		name       string
		base, head map[string]string // what differs from plantedWeb alone
		want       string            // severity, rule, file and line
	}{
		{"a quota below the replicas", nil, map[string]string{"quota.yaml": fmt.Sprintf(plantedQuota, `pods: "2"`)}, "error rollout-stuck quota.yaml:6"},
		{"a quota of what pods do not say", nil, map[string]string{"quota.yaml": fmt.Sprintf(plantedQuota, `limits.cpu: "8"`)}, "error rollout-stuck quota.yaml:5"},
		{"a quota is lowered", map[string]string{"quota.yaml": fmt.Sprintf(plantedQuota, `pods: "5"`)},
			map[string]string{"quota.yaml": fmt.Sprintf(plantedQuota, `pods: "2"`)}, "error rollout-stuck quota.yaml:6"},
		{"what pods read comes in a later wave", nil, map[string]string{"web.yaml": strings.Replace(plantedWeb, "metadata:\n", wave("3"), 1)},
			"warning apply-stuck web.yaml:19"},
		{"pods come in an earlier wave", nil, map[string]string{"web.yaml": strings.Replace(plantedWeb, "metadata: {name: web}\n", wave("-3")+"  name: web\n", 1)},
			"warning apply-stuck web.yaml:4"},
		{"a spread misses its own pods by a letter", misread("app: webshop"), misread("app: webshp"),
			"warning dangling-target web.yaml:16"},
		{"a new spread misses its own pods by a letter", map[string]string{"web.yaml": webshop(plantedWeb)},
			misread("tier: shop", "app: webshp"), "warning dangling-target web.yaml:10"},
	} {
		t.Run(x.name, func(t *testing.T) {
			got := shownAt(t, laidOver(map[string]string{"web.yaml": plantedWeb}, x.base), laidOver(map[string]string{"web.yaml": plantedWeb}, x.head))
			if !slices.Contains(got, x.want) {
				t.Errorf("shown: %v, want %s", got, x.want)
			}
		})
	}
}

// webshop is a text with other labels for the pods of plantedWeb.
func webshop(text string) string {
	return strings.ReplaceAll(text, "app: web}", "app: webshop, tier: shop}")
}

// misread has a spread constraint with some labels.
func misread(labels ...string) map[string]string {
	return map[string]string{"web.yaml": strings.Replace(webshop(plantedWeb), "      containers:\n",
		"      topologySpreadConstraints:\n      - maxSkew: 1\n        topologyKey: kubernetes.io/hostname\n"+
			"        whenUnsatisfiable: ScheduleAnyway\n        labelSelector:\n          matchLabels:\n            "+
			strings.Join(labels, "\n            ")+"\n      containers:\n", 1)}
}

func laidOver(files, over map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.Copy(out, over)
	return out
}

// shownAt are the new findings of a change of files, each with the place that is shown first.
func shownAt(t *testing.T, base, head map[string]string) []string {
	t.Helper()
	var revisions []*object.Revision
	for _, files := range []map[string]string{base, head} {
		tr, err := tree.Map("", files)
		if err != nil {
			t.Fatal(err)
		}
		rev, err := render.Render(t.Context(), tr, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		revisions = append(revisions, rev)
	}
	ch, err := render.Diff(revisions[0], revisions[1])
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), ch, Options{Policy: policies.Default()})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range r.Findings {
		if (f.Status == "new" || f.Status == "worsened") && len(f.Locations) > 0 {
			out = append(out, fmt.Sprintf("%s %s %s:%d", f.Severity, f.Rule, f.Locations[0].File, f.Locations[0].StartLine))
		}
	}
	return out
}

// An object that acts on pods and misses them is shown at the value that makes it so, not at its template.
func TestPlantedValues(t *testing.T) {
	chart := map[string]string{
		"Chart.yaml":         "apiVersion: v2\nname: web\nversion: 0.1.0\n",
		"templates/web.yaml": plantedWeb,
		"templates/act.yaml": "{{- if .Values.budget.enabled }}\n---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec:\n" +
			"  maxUnavailable: 1\n  selector:\n    matchLabels:\n      {{- toYaml (.Values.budget.labels | default .Values.labels) | nindent 6 }}\n{{- end }}\n" +
			"{{- if .Values.scaling.enabled }}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec:\n" +
			"  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: {{ .Values.scaling.target | default \"web\" }}\n  maxReplicas: 5\n{{- end }}\n",
		"templates/extra.yaml": "{{- range .Values.extra }}\n---\n{{ toYaml . }}\n{{- end }}\n",
	}
	values := func(s string) map[string]string {
		return laidOver(chart, map[string]string{"values.yaml": "labels: {app: web}\n" + s})
	}
	quiet := values("budget:\n  enabled: false\nscaling:\n  enabled: false\n")
	for _, x := range []struct{ values, want string }{
		{"budget:\n  enabled: true\n  labels:\n    app: webb\nscaling:\n  enabled: false\n", "warning dangling-target values.yaml:5"},
		{"budget:\n  enabled: false\nscaling:\n  enabled: true\n  target: webb\n", "warning dangling-target values.yaml:6"},
		{"budget:\n  enabled: false\nscaling:\n  enabled: false\nextra:\n- apiVersion: v1\n  kind: ResourceQuota\n  metadata: {name: web}\n" +
			"  spec:\n    hard:\n      limits.cpu: 8\n", "error rollout-stuck values.yaml:6"},
	} {
		if got := shownAt(t, quiet, values(x.values)); !slices.Contains(got, x.want) {
			t.Errorf("shown: %v, want %s of\n%s", got, x.want, x.values)
		}
	}
}

const plantedHook = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: web}
webhooks:
- name: pods.example.com
  failurePolicy: Fail
  sideEffects: None
  admissionReviewVersions: [v1]
  clientConfig: {service: {name: web, namespace: default, path: /check}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
`

// However many pods answer a webhook that is asked about them, the change that makes it so is told once, at a place of
// the webhook, and the one that ends it is not.
func TestWebhooksThatGuardThemselvesAreTold(t *testing.T) {
	service := "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, ports: [{port: 443}]}\n"
	spared := strings.Replace(plantedHook, "  rules:", "  namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [default]}]}\n  rules:", 1)
	for _, x := range []struct {
		name       string
		base, head string // the webhook
		told       bool
	}{
		{"new", "", plantedHook, true},
		{"no longer spares its namespace", spared, plantedHook, true},
		{"no longer ignored", strings.Replace(plantedHook, "Fail", "Ignore", 1), plantedHook, true},
		{"spares its namespace", "", spared, false},
		{"ignored", "", strings.Replace(plantedHook, "Fail", "Ignore", 1), false},
		{"as it was", plantedHook, plantedHook, false},
		{"is spared now", plantedHook, spared, false},
	} {
		for _, web := range []string{
			strings.Replace(plantedWeb, "replicas: 3", "replicas: 1", 1), strings.Replace(plantedWeb, "replicas: 3", "replicas: 2", 1), plantedWeb,
			strings.Replace(strings.Replace(plantedWeb, "  replicas: 3\n", "", 1), "kind: Deployment", "kind: DaemonSet", 1),
		} {
			files := func(hook string) map[string]string {
				return map[string]string{"web.yaml": web + service, "hook.yaml": hook}
			}
			var told []string
			for _, line := range shownAt(t, files(x.base), files(x.head)) {
				if strings.Contains(line, "never-replaced") {
					told = append(told, line)
				}
			}
			if x.told != (len(told) == 1 && strings.HasPrefix(told[0], "warning never-replaced hook.yaml:")) || !x.told && len(told) > 0 {
				t.Errorf("%s: %v of\n%.90s", x.name, told, web)
			}
		}
	}
}
