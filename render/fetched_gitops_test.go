package render

import (
	"context"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/tree"
)

// gitopsFiles declare one chart of a repository by Argo CD and by Flux.
func gitopsFiles(site string) map[string]string {
	return map[string]string{
		"argo/app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec:\n  destination: {namespace: shop}\n" +
			"  sources:\n  - repoURL: " + site + "\n    chart: db\n    targetRevision: 1.10.0\n    helm:\n      valueFiles: [$values/env/prod.yaml]\n  - repoURL: https://example.com/this.git\n    ref: values\n",
		"env/prod.yaml":     "replicas: 4\n",
		"flux/source.yaml":  "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: charts, namespace: flux}\nspec:\n  url: " + site + "\n",
		"flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: flux}\nspec:\n  chart:\n    spec:\n      chart: db\n      version: 1.10.0\n      sourceRef: {kind: HelmRepository, name: charts}\n      valuesFiles: [values.yaml, small.yaml]\n  values:\n    name: x\n",
	}
}

// An Application's and a HelmRelease's chart is fetched from the repository they name, and
// nothing of it points out of this one.
func TestChartsOfGitOpsObjectsAreFetched(t *testing.T) {
	chart := map[string]string{"small.yaml": "replicas: 2\n"}
	for name, text := range dbChart {
		chart[name] = text
	}
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": chart})
	files := gitopsFiles(site.URL)
	rev := renderWith(t, files, Options{})
	fails(t, rev, "argocd:argo:argocd/shop", "argo/app.yaml:9: chart db@1.10.0 of "+site.URL+" is not vendored", "run without --offline")
	fails(t, rev, "helmrelease:flux:flux/shop", "flux/release.yaml:8: chart db@1.10.0", "run without --offline")
	cache := t.TempDir()
	for _, opt := range []Options{online(t, cache, site), offlineWith(t, cache)} {
		rev := renderWith(t, files, opt)
		app := renders(t, rev, "argocd:argo:argocd/shop")
		if app.Path != "argo/app.yaml" {
			t.Errorf("its path is %s, its values %q", app.Path, app.Values)
		}
		db := objectOf(t, app, "shop-db")
		if at := db.Locate("spec.replicas"); at.File != "env/prod.yaml" || at.StartLine != 1 || at.Rung != "value" {
			t.Errorf("replicas are set at %+v", at)
		}
		if db.Source.File != "argo/app.yaml" {
			t.Errorf("it is from %+v", db.Source)
		}
		release := renders(t, rev, "helmrelease:flux:flux/shop")
		db = objectOf(t, release, "shop-db")
		if replicas, _ := fieldpath.Parse("spec.replicas").Get(db.Content); replicas != int64(2) {
			t.Errorf("%v replicas, the chart's small.yaml has 2", replicas)
		}
		if at := db.Locate("spec.replicas"); at.File != "flux/release.yaml" {
			t.Errorf("replicas are set at %+v", at)
		}
	}
	files["flux/release.yaml"] = strings.ReplaceAll(files["flux/release.yaml"], "small.yaml", "gone.yaml")
	fails(t, renderWith(t, files, online(t, cache, site)), "helmrelease:flux:flux/shop", "gone.yaml does not exist", "correct `valuesFiles`")
}

// A source that moves changes the release, though nothing of the HelmRelease does.
func TestChangeOfAFetchedSource(t *testing.T) {
	one := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	two := chartSite(t, map[string]map[string]string{"db@1.10.0": {"values.yaml": "replicas: 6\n", "small.yaml": "{}\n", "templates/db.yaml": dbTemplate}})
	tree := func(name, site string) tree.Tree {
		files := gitopsFiles(site)
		delete(files, "argo/app.yaml")
		files["flux/release.yaml"] = strings.ReplaceAll(files["flux/release.yaml"], ", small.yaml", "")
		tree, err := tree.Map(name, files)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	b, h, err := RenderBoth(context.Background(), tree("base", one.URL), tree("head", two.URL), online(t, "", one, two))
	if err != nil {
		t.Fatal(err)
	}
	r := releaseOf(t, h, "helmrelease:flux:flux/shop")
	if !r.Changed || !strings.Contains(r.Why, "flux/source.yaml changed") {
		t.Errorf("changed %v: %s", r.Changed, r.Why)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range ch.Changes {
		if c.ID().Kind == "StatefulSet" && len(c.Fields) == 1 && c.Fields[0].Path == "spec.replicas" {
			return
		}
	}
	t.Errorf("no change of the replicas in %+v", ch.Changes)
}

// Where Flux's and Argo CD's objects say that a chart is.
func TestChartsThatGitOpsObjectsName(t *testing.T) {
	source := func(spec string) map[string]string {
		return map[string]string{
			"flux/source.yaml":  "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: charts, namespace: flux}\nspec: " + spec + "\n",
			"flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: flux}\nspec: {chartRef: {kind: OCIRepository, name: charts}}\n",
		}
	}
	site := chartSite(t, nil)
	for spec, want := range map[string]string{
		"{url: oci://r.example.com/charts/db, ref: {tag: 1.2.3}}":                    "flux/source.yaml:4: chart db@1.2.3 cannot be fetched: host r.example.com is not allowed",
		"{url: oci://r.example.com/charts/db, ref: {semver: ^1, tag: 1.2.3}}":        "flux/source.yaml:4: chart db@^1 cannot",
		"{url: oci://r.example.com/charts/db}":                                       "chart db@latest cannot",
		"{url: oci://r.example.com/charts/db, ref: {digest: sha256:12, semver: ^1}}": "chart db@sha256:12 cannot",
		"{}": "of OCIRepository charts is not vendored",
	} {
		fails(t, renderWith(t, source(spec), online(t, "", site)), "helmrelease:flux:flux/shop", want, "")
	}
	files := map[string]string{"a.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec: {source: {repoURL: r.example.com/charts, chart: db, targetRevision: 1.2.3}}\n"}
	fails(t, renderWith(t, files, online(t, "", site)), "argocd:.:argocd/shop", "chart db@1.2.3 cannot be fetched: host r.example.com is not allowed", "--allow-host r.example.com")
	for revision, want := range map[string]string{"1.2.3": "1.2.3", "^1": "^1", "main": "main", `""`: "latest", "sha256:12": "sha256:12"} {
		files["a.yaml"] = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec: {source: {repoURL: oci://r.example.com/charts/db, path: ., targetRevision: " + revision + ", helm: {}}}\n"
		fails(t, renderWith(t, files, online(t, "", site)), "argocd:.:argocd/shop", "chart db@"+want+" cannot", "")
	}
	files["a.yaml"] = strings.Replace(files["a.yaml"], ", helm: {}", "", 1)
	for _, r := range renderWith(t, files, online(t, "", site)).Releases {
		if strings.HasPrefix(r.ID, "argocd:") {
			t.Errorf("manifests of a registry are taken for this repository's: %s at %s", r.ID, r.Path)
		}
	}
	delete(files, "a.yaml")
	for name, text := range source("{}") {
		if name != "flux/source.yaml" {
			files[name] = text
		}
	}
	fails(t, renderWith(t, files, online(t, "", site)), "helmrelease:flux:flux/shop", "no OCIRepository flux/charts was found in the repository", "commit it")
}
