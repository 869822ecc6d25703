package render

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kubesettle/kubesettle/render/fetch"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/tree"
)

// online are options with a network that reaches the sites.
func online(t *testing.T, cache string, sites ...*httptest.Server) Options {
	t.Helper()
	opt := fetch.Options{Network: true, CacheDir: cache}
	for _, s := range sites {
		opt.Hosts = append(opt.Hosts, strings.TrimPrefix(s.URL, "https://"))
	}
	f, err := fetch.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Fetcher: f}
}

// offlineWith are options without a network and with a cache.
func offlineWith(t *testing.T, cache string) Options {
	t.Helper()
	f, err := fetch.New(fetch.Options{CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Fetcher: f}
}

func renderWith(t *testing.T, files map[string]string, opt Options) *object.Revision {
	t.Helper()
	tree, err := tree.Map("head", files)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := Render(context.Background(), tree, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rev.Releases { // nothing points out of the repository
		for _, p := range r.Reads {
			if _, ok := files[p]; !ok {
				t.Errorf("%s reads %s", r.ID, p)
			}
		}
		if r.Err != nil {
			if _, ok := files[r.Err.Where.File]; !ok {
				t.Errorf("%s fails at %s", r.ID, r.Err.Where.File)
			}
			if strings.Contains(r.Err.Reason+r.Err.Remedy, source.FetchedRoot+"/") {
				t.Errorf("%s fails with %q", r.ID, r.Err.Reason)
			}
		}
		for _, o := range r.Objects {
			for _, p := range []string{"", "spec.replicas", "metadata.name", "data.key"} {
				if at := o.Locate(p); files[at.File] == "" || at.StartLine > 1+strings.Count(files[at.File], "\n") {
					t.Errorf("%s of %s is at %v", p, o.ID, at)
				}
			}
			if _, ok := files[o.Source.File]; !ok {
				t.Errorf("%s is from %s", o.ID, o.Source.File)
			}
		}
	}
	return rev
}

func releaseOf(t *testing.T, rev *object.Revision, id string) *object.Rendered {
	t.Helper()
	for _, r := range rev.Releases {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no release %s in %s", id, listReleases(rev))
	return nil
}

func renders(t *testing.T, rev *object.Revision, id string) *object.Rendered {
	t.Helper()
	r := releaseOf(t, rev, id)
	if r.Err != nil {
		t.Fatalf("%s: %s; %s", id, r.Err.Reason, r.Err.Remedy)
	}
	return r
}

func fails(t *testing.T, rev *object.Revision, id, reason, remedy string) {
	t.Helper()
	r := releaseOf(t, rev, id)
	if err := r.Lacks(); err == nil || !strings.Contains(err.Reason, reason) || !strings.Contains(err.Remedy, remedy) {
		t.Errorf("%s: %+v, want %q and %q", id, err, reason, remedy)
	}
}

func objectOf(t *testing.T, r *object.Rendered, name string) *object.Object {
	t.Helper()
	for _, o := range r.Objects {
		if o.ID.Name == name {
			return o
		}
	}
	t.Fatalf("%s has no %s", r.ID, name)
	return nil
}

const dbTemplate = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .Release.Name }}-db
spec:
  replicas: {{ .Values.replicas }}
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:{{ .Chart.Version }}"}]}
`

// lockDigest is how Helm signs a lock.
func lockDigest(list ...[]*chart.Dependency) string {
	b, _ := json.Marshal(list)
	return fmt.Sprintf("sha256:%x", sha256.Sum256(b))
}

var dbChart = map[string]string{"values.yaml": "replicas: 1\n", "templates/db.yaml": dbTemplate}

// dependencies is a chart's list of dependencies, and the lock that Helm would write.
func locked(site, constraint, version string) (chartYAML, lock string) {
	req := []*chart.Dependency{{Name: "db", Version: constraint, Repository: site}}
	list := []*chart.Dependency{{Name: "db", Version: version, Repository: site}}
	chartYAML = fmt.Sprintf("apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- name: db\n  version: %q\n  repository: %s\n", constraint, site)
	lock = fmt.Sprintf("dependencies:\n- name: db\n  repository: %s\n  version: %s\ndigest: %s\n", site, version, lockDigest(req, list))
	return chartYAML, lock
}

func TestMissingDependencyIsFetched(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	chartYAML, lock := locked(site.URL, "^1.2.0", "1.10.0")
	files := map[string]string{
		"web/Chart.yaml": chartYAML, "web/Chart.lock": lock,
		"web/values.yaml":        "name: web\ndb:\n  replicas: 3\n",
		"web/templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: {{ .Values.name }}}\n",
	}
	cache := t.TempDir()
	fails(t, renderWith(t, files, Options{}), "web", "dependency db@^1.2.0 is not vendored", "run `helm dependency build web` and commit web/charts, or run without --offline")
	fails(t, renderWith(t, files, offlineWith(t, cache)), "web", "there is no network", "run without --offline")
	for _, opt := range []Options{online(t, cache, site), offlineWith(t, cache)} {
		r := renders(t, renderWith(t, files, opt), "web")
		if len(r.Notes) > 0 {
			t.Errorf("notes %v", r.Notes)
		}
		db := objectOf(t, r, "web-db")
		if at := db.Locate("spec.replicas"); at.File != "web/values.yaml" || at.StartLine != 3 || at.Rung != "value" {
			t.Errorf("replicas are set at %+v", at)
		}
		if db.Source.File != "web/Chart.yaml" || db.Source.StartLine != 5 {
			t.Errorf("db is from %+v", db.Source)
		}
		if image := db.Locate("spec.template.spec.containers[0].image"); image.File != "web/Chart.yaml" || image.StartLine != 5 || image.Rung != "release" {
			t.Errorf("the image is set at %+v", image)
		}
		if web := objectOf(t, r, "web"); web.Source.File != "web/templates/web.yaml" {
			t.Errorf("web is from %+v", web.Source)
		}
	}

	// Without a lock the version is chosen, and the result says so.
	delete(files, "web/Chart.lock")
	r := renders(t, renderWith(t, files, online(t, cache, site)), "web")
	if len(r.Notes) != 1 || r.Notes[0].String() != `version-floats web/Chart.yaml:5 "db" "1.10.0" "^1.2.0"` {
		t.Errorf("notes %v", r.Notes)
	}
	fails(t, renderWith(t, files, offlineWith(t, cache)), "web", "chart db@^1.2.0 is neither in the repository nor in the cache", "--offline")

	// A lock of other dependencies.
	_, files["web/Chart.lock"] = locked(site.URL, "^1.3.0", "1.10.0")
	fails(t, renderWith(t, files, online(t, cache, site)), "web", "web/Chart.lock:5: the lock does not fit", "run `helm dependency update web` and commit web/Chart.lock")
	files["web/Chart.lock"] = "digest: [\n"
	fails(t, renderWith(t, files, online(t, cache, site)), "web", "web/Chart.lock:", "helm dependency update web")

	// A version that is gone, a host that is not allowed.
	files["web/Chart.yaml"], files["web/Chart.lock"] = locked(site.URL, "^1.2.0", "1.3.0")
	fails(t, renderWith(t, files, online(t, cache, site)), "web", "web/Chart.yaml:5: chart db@1.3.0 cannot be fetched: "+site.URL+" has no chart db@1.3.0", "correct the name or the version")
	host := strings.TrimPrefix(site.URL, "https://")
	other := chartSite(t, nil)
	fails(t, renderWith(t, files, online(t, cache, other)), "web", "host "+host+" is not allowed", "--allow-host "+host)
}

// A template of a fetched chart that fails is its dependency's line.
func TestFailureInAFetchedChart(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": {"templates/db.yaml": "a: 1\nb: {{ fail \"size is missing\" }}\n"}})
	chartYAML, lock := locked(site.URL, "^1.2.0", "1.10.0")
	files := map[string]string{"web/Chart.yaml": chartYAML, "web/Chart.lock": lock}
	rev := renderWith(t, files, online(t, "", site))
	fails(t, rev, "web", "web/Chart.yaml:5: in what it fetches: ", "use another version")
	fails(t, rev, "web", "db.yaml:2:", "")
	fails(t, rev, "web", "size is missing", "")
}

// The same chart twice, under aliases.
func TestAliasesAreFetched(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	files := map[string]string{
		"web/Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"+
			"- {name: db, version: 1.10.0, repository: %q, alias: one, condition: one.enabled}\n- {name: db, version: 1.10.0, repository: %q, alias: two, condition: two.enabled}\n", site.URL, site.URL),
		"web/values.yaml": "one: {enabled: true, replicas: 2}\ntwo: {enabled: false}\n",
	}
	r := renders(t, renderWith(t, files, online(t, "", site)), "web")
	if len(r.Objects) != 1 || r.Objects[0].Locate("spec.replicas").File != "web/values.yaml" {
		t.Errorf("%d objects, %+v", len(r.Objects), r.Objects[0].Locate("spec.replicas"))
	}
}

// Base and head differ in the dependency alone: the chart's new version is analysed.
func TestChangeOfAFetchedVersion(t *testing.T) {
	old := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	site := chartSite(t, map[string]map[string]string{"db@1.11.0": {"values.yaml": "replicas: 2\n", "templates/db.yaml": dbTemplate}})
	tree := func(name, site, version string) tree.Tree {
		chartYAML, lock := locked(site, version, version)
		m, err := tree.Map(name, map[string]string{"web/Chart.yaml": chartYAML, "web/Chart.lock": lock})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	opt := online(t, "", old, site)
	b, h, err := RenderBoth(context.Background(), tree("base", old.URL, "1.10.0"), tree("head", site.URL, "1.11.0"), opt)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	if r := h.Releases[0]; r.Err != nil || r.Why != "web/Chart.lock and 1 other file changed" {
		t.Errorf("%v, %s", r.Err, r.Why)
	}
	var fields []string
	for _, c := range ch.Changes {
		for _, f := range c.Fields {
			fields = append(fields, f.Path+" at "+f.Where().File)
		}
	}
	if !slices.Contains(fields, "spec.replicas at web/Chart.yaml") {
		t.Errorf("changed %q", fields)
	}
}

func TestInflatedChartIsFetched(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	files := map[string]string{
		"prod/kustomization.yaml": "helmCharts:\n- name: db\n  repo: " + site.URL + "\n  version: 1.10.0\n  releaseName: shop\n  valuesFile: db.yaml\nreplicas:\n- {name: shop-db, count: 5}\n",
		"prod/db.yaml":            "replicas: 2\n",
	}
	cache := t.TempDir()
	fails(t, renderWith(t, files, Options{}), "prod", "(chart db@1.10.0) is not vendored", "helm pull")
	for _, opt := range []Options{online(t, cache, site), offlineWith(t, cache)} {
		r := renders(t, renderWith(t, files, opt), "prod")
		db := objectOf(t, r, "shop-db")
		if at := db.Locate("spec.replicas"); at.File != "prod/kustomization.yaml" || at.StartLine != 8 {
			t.Errorf("replicas are set at %+v", at)
		}
	}
	files["prod/kustomization.yaml"] = "helmCharts:\n- name: db\n  repo: https://other.example.com\n  version: 1.10.0\n"
	fails(t, renderWith(t, files, online(t, cache, site)), "prod", "prod/kustomization.yaml:2: chart db@1.10.0 cannot be fetched: host other.example.com is not allowed", "--allow-host other.example.com")
}

const webManifest = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: web}}\n" +
	"  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: web}]}\n"

func TestRemoteBaseIsFetched(t *testing.T) {
	inner, innerCommit := gitSite(t, map[string]string{"extra/kustomization.yaml": "resources: [map.yaml]\n", "extra/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {key: v}\n"})
	site, commit := gitSite(t, map[string]string{
		"base/kustomization.yaml":  "resources:\n- web.yaml\n- ../more\n- " + inner.URL + "/org/repo.git//extra?ref=" + innerCommit + "\n",
		"base/web.yaml":            webManifest,
		"more/kustomization.yaml":  "configMapGenerator:\n- {name: more, literals: [key=v]}\n",
		"label/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonLabels: {team: a}\n",
	})
	ref := func(dir string) string { return site.URL + "/org/repo.git//" + dir + "?ref=" + commit }
	files := map[string]string{
		"prod/kustomization.yaml": "resources:\n- " + ref("base") + "\n- own.yaml\ncomponents:\n- " + ref("label") + "\npatches:\n- path: replicas.yaml\n",
		"prod/own.yaml":           "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {key: v}\n",
		"prod/replicas.yaml":      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 4\n",
	}
	cache := t.TempDir()
	fails(t, renderWith(t, files, Options{}), "prod", "is remote; nothing is fetched", "or run without --offline")
	for _, opt := range []Options{online(t, cache, site, inner), offlineWith(t, cache)} {
		r := renders(t, renderWith(t, files, opt), "prod")
		if len(r.Objects) != 4 {
			t.Errorf("%d objects", len(r.Objects))
		}
		web := objectOf(t, r, "web")
		if at := web.Locate("spec.replicas"); at.File != "prod/replicas.yaml" || at.StartLine != 5 {
			t.Errorf("replicas are set at %+v", at)
		}
		if at := web.Locate("spec.template.spec.containers[0].image"); at.File != "prod/kustomization.yaml" || at.StartLine != 2 || at.Rung != "release" {
			t.Errorf("the image is set at %+v", at)
		}
		if at := objectOf(t, r, "extra").Source; at.File != "prod/kustomization.yaml" || at.StartLine != 2 {
			t.Errorf("what a base fetches is at %+v", at)
		}
		if web.Content["metadata"].(map[string]any)["labels"].(map[string]any)["team"] != "a" {
			t.Error("the component is not applied")
		}
	}
	// The second host is asked by the first one's file: it obeys the same list.
	fails(t, renderWith(t, files, online(t, "", site)), "prod", "prod/kustomization.yaml:2: in what it fetches:", "")
}

// A base at a tag is fetched, and the result records the commit that the tag named.
func TestRemoteBaseAtATag(t *testing.T) {
	site, commit := gitSite(t, map[string]string{"base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": webManifest})
	files := map[string]string{"prod/kustomization.yaml": "resources:\n- " + site.URL + "/org/repo.git//base?ref=v1\n"}
	r := renders(t, renderWith(t, files, online(t, t.TempDir(), site)), "prod")
	if len(r.Objects) != 1 || len(r.Fetched) != 1 || r.Fetched[0].Version != "v1" || r.Fetched[0].Digest != "git:"+commit {
		t.Errorf("%d objects of %+v", len(r.Objects), r.Fetched)
	}
	fails(t, renderWith(t, files, Options{}), "prod", "is remote; nothing is fetched", "or run without --offline")
}

// A remote base on a branch is read at the commit that the branch has, which a note says.
func TestRemoteBaseOnABranch(t *testing.T) {
	site, commit := gitSite(t, map[string]string{"base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": webManifest})
	for ref, branch := range map[string]string{"?ref=main": "branch main", "": "branch main"} {
		files := map[string]string{"prod/kustomization.yaml": "resources:\n- " + site.URL + "/org/repo.git//base" + ref + "\n"}
		r := renders(t, renderWith(t, files, online(t, "", site)), "prod")
		want := fmt.Sprintf("branch-read prod/kustomization.yaml:2 %q %q %q", branch, site.URL+"/org/repo.git", commit[:7])
		if len(r.Objects) != 1 || len(r.Notes) != 1 || r.Notes[0].String() != want || r.Fetched[0].Digest != "git:"+commit {
			t.Errorf("%d objects, notes %v, fetched %+v; want %s", len(r.Objects), r.Notes, r.Fetched, want)
		}
		fails(t, renderWith(t, files, Options{}), "prod", "is remote; nothing is fetched", "or run without --offline")
	}
}

// What a remote base may not be, and what it may not reach.
func TestRemoteBasesThatAreRefused(t *testing.T) {
	site, commit := gitSite(t, map[string]string{
		"out/kustomization.yaml":    "resources: [../../../prod/secret.yaml]\n",
		"up/kustomization.yaml":     "resources: [../../../../prod]\n",
		"root/kustomization.yaml":   "resources: [../../" + "../../" + "../../etc]\n",
		"link/kustomization.yaml":   "resources: [secret.yaml]\n",
		"link/secret.yaml":          "-> ../../../prod/secret.yaml",
		"far/kustomization.yaml":    "resources:\n- https://github.com/org/repo//x?ref=main\n",
		"plugin/kustomization.yaml": "transformers: [fn.yaml]\n",
		"plugin/fn.yaml":            "apiVersion: example.com/v1\nkind: Rewrite\nmetadata: {name: x}\n",
		"empty/readme":              "x",
	})
	at := site.URL + "/org/repo.git//"
	for ref, want := range map[string]struct{ reason, remedy string }{
		at + "out?ref=" + commit:                            {"leaves the repository", ""},
		at + "up?ref=" + commit:                             {"leaves the repository", ""},
		at + "root?ref=" + commit:                           {"leaves the repository", ""},
		at + "link?ref=" + commit:                           {"secret.yaml does not exist", ""},
		at + "far?ref=" + commit:                            {"github.com is not allowed", ""},
		at + "plugin?ref=" + commit:                         {"runs a program", ""},
		at + "empty?ref=" + commit:                          {"has no kustomization file", ""},
		at + "gone?ref=" + commit:                           {"has no folder gone", "correct the path"},
		at + "../x?ref=" + commit:                           {"leaves its repository", ""},
		at + "out?ref=nosuch":                               {"has no tag or branch nosuch", "`git ls-remote " + site.URL + "/org/repo.git` lists them"},
		at + "out?ref=1.x":                                  {"names a range of versions", "name a tag"},
		at + "out?ref=main":                                 {"leaves the repository", ""},
		at + "out":                                          {"leaves the repository", ""},
		at + "out?ref=" + commit[:10]:                       {"too short for a commit", "40 digits"},
		at + "out?ref=" + strings.Repeat("0", 40):           {"does not give commit", ""},
		"https://raw.example.com/org/repo/x.yaml":           {"is a file of another host, without a pinned version", "?ref=COMMIT"},
		"ssh://git@example.com/org/repo//x?ref=" + commit:   {"is not over https", ""},
		"git@example.com:org/repo//x?ref=" + commit:         {"is not over https", ""},
		"http://example.com/org/repo//x?ref=" + commit:      {"is not over https", ""},
		"https://u:p@example.com/org/repo//x?ref=" + commit: {"without credentials", ""},
		"https://169.254.169.254/org/repo//x?ref=" + commit: {"host 169.254.169.254 is not allowed", ""},
		"github.com/org/repo//x?ref=" + commit:              {"host github.com is not allowed", "--allow-host github.com"},
		"file:///etc/org//x?ref=" + commit:                  {"is not over https", ""},
	} {
		files := map[string]string{"prod/kustomization.yaml": "resources:\n- " + ref + "\n", "prod/secret.yaml": webManifest}
		fails(t, renderWith(t, files, online(t, "", site)), "prod", want.reason, want.remedy)
	}
	// The name of the folder for what is fetched is taken.
	files := map[string]string{"prod/kustomization.yaml": "resources:\n- " + at + "empty?ref=" + commit + "\n", source.FetchedRoot + "/x.yaml": webManifest}
	fails(t, renderWith(t, files, online(t, "", site)), "prod", "is a name that this tool reserves", "")
}

func TestMissingValuesFileIsTheDeclarationsLine(t *testing.T) {
	files := map[string]string{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", ".kubesettle.yaml": "releases:\n- {id: prod, chart: web, values: [gone.yaml]}\n"}
	at := object.Location{File: ".kubesettle.yaml", StartLine: 2, StartColumn: 1, EndLine: 2, EndColumn: 2, Rung: "release"}
	opt := Options{Releases: []release.Release{{Release: object.Release{ID: "prod", Kind: object.Helm, Path: "web", Values: []string{"gone.yaml"}, Declared: true, At: at}}}}
	r := releaseOf(t, renderWith(t, files, opt), "prod")
	if r.Err == nil || r.Err.Where != at || r.Err.Reason != "values file gone.yaml does not exist" {
		t.Errorf("%+v", r.Err)
	}
}
