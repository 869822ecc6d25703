package render

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// fluxFiles is a repository of home operations: sources and settings in folders of their own or
// beside the apps, apps that are declared through Flux Kustomizations, and one that takes its
// values from another's ConfigMap.
func fluxFiles(site string, r *rand.Rand) map[string]string {
	source := func(name, ns string) string {
		return fmt.Sprintf("apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: %s, namespace: %s}\nspec:\n  interval: 1h\n  url: %s\n", name, ns, site)
	}
	files := map[string]string{
		"flux/apps.yaml":              "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\nspec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n",
		"sources/kustomization.yaml":  "resources: [charts.yaml]\nnameSuffix: -all\n",
		"sources/charts.yaml":         source("charts", "apps"),
		"settings/kustomization.yaml": "resources: [settings.yaml]\nconfigMapGenerator:\n- name: shared\n  namespace: apps\n  files: [values.yaml]\n  options: {disableNameSuffixHash: true}\n",
		"settings/values.yaml":        "replicas: 3\n",
		"settings/settings.yaml":      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: flux-system}\ndata:\n  COPIES: \"2\"\n",
	}
	fluxChain(files, r)
	for i := range 3 + r.IntN(3) {
		app, from := fmt.Sprintf("app%d", i), "charts-all"
		dir := "apps/" + app
		files[dir+"/ks.yaml"] = fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: &app %s, namespace: flux-system}\nspec:\n  path: ./%s/app\n  postBuild: {substitute: {APP: *app}, substituteFrom: [{kind: ConfigMap, name: settings}]}\n  sourceRef: {kind: GitRepository, name: flux-system}\n", app, dir)
		resources := "[release.yaml]"
		if r.IntN(2) == 0 {
			from, resources = app, "[release.yaml, source.yaml]"
			files[dir+"/app/source.yaml"] = strings.Replace(source(app, "apps"), "name: "+app, "name: "+[]string{app, "${APP}"}[r.IntN(2)], 1)
		}
		files[dir+"/app/kustomization.yaml"] = "resources: " + resources + "\n"
		more := ""
		if r.IntN(3) == 0 {
			more = "  valuesFrom: [{kind: ConfigMap, name: shared}]\n"
		}
		notes := []string{"", ", annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}"}[r.IntN(2)]
		files[dir+"/app/release.yaml"] = fmt.Sprintf("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: %s, namespace: apps%s}\nspec:\n  chart:\n    spec:\n      chart: db\n      version: 1.10.0\n      sourceRef: {kind: HelmRepository, name: %s}\n%s  values:\n    name: ${COPIES}x\n", app, notes, from, more)
	}
	return files
}

// fluxChain adds what stands above and around the apps: the object that renders its own folder, one
// that leaves apps out or gives them another namespace, and one that does not render.
func fluxChain(files map[string]string, r *rand.Rand) {
	ks := func(name, dir, more string) string {
		return fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: %s, namespace: flux-system}\nspec:\n  path: ./%s\n  sourceRef: {kind: GitRepository, name: flux-system}\n%s", name, dir, more)
	}
	switch r.IntN(4) {
	case 0: // all that there is hangs on one object, which its own folder holds
		files["flux/self.yaml"] = ks("self", "flux", "")
	case 1:
		files["flux/kustomization.yaml"] = "resources: [self.yaml, apps.yaml]\n"
		files["flux/self.yaml"] = ks("self", "flux", "")
	case 2: // two that name each other
		files["ring/a/a.yaml"], files["ring/a/kustomization.yaml"] = ks("a", "ring/b", ""), "resources: [a.yaml]\n"
		files["ring/b/b.yaml"], files["ring/b/kustomization.yaml"] = ks("b", "ring/a", ""), "resources: [b.yaml, web.yaml]\n"
		files["ring/b/web.yaml"] = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n"
	}
	listed := "resources: [app0/ks.yaml, app1/ks.yaml, " + []string{"app2/ks.yaml", "missing.yaml", "app2"}[r.IntN(3)] + "]\n"
	if r.IntN(4) == 0 {
		files["apps/kustomization.yaml"] = listed
	}
	switch r.IntN(4) {
	case 0: // with a list: what Flux lists by itself holds the apps' releases, too
		files["apps/kustomization.yaml"] = listed
		files["flux/apps.yaml"] += "  patches:\n  - {patch: '{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: app1, namespace: flux-system}, $patch: delete}'}\n"
	case 1:
		files["flux/apps.yaml"] += "  targetNamespace: others\n"
	case 2:
		files["flux/apps.yaml"] += "  patches:\n  - {patch: '[{op: replace, path: /spec/path, value: ./apps/app0/app}]', target: {kind: Kustomization, name: app2}}\n"
	}
}

var sleepSeeds = flag.Int("sleep-seeds", 15, "random repositories in which what a change cannot reach sleeps")

