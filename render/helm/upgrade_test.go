package helm

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// A template that an upgrade or the cluster makes something else of is unknown, with another digest for another way; one
// that finds what the chart made, or that differs in a secret, is not.
func TestUpgradesAreTried(t *testing.T) {
	t.Parallel()
	const secret = `
{{- $was := lookup "v1" "Secret" .Release.Namespace "s" }}
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData:
  p: {{ if $was }}{{ index $was.data "p" | b64dec }}{{ else }}{{ randAlphaNum 8 }}{{ end }}
`
	pod := func(text string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: " + text + ", containers: []}\n"
	}
	seen := map[string]string{}
	for name, of := range map[string]struct {
		text  string
		holes int
	}{
		"plain":      {pod("a"), 0},
		"upgrade":    {pod("{{ if .Release.IsUpgrade }}b{{ else }}a{{ end }}"), 1},
		"other":      {pod("{{ if .Release.IsInstall }}a{{ else }}c{{ end }}"), 1},
		"revision":   {pod("n{{ .Release.Revision }}"), 1},
		"stub":       {pod(`{{ if lookup "v1" "Namespace" "" "x" }}b{{ else }}a{{ end }}`), 1},
		"list":       {pod(`{{ if (lookup "v1" "Node" "" "").items }}b{{ else }}a{{ end }}`), 1},
		"own":        {pod("a") + "---" + secret, 0},
		"more":       {pod("a") + `{{ if lookup "v1" "Namespace" "" "x" }}{{ fail "no" }}{{ end }}`, 0},
		"more, both": {pod(`{{ if .Release.IsUpgrade }}b{{ else }}a{{ end }}{{ if lookup "v1" "Node" "" "x" }}{{ fail "no" }}{{ end }}`), 1},
		"annotation": {"apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {r: '{{ .Release.Revision }}'}}\n", 0},
	} {
		c := &release.Chart{Dir: "c", Name: "c", KubeVersion: "1.36", Names: map[string]string{"Chart.yaml": "m", "templates/a.yaml": "a"}}
		files := map[string][]byte{"m": []byte("apiVersion: v2\nname: c\nversion: 1.0.0\n"), "a": []byte(of.text)}
		out := Render(c, files, &document.Known{})
		if out.Err != nil {
			t.Fatalf("%s: %v", name, out.Err.Reason)
		}
		if len(out.Holes) != of.holes {
			t.Errorf("%s: %d holes, want %d: %v", name, len(out.Holes), of.holes, out.Holes)
		}
		for _, h := range out.Holes {
			if other, ok := seen[h.Own]; ok && (name == "upgrade" || name == "other") && (other == "upgrade" || other == "other") {
				t.Errorf("%s is what %s is", name, other)
			}
			seen[h.Own] = name
		}
		c.Template = true
		if out := Render(c, files, &document.Known{}); len(out.Holes) > 0 {
			t.Errorf("%s: what helm template renders is no upgrade: %v", name, out.Holes)
		}
	}
}
