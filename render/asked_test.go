package render

import (
	"context"
	"testing"

	"github.com/kubesettle/kubesettle/render/tree"
)

// A chart that asks for values on both sides is rendered with placeholders for them; one that head makes ask is not.
func TestAChartThatAsksForValuesGetsPlaceholders(t *testing.T) {
	const plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {a: x}\n"
	for name, tt := range map[string]struct{ base, head, want string }{
		"required": {`# {{ required "give host" .Values.host }}` + "\n" + plain, "", "host=example"},
		"piped":    {`# {{ .Values.host | required "give host" }}` + "\n" + plain, "", "host=example"},
		"two": {`# {{ required "a" .Values.b }}{{ required "c" .Values.c.d }}` + "\n" + plain, "",
			"b=example,c.d=example"},
		"fail":     {`{{ if not .Values.key }}{{ fail "give a key" }}{{ end }}` + "\n" + plain, "", "key=example"},
		"empty":    {`{{ if eq .Values.none "" }}{{ fail "give it" }}{{ end }}` + "\n" + plain, "", "none=example"},
		"a number": {`{{ if lt (int (required "n" .Values.n)) 1 }}{{ fail "n" }}{{ end }}` + "\n" + plain, "", "n=1"},
		"helper": {`{{ define "h" }}{{ required "give host" .Values.host }}{{ end }}#{{ include "h" . }}` + "\n" + plain, "",
			"host=example"},
		"unmet": {`{{ fail "never" }}` + "\n" + plain, "", ""},
		"new":   {plain, `{{ required "give host" .Values.host }}` + "\n" + plain, ""},
	} {
		var sides []tree.Tree
		for i, text := range []string{tt.base, tt.head} {
			if text == "" {
				text = tt.base
			}
			m, err := tree.Map("t", map[string]string{
				"web/Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
				"web/values.yaml":        "none: \"\"\nc: {}\nside: " + []string{"a", "b"}[i] + "\n",
				"web/templates/web.yaml": text,
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
		was, is := b.Releases[0], h.Releases[0]
		if is.Switched != tt.want || (is.Err == nil) != (tt.want != "") || is.ID != "web" {
			t.Errorf("%s: %s is rendered with %q: %v", name, is.ID, is.Switched, is.Err)
		}
		if name != "new" && was.Switched != is.Switched {
			t.Errorf("%s: base has %q", name, was.Switched)
		}
	}
}
