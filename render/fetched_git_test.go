package render

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// application is one of Argo CD in a file of its own; source is what follows "spec:", indented by two.
func application(source string) map[string]string {
	return map[string]string{"argo/app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec:\n  destination: {namespace: shop}\n" + source}
}

const shop = "argocd:argo:argocd/shop"

// webOf is a Deployment with so many replicas.
func webOf(replicas int) string {
	return strings.Replace(webManifest, "replicas: 1", fmt.Sprintf("replicas: %d", replicas), 1)
}

// replicasOf gives what a workload of a release asks for.
func replicasOf(t *testing.T, r *object.Rendered, name string) any {
	t.Helper()
	v, _ := fieldpath.Parse("spec.replicas").Get(objectOf(t, r, name).Content)
	return v
}

// comparedSides renders two sets of files as the sides of one run.
func comparedSides(t *testing.T, base, head map[string]string, opt Options) (b, h *object.Revision, changed []string) {
	t.Helper()
	side := func(name string, files map[string]string) tree.Tree {
		tree, err := tree.Map(name, files)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	b, h, err := RenderBoth(context.Background(), side("base", base), side("head", head), opt)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := Diff(b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range ch.Changes {
		for _, f := range c.Fields {
			if strings.HasPrefix(c.ID().Kind, "Application") { // which declares it
				continue
			}
			changed = append(changed, c.ID().Kind+" "+f.Path)
		}
	}
	return b, h, changed
}

// An Application's source in another repository is rendered by its kind, and every line of it is the one of the
// Application that names the revision.
func TestApplicationOfAnotherRepository(t *testing.T) {
	site, commits, _ := gitHistory(t, map[string]string{
		"plain/web.yaml": webManifest, "plain/deep/er.yaml": strings.ReplaceAll(webManifest, "web", "deep"), "plain/notes.txt": "x",
		"built/kustomization.yaml": "resources: [web.yaml, ../base]\nnamePrefix: a-\n", "built/web.yaml": webManifest, "base/kustomization.yaml": "resources: [two.yaml]\n",
		"base/two.yaml":    strings.ReplaceAll(webManifest, "web", "two"),
		"chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n", "chart/values.yaml": dbChart["values.yaml"], "chart/templates/db.yaml": dbTemplate,
		"env/prod.yaml": "replicas: 6\n",
	})
	at := func(dir, more string) string {
		return "  source:\n    repoURL: " + site.URL + "/org/repo.git\n    path: " + dir + "\n    targetRevision: v1\n" + more
	}
	for name, c := range map[string]struct {
		source   string
		kind     object.ReleaseKind
		objects  int
		workload string
		replicas int64
	}{
		"a folder":         {at("plain", ""), object.Manifests, 1, "web", 1},
		"with those below": {at("plain", "    directory: {recurse: true}\n"), object.Manifests, 2, "deep", 1},
		"some of them":     {at("plain", "    directory: {recurse: true, include: 'deep/*'}\n"), object.Manifests, 1, "deep", 1},
		"a kustomization":  {at("built", "    kustomize: {nameSuffix: -b, replicas: [{name: two, count: 5}]}\n"), object.Kustomize, 2, "a-two-b", 5},
		"a chart":          {at("chart", "    helm: {parameters: [{name: replicas, value: '4'}]}\n"), object.Helm, 1, "shop-db", 4},
		"its own values":   {at("chart", "    helm: {valueFiles: [/env/prod.yaml]}\n"), object.Helm, 1, "shop-db", 6},
		"a pattern":        {at("chart", "    helm: {valueFiles: ['../env/*.yaml']}\n"), object.Helm, 1, "shop-db", 6},
	} {
		t.Run(name, func(t *testing.T) {
			rev := renderWith(t, application(c.source), online(t, "", site))
			r := renders(t, rev, shop)
			if r.Kind != c.kind || len(r.Objects) != c.objects || r.Path != "argo/app.yaml" || len(r.Fetched) != 1 ||
				r.Fetched[0].Digest != "git:"+commits[0] || r.Fetched[0].Version != "v1" || len(r.Notes) != 0 {
				t.Errorf("%s of %s, %d objects, fetched %+v, notes %v", r.Kind, r.Path, len(r.Objects), r.Fetched, r.Notes)
			}
			if got := replicasOf(t, r, c.workload); got != c.replicas {
				t.Errorf("%v replicas, want %d", got, c.replicas)
			}
			if src := objectOf(t, r, c.workload).Source; src.File != "argo/app.yaml" || src.StartLine != 9 {
				t.Errorf("the object is at %+v", src)
			}
			for _, f := range r.Reads {
				if f != "argo/app.yaml" {
					t.Errorf("it reads %s of this repository", f)
				}
			}
		})
	}
}

// Values come by a reference from the other repository, or from this one for a chart of the other one.
func TestReferencesBetweenRepositories(t *testing.T) {
	chart := map[string]string{"chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n", "chart/values.yaml": dbChart["values.yaml"], "chart/templates/db.yaml": dbTemplate}
	site, _, _ := gitHistory(t, map[string]string{"env/prod.yaml": "replicas: 7\n"}, chart)
	there := site.URL + "/org/repo.git"
	here := "https://example.com/this.git"
	sources := func(chartRepo, chartRev, valuesRepo, valuesRev string) map[string]string {
		return application("  sources:\n  - repoURL: " + chartRepo + "\n    path: chart\n    targetRevision: " + chartRev +
			"\n    helm: {valueFiles: [$values/env/prod.yaml]}\n  - repoURL: " + valuesRepo + "\n    targetRevision: " + valuesRev + "\n    ref: values\n")
	}
	local := sources(here, "HEAD", there, "v1")
	maps.Copy(local, chart)
	values := sources(there, "v2", here, "HEAD")
	values["env/prod.yaml"] = "replicas: 8\n"
	for name, c := range map[string]struct {
		files    map[string]string
		replicas int64
		file     string
	}{
		"values of the other": {local, 7, "argo/app.yaml"}, "values of this one": {values, 8, "env/prod.yaml"},
		"both of others": {sources(there, "v2", there, "v1"), 7, "argo/app.yaml"},
	} {
		r := renders(t, renderWith(t, c.files, online(t, "", site)), shop)
		if got := replicasOf(t, r, "shop-db"); got != c.replicas {
			t.Errorf("%s: %v replicas, want %d", name, got, c.replicas)
		}
		if at := objectOf(t, r, "shop-db").Locate("spec.replicas"); at.File != c.file {
			t.Errorf("%s: replicas are set at %+v", name, at)
		}
	}
	_, h, changed := comparedSides(t, values, with(values, "env/prod.yaml", "replicas: 9\n"), online(t, "", site))
	if got := replicasOf(t, renders(t, h, shop), "shop-db"); got != int64(9) || strings.Join(changed, ", ") != "StatefulSet spec.replicas" {
		t.Errorf("%v replicas, changed %q", got, changed)
	}
}

func with(files map[string]string, name, text string) map[string]string {
	out := maps.Clone(files)
	out[name] = text
	return out
}

// A change of the revision is compared between the two, whatever either names; a branch is read once, so a change of
// values beside it is that change alone.
func TestRevisionsOfAnotherRepository(t *testing.T) {
	site, commits, run := gitHistory(t, map[string]string{"web.yaml": webOf(3)}, map[string]string{"web.yaml": webOf(5)},
		map[string]string{"web.yaml": webOf(5), "more/kustomization.yaml": "resources: [../web.yaml]\n"})
	run("branch", "next", commits[0])
	at := func(revision string) map[string]string {
		return application("  source: {repoURL: " + site.URL + "/org/repo.git, path: ., targetRevision: " + revision + "}\n")
	}
	for _, c := range []struct {
		base, head, changed string
		notes               int
	}{
		{"v1", "v2", "Deployment spec.replicas", 0}, {commits[0], commits[1], "Deployment spec.replicas", 0},
		{"v2", "v3", "", 0}, {"v1", commits[0], "", 0}, {"next", "main", "Deployment spec.replicas", 1},
		{"next", "v2", "Deployment spec.replicas", 0}, {"v1", "HEAD", "Deployment spec.replicas", 1}, {"main", "HEAD", "", 1},
	} {
		b, h, changed := comparedSides(t, at(c.base), at(c.head), online(t, "", site))
		if got := strings.Join(changed, ", "); got != c.changed {
			t.Errorf("%s to %s changes %q, want %q", c.base, c.head, got, c.changed)
		}
		r := renders(t, h, shop)
		if renders(t, b, shop); len(r.Notes) != c.notes || !r.Changed {
			t.Errorf("%s to %s: changed %v, notes %v", c.base, c.head, r.Changed, r.Notes)
		}
		if f := r.Delivery.From; !f.Read || f.RevisionAt.File != "argo/app.yaml" {
			t.Errorf("it comes from %+v", f)
		}
	}
	note := renders(t, renderWith(t, at("main"), online(t, "", site)), shop).Notes[0].String()
	if want := fmt.Sprintf("branch-read argo/app.yaml:6 %q %q %q", "branch main", site.URL+"/org/repo.git", commits[2][:7]); note != want {
		t.Errorf("note %s, want %s", note, want)
	}
	same := at("main")
	_, h, changed := comparedSides(t, same, with(same, "other/web.yaml", webManifest), online(t, "", site))
	if r := releaseOf(t, h, shop); !r.Untouched || r.Changed || len(r.Fetched) != 0 {
		t.Errorf("what the change does not reach was fetched: untouched %v, changed %v %q", r.Untouched, r.Changed, changed)
	}
}

// What Flux takes from a GitRepository that is another repository: a folder with the Kustomization's overlay, and a
// chart with its values files. Its tag stands in the GitRepository, and so do the lines.
func TestFluxOfAnotherRepository(t *testing.T) {
	chart := map[string]string{"charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n", "charts/db/values.yaml": dbChart["values.yaml"], "charts/db/templates/db.yaml": dbTemplate, "charts/small.yaml": "replicas: 2\n"}
	first := with(chart, "apps/web.yaml", strings.Replace(webOf(3), "name: web", "name: ${name}", 1))
	second := with(with(first, "apps/web.yaml", strings.Replace(webOf(5), "name: web", "name: ${name}", 1)), "charts/small.yaml", "replicas: 1\n")
	site, commits, run := gitHistory(t, first, second)
	run("tag", "v2.0.0", commits[1])
	files := func(ref string) map[string]string {
		return map[string]string{
			"flux/source.yaml":  "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux}\nspec:\n  url: " + site.URL + "/org/repo\n  ref:\n    " + ref + "\n",
			"flux/apps.yaml":    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux}\nspec:\n  path: ./apps\n  prune: true\n  namePrefix: a-\n  sourceRef: {kind: GitRepository, name: other}\n  postBuild: {substitute: {name: shop}}\n",
			"flux/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: shop, namespace: flux}\nspec:\n  chart:\n    spec:\n      chart: ./charts/db\n      sourceRef: {kind: GitRepository, name: other}\n      valuesFiles: [charts/db/values.yaml, charts/small.yaml]\n  values:\n    name: x\n",
		}
	}
	for _, ref := range []string{"tag: v1", "commit: " + commits[0], "name: refs/tags/v1"} {
		rev := renderWith(t, files(ref), online(t, "", site))
		apps, db := renders(t, rev, "flux:flux:flux/apps"), renders(t, rev, "helmrelease:flux:flux/shop")
		if got := replicasOf(t, apps, "a-shop"); got != int64(3) {
			t.Errorf("%s: %v replicas of the folder", ref, got)
		}
		if got := replicasOf(t, db, "shop-db"); got != int64(2) {
			t.Errorf("%s: %v replicas of the chart, its valuesFiles say 2", ref, got)
		}
		for _, r := range []*object.Rendered{apps, db} {
			if at := r.Objects[0].Source; at.File != "flux/source.yaml" || at.StartLine != 7 {
				t.Errorf("%s: %s is at %+v, not at its tag", ref, r.ID, at)
			}
		}
	}
	offline := renderWith(t, files("tag: v1"), Options{})
	fails(t, offline, "helmrelease:flux:flux/shop", "is not vendored", "or run without --offline")
	if i := slices.IndexFunc(offline.Ignored, func(g object.Ignored) bool { return g.Elsewhere == "Kustomization apps" }); i < 0 ||
		!offline.Ignored[i].Fetchable {
		t.Errorf("offline: %+v", offline.Ignored)
	}
	for _, head := range []string{"tag: v2", "commit: " + commits[1], "branch: main", "semver: '>=1.0.0'"} {
		b, h, changed := comparedSides(t, files("tag: v1"), files(head), online(t, "", site))
		if got := strings.Join(changed, ", "); !strings.Contains(got, "Deployment spec.replicas") || !strings.Contains(got, "StatefulSet spec.replicas") {
			t.Errorf("%s changes %q", head, got)
		}
		ch, err := Diff(b, h)
		if err != nil {
			t.Fatal(err)
		}
		if left := ChangedElsewhere(ch); len(left) != 0 {
			t.Errorf("%s: what was compared is said to be elsewhere: %+v", head, left[0])
		}
		if r := renders(t, h, "flux:flux:flux/apps"); !strings.Contains(r.Why, "flux/source.yaml changed") {
			t.Errorf("%s: it changed because %s", head, r.Why)
		}
	}
}

// What a GitRepository leaves out is not applied; one that is put together of several is not followed.
func TestFilesThatAGitRepositoryLeavesOut(t *testing.T) {
	site, _, _ := gitHistory(t, map[string]string{
		"apps/web.yaml": webManifest, "apps/test/two.yaml": strings.ReplaceAll(webManifest, "web", "two"),
		"apps/old/three.yaml": strings.ReplaceAll(webManifest, "web", "three"), "apps/.sourceignore": "# no longer in use\nold/\n",
	})
	files := func(more string) map[string]string {
		return map[string]string{
			"flux/source.yaml": "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: other, namespace: flux}\nspec:\n  url: " + site.URL + "/org/repo\n  ref: {branch: main}\n" + more,
			"flux/apps.yaml":   "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux}\nspec: {path: apps, sourceRef: {kind: GitRepository, name: other}}\n",
		}
	}
	for more, want := range map[string]int{"": 2, "  ignore: |\n    /*\n    !/apps\n    /apps/test/\n    old/\n": 1, "  ignore: \"!/apps/old/\"\n": 3} {
		if r := renders(t, renderWith(t, files(more), online(t, "", site)), "flux:flux:flux/apps"); len(r.Objects) != want {
			t.Errorf("%q: %d objects, want %d", more, len(r.Objects), want)
		}
	}
	for _, more := range []string{"  include: [{repository: {name: x}}]\n", "  recurseSubmodules: true\n"} {
		for _, r := range renderWith(t, files(more), online(t, "", site)).Releases {
			if strings.HasPrefix(r.ID, "flux:") {
				t.Errorf("%q: it is followed: %v", more, r.Err)
			}
		}
	}
}

// An Application of this repository at a tag is what stands at that tag, not what head has: a change of the folder does
// not reach it, and a change of the tag is that between the two.
func TestApplicationAtATagOfThisRepository(t *testing.T) {
	site, commits, run := gitHistory(t, map[string]string{"apps/web.yaml": webOf(3)}, map[string]string{"apps/web.yaml": webOf(5)})
	run("branch", "9.x", commits[0])
	run("branch", "9.1", commits[0])
	at := func(repo, revision string) map[string]string {
		return with(application("  source: {repoURL: "+repo+", path: apps, targetRevision: "+revision+"}\n"), "apps/web.yaml", webOf(7))
	}
	own := site.URL + "/org/repo.git"
	_, h, changed := comparedSides(t, at(own, "v1"), at(own, "v2"), online(t, "", site))
	if got := replicasOf(t, renders(t, h, shop), "web"); got != int64(5) || strings.Join(changed, ", ") != "Deployment spec.replicas" {
		t.Errorf("%v replicas, changed %q", got, changed)
	}
	b, h, _ := comparedSides(t, at(own, "v1"), with(at(own, "v1"), "apps/web.yaml", webOf(9)), online(t, "", site))
	for _, rev := range []*object.Revision{b, h} {
		if got := replicasOf(t, renders(t, rev, shop), "web"); got != int64(3) {
			t.Errorf("%v replicas at the tag", got)
		}
	}
	b, h, _ = comparedSides(t, at(own, "v9"), at(own, "v2"), online(t, "", site))
	was, is := renders(t, b, shop).Delivery.From, renders(t, h, shop).Delivery.From
	if was.Read || !was.Guessed || !is.Read || is.Guessed || was.Same(is) {
		t.Errorf("a tag that cannot be had is this tree's content: %+v, then %+v", was, is)
	}
	for revision, repo := range map[string]string{"HEAD": own, "main": own, "9.1": own, "v1": "https://nosuch.example/org/repo", "v3": own} {
		if got := replicasOf(t, renders(t, renderWith(t, at(repo, revision), online(t, "", site)), shop), "web"); got != int64(7) {
			t.Errorf("%s of %s: %v replicas; this tree has 7", revision, repo, got)
		}
	}
	if got := replicasOf(t, renders(t, renderWith(t, at(own, "v1"), Options{}), shop), "web"); got != int64(7) {
		t.Errorf("offline: %v replicas; this tree has 7", got)
	}
}

// Content that cannot be had is unknown, at the line that names it; offline it is listed as before.
func TestContentOfAnotherRepositoryThatIsNotHad(t *testing.T) {
	site, commits, _ := gitHistory(t, map[string]string{
		"apps/web.yaml": webManifest, "link/web.yaml": "-> ../../../../argo/app.yaml", "out/kustomization.yaml": "resources: [../../../argo]\n",
		"none/readme": "x",
	})
	own := site.URL + "/org/repo.git"
	for name, c := range map[string]struct {
		repo, path, revision string
		reason, remedy       string
	}{
		"no such tag":           {own, "apps", "v9", "argo/app.yaml:9: revision v9 of " + own + " cannot be fetched", "git ls-remote"},
		"a range":               {own, "apps", "'9.*'", "has no tag in the range 9.*", "correct the range"},
		"a short commit":        {own, "apps", commits[0][:9], "too short for a commit", "40 digits"},
		"another host":          {"https://other.example/org/repo", "apps", "v1", "host other.example is not allowed", "--allow-host other.example"},
		"by ssh":                {"git@other.example:org/repo.git", "apps", "v1", "host other.example is not allowed", "--allow-host other.example"},
		"no repository":         {site.URL + "/org/none.git", "apps", "v1", "there is no such repository", "copy"},
		"no folder":             {own, "gone", "v1", "has no folder gone at v1", "correct the path"},
		"a folder outside":      {own, "../../argo", "v1", "has no folder ../../argo", "correct the path"},
		"a link that leads out": {own, "link", "v1", "symlink link/web.yaml -> ../../../../argo/app.yaml leaves the repository", ""},
		"a base outside":        {own, "out", "v1", "leaves the repository", ""},
		"nothing in it":         {own, "none", "v1", "holds no manifests", "correct the path"},
	} {
		files := application("  source:\n    repoURL: " + c.repo + "\n    path: " + c.path + "\n    targetRevision: " + c.revision + "\n")
		t.Run(name, func(t *testing.T) {
			fails(t, renderWith(t, files, online(t, "", site)), shop, c.reason, c.remedy)
			rev := renderWith(t, files, Options{})
			for _, g := range rev.Ignored {
				if g.Elsewhere == "Application shop" && g.Fetchable && strings.Contains(g.Reason, "is not in this repository") {
					return
				}
			}
			t.Errorf("offline: %+v", rev.Ignored)
		})
	}
	cache := t.TempDir()
	files := application("  source: {repoURL: " + own + ", path: apps, targetRevision: " + commits[0] + "}\n")
	renders(t, renderWith(t, files, online(t, cache, site)), shop)
	renders(t, renderWith(t, files, offlineWith(t, cache)), shop)
	for _, named := range []string{own + ", path: apps, targetRevision: '${BRANCH}'", own + ", path: apps, targetRevision: <BRANCH>", "'https://example.com/<ORG>/repo', path: apps"} {
		for _, r := range renderWith(t, application("  source: {repoURL: "+named+"}\n"), online(t, "", site)).Releases {
			if r.ID == shop {
				t.Errorf("%s is asked for: %v", named, r.Err)
			}
		}
	}
	secret := application("  source: {repoURL: 'https://me:hunter2@" + strings.TrimPrefix(own, "https://") + "', path: apps, targetRevision: v1}\n")
	text, err := json.Marshal(renderWith(t, secret, online(t, "", site)).Ignored)
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "Application shop") {
		t.Errorf("an address with a password: %s, %v", text, err)
	}
}

