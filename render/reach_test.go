package render

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// reachFiles is a repository in which things concern each other across releases.
func reachFiles() map[string]string {
	return map[string]string{
		"still/Chart.yaml":            "apiVersion: v2\nname: still\nversion: 1.0.0\n",
		"still/templates/map.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, annotations: {argocd.argoproj.io/hook: none}}\n",
		"web/web.yaml":                "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n",
		"apps/Chart.yaml":             "apiVersion: v2\nname: apps\nversion: 1.0.0\n",
		"apps/values.yaml":            "paths: [charts/api]\n",
		"apps/templates/apps.yaml":    "{{ range .Values.paths }}\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: api, namespace: argocd}\nspec: {destination: {namespace: shop}, source: {repoURL: https://git.example.com/r, path: {{ . }}, helm: {parameters: [{name: replicas, value: \"4\"}]}}}\n{{ end }}\n",
		"charts/api/Chart.yaml":       "apiVersion: v2\nname: api\nversion: 1.0.0\n",
		"charts/api/values.yaml":      "replicas: 1\nimage: a\n",
		"charts/api/templates/d.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api}\nspec: {replicas: {{ .Values.replicas }}, template: {spec: {containers: [{name: api, image: {{ .Values.image }}}]}}}\n",
		"flux/ks.yaml":                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop, namespace: flux-system}\nspec: {path: ./shop, postBuild: {substituteFrom: [{kind: ConfigMap, name: settings}]}, sourceRef: {kind: GitRepository, name: flux-system}}\n",
		"settings/kustomization.yaml": "resources: [settings.yaml]\n",
		"settings/settings.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: flux-system}\ndata: {REPLICAS: \"3\"}\n",
		"shop/kustomization.yaml":     "resources: [shop.yaml]\n",
		"shop/shop.yaml":              "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n  replicas: ${REPLICAS}\n",
		"crd/crd.yaml":                "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec:\n  group: example.com\n  scope: Cluster\n  names:\n    kind: Thing\n",
		"flow/crd.yaml":               "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: others.example.com}\nspec: {group: example.com, scope: Cluster, names: {kind: Other}}\n",
		"things/things.yaml":          "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: one}\n---\napiVersion: example.com/v1\nkind: Other\nmetadata: {name: two}\n",
		"tuning/policy.yaml":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tuning}\ndata: {policy: MarkedPolicy}\n",
	}
}

// bothOf renders two sides of files.
func bothOf(t *testing.T, base, head map[string]string, opt Options) *object.Changes {
	t.Helper()
	bt, err := tree.Map("base", base)
	if err != nil {
		t.Fatal(err)
	}
	ht, err := tree.Map("head", head)
	if err != nil {
		t.Fatal(err)
	}
	b, h, err := RenderBoth(context.Background(), bt, ht, opt)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// changesText is what a change set says, for comparison.
func changesText(ch *object.Changes) string {
	var b strings.Builder
	for _, c := range ch.Changes {
		fmt.Fprintf(&b, "%s %s %s\n", c.Release, c.Kind, c.ID())
		for _, f := range c.Fields {
			fmt.Fprintf(&b, "  %s: %v -> %v at %s:%d\n", f.Path, f.Old, f.New, f.Where().File, f.Where().StartLine)
		}
	}
	for _, r := range ch.Head.Releases {
		if fmt.Fprintf(&b, "%s changed %v", r.ID, r.Changed); r.Changed {
			fmt.Fprintf(&b, ": %s, %v", r.Why, r.Err)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestWhatTheChangeCannotReach wants the same changes as from a whole rendering, whatever
// file changes, and what is out of reach not rendered.
func TestWhatTheChangeCannotReach(t *testing.T) {
	files := reachFiles()
	for _, tt := range []struct{ file, old, new string }{
		{"web/web.yaml", "replicas: 2", "replicas: 3"},
		{"still/templates/map.yaml", "hook: none", "hook: Sync"},
		{"charts/api/values.yaml", "image: a", "image: b"},          // of an unchanged application
		{"charts/api/values.yaml", "replicas: 1", "replicas: 2"},    // which the application overrides
		{"apps/values.yaml", "[charts/api]", "[still]"},             // the application leads elsewhere
		{"settings/settings.yaml", `REPLICAS: "3"`, `REPLICAS: ""`}, // of another release
		{"shop/shop.yaml", "name: shop", "name: shop, labels: {a: b}"},
		{"flux/ks.yaml", "./shop", "./settings"},
		{"things/things.yaml", "name: one", "name: one, labels: {a: b}"}, // scopes from elsewhere
		{"things/things.yaml", "name: two", "name: two, labels: {a: b}"},
		{"README.md", "", "hello"},
	} {
		head := maps.Clone(files)
		if head[tt.file] = strings.Replace(files[tt.file], tt.old, tt.new, 1); head[tt.file] == files[tt.file] {
			t.Fatalf("%s: nothing changes", tt.file)
		}
		opt := Options{Concerns: []string{"MarkedPolicy"}}
		lazy := bothOf(t, files, head, opt)
		opt.Whole = true
		whole := bothOf(t, files, head, opt)
		if got, want := changesText(lazy), changesText(whole); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.file, got, want)
		}
		for _, r := range lazy.Head.Releases {
			if r.Changed && r.Untouched || r.Untouched && len(r.Objects) > 0 {
				t.Errorf("%s: %s is untouched, with %d objects; changed: %v", tt.file, r.ID, len(r.Objects), r.Changed)
			}
			if r.ID == "still" && r.Untouched == strings.HasPrefix(tt.file, "still") {
				t.Errorf("%s: still untouched: %v", tt.file, r.Untouched)
			}
			if r.ID == "tuning" && len(r.Objects) != 1 {
				t.Errorf("%s: what concerns other releases was not rendered", tt.file)
			}
		}
	}
}

// TestNothingIsFetchedForWhatIsUntouched wants the network left alone where no release that
// needs it changes.
func TestNothingIsFetchedForWhatIsUntouched(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	var asked atomic.Int64
	inner := site.Config.Handler
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		inner.ServeHTTP(w, r)
	})
	chartYAML, lock := locked(site.URL, "1.10.0", "1.10.0")
	files := gitopsFiles(site.URL)
	files["web/Chart.yaml"], files["web/Chart.lock"] = chartYAML, lock
	files["prod/kustomization.yaml"] = "helmCharts:\n- {name: db, repo: " + site.URL + ", version: 1.10.0, releaseName: shop}\n"
	files["other/map.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
	head := maps.Clone(files)
	head["other/map.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, labels: {a: b}}\n"
	ch := bothOf(t, files, head, online(t, "", site))
	if n := asked.Load(); n != 0 || len(ch.Changes) != 1 {
		t.Errorf("%d requests, %d changes", n, len(ch.Changes))
	}
	untouched := 0
	for _, r := range ch.Head.Releases {
		if r.Untouched {
			untouched++
		}
	}
	if untouched != 4 { // the chart, the kustomization, the Application's and the HelmRelease's
		t.Errorf("%d releases are untouched: %s", untouched, changesText(ch))
	}
	head["web/values.yaml"] = "db: {replicas: 7}\n"
	if ch = bothOf(t, files, head, online(t, "", site)); asked.Load() == 0 || len(ch.Changes) != 2 {
		t.Errorf("%d requests, changes %s", asked.Load(), changesText(ch))
	}
}
