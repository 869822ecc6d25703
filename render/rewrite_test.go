package render

import (
	"context"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/typed"
)

// A value that the chart sets for all may be set for one release, below the maps that its own values file has.
func TestRewritesOwnValues(t *testing.T) {
	for own, want := range map[string]string{
		"env: prod\n":                       "web:\n  size:\n    replicas: 4\nenv: prod\n",
		"web:\n  env: prod\n":               "web:\n  size:\n    replicas: 4\n  env: prod\n",
		"web: {env: prod}\n":                "web: {env: prod, size: {replicas: 4}}\n",
		"web:\n  size:\n    cpu: 1 # one\n": "web:\n  size:\n    replicas: 4\n    cpu: 1 # one\n",
	} {
		rev := renderFiles(t, map[string]string{
			"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "values-dev.yaml": "env: dev\n", "values-prod.yaml": own,
			"values.yaml":        "web:\n  size:\n    replicas: 3\n",
			"templates/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: {{ .Values.web.size.replicas }}\n",
		})
		for _, r := range rev.Releases {
			if len(r.Values) == 0 || r.Values[len(r.Values)-1] != "values-prod.yaml" {
				continue
			}
			is := map[string]string{}
			for _, w := range rev.Rewrites(r.Objects[0], []object.Setting{{Path: "spec.replicas", Value: 4}}) {
				is[w.File] = w.Text
			}
			if is["values-prod.yaml"] != want || is["values.yaml"] != "web:\n  size:\n    replicas: 4\n" {
				t.Errorf("%q: %q", own, is)
			}
			want = ""
		}
		if want != "" {
			t.Errorf("%q: there is no such release among %d", own, len(rev.Releases))
		}
	}
}

// A setting is written where the field is set, or beside what is there, in the form that
// the file has; rendered, it is just that.
func TestRewrites(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3 # three\n  selector: {matchLabels: {app: web}}\n" +
		"  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: web\n        image: web\n"
	const chart = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
	const template = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {{ .Values.replicas }}\n  minReadySeconds: 5\n" +
		"  {{- with .Values.strategy }}\n  strategy: {{ toYaml . | nindent 4 }}\n  {{- end }}\n  selector:\n    matchLabels: {app: web}\n" +
		"  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        image: web\n"
	for name, c := range map[string]struct {
		files map[string]string
		set   []object.Setting
		want  string // "file: line", added
	}{
		"a number in a manifest":    {map[string]string{"web.yaml": deployment}, []object.Setting{{Path: "spec.replicas", Value: 4}}, "web.yaml:   replicas: 4 # three"},
		"a field that goes":         {map[string]string{"web.yaml": deployment}, []object.Setting{{Path: "spec.replicas"}}, "web.yaml: spec:"},
		"a field that comes":        {map[string]string{"web.yaml": deployment}, []object.Setting{{Path: "spec.strategy", Value: map[string]any{"type": "Recreate"}}}, "web.yaml:     type: Recreate"},
		"a field of a list item":    {map[string]string{"web.yaml": deployment}, []object.Setting{{Path: "spec.template.spec.containers[0].resources", Value: map[string]any{"requests": map[string]any{"cpu": "1"}}}}, "web.yaml:             cpu: \"1\""},
		"a field of a flow mapping": {map[string]string{"web.yaml": deployment}, []object.Setting{{Path: "spec.template.metadata.labels", Value: map[string]any{"tier": "a"}}}, "web.yaml:     metadata: {labels: {app: web, tier: a}}"},
		"a value":                   {map[string]string{"Chart.yaml": chart, "values.yaml": "replicas: 3\nstrategy: {}\n", "templates/web.yaml": template}, []object.Setting{{Path: "spec.replicas", Value: 4}}, "values.yaml: replicas: 4"},
		"values of comments alone":  {map[string]string{"Chart.yaml": chart, "values.yaml": "# replicas: 3\n", "templates/web.yaml": template}, []object.Setting{{Path: "spec.strategy", Value: map[string]any{"type": "Recreate"}}}, "templates/web.yaml:     type: Recreate"},
		"a literal of a template":   {map[string]string{"Chart.yaml": chart, "values.yaml": "replicas: 3\nstrategy: {}\n", "templates/web.yaml": template}, []object.Setting{{Path: "spec.minReadySeconds", Value: 7}}, "templates/web.yaml:   minReadySeconds: 7"},
		"a line of a template":      {map[string]string{"Chart.yaml": chart, "values.yaml": "replicas: 3\nstrategy: {}\n", "templates/web.yaml": template}, []object.Setting{{Path: "spec.paused", Value: true}}, "templates/web.yaml:   paused: true"},
	} {
		t.Run(name, func(t *testing.T) {
			tree, err := tree.Map("head", c.files)
			if err != nil {
				t.Fatal(err)
			}
			rev, err := Render(context.Background(), tree, Options{})
			if err != nil {
				t.Fatal(err)
			}
			objects := rev.Releases[0].Objects
			want, err := typed.With(objects[0], c.set)
			if err != nil {
				t.Fatal(err)
			}
			file, line, _ := strings.Cut(c.want, ": ")
			var tried []string
			for _, w := range rev.Rewrites(objects[0], c.set) {
				tried = append(tried, w.File+"\n"+w.Text)
				got, err := rev.Edited(context.Background(), objects[0].Release, w.File, []byte(w.Text))
				if err != nil || got.Err != nil || !object.Same(got.Objects, []*object.Object{want}) {
					continue
				}
				if w.File == file && strings.Contains("\n"+w.Text, "\n"+line+"\n") {
					return
				}
			}
			t.Errorf("no %q among:\n%s", c.want, strings.Join(tried, "\n"))
		})
	}
}
