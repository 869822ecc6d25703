package verify

import (
	"maps"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A Job whose template changes always comes with a way out: an edit that was tried where there is one, else what a
// person can do, in the words of who applies it. None is offered where no name would help.
func TestEveryRefusedJobHasAWayOut(t *testing.T) {
	const job = `apiVersion: batch/v1
kind: Job
metadata:
  name: NAME
  namespace: shop
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: migrate
        image: migrate:VERSION
`
	const argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\n" +
		"spec: {source: {repoURL: https://git.example.com/org/repo, path: c}, destination: {namespace: shop}}\n"
	const flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: shop, namespace: flux-system}\n" +
		"spec: {path: ./c, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}\n"
	chart := map[string]string{"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
		"c/templates/_h.tpl": `{{ define "n" }}{{ .Chart.Name }}-migrate{{ end }}`}
	const included = `{{ include "n" . }}-c`
	for _, x := range []struct {
		name, job, at string
		beside        map[string]string
		say           string
		verified      bool
	}{
		{"a name that can be edited", job, "c/job.yaml", nil, "give the Job a new name with its new template, such as NAME-2", true},
		{"a name that a helper makes", strings.ReplaceAll(job, "NAME", included), "c/templates/job.yaml", chart,
			"delete the Job before the apply (kubectl delete job c-migrate-c -n shop), or make the Job a Helm hook " +
				"(helm.sh/hook: pre-install,pre-upgrade), which is created again each time", false},
		{"a name that a helper makes, with Argo CD", strings.ReplaceAll(job, "NAME", included), "c/templates/job.yaml",
			with(chart, "apps/a.yaml", argo), "annotate the Job with argocd.argoproj.io/sync-options: Force=true,Replace=true, " +
				"so that Argo CD deletes the old one and creates it again", true},
		{"a value that each render draws", strings.ReplaceAll(job, "NAME", included) + "        args: ['{{ randAlphaNum 5 }}']\n",
			"c/templates/job.yaml", chart, "take what differs from render to render out of the Job's template, or make the Job " +
				"a Helm hook (helm.sh/hook: pre-install,pre-upgrade), which is created again each time", false},
		{"a name that a prefix makes, with Flux", job, "c/job.yaml", map[string]string{"apps/f.yaml": flux,
			"c/kustomization.yaml": "resources: [job.yaml]\nnamePrefix: a-\n"},
			"give the Job a new name with its new template, such as a-NAME-2", true},
		{"no name would help", strings.ReplaceAll(job, "template:\n", "backoffLimit: -VERSION\n  template:\n"), "c/job.yaml", nil, "", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			var sides []tree.Tree
			for _, version := range []string{"1", "2"} {
				text := strings.ReplaceAll(strings.ReplaceAll(x.job, "VERSION", version), "NAME", "name")
				if version == "1" {
					text = strings.ReplaceAll(text, "backoffLimit: -1", "backoffLimit: 1")
				}
				side, err := tree.Map("side", with(x.beside, x.at, text))
				if err != nil {
					t.Fatal(err)
				}
				sides = append(sides, side)
			}
			r := checkSides(t, sides[0], sides[1])
			if len(r.Findings) != 1 {
				t.Fatalf("not one finding:\n%s", outline(r))
			}
			say, verified := "", false
			if f := r.Findings[0].Fix; f != nil {
				say, verified = f.Text, f.Verified
			}
			if want := strings.ReplaceAll(x.say, "NAME", "name"); say != want || verified != x.verified {
				t.Errorf("%s\ngot  %q, verified: %v\nwant %q", r.Findings[0].Message, say, verified, want)
			}
		})
	}
}

// with is a copy of some files and one more.
func with(files map[string]string, name, text string) map[string]string {
	out := map[string]string{name: text}
	maps.Copy(out, files)
	return out
}