// What a repository declares about itself is of that repository, also where this one has such a folder, and an
// Application that its own folder holds is not followed forever.
func TestApplicationsOfAnotherRepositoryDeclareOthers(t *testing.T) {
	child := application("  source: {repoURL: SELF, path: web, targetRevision: v1}\n")["argo/app.yaml"]
	site, _, _ := gitHistory(t, map[string]string{
		"apps/web.yaml": strings.Replace(child, "name: shop", "name: web", 1), "web/web.yaml": webOf(5),
		"apps/root.yaml": application("  source: {repoURL: SELF, path: apps, targetRevision: v1}\n")["argo/app.yaml"],
	})
	root := application("  source: {repoURL: " + site.URL + "/org/repo.git, path: apps, targetRevision: v1}\n")
	rev := renderWith(t, with(root, "web/web.yaml", webOf(1)), online(t, "", site))
	renders(t, rev, shop)
	web := renders(t, rev, "argocd:argo:argocd/web")
	if got := replicasOf(t, web, "web"); got != int64(5) {
		t.Errorf("%v replicas, the other repository has 5", got)
	}
	n := 0
	for _, r := range rev.Releases {
		if strings.HasPrefix(r.ID, "argocd:") {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d releases of Applications, want 2", n)
	}
}

// Two runs and the two sides give the same bytes.
func TestFetchedContentIsTheSameTwice(t *testing.T) {
	site, _, _ := gitHistory(t, map[string]string{"apps/web.yaml": webOf(3), "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n", "chart/values.yaml": dbChart["values.yaml"], "chart/templates/db.yaml": dbTemplate})
	files := map[string]string{}
	for i, dir := range []string{"apps", "chart", "apps", "gone"} {
		text := application("  source: {repoURL: " + site.URL + "/org/repo.git, path: " + dir + ", targetRevision: main}\n")["argo/app.yaml"]
		files[fmt.Sprintf("argo/%d.yaml", i)] = strings.Replace(text, "name: shop", fmt.Sprintf("name: shop%d", i), 1)
	}
	var first string
	for range 3 {
		rev := renderWith(t, files, online(t, "", site))
		var all []any
		for _, r := range rev.Releases {
			all = append(all, r.ID, r.Kind, r.Path, r.Notes, r.Fetched, r.Err)
			for _, o := range r.Objects {
				all = append(all, o.ID, o.Content, o.Source)
			}
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		}
		if string(text) != first {
			t.Fatalf("another run gives\n%s\nafter\n%s", text, first)
		}
	}
}
