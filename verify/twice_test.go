package verify

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
	"github.com/kubesettle/kubesettle/verify/finding"
)

// An object that is declared twice in a release is told as who applies it takes it: Helm creates no second one, and patches
// one that is there; kubectl keeps the last one of a file. Two that are alike harm nobody but Helm, and nothing is new
// where base has both.
func TestObjectThatStandsTwice(t *testing.T) {
	const service = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: default}\nspec: {selector: {app: web}, ports: [{port: PORT}]}\n"
	one, two := strings.Replace(service, "PORT", "80", 1), strings.Replace(service, "PORT", "81", 1)
	chart := func(text string) map[string]string {
		return map[string]string{"chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "chart/templates/a.yaml": deploymentOf("default", "web", "web:1", 1, 100), "chart/templates/b.yaml": text}
	}
	plain := func(text string) map[string]string {
		return map[string]string{"a.yaml": deploymentOf("default", "web", "web:1", 1, 100), "b.yaml": text}
	}
	for name, c := range map[string]struct {
		base, head map[string]string
		want       string // of the finding, and "" for none
	}{
		"a chart that makes two":                 {chart(""), chart(one + two), "error Helm creates the first one"},
		"a chart that makes two that are alike":  {chart(""), chart(one + one), "error Helm creates the first one"},
		"a chart that makes another one":         {chart(one), chart(one + two), "warning Helm applies one after the other"},
		"a chart that makes the same once more":  {chart(one), chart(one + one), ""},
		"a file that has two":                    {plain(""), plain(one + two), "warning kubectl applies one after the other"},
		"a file that has two that are alike":     {plain(""), plain(one + one), ""},
		"a file that had two":                    {plain(one + two), plain(two + one), ""},
		"two files, which may be meant by turns": {plain(""), map[string]string{"a.yaml": plain("")["a.yaml"], "b.yaml": one, "c.yaml": two}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var revs [2]*object.Revision
			for i, files := range []map[string]string{c.base, c.head} {
				in, err := tree.Map([]string{"base", "head"}[i], files)
				if err != nil {
					t.Fatal(err)
				}
				if revs[i], err = render.Render(context.Background(), in, render.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			ch, err := render.Diff(revs[0], revs[1])
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			r := verdict(t)(Check(context.Background(), ch, Options{Policy: policies.Default()}))
			if i := slices.IndexFunc(r.Findings, func(f finding.Finding) bool { return strings.Contains(f.Message, "is declared twice") }); i >= 0 {
				_, says, _ := strings.Cut(r.Findings[i].Message, ": ")
				got = r.Findings[i].Severity + " " + says
			}
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
