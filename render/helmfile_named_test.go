package render

import (
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/render/side"
)

// A helmfile that cannot be read is of all the files that it and its bases name: a change to one is no change of nothing.
func TestUnreadHelmfilesAreOfWhatTheyName(t *testing.T) {
	files := map[string]string{
		"apps/helmfile.yaml": "bases:\n- envs.yaml\n---\nreleases:\n{{ range exec \"ls\" (list) | splitList \" \" }}\n- name: {{ . }}\n" +
			"  chart: ../charts/app\n  values: ['{{ . }}/defaults.yaml', \"common-{{ .Environment.Name }}.yaml\"] # not.yaml\n{{ end }}\n",
		"apps/envs.yaml":          "environments:\n  prod: {values: [prod.yaml]}\n",
		"apps/prod.yaml":          "apps: [web]\n",
		"apps/web/defaults.yaml":  "a: 1\n",
		"apps/web/other.yaml":     "a: 1\n",
		"apps/common-prod.yaml":   "a: 1\n",
		"apps/a/b/defaults.yaml":  "a: 1\n",
		"other/web/defaults.yaml": "a: 1\n",
	}
	rev := renderWith(t, files, Options{})
	const id = "helmfile:apps/helmfile.yaml:prod"
	fails(t, rev, id, "what a command or the environment gives decides", "render it before and after")
	want := []string{"apps/helmfile.yaml", "apps/common-prod.yaml", "apps/envs.yaml", "apps/prod.yaml", "apps/web/defaults.yaml"}
	if got := side.MadeOf(releaseOf(t, rev, id)).Files; !slices.Equal(got, want) {
		t.Errorf("it is of %v", got)
	}
}

// So is one release of a helmfile that cannot be had.
func TestUnreadReleasesOfHelmfilesAreOfWhatTheyName(t *testing.T) {
	rev := renderWith(t, map[string]string{
		"helmfile.yaml": "releases:\n- {name: web, chart: far/web, values: [web.yaml]}\n- {name: db, chart: far/db, values: [db.yaml]}\n",
		"web.yaml":      "a: 1\n", "db.yaml": "a: 1\n",
	}, Options{})
	for _, name := range []string{"web", "db"} {
		got := side.MadeOf(releaseOf(t, rev, "helmfile:helmfile.yaml:default/"+name)).Files
		if !slices.Equal(got, []string{"helmfile.yaml", name + ".yaml"}) {
			t.Errorf("%s is of %v", name, got)
		}
	}
}
