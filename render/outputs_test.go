package render

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/render/worker"
)

var keptFiles = map[string]string{
	"c/Chart.yaml":               chartYAML,
	"c/values.yaml":              "size: 2\n",
	"c/templates/a.yaml":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {size: \"{{ .Values.size }}\", once: \"{{ randAlpha 5 }}\"}\n",
	"d/Chart.yaml":               chartYAML,
	"d/templates/b.yaml":         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {day: '{{ now | date \"2006-01-02\" }}'}\n",
	"k/kustomization.yaml":       "resources: [k.yaml]\nnamePrefix: x-\n",
	"k/k.yaml":                   "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\n",
	"broken/kustomization.yaml":  "resources: [k.yaml]\npatches: [{target: {kind: ConfigMap}, path: p.yaml}]\n",
	"broken/k.yaml":              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\n",
	"broken/p.yaml":              "- {op: remove, path: /data/none}\n",
	"plain/secret-of-the-k.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: bcdefghijk}\n",
}

// renderKept renders base and head with what is kept in a folder, and says what of it.
func renderKept(t *testing.T, dir, program string, head map[string]string) []string {
	t.Helper()
	var trees [2]tree.Tree
	for i, files := range []map[string]string{keptFiles, head} {
		tree, err := tree.Map("t", files)
		if err != nil {
			t.Fatal(err)
		}
		trees[i] = tree
	}
	opt := Options{Workers: 1, Whole: true, Sandbox: sandbox(t, 0, 0)}
	if dir != "" {
		opt.Outputs = worker.NewOutputs(dir, func() string { return program })
	}
	b, h, err := RenderBoth(context.Background(), trees[0], trees[1], opt)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, rev := range []*object.Revision{b, h} {
		for _, r := range rev.Releases {
			if out = append(out, r.ID); r.Err != nil {
				out = append(out, r.Err.Reason)
			}
			for _, o := range r.Objects {
				out = append(out, jsonText(o.Content), place(o.Locate("data")), place(o.Locate("metadata.name")))
			}
		}
	}
	return out
}

func entries(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "outputs", "v1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range list {
		if out[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func holds(kept map[string][]byte, text string) bool {
	for _, b := range kept {
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

// With outputs of earlier runs, of whatever quality, a run gives what it gives without; what was
// rendered before is not rendered again, what differs is, and so is what depends on the day.
func TestOutputsChangeNoResult(t *testing.T) {
	head := maps.Clone(keptFiles)
	head["c/values.yaml"] = "size: 3\n"
	dir := t.TempDir()
	want := renderKept(t, "", "", head)
	same := func(when string) {
		t.Helper()
		if got := renderKept(t, dir, "one", head); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%s\nnot\n%s", when, got, want)
		}
	}
	same("the first run")
	kept := entries(t, dir)
	for _, text := range []string{`"size":"2"`, `"size":"3"`, `x-k`, `bcdefghijk`} {
		if !holds(kept, text) {
			t.Errorf("no output with %s is kept", text)
		}
	}
	if holds(kept, `"day"`) || holds(kept, "broken/k.yaml") {
		t.Error("what the day decides, or what failed, is kept")
	}
	old := time.Now().Add(-time.Hour)
	for f := range kept {
		if err := os.Chtimes(f, old, old); err != nil {
			t.Fatal(err)
		}
	}
	same("the second run")
	for f := range kept {
		if info, err := os.Stat(f); err != nil || !info.ModTime().After(old) {
			t.Errorf("%s was not read", f)
		}
	}
	var first []byte
	made := map[string][]byte{}
	for f, b := range kept { // each with the content of another one, cut or changed
		broken := append([]byte(nil), b...)
		switch {
		case first == nil:
			first = b
			broken = broken[:len(broken)/2]
		case len(first)%2 == 0:
			broken = first
		default:
			broken[len(broken)-3] ^= 1
		}
		made[f] = broken
		if err := os.WriteFile(f, broken, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	same("with broken outputs")
	for f, b := range entries(t, dir) {
		if bytes.Equal(b, made[f]) {
			t.Error("what was broken was not made again")
		}
	}
	if got := renderKept(t, dir, "two", head); !reflect.DeepEqual(got, want) || len(entries(t, dir)) != 2*len(kept) {
		t.Errorf("of another build: %d outputs", len(entries(t, dir)))
	}
}
