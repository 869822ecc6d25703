package helm

import (
	"errors"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/engine"
)

// Handing the texts of tpl through changes no output and no error, and each is seen, however it is put together.
func TestTextsOfTplAreSeen(t *testing.T) {
	const draw = "{{ rand%s 5 }}"
	for template, draws := range map[string]bool{
		`{{ tpl .Values.t $ }}`: false, `{{ .Values.t | quote }}{{ tpl "" $ }}x`: false, `{{ tpl (toYaml .Values.l) . | indent 2 }}`: false,
		`{{ $ | tpl .Values.t }}`: false, "{{ tpl `{{ \"tpl (\" }}` . }}": false, `{{ tpl (index .Values "t") $ -}}  x`: false,
		`{{ tpl (tpl "{{ .Release.Name }}" .) . }}`: false, `{{ if and .Values.none (tpl .Values.none.x .) }}x{{ end }}`: false,
		`{{/* tpl (x */}}{{ $tpl := "a" }}{{ $tpl }}{{ .Values.tpl }}`: false, `{{ tpl (dict "a" "b").a . }}`: false,
		`{{ range .Values.l }}{{ tpl . $ }}{{ else }}{{ tpl 1 $ }}{{ end }}`: false, `{{ tpl "{{ range .Values.l }}{{ . }}{{ end }}{{ define \"d\" }}d{{ end }}{{ include \"d\" . }}" . }}`: false,
		`{{ tpl 1 . }}`: false, `{{ tpl .Values.none . }}`: false, `{{ tpl "{{ fail \"x\" }}" . }}`: false, `{{ tpl "{{ nothing }}" . }}`: false, `{{ tpl }}`: false, `{{ tpl ( }}`: false,
		`{{ tpl (printf "` + draw + `" "Int") . }}`: true, `{{ tpl (printf "{{ rand%s 0 9 }}" "Int") . | trunc 0 }}`: true,
		`{{ $f := "rand" }}{{ tpl (printf "{{ %sAlpha 5 }}" $f) . | trunc 0 }}`:                            true,
		`{{ tpl (tpl "{{ \"{{ n\" }}ow }}" .) . | trunc 0 }}`:                                              true,
		"{{ tpl \"{{ tpl (print `{{ n` `ow }}`) . }}\" . | trunc 0 }}":                                     true,
		`{{ define "d" }}{{ tpl (print "{{ uuid" "v4 }}") . }}{{ end }}{{ include "d" . | trunc 0 }}`:      true,
		`{{ if false }}{{ else if tpl (print "{{ uuid" "v4 }}") . }}x{{ end }}`:                            true,
		`{{ with tpl (join "" (list "{{ shu" "ffle \"a\" }}")) . }}x{{ end }}`:                             true,
		`{{ (tpl (print "{{ uuid" "v4 }}") .) | trunc 0 }}{{ list (tpl (print "{{ n" "ow }}") .) | len }}`: true,
		`{{ template "d" (tpl (print "{{ uuid" "v4 }}") .) }}{{ define "d" }}{{ . | trunc 0 }}{{ end }}`:   true,
		`{{ $x := tpl (replace "_" "" "{{ uuid_v4 }}") . }}{{ $x = tpl "a" . }}{{ $x }}`:                   true,
		"{{ tpl (\n  print \"{{ uuid\"\n  \"v4 }}\"\n) . | trunc 0 }}":                                     true,
		`{{ tpl (print "{{ uuid" "v4 }}" | trim) . | trunc 0 }}{{ tpl (print ")" '(') . | trunc 0 }}`:      true,
	} {
		want, wantErr := engine.Engine{}.Render(ofTemplates(template), stepVals)
		s := &steps{most: MaxSteps}
		got, err := renderCounted(ofTemplates(template), stepVals, s)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: error %v, as it is %v", template, err, wantErr)
		}
		for name, text := range want {
			if err == nil && got[name] != text {
				t.Errorf("%s: %q, as it is %q", template, got[name], text)
			}
		}
		if s.draws != draws && err == nil {
			t.Errorf("%s: draws %v", template, s.draws)
		}
	}
}

// A loop in a text counts as one in a template does.
func TestTextsOfTplAreCounted(t *testing.T) {
	loop := "{{ range until 300 }}{{ range until 300 }}{{ end }}{{ end }}"
	for _, template := range []string{"{{ tpl `" + loop + "` . }}", "{{ tpl (print `" + strings.Replace(loop, "range", "ra` `nge", 1) + "`) . }}"} {
		if _, err := renderCounted(ofTemplates(template), stepVals, &steps{most: 50_000}); !errors.Is(err, ErrSteps) {
			t.Errorf("%s: %v", template, err)
		}
	}
}
