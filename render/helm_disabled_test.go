package render

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestSwitchedOffDependenciesAreNotMissed holds a chart that lacks a dependency against the same chart with it:
// where it renders without, Helm renders nothing of the dependency either, and the same of the rest. Conditions,
// tags and values are random.
func TestSwitchedOffDependenciesAreNotMissed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	without, with := 0, 0
	for i := 0; i < 300; i++ {
		conditions := pick("db.enabled", "global.db", "db.enabled,global.db", "global.db,store.enabled", "flags.db", "cache.enabled", "store.enabled, flags.db")
		dep := pick("", ", alias: store") + pick("", ", condition: \""+conditions+"\"", ", condition: \""+conditions+"\"") + pick("", ", tags: [data]", ", tags: [data, more]")
		leaf := func(name string) string {
			return pick("", "", name+": {enabled: "+pick("true", "false", "null", "text", "{a: b}")+"}\n")
		}
		values := leaf("db") + leaf("store") + leaf("cache") + pick("", "global: {db: "+pick("true", "false", "1")+"}\n") +
			pick("", "flags: {db: false}\n") + pick("", "tags: {data: "+pick("true", "false")+", more: "+pick("true", "false", "x")+"}\n")
		files := map[string]string{
			"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.0.0, repository: \"https://charts.example.com\"" + dep + "}\n" +
				"- {name: cache, version: 1.0.0, repository: \"\"}\n",
			"web/values.yaml":                            values,
			"web/values-prod.yaml":                       pick("db: {enabled: false}\n", "db: null\n", "tags: {data: true}\n", "{}\n"),
			"web/templates/web.yaml":                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {values: {{ .Values | toYaml | quote }}}\n",
			"web/charts/cache/Chart.yaml":                "apiVersion: v2\nname: cache\nversion: 1.0.0\n",
			"web/charts/cache/values.yaml":               pick("enabled: true\n", "enabled: false\n", "{}\n"),
			"web/charts/cache/templates/cache.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cache}\n",
			"web/charts/cache/templates/_unused.tpl":     "",
			"web/charts/cache/templates/NOTES.txt":       "notes\n",
			"web/charts/cache/templates/tests/none.yaml": "",
		}
		whole := maps.Clone(files)
		whole["web/charts/db/Chart.yaml"] = "apiVersion: v2\nname: db\nversion: 1.0.0\n"
		whole["web/charts/db/values.yaml"] = pick("enabled: true\n", "enabled: false\n", "{}\n")
		whole["web/charts/db/templates/db.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: db}\n"
		lacking, full := renderWith(t, files, Options{}), renderWith(t, whole, Options{})
		for _, id := range []string{"web", "web:values-prod.yaml"} {
			got, want := releaseOf(t, lacking, id), releaseOf(t, full, id)
			if lacks := got.Lacks(); lacks != nil {
				with++
				if !lacks.Skipped || !strings.Contains(lacks.Reason, "not vendored") {
					t.Errorf("%s: %s", id, lacks.Reason)
				}
				continue
			}
			without++
			if say := fmt.Sprintf("%s with %q, values %q and %q", id, dep, values, files["web/values-prod.yaml"]); want.Err != nil {
				t.Errorf("%s: %s", say, want.Err.Reason)
			} else if !reflect.DeepEqual(contents(got), contents(want)) {
				t.Errorf("%s: %v, with the dependency %v", say, contents(got), contents(want))
			}
		}
	}
	if without < 50 || with < 50 {
		t.Errorf("%d rendered without, %d missed it: want both", without, with)
	}
}

func contents(r *object.Rendered) []any {
	var out []any
	for _, o := range r.Objects {
		out = append(out, o.Content)
	}
	return out
}
