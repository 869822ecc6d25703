package render

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// TestDependenciesBesideTheChartStandIn holds a chart that lacks a dependency, which lies beside it or beside a folder
// above it, against the same chart with that dependency vendored: they render the same, and the first says what stood
// in. At another name or version, or under an alias, nothing stands in.
func TestDependenciesBesideTheChartStandIn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	stood, missed := 0, 0
	for range 150 {
		home := pick("web", "charts/web", "stable/charts/web", "apps/team/web")
		at := pick("charts/common", "common", "stable/common", "apps/common", "apps/charts/common", "apps/team/common")
		want, is := pick("1.2.0", "1.x.x", "^1.0.0", "2.0.0"), pick("1.2.0", "1.2.0", "1.3.0")
		name, alias := pick("common", "common", "common", "other"), pick("", "", "", ", alias: shared")
		files := map[string]string{
			home + "/Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"+
				"- {name: common, version: %q, repository: \"https://charts.example.com\"%s}\n", want, alias),
			home + "/templates/web.yaml": "{{ include \"common.map\" . }}\n",
		}
		common := map[string]string{
			"Chart.yaml":       fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\ntype: library\n", name, is),
			"templates/_m.tpl": "{{- define \"common.map\" }}\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + at[:3] + "}\n{{- end }}\n",
		}
		vendored := map[string]string{}
		for k, v := range files {
			vendored[k] = v
		}
		for k, v := range common {
			files[at+"/"+k], vendored[home+"/charts/common/"+k] = v, v
		}
		got := releaseOf(t, renderWith(t, files, Options{}), home)
		// What lies beside: in a folder above the chart's own, or in its charts folder.
		near := false
		for up := home; strings.Contains(up, "/"); {
			up = up[:strings.LastIndex(up, "/")]
			near = near || at == up+"/common" || at == up+"/charts/common"
		}
		near = near || at == "common" || at == "charts/common"
		fits := want != "2.0.0" && (want != "1.2.0" || is == "1.2.0")
		if !near || !fits || name != "common" || alias != "" {
			missed++
			if got.Err == nil || !strings.Contains(got.Err.Reason, "not vendored") {
				t.Errorf("%s, %s@%s at %s for %s%s: rendered", home, name, is, at, want, alias)
			}
			continue
		}
		stood++
		full := releaseOf(t, renderWith(t, vendored, Options{}), home)
		if got.Err != nil || full.Err != nil || !reflect.DeepEqual(contents(got), contents(full)) || len(got.Objects) != 1 {
			t.Errorf("%s, common at %s: %v %v, vendored %v %v", home, at, got.Err, contents(got), full.Err, contents(full))
		}
		if !slices.ContainsFunc(got.Notes, func(n object.Note) bool { return n.Kind == object.DependencyBeside && n.Args[2] == at }) {
			t.Errorf("%s: does not say that %s stands in: %v", home, at, got.Notes)
		}
	}
	if stood < 20 || missed < 20 {
		t.Errorf("%d stood in and %d did not", stood, missed)
	}
}
