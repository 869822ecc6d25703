package render

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/tree"
)

// A chart that runs nothing until a value is given is rendered with the values of chart-testing, where these make it run
// pods. One that runs pods without them is not, nor is one that runs none with them.
func TestAChartThatRunsNothingNeedsValues(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {a: b}}\n" +
		"  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: {{ .Values.image }}}]}}\n"
	const asked = "{{- if .Values.licence }}\n" + deployment + "{{- end }}\n"
	for name, tt := range map[string]struct {
		base, head string // templates
		test       string // values
		want       string // ID of the only release
	}{
		"asks for values":        {asked, asked, "licence: accepted\n", "web:ci/test-values.yaml"},
		"runs without":           {deployment, deployment, "licence: accepted\n", "web"},
		"ran without":            {deployment, asked, "licence: accepted\n", "web"},
		"runs nothing with them": {asked, asked, "other: x\n", "web"},
	} {
		var sides []tree.Tree
		for i, text := range []string{tt.base, tt.head} {
			m, err := tree.Map("t", map[string]string{
				"web/Chart.yaml":          "apiVersion: v2\nname: web\nversion: 1.0.0\n",
				"web/values.yaml":         "image: web:" + []string{"1", "2"}[i] + "\n",
				"web/templates/web.yaml":  text,
				"web/templates/conf.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\n",
				"web/ci/test-values.yaml": tt.test,
			})
			if err != nil {
				t.Fatal(err)
			}
			sides = append(sides, m)
		}
		b, h, err := RenderBoth(context.Background(), sides[0], sides[1], Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rev := range []*object.Revision{b, h} {
			var ids []string
			for _, r := range rev.Releases {
				if !strings.HasPrefix(r.Switched, "licence=") { // which shows what the change hides
					ids = append(ids, r.ID)
				}
			}
			if !slices.Equal(ids, []string{tt.want}) {
				t.Errorf("%s: releases %s; want %s", name, ids, tt.want)
			}
		}
	}
}
