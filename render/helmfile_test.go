package render

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	yaml3 "go.yaml.in/yaml/v3"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
)

// A helmfile's chart comes from the repository that it names, with the values files of this one.
func TestChartsOfHelmfilesAreFetched(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	files := map[string]string{
		"helmfile.yaml": "repositories:\n- {name: far, url: " + site.URL + "}\nreleases:\n" +
			"- {name: shop, namespace: shop, chart: far/db, version: 1.10.0, values: [env/prod.yaml]}\n",
		"env/prod.yaml": "replicas: 4\n",
	}
	const id = "helmfile:helmfile.yaml:shop/shop"
	fails(t, renderWith(t, files, Options{}), id, "chart db@1.10.0 of "+site.URL+" is not vendored", "run without --offline")
	cache := t.TempDir()
	for _, opt := range []Options{online(t, cache, site), offlineWith(t, cache)} {
		r := renders(t, renderWith(t, files, opt), id)
		if at := objectOf(t, r, "shop-db").Locate("spec.replicas"); at.File != "env/prod.yaml" || at.StartLine != 1 {
			t.Errorf("replicas are set at %+v", at)
		}
	}
}

// Templates of releases that inherit from one another without measure end.
func TestHelmfileInheritanceIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("templates:\n")
	for i := range 60 {
		fmt.Fprintf(&b, "  t%d: {inherit: [{template: t%d}, {template: t%d}]}\n", i, i+1, i+1)
	}
	b.WriteString("  t60: {values: [{a: 1}]}\nreleases:\n- {name: web, chart: charts/web, inherit: [{template: t0}]}\n")
	rev := renderWith(t, map[string]string{"helmfile.yaml": b.String()}, Options{})
	fails(t, rev, "helmfile:helmfile.yaml:default/web", "too many others", "correct `inherit`")
}

// Whatever the order of files and maps among a release's values, and however much of them is in
// templates that it inherits from or in parts of the file, the chart gets what merging them in
// order gives.
func TestHelmfileValuesMergeInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(14, 1))
	for n := range 60 {
		files := map[string]string{
			"charts/web/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"charts/web/values.yaml":         "a: own\nb: {c: own, d: own}\n",
			"charts/web/templates/data.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {all: {{ pick .Values \"a\" \"b\" | toJson | quote }}}\n",
		}
		want := map[string]any{"a": "own", "b": map[string]any{"c": "own", "d": "own"}}
		var inherited, own []any
		for i := range 1 + random.IntN(6) {
			v := randomValues(random, i)
			want = helm.MergeValues(want, v)
			var entry any = v
			if random.IntN(2) == 0 {
				name := fmt.Sprintf("v%d.yaml", i)
				if random.IntN(3) == 0 {
					name += ".gotmpl"
				}
				text, err := yaml3.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				files[name], entry = string(text), name
			}
			if len(own) == 0 && random.IntN(3) == 0 {
				inherited = append(inherited, entry)
			} else {
				own = append(own, entry)
			}
		}
		templates, err := yaml3.Marshal(map[string]any{"templates": map[string]any{"t": map[string]any{"values": inherited}}})
		if err != nil {
			t.Fatal(err)
		}
		releases, err := yaml3.Marshal(map[string]any{"releases": []any{map[string]any{
			"name": "web", "chart": "./charts/web", "inherit": []any{map[string]any{"template": "t"}}, "values": own,
		}}})
		if err != nil {
			t.Fatal(err)
		}
		files["helmfile.yaml"] = string(templates) + []string{"", "---\n"}[random.IntN(2)] + string(releases)
		r := renders(t, renderWith(t, files, Options{}), "helmfile:helmfile.yaml:default/web")
		got := map[string]any{}
		if err := yaml3.Unmarshal([]byte(document.Text(objectOf(t, r, "web").Content, "data", "all")), &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("case %d: %v, want %v of\n%s", n, got, want, files["helmfile.yaml"])
		}
	}
}

// randomValues are some of a, b.c and b.d.
func randomValues(random *rand.Rand, i int) map[string]any {
	v := map[string]any{}
	say := fmt.Sprintf("by-%d", i)
	if random.IntN(2) == 0 {
		v["a"] = say
	}
	b := map[string]any{}
	for _, k := range []string{"c", "d"} {
		if random.IntN(2) == 0 {
			b[k] = say
		}
	}
	if len(b) > 0 {
		v["b"] = b
	}
	return v
}
