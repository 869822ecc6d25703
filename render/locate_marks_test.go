package render

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// TestNumbersAreTracedTogether: forty workloads of one range, all with three replicas. Each
// one's line is found, though the chart is too large for forty trials.
func TestNumbersAreTracedTogether(t *testing.T) {
	values := "padding: " + strings.Repeat("x", 300<<10) + "\nworkers:\n"
	for i := range 40 {
		values += fmt.Sprintf("  w%d: {replicas: 3}\n", i)
	}
	tree, err := tree.Map("many", map[string]string{
		"Chart.yaml":  "apiVersion: v2\nname: many\nversion: 1.0.0\n",
		"values.yaml": values,
		"templates/all.yaml": `{{- range $name, $w := .Values.workers }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $name }}}
spec:
  replicas: {{ $w.replicas }}
  selector: {matchLabels: {app: {{ $name }}}}
  template:
    metadata: {labels: {app: {{ $name }}}}
    spec: {containers: [{name: c, image: i}]}
{{- end }}
`,
	})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(context.Background(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	objects := rev.Releases[0].Objects
	if len(objects) != 40 {
		t.Fatalf("%d objects", len(objects))
	}
	for _, o := range objects {
		var i int
		if _, err := fmt.Sscanf(o.ID.Name, "w%d", &i); err != nil {
			t.Fatal(err)
		}
		if at := o.Locate("spec.replicas"); at.File != "values.yaml" || at.StartLine != 3+i || at.Rung != "value" {
			t.Errorf("%s: spec.replicas at %s:%d (%s), want values.yaml:%d", o.ID.Name, at.File, at.StartLine, at.Rung, 3+i)
		}
	}
}

// TestListsOfOwnValuesAreTried: a block that a template takes from a list of the chart's own values is found there, with
// the other elements of the list where they were.
func TestListsOfOwnValuesAreTried(t *testing.T) {
	tree, err := tree.Map("lists", map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: lists\nversion: 1.0.0\n",
		"values.yaml": "replicas: 1\nextraObjects:\n" +
			"- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {A: b}}\n" +
			"- {apiVersion: v1, kind: ResourceQuota, metadata: {name: b}, spec: {hard: {pods: 3}}}\n",
		"templates/extra.yaml": "{{- range .Values.extraObjects }}\n---\n{{ toYaml . }}\n{{- end }}\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(context.Background(), tree, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range rev.Releases[0].Objects {
		for path, want := range map[string]int{"data": 2, "spec.hard": 2, "data[A]": 3, "spec.hard[pods]": 4} {
			if (o.ID.Kind == "ConfigMap") != strings.HasPrefix(path, "data") {
				continue
			}
			if at := o.Locate(path); at.File != "values.yaml" || at.StartLine != want {
				t.Errorf("%s %s: %s:%d, want values.yaml:%d", o.ID, path, at.File, at.StartLine, want)
			}
		}
	}
}
