package render

import (
	"context"
	"path"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// TestBroke wants the change to answer for what it breaks, and for nothing else.
func TestBroke(t *testing.T) {
	chart := func(extra map[string]string) map[string]string {
		files := map[string]string{
			"web/Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"web/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
		}
		for p, text := range extra {
			files[p] = text
		}
		return files
	}
	broken := map[string]string{"web/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.a.b }}}\n"}
	required := func(key string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ required \"" + key + " is required\" (tpl \"{{ .Values." + key + " }}\" .) }}}\n"
	}
	asking := map[string]string{"web/templates/web.yaml": required("host")}
	tested := map[string]string{"web/templates/web.yaml": required("host"), "web/ci/a-values.yaml": "port: 1\n"}
	first := map[string]string{"web/templates/web.yaml": required("host"), "web/templates/zone.yaml": required("zone"), "web/templates/a.yaml": required("a")}
	beside := map[string]string{"web/templates/web.yaml": broken["web/templates/web.yaml"], "web/README.md": "two"}
	tried := map[string]string{"web/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.a.c }}}\n"}
	moved := map[string]string{"web/templates/web.yaml": "# moved\n\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.a.b }}}\n"}
	worse := map[string]string{"web/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.a.b }}}\ndata: {{ if\n"}
	fetched := func(version string) map[string]string {
		return map[string]string{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: " + version + ", repository: \"https://charts.example.com\"}\n"}
	}
	publishes := func(version, takes string) map[string]string {
		out := chart(fetched(takes))
		out["db/Chart.yaml"] = "apiVersion: v2\nname: db\nversion: " + version + "\n"
		out["db/templates/db.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: db}\n"
		return out
	}
	syntax := map[string]string{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: [\n"}
	other := map[string]string{"api.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: api}\n"}
	runs := map[string]string{"api.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: api}\nspec: {containers: [{name: c, image: c}]}\n"}
	lists := map[string]string{"app/kustomization.yaml": "resources: [list.yaml]\n", "app/list.yaml": other["api.yaml"]}
	root := map[string]string{"root/kustomization.yaml": "resources: [\"https://github.com/example/base//deploy?ref=v1\"]\n"}
	folder := map[string]string{"app/api.yaml": runs["api.yaml"]}
	layered := map[string]string{
		"app/api.yaml": runs["api.yaml"], "app/kustomization.yaml": "resources: [api.yaml]\n", "env/kustomization.yaml": "resources: [../app]\n",
		"root/kustomization.yaml": root["root/kustomization.yaml"],
	}
	within := func(folder string, files map[string]string, more ...string) map[string]string {
		out := map[string]string{}
		for p, text := range files {
			out[path.Join(folder, p)] = text
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	listed := func(names ...string) map[string]string {
		out := map[string]string{"ci/helmfile.yaml": "releases:\n"}
		for _, n := range names {
			out["ci/helmfile.yaml"] += "- {name: " + n + ", namespace: " + n + ", chart: ./" + n + "}\n"
		}
		for _, n := range []string{"one", "two", "three"} {
			for p, text := range chart(nil) {
				out[n+p[len("web"):]] = text
			}
		}
		return out
	}
	for _, tt := range []struct {
		name       string
		base, head map[string]string
		want       bool
	}{
		{"listed like the rest, which is elsewhere", listed("one", "two"), listed("one", "two", "three"), false},
		{"listed like one, where another is here", within("", listed("one"), "ci/two/Chart.yaml", chart(nil)["web/Chart.yaml"]), within("", listed("one", "two", "three"), "ci/two/Chart.yaml", chart(nil)["web/Chart.yaml"]), true},
		{"head breaks what rendered", chart(nil), chart(broken), true},
		{"head needs what is not here", chart(nil), chart(fetched("1.0.0")), true},
		{"broken on both sides", chart(broken), chart(beside), false},
		{"broken on both sides, some lines further down", chart(broken), chart(moved), false},
		{"broken on both sides, in the line that was to mend it", chart(broken), chart(tried), false},
		{"broken on base, and otherwise in a line of head's own", chart(broken), chart(worse), true},
		{"not here on both sides, in another version", chart(fetched("1.0.0")), chart(fetched("1.1.0")), false},
		{"published, and what stood for it has another version", publishes("1.0.0", "1.0.0"), publishes("1.1.0", "1.0.0"), false},
		{"published, and another version is taken", publishes("1.0.0", "1.0.0"), publishes("1.0.0", "1.1.0"), false},
		{"not here on base, broken on head", chart(fetched("1.0.0")), chart(syntax), true},
		{"broken on base, not here on head", chart(broken), chart(fetched("1.0.0")), false},
		{"new and broken", other, chart(broken), true},
		{"new, and asks for a value", other, chart(asking), true},
		{"asks for a value in the place of what had workloads", runs, chart(asking), true},
		{"new, and asks for a value that its test values lack", other, chart(tested), true},
		{"asks for a value where it rendered without", chart(nil), chart(asking), true},
		{"asks for another value first", chart(asking), chart(first), false},
		{"asked for a value, and is broken further down", chart(asking), chart(worse), true},
		{"new and not here", nil, root, false},
		{"not here in the place of what had workloads", runs, root, true},
		{"not here beside what another release renders now", folder, layered, false},
		{"not here in the place of a list of others", lists, root, false},
		{"broken on both sides, in another folder", within("one", chart(broken)), within("two", chart(broken)), false},
		{"broken in another way in another folder", within("one", chart(broken)), within("two", chart(worse)), true},
		{"broken in a copy", within("one", chart(broken)), within("one", chart(broken), "two/Chart.yaml", chart(nil)["web/Chart.yaml"], "two/templates/web.yaml", broken["web/templates/web.yaml"]), true},
		{"not here on both sides, all in another folder", within("one", layered), within("two", layered), false},
		{"not here on both sides, in another folder, and what had workloads is gone", within("one", layered, "one/api/api.yaml", runs["api.yaml"]+"# more\n"), within("two", root), false},
		{"not here in the place of what has another file now", within("one", runs), within("two", root, "two/api.yaml", other["api.yaml"]), true},
	} {
		base, err := tree.Map("base", tt.base)
		if err != nil {
			t.Fatal(err)
		}
		head, err := tree.Map("head", tt.head)
		if err != nil {
			t.Fatal(err)
		}
		b, h, err := RenderBoth(context.Background(), base, head, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ch, err := Diff(b, h)
		if err != nil {
			t.Fatal(err)
		}
		old := map[string]*object.Rendered{}
		for _, r := range b.Releases {
			old[r.ID] = r
		}
		got, failed := false, false
		for _, r := range h.Releases {
			got = got || Broke(ch, old[r.ID], r)
			failed = failed || r.Lacks() != nil
		}
		if got != tt.want || !failed {
			t.Errorf("%s: the change broke it: %v, want %v (failed: %v)", tt.name, got, tt.want, failed)
		}
	}
}
