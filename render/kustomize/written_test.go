package kustomize

import (
	"strings"
	"testing"
)

// A template is read if its placeholders are values, whatever language it is in.
func TestTemplatesOfPatches(t *testing.T) {
	const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for text, want := range map[string]string{
		head + "data: {a: '{{ x }}'}\n":                                    "data: {a: '$kubesettle_x'}",
		head + "data: {a: {{ .Values.x | default \"y\" }}}\n":              "data: {a: $kubesettle_Values_x}",
		head + "data: {a: \"h-${X}.example\"}\n":                           "h-$kubesettle_X.example",
		head + "data: {a: $X_Y}\n":                                         "data: {a: $kubesettle_X_Y}",
		head + "data: {a: b}\n":                                            "data: {a: b}",
		"- {op: replace, path: /a, value: \"{{x}}\"}\n":                    "value: \"$kubesettle_x\"",
		head + "data: {\"{{ x }}\": b}\n":                                  "",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"{{ x }}\"}\n": "",
		"- {op: replace, path: \"/{{ x }}\", value: a}\n":                  "",
		head + "spec: {containers: [{name: $X}]}\n":                        "",
		head + "{{ if x }}\ndata: {a: b}\n{{ end }}\n":                     "",
		head + "{% if x %}\ndata: {a: b}\n{% endif %}\n":                   "",
		head + "<%= x %>\n":                                                "",
		head + "data: {a: $(x)}\n":                                         "",
		head + "data: {{ toYaml .x }}\n":                                   "",
		head + "{{ end }}\n":                                               "",
		"a: b\n":                                                           "",
		"text\n":                                                           "",
		head + "data: [" + "\n":                                            "",
		head + "---\n- {op: add}\n":                                        "",
		"- &a [{{ x }}]\n- {op: a, path: b}\n":                             "",
	} {
		got, ok := withUnknown(text)
		if ok != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%q gives %q, %v; want %q", text, got, ok, want)
		}
	}
}

// Whatever a template holds, what is read of it has no placeholder left in it.
func FuzzTemplateOfAPatch(f *testing.F) {
	f.Add("apiVersion: v1\nkind: A\nspec: {a: {{ x }}, b: ${Y}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := withUnknown(text); ok && statement.MatchString(got) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}