// TestSleepersWakeForWhatChanges wants the same changes as from a whole rendering of random
// repositories with HelmReleases, whatever changes in them.
func TestSleepersWakeForWhatChanges(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	opt := online(t, t.TempDir(), site)
	edits := [][2]string{
		{"interval: 1h", "interval: 2h"}, {"name: charts", "name: other"}, {"-all", "-some"}, {"replicas: 3", "replicas: 4"},
		{`COPIES: "2"`, `COPIES: "3"`}, {"name: settings", "name: setting"}, {"name: shared", "name: share"}, {"version: 1.10.0", "version: 1.0.0"},
		{"name: ${COPIES}x", "replicas: 7"}, {"[release.yaml", "[ks.yaml, release.yaml"}, {"path: ./apps", "path: ./settings"}, {"/app\n", "\n"},
		{"path: ./flux", "path: ./apps"}, {"replicas: 3", "replicas: 5"}, {"name: app1", "name: app9"}, {"[app0/ks.yaml", "[flux.yaml"},
		{"targetNamespace: others", "targetNamespace: apps"}, {"app0/ks.yaml, ", ""},
	}
	changed, slept, lazily, wholly := 0, 0, 0, 0
	var mu sync.Mutex
	counted := func(n *int) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			*n++
		}
	}
	seeds := []uint64{231, 374} // once wrong
	for seed := range uint64(*sleepSeeds) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		base := fluxFiles(site.URL, r)
		head := maps.Clone(base)
		for _, f := range sortedNamesOf(base) {
			e := edits[r.IntN(len(edits))]
			switch r.IntN(4) {
			case 0:
				head[f] = strings.Replace(head[f], e[0], e[1], 1)
			case 1:
				if r.IntN(8) == 0 {
					delete(head, f)
				}
			}
		}
		part, whole := opt, opt
		part.Rendered = counted(&lazily)
		whole.Whole, whole.Rendered = true, counted(&wholly)
		lazy := bothOf(t, base, head, part)
		all := bothOf(t, base, head, whole)
		if got, want := changedText(lazy), changedText(all); got != want {
			t.Errorf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
		changed += len(all.Changes)
		slept += len(all.Head.Releases) - len(lazy.Head.Releases)
	}
	t.Logf("%d changes, %d releases slept, %d renderings instead of %d", changed, slept, lazily, wholly)
	if changed < *sleepSeeds || slept < *sleepSeeds/2 || 10*lazily > 8*wholly {
		t.Errorf("%d changes in all, %d releases slept, %d renderings instead of %d: the repositories show nothing",
			changed, slept, lazily, wholly)
	}
}

// TestWhatFailsOnBothSidesWakesNobody adds what does not render to random repositories, and changes a file that no
// release reads: no more is rendered than without.
func TestWhatFailsOnBothSidesWakesNobody(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	opt := online(t, t.TempDir(), site)
	const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: apps}\n"
	broken := []map[string]string{
		{"broken/kustomization.yaml": "resources: [map.yaml]\nhelmCharts: [{name: db, repo: " + site.URL +
			", version: 1.10.0, valuesFile: missing.yaml}]\n", "broken/map.yaml": settings},
		{"broken/app/kustomization.yaml": "resources: [map.yaml, ../parts]\n", "broken/app/map.yaml": settings,
			"broken/parts/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"},
		{"broken/kustomization.yaml": "resources: [release.yaml]\n", "broken/release.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\n" +
			"kind: HelmRelease\nmetadata: {name: lost, namespace: apps}\nspec:\n  chart:\n    spec:\n      chart: db\n" +
			"      version: 1.10.0\n      sourceRef: {kind: HelmRepository, name: nowhere}\n"},
	}
	for seed := range uint64(*sleepSeeds) {
		files := fluxFiles(site.URL, rand.New(rand.NewPCG(seed, 1)))
		files[".github/workflows/test.yaml"] = "on: push\njobs: {}\n"
		count := func(added map[string]string) int {
			n, base := atomic.Int64{}, maps.Clone(files)
			maps.Copy(base, added)
			head := maps.Clone(base)
			head[".github/workflows/test.yaml"] += "# another\n"
			part := opt
			part.Rendered = func() { n.Add(1) }
			if ch := bothOf(t, base, head, part); changedText(ch) != "" {
				t.Errorf("seed %d: %s", seed, changedText(ch))
			}
			return int(n.Load())
		}
		want := count(nil)
		for i, added := range broken {
			if got := count(added); got > want {
				t.Errorf("seed %d: with broken folder %d, %d releases are rendered instead of %d", seed, i, got, want)
			}
		}
	}
}

// changedText is what a change set says of what changes, for comparison. That a release has
// another parent, and is the same, is no change.
func changedText(ch *object.Changes) string {
	var out []string
	for _, line := range strings.SplitAfter(changesText(ch), "\n") {
		if !strings.HasSuffix(line, " changed false\n") && !strings.HasSuffix(line, " changed true: its settings changed, <nil>\n") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
