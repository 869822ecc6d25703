package render

import (
	"context"
	"fmt"
	"math/rand"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// Renaming folders is no change of what they hold: whatever else a commit edits is told as if nothing had moved, and
// a folder with other objects stays another release.
func TestMovedFoldersChangeNothing(t *testing.T) {
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		was, is, moved := map[string]string{}, map[string]string{}, map[string]string{}
		for f := range 1 + r.Intn(5) {
			from := fmt.Sprintf("staging/app%d", f)
			to := []string{from, "archive/" + path.Base(from), fmt.Sprintf("apps/new%d", f)}[r.Intn(3)]
			put := func(name, before, after string) {
				was[from+"/"+name], is[from+"/"+name], moved[to+"/"+name] = before, after, after
			}
			kind := r.Intn(3)
			var names []string
			for o := range 1 + r.Intn(3) {
				image, other := "one", []string{"one", "two"}[r.Intn(2)]
				name := fmt.Sprintf("%d.yaml", o)
				text := func(image string) string {
					return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web%d-%d, namespace: shop}\nspec:\n"+
						"  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"+
						"    spec: {serviceAccountName: s%d, containers: [{name: web, image: 'web:%s'}]}\n", f, o, f, image)
				}
				if names = append(names, name); kind == 1 {
					name = "templates/" + name
				}
				put(name, text(image), text(other))
			}
			switch kind {
			case 1:
				chart := "apiVersion: v2\nname: web\nversion: 1.0.0\n"
				put("Chart.yaml", chart, chart)
			case 2:
				list := "resources: [" + strings.Join(names, ", ") + "]\n"
				put("kustomization.yaml", list, list)
			}
		}
		if stay, move := told(t, was, is), told(t, was, moved); !slices.Equal(stay, move) {
			t.Fatalf("seed %d: without a move %q, with it %q", seed, stay, move)
		}
	}
}

// told lists what a change makes of objects, without where they stand.
func told(t *testing.T, was, is map[string]string) []string {
	t.Helper()
	var sides []tree.Tree
	for _, files := range []map[string]string{was, is} {
		side, err := tree.Map("side", files)
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, side)
	}
	base, head, err := RenderBoth(context.Background(), sides[0], sides[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(base, head)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range ch.Changes {
		text := fmt.Sprint(c.Kind, " ", c.ID())
		for _, f := range c.Fields {
			text += fmt.Sprint(" ", f.Path)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// A folder that goes and another one that comes are two, though an object of both has one name.
func TestOtherFoldersAreNoMove(t *testing.T) {
	object := func(app, image string) string {
		return fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: %d\n"+
			"  selector: {matchLabels: {app: %s}}\n  template:\n    metadata: {labels: {app: %s}}\n"+
			"    spec: {containers: [{name: %s, image: %s}]}\n", len(app), app, app, app, image)
	}
	got := told(t, map[string]string{"nginx/a.yaml": object("nginx", "nginx:1")},
		map[string]string{"other/a.yaml": object("apache", "httpd:2")})
	if len(got) != 2 || !strings.HasPrefix(got[0], "added") || !strings.HasPrefix(got[1], "removed") {
		t.Errorf("%q, want one added and one removed", got)
	}
}
