package render

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// quietFiles is a repository with objects that name components of the cluster, and some that configure them or declare
// releases.
func quietFiles(r *rand.Rand) map[string]string {
	object := func(version, kind, name, more string) string {
		return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n" + more
	}
	application := object("argoproj.io/v1alpha1", "Application", "web",
		"spec: {destination: {namespace: shop}, source: {repoURL: https://git.example.com/r, path: web, kustomize: {namePrefix: x-}}}\n")
	files := map[string]string{
		"web/kustomization.yaml":  "resources: [web.yaml]\n",
		"web/web.yaml":            object("apps/v1", "Deployment", "web", "spec: {replicas: 2}\n"),
		"flow/kustomization.yaml": "resources: [flow.yaml]\n",
		"flow/flow.yaml":          object("argoproj.io/v1alpha1", "Workflow", "flow", "spec: {entrypoint: a}\n"),
		"job/Chart.yaml":          "apiVersion: v2\nname: job\nversion: 1.0.0\n",
		"job/templates/job.yaml":  object("apps/v1", "Deployment", "job", "spec:\n  template:\n    metadata:\n      annotations: {cluster-autoscaler.kubernetes.io/safe-to-evict: \"true\"}\n"),
		"node/node.yaml":          object("apps/v1", "Deployment", "node", "spec: {template: {spec: {nodeSelector: {karpenter.sh/capacity-type: spot}}}}\n"),
	}
	switch r.IntN(4) {
	case 0:
		files["flow/flow.yaml"] += "---\n" + application
	case 1:
		files["job/templates/app.yaml"] = "{{ if true }}\n" + application + "{{ else }}\n" + strings.Replace(application, "Application", "AppProject", 1) + "{{ end }}\n"
	case 2:
		files["node/app.yaml"] = object("v1", "List", "all", "items:\n- "+strings.ReplaceAll(strings.TrimSuffix(application, "\n"), "\n", "\n  ")+"\n")
	}
	return files
}

// A change comes out as by a whole rendering, and what is quiet is not rendered.
func TestQuietReleasesDeclareNothing(t *testing.T) {
	untouched := 0
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 3))
		base := quietFiles(r)
		head := maps.Clone(base)
		names := sortedNamesOf(base)
		for range 1 + r.IntN(2) {
			f := names[r.IntN(len(names))]
			edits := []string{"replicas: 2", "replicas: 3", "namePrefix: x-", "namePrefix: y-", "entrypoint: a", "entrypoint: b", "kind: Workflow", "kind: Rollout", "capacity-type: spot", "capacity-type: any", "\"true\"", "\"false\""}
			head[f] = strings.NewReplacer(edits...).Replace(head[f])
		}
		opt := Options{Concerns: []string{"cluster-autoscaler", "karpenter.sh/"}}
		lazy := bothOf(t, base, head, opt)
		opt.Whole = true
		whole := bothOf(t, base, head, opt)
		if got, want := changesText(lazy), changesText(whole); got != want {
			t.Errorf("seed %d: got\n%s\nwant\n%s", seed, got, want)
		}
		for _, one := range lazy.Head.Releases {
			if one.Untouched {
				untouched++
			}
		}
	}
	if untouched < 12 {
		t.Errorf("%d releases were left alone: nothing is shown", untouched)
	}
}
