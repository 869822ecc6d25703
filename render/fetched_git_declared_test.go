package render

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// However the Application is made, a change of the revision is compared, and stands where the revision is written.
func TestRevisionsOfMadeApplications(t *testing.T) {
	site, _, _ := gitHistory(t, map[string]string{"web.yaml": webOf(3)}, map[string]string{"web.yaml": webOf(5)})
	source := "{repoURL: " + site.URL + "/org/repo.git, path: ., targetRevision: "
	app := application("  source: " + source + "v1}\n")["argo/app.yaml"]
	for name, c := range map[string]struct {
		files func(revision string) map[string]string
		line  string
	}{
		"by an ApplicationSet": {func(v string) map[string]string {
			return map[string]string{"argo/set.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: shop, namespace: argocd}\nspec:\n  generators:\n  - list:\n      elements:\n      - version: " + v +
				"\n  template:\n    metadata: {name: shop}\n    spec:\n      destination: {namespace: shop}\n      source:\n        repoURL: " + site.URL + "/org/repo.git\n        path: .\n        targetRevision: '{{version}}'\n"}
		}, "argo/set.yaml"},
		"by a chart": {func(v string) map[string]string {
			return map[string]string{
				"apps/Chart.yaml": "apiVersion: v2\nname: apps\nversion: 1.0.0\n", "apps/values.yaml": "version: " + v + "\n",
				"apps/templates/app.yaml": strings.Replace(app, "v1}", "{{ .Values.version }}}", 1),
			}
		}, "apps/values.yaml"},
		"by a patch": {func(v string) map[string]string {
			return map[string]string{
				"argo/app.yaml": app, "argo/kustomization.yaml": "resources: [app.yaml]\npatches: [{path: version.yaml}]\n",
				"argo/version.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop, namespace: argocd}\nspec: {source: {targetRevision: " + v + "}}\n",
			}
		}, "argo/version.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			base, head := c.files("v1"), c.files("v2")
			_, h, changed := comparedSides(t, base, head, online(t, "", site))
			if strings.Join(changed, ", ") != "Deployment spec.replicas" {
				t.Errorf("changed %q", changed)
			}
			for _, r := range h.Releases {
				if r.Delivery.From.Read {
					if at := objectOf(t, r, "web").Source; at.File != c.line {
						t.Errorf("it stands at %+v, not in %s", at, c.line)
					}
					return
				}
			}
			t.Error("nothing was read from the other repository")
		})
	}
}

// What moves from this repository into another one is compared with what it was, and back.
func TestContentThatMovesToAnotherRepository(t *testing.T) {
	site, _, _ := gitHistory(t, map[string]string{"apps/web.yaml": webOf(5)})
	here := with(application("  source: {repoURL: https://example.com/this.git, path: ours, targetRevision: HEAD}\n"), "ours/web.yaml", webOf(3))
	there := application("  source: {repoURL: " + site.URL + "/org/repo.git, path: apps, targetRevision: v1}\n")
	for _, sides := range [][2]map[string]string{{here, there}, {there, here}} {
		b, h, changed := comparedSides(t, sides[0], sides[1], online(t, "", site))
		if strings.Join(changed, ", ") != "Deployment spec.replicas" {
			t.Errorf("changed %q", changed)
		}
		for _, rev := range []*object.Revision{b, h} {
			renders(t, rev, shop)
		}
	}
}

// A path that was given limits what is fetched to what it is about.
func TestPathsLimitWhatIsFetched(t *testing.T) {
	site, _, _ := gitHistory(t, map[string]string{"apps/web.yaml": webOf(5)})
	files := with(application("  source: {repoURL: "+site.URL+"/org/repo.git, path: apps, targetRevision: v1}\n"), "other/web.yaml", webOf(1))
	opt := online(t, "", site)
	opt.Paths = []string{"argo/app.yaml"}
	if r := renders(t, renderWith(t, files, opt), shop); len(r.Objects) != 1 {
		t.Errorf("%d objects", len(r.Objects))
	}
	opt.Paths = []string{"other"}
	for _, r := range renderWith(t, files, opt).Releases {
		if r.ID == shop {
			t.Errorf("it is not about %s, fetched %+v", r.ID, r.Fetched)
		}
	}
}
