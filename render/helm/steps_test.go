package helm

import (
	"errors"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

func ofTemplates(list ...string) *chart.Chart {
	ch := &chart.Chart{Metadata: &chart.Metadata{Name: "c", Version: "1.0.0", APIVersion: "v2"}}
	for i, text := range list {
		ch.Templates = append(ch.Templates, &chart.File{Name: "templates/" + string(rune('a'+i)) + ".yaml", Data: []byte(text)})
	}
	return ch
}

var stepVals = chartutil.Values{"Values": map[string]any{"l": []any{"x", "y"}, "t": "{{ range .Values.l }}{{ . }}{{ end }}"},
	"Release": map[string]any{"Name": "r"}, "Chart": map[string]any{"Name": "c"}, "Capabilities": chartutil.DefaultCapabilities}

// Counting changes no character of the output, whatever is trimmed around a loop or a key, and no error.
func TestCountingChangesNoOutput(t *testing.T) {
	for _, list := range [][]string{
		{"a:\n{{- range .Values.l }}\n  - {{ . }}\n{{- end }}\n"}, {"a: {{ range .Values.l -}}   {{- . -}}   {{ end }}"},
		{"{{range .Values.l}}  {{- if true}} x {{end}}{{else}}none{{end}}"}, {"{{- range $i, $e := .Values.l -}}  text {{ $i }}{{ end -}}  z"},
		{"{{ range (list \"}}\" `}}` ) }}{{ . }}{{ end }}"}, {"{{/* range {{ */}}{{- /* }} */ -}} a {{ range .Values.l }}{{ break }}{{ end }}"},
		{"{{ define \"c.n\" }}{{/* none */}}{{ end }}{{ define \"c.m\" -}}  m  {{- end }}[{{ include \"c.m\" . }}]"},
		{"{{ define \"c.n\" }}full{{ end }}", "{{ define \"c.n\" }} {{ end }}", "[{{ include \"c.n\" . }}]"},
		{"{{ tpl .Values.t $ }} {{ block \"c.b\" . }} b {{ end }}"}, {"{{ lookup \"v1\" \"Secret\" \"n\" \"s\" | toJson }} {{ lookup \"v1\" \"Secret\" \"\" \"\" | toJson }}"},
		{"{{ if false }}a{{ else if derivePassword 1 \"long\" \"a\" \"b\" \"c\" }} b {{ end }}  {{- derivePassword 1 \"long\" \"a\" \"b\" \"c\" -}}  c"},
		{"{{ range .Values.l }}\n  {{ fail . }}{{ end }}"}, {"{{ range .Values.l }}{{ .x.y }}{{ end }}"}, {"{{ range .Values.l }}"}, {"{{ range \"open }}"}, {"a {{"},
		{"{{ range .Values.l }}'{{ '}' }}{{ end }}"},
	} {
		want, wantErr := engine.Engine{}.Render(ofTemplates(list...), stepVals)
		got, err := renderCounted(ofTemplates(list...), stepVals, &steps{most: MaxSteps})
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%q: error %v, without counting %v", list, err, wantErr)
		}
		for name, text := range want {
			if err == nil && got[name] != text {
				t.Errorf("%q: %q, without counting %q", list, got[name], text)
			}
		}
	}
}

// What grows without end is refused by a count, the same on every machine, and what is large is not.
func TestStepsBoundTemplates(t *testing.T) {
	loop := "{{ range until 3000 }}{{ range until 3000 }}{{ end }}{{ end }}"
	for text, refused := range map[string]bool{
		loop: true, strings.Replace(loop, "3000", "30", 2): false,
		`{{ define "f" }}{{ if gt . 0 }}{{ include "f" (sub . 1) }}{{ include "f" (sub . 1) }}{{ end }}{{ end }}{{ include "f" 40 }}`: true,
		"{{ range until 900 }}{{ tpl \"x\" $ | trunc 0 }}{{ end }}{{ range until 6000 }}{{ end }}":                                    true,
		"{{ range until 3 }}{{ if false }}{{ else }}{{ derivePassword 1 \"long\" \"a\" \"b\" \"c\" | trunc 0 }}{{ end }}{{ end }}":    true,
		"{{ derivePassword 1 \"long\" \"a\" \"b\" \"c\" }}":                                                                           false,
	} {
		ch := ofTemplates(text)
		if _, err := renderCounted(ch, stepVals, &steps{most: 50_000}); errors.Is(err, ErrSteps) != refused {
			t.Errorf("%s: %v, want refused: %v", text, err, refused)
		}
		if string(ch.Templates[0].Data) != text {
			t.Errorf("the chart's template stays rewritten: %s", ch.Templates[0].Data)
		}
	}
}
