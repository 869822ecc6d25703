package render

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// scripted is a repository that scripts deploy.
var scripted = map[string]string{
	"charts/web/Chart.yaml":  "apiVersion: v2\nname: web\nversion: 1.0.0\n",
	"charts/web/values.yaml": "replicas: 1\nimage: {tag: a}\non: true\n",
	"charts/web/templates/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: {{ .Release.Name }}}\nspec:\n" +
		"  replicas: {{ .Values.replicas }}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n" +
		"    spec: {containers: [{name: web, image: \"web:{{ .Values.image.tag }}\"}]}\n",
	"env/values-dev.yaml":              "replicas: 2\n",
	"env/values-prod.yaml":             "replicas: 5\n",
	"k8s/base/kustomization.yaml":      "resources: [web.yaml]\n",
	"k8s/base/web.yaml":                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: base}\n",
	"k8s/prod/kustomization.yaml":      "resources: [../base]\nnamePrefix: prod-\n",
	"k8s/prod/unlisted.yaml":           "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unlisted}\n",
	"plain/a.yaml":                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	"openshift/template.yaml":          "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nparameters: [{name: NAME, value: one}]\nobjects:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: \"t-${NAME}\"}\n",
	"openshift/z.yaml":                 "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n",
	"helm_deploy/api/Chart.yaml":       "apiVersion: v2\nname: api\nversion: 1.0.0\n",
	"helm_deploy/api/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: api}\ndata: {e: \"{{ .Values.e }}\"}\n",
	"helm_deploy/values-prod.yaml":     "e: prod\n",
}

// deploying are commands of such scripts.
var deploying = []string{
	"helm upgrade -i web charts/web", "helm upgrade -i web charts/web -n shop --set image.tag=$TAG",
	"helm upgrade -i web charts/web -f env/values-$ENV.yaml -n $ENV", "helm template charts/web -f env/values-dev.yaml --set replicas=$N",
	"helm upgrade -i api helm_deploy/api -f helm_deploy/values-prod.yaml", "helm upgrade -i x charts/web --set image.tag={$A}",
	"kubectl apply -k k8s/base -n one", "kubectl apply -k k8s/prod", "kubectl apply -n two -f k8s/prod/unlisted.yaml",
	"kubectl apply -n three -f plain", "oc process -f openshift/template.yaml -p NAME=two | oc apply -f -",
	"oc process -f openshift/template.yaml -p NAME=$X | oc apply -n four -f -", "helm upgrade -i web charts/web -f secret.yaml",
}

// What is deployed in a script is a release, with its settings, once.
func TestScriptsGiveReleases(t *testing.T) {
	files := maps.Clone(scripted)
	files["deploy.sh"] = strings.Join(deploying, "\n") + "\n"
	rev := renderWith(t, files, Options{})
	var got []string
	for _, r := range rev.Releases {
		if r.Err != nil {
			t.Errorf("%s: %s", r.ID, r.Err.Reason)
		}
		for _, o := range r.Objects {
			got = append(got, fmt.Sprintf("%s: %s (%s)", r.ID, o.ID, r.Selected))
		}
	}
	want := []string{
		"deploy:charts/web:default/web: apps/Deployment default/web (deployed in deploy.sh:1)",
		"deploy:charts/web:default/web:3: apps/Deployment default/web (deployed in deploy.sh:13)",
		"deploy:charts/web:default/web:env/values-dev.yaml: apps/Deployment default/web (deployed in deploy.sh:4)",
		"deploy:charts/web:default/x: apps/Deployment default/x (deployed in deploy.sh:6)",
		"deploy:charts/web:dev/web: apps/Deployment dev/web (deployed in deploy.sh:3)",
		"deploy:charts/web:prod/web: apps/Deployment prod/web (deployed in deploy.sh:3)",
		"deploy:charts/web:shop/web: apps/Deployment shop/web (deployed in deploy.sh:2)",
		"deploy:helm_deploy/api:default/api: ConfigMap default/api (deployed in deploy.sh:5)",
		"helm_deploy/api: ConfigMap default/api (Chart.yaml found)",
		"k8s/base: ConfigMap one/base (deployed in deploy.sh:7)",
		"k8s/prod: ConfigMap default/prod-base (a kustomization that is not included by another, deployed in deploy.sh:8)",
		"k8s/prod/unlisted.yaml: ConfigMap two/unlisted (deployed in deploy.sh:9)",
		"openshift: ConfigMap default/t-one (2 plain manifests, deployed in deploy.sh:11)",
		"openshift: ConfigMap default/z (2 plain manifests, deployed in deploy.sh:11)",
		"plain: ConfigMap three/a (1 plain manifest, deployed in deploy.sh:10)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A script on head takes no check away: what base has is on head as well, whatever scripts come, go or change. A script
// on base gives names and settings, and hides no object that was found without it.
func TestScriptsTakeNoReleaseAway(t *testing.T) {
	random := rand.New(rand.NewPCG(34, 7))
	script := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			fmt.Fprintln(&b, deploying[random.IntN(len(deploying))])
		}
		return b.String()
	}
	for n := range 30 {
		base, head := maps.Clone(scripted), maps.Clone(scripted)
		base["deploy.sh"], head["deploy.sh"], head["Makefile"] = script(), script(), "all:\n\t"+strings.ReplaceAll(script(), "\n", "\n\t")
		var sides [2]tree.Tree
		for i, files := range []map[string]string{base, head} {
			var err error
			if sides[i], err = tree.Map([]string{"base", "head"}[i], files); err != nil {
				t.Fatal(err)
			}
		}
		b, h, err := RenderBoth(context.Background(), sides[0], sides[1], Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, r := range h.Releases {
			there[r.ID] = r.Err == nil
		}
		for _, r := range b.Releases {
			if r.Err == nil && !there[r.ID] {
				t.Fatalf("round %d: %s is gone on head\nbase:\n%s\nhead:\n%s%s", n, r.ID, base["deploy.sh"], head["deploy.sh"], head["Makefile"])
			}
		}
		kinds := func(files map[string]string) []string {
			var out []string
			for _, r := range renderWith(t, files, Options{}).Releases {
				for _, o := range r.Objects {
					if o.ID.Kind == "ConfigMap" && o.ID.Name != "t-one" {
						out = append(out, o.ID.Name)
					}
				}
			}
			slices.Sort(out)
			return slices.Compact(out)
		}
		with := kinds(base)
		for _, name := range kinds(scripted) {
			if !slices.Contains(with, name) {
				t.Fatalf("round %d: ConfigMap %s is gone with\n%s", n, name, base["deploy.sh"])
			}
		}
	}
}
