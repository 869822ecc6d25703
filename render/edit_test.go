package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/redact"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/tree"
)

// countedTree counts how often anything in it is opened.
type countedTree struct {
	tree.Tree
	opened int
}

func (c *countedTree) Open(name string) (fs.File, error) {
	c.opened++
	return c.Tree.Open(name)
}

// Many findings are about one file: it is read and compared once, whoever asks.
func TestHunksAreComparedOnce(t *testing.T) {
	side := func(text string) *countedTree {
		m, err := tree.Map("t", map[string]string{"web.yaml": text})
		if err != nil {
			t.Fatal(err)
		}
		return &countedTree{Tree: m}
	}
	base, head := side("a\nb\n"), side("a\nc\n")
	ch, err := Diff(&object.Revision{Tree: base}, &object.Revision{Tree: head})
	if err != nil {
		t.Fatal(err)
	}
	first, opened := "", 0
	for i := range 50 {
		got, err := ch.Hunks("web.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, opened = fmt.Sprint(got), base.opened+head.opened
		}
		if fmt.Sprint(got) != first || first != "[{2 2 2 2 [b]}]" {
			t.Fatalf("%v, first %s", got, first)
		}
	}
	if now := base.opened + head.opened; opened == 0 || now != opened {
		t.Errorf("files were opened %d times for one, %d for fifty", opened, now)
	}
	if _, err := ch.Hunks("none.yaml"); err == nil {
		t.Error("a file that is not there has hunks")
	}
}

// An edit is rendered by itself, whatever kind the release is, and the revision keeps
// what it had.
func TestEdited(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: %s\n"
	rev := renderFiles(t, map[string]string{
		"plain/web.yaml":          fmt.Sprintf(deployment, "3"),
		"chart/Chart.yaml":        "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"chart/values.yaml":       "count: 3\n",
		"chart/templates/w.yaml":  fmt.Sprintf(deployment, "{{ .Values.count }}"),
		"over/kustomization.yaml": "resources: [web.yaml]\npatches: [{path: p.yaml}]\n",
		"over/web.yaml":           fmt.Sprintf(deployment, "1"),
		"over/p.yaml":             fmt.Sprintf(deployment, "3"),
	})
	for _, c := range []struct{ release, file, from string }{
		{"plain", "plain/web.yaml", "replicas: 3"},
		{"chart", "chart/values.yaml", "count: 3"},
		{"chart", "chart/templates/w.yaml", "{{ .Values.count }}"},
		{"over", "over/p.yaml", "replicas: 3"},
	} {
		t.Run(c.file, func(t *testing.T) {
			release := rev.Releases[0]
			for _, r := range rev.Releases {
				if r.Path == c.release {
					release = r
				}
			}
			text := string(side.MadeOf(release).Recipe.Files[c.file])
			edited := strings.Replace(text, c.from, strings.NewReplacer("3", "5", "{{ .Values.count }}", "5").Replace(c.from), 1)
			got, err := rev.Edited(context.Background(), release.ID, c.file, []byte(edited))
			if err != nil || got.Err != nil {
				t.Fatal(err, got)
			}
			for r, want := range map[*object.Rendered]string{got: "5", release: "3"} {
				if n, _ := fieldpath.Parse("spec.replicas").Get(r.Objects[0].Content); fmt.Sprint(n) != want {
					t.Errorf("replicas: %v, want %s", n, want)
				}
			}
			broken, err := rev.Edited(context.Background(), release.ID, c.file, []byte("{"))
			if err == nil && broken.Err == nil {
				t.Error("a broken file rendered")
			}
		})
	}
	if _, err := rev.Edited(context.Background(), "nosuch", "plain/web.yaml", nil); !errors.Is(err, tree.ErrNoRevision) {
		t.Errorf("a release that is not there: %v", err)
	}
	if _, err := rev.Edited(context.Background(), rev.Releases[0].ID, "plain/x.yaml", nil); !errors.Is(err, errNotRead) {
		t.Errorf("a file that is not read: %v", err)
	}
}

func TestPlain(t *testing.T) {
	for line, want := range map[string]bool{
		"  replicas: 3": true,
		"      - topologyKey: kubernetes.io/hostname": true,
		"  matchLabels:":                    true,
		`    app.kubernetes.io/name: "web"`: true,
		"  password: hunter2":               false,
		"  - name: DB_PASSWORD":             true,
		"    value: hunter2":                false,
		"  - --password=hunter2":            false,
		"  data: {a: b}":                    false,
		"  text: |":                         false,
		"- {maxSkew: 1, topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}": true,
		"- {name: DB, value: hunter2}":                    false,
		"  spec: {replicas: 2}":                           true,
		"- patch: |-":                                     true,
		"  value: 3":                                      true,
		"  value: \"3\"":                                  false,
		"  value: 1234567":                                false,
		"  value: DoNotSchedule":                          true,
		"  value: Swordfish":                              false,
		"apiVersion: autoscaling/v2":                      true,
		"apiVersion: gateway.networking.k8s.io/v1beta1":   true,
		"apiKey: autoscaling9zq8/v2":                      false,
		"  parameters: {a: hunter2}":                      false,
		"- {name: x, config: {a: hunter2}}":               false,
		"  spec: {parameters: {a: hunter2}}":              false,
		"{password: hunter2}":                             false,
		"- {a: [hunter2]}":                                false,
		"  hunter2":                                       false,
		"  url: https://user:hunter2@db.example":          false,
		"  x: ghp_0123456789abcdefghijABCDEFGHIJ":         false,
		"  y: aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY":           false,
		"  args: [--token, hunter2]":                      false,
		"  note: " + strings.Repeat("long ", 40):          false,
		"  whenUnsatisfiable: ScheduleAnyway # as before": true,
	} {
		if got := redact.Plain([]string{line}); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
