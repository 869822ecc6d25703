package variants

import "testing"

// A condition is read whatever it is about: all values at once are no setting, and what a variable of them names is one.
func TestAConditionOnAllValuesIsRead(t *testing.T) {
	for _, c := range []struct{ template, want string }{
		{`{{ if .Values }}x{{ end }}`, ""},
		{`{{ with .Values }}x{{ end }}`, ""},
		{`{{ if default dict .Values }}x{{ end }}`, ""},
		{`{{ if not $.Values }}x{{ end }}`, ""},
		{`{{ if eq .Values "x" }}x{{ end }}`, ""},
		{`{{ if gt .Values 1 }}x{{ end }}`, ""},
		{`{{ $v := .Values }}{{ if $v }}x{{ end }}`, ""},
		{`{{ $v := $.Values }}{{ if empty $v }}x{{ end }}`, ""},
		{`{{ $v := .Values | default dict }}{{ if $v }}x{{ end }}`, ""},
		{`{{ $v := .Values }}{{ $w := $v }}{{ if $w }}x{{ end }}`, ""},
		{`{{ if .Values.a.on }}x{{ end }}`, "a.on=true "},
		{`{{ $v := .Values }}{{ if $v.a.on }}x{{ end }}`, "a.on=true "},
		{`{{ $v := $.Values }}{{ if $v.a.on }}x{{ end }}`, "a.on=true "},
		{`{{ $v := .Values | default dict }}{{ $w := $v.a }}{{ if $w.on }}x{{ end }}`, "a.on=true "},
	} {
		texts := &chartTexts{values: map[string]any{"a": map[string]any{"on": false}}}
		texts.sides[0] = map[string]*templateTrees{"a": parseTemplate("templates/a.yaml", c.template)}
		if len(texts.sides[0]["a"].trees) == 0 {
			t.Fatalf("%s is no template", c.template)
		}
		got := ""
		for _, x := range texts.on(templateSite{file: "a", to: len(c.template)}) {
			got += x.path + "=" + x.value + " "
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.template, got, c.want)
		}
	}
}
