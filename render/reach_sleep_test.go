package render

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
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

// TestSleepersWakeForWhatChanges wants the same changes as from a whole rendering of random
// repositories with HelmReleases, whatever changes in them.
func TestSleepersWakeForWhatChanges(t *testing.T) {
	site := chartSite(t, map[string]map[string]string{"db@1.10.0": dbChart})
	opt := online(t, t.TempDir(), site)
	edits := [][2]string{
		{"interval: 1h", "interval: 2h"}, {"name: charts", "name: other"}, {"-all", "-some"}, {"replicas: 3", "replicas: 4"},
		{`COPIES: "2"`, `COPIES: "3"`}, {"name: settings", "name: setting"}, {"name: shared", "name: share"}, {"version: 1.10.0", "version: 1.0.0"},
		{"name: ${COPIES}x", "replicas: 7"}, {"[release.yaml", "[ks.yaml, release.yaml"}, {"path: ./apps", "path: ./settings"}, {"/app\n", "\n"},
	}
	changed, slept := 0, 0
	for seed := range uint64(40) {
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
		lazy := bothOf(t, base, head, opt)
		whole := opt
		whole.Whole = true
		all := bothOf(t, base, head, whole)
		if got, want := changedText(lazy), changedText(all); got != want {
			t.Errorf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
		changed += len(all.Changes)
		slept += len(all.Head.Releases) - len(lazy.Head.Releases)
	}
	if changed < 60 || slept < 20 {
		t.Errorf("%d changes in all, %d releases slept: the repositories show nothing", changed, slept)
	}
}

// changedText is what a change set says of what changes, for comparison. That a release has
// another parent, and is the same, is no change.
func changedText(ch *Changes) string {
	var out []string
	for _, line := range strings.SplitAfter(changesText(ch), "\n") {
		if !strings.HasSuffix(line, " changed false\n") && !strings.HasSuffix(line, " changed true: its settings changed, <nil>\n") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
