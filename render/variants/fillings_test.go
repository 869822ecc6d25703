package variants

import (
	"strings"
	"testing"
)

// What a chart leaves empty is filled with what is valid where its name says what it is, and left empty elsewhere.
func TestEmptyValuesAreFilledByTheirNames(t *testing.T) {
	values := map[string]any{
		"env": []any{}, "extraEnvVars": nil, "envFrom": []any{}, "volumes": []any{}, "volumeMounts": []any{},
		"podLabels": map[string]any{}, "labelMap": map[string]any{}, "endpoint": "", "storageClass": "", "port": "",
		"list": []any{}, "hosts": []any{"a"}, "a": map[string]any{"on": false}, "b": map[string]any{"on": false},
		"annotations": []any{},
	}
	for _, c := range []struct{ template, want string }{
		{`{{ with .Values.env }}x{{ end }}`, "env[0].name=EXAMPLE env[0].value=example "},
		{`{{ if .Values.extraEnvVars }}x{{ end }}`, "extraEnvVars[0].name=EXAMPLE extraEnvVars[0].value=example "},
		{`{{ range .Values.envFrom }}x{{ end }}`,
			"envFrom[0].configMapRef.name=example envFrom[0].configMapRef.optional=true "},
		{`{{ with .Values.volumeMounts }}x{{ end }}`, "volumeMounts[0].mountPath=example volumeMounts[0].name=example " +
			"volumes[0].emptyDir.sizeLimit=1Gi volumes[0].name=example "},
		{`{{ with .Values.podLabels }}x{{ end }}`, "podLabels.example=example "},
		{`{{ with .Values.labelMap }}x{{ end }}`, ""},
		{`{{ with .Values.annotations }}x{{ end }}`, ""}, // a list, whatever its name
		{`{{ with .Values.list }}x{{ end }}`, ""},
		{`{{ range .Values.hosts }}x{{ end }}`, ""},
		{`{{ with .Values.endpoint }}x{{ end }}`, "endpoint=example "},
		{`{{ if ne .Values.endpoint "" }}x{{ end }}`, "endpoint=example "},
		{`{{ with .Values.port }}x{{ end }}`, "port=1 "},
		{`{{ with .Values.storageClass }}x{{ end }}`, ""},
		{`{{ if or .Values.a.on .Values.b.on }}x{{ end }}`, "a.on=true "},
		{`{{ if and .Values.a.on .Values.b.on }}x{{ end }}`, "a.on=true b.on=true "},
	} {
		texts := &chartTexts{values: values}
		texts.sides[0] = map[string]*templateTrees{"a": parseTemplate("templates/a.yaml", c.template)}
		if len(texts.sides[0]["a"].trees) == 0 {
			t.Fatalf("%s is no template", c.template)
		}
		pos, got := len(c.template)-len("x{{ end }}"), ""
		plain, _ := texts.ways([]templateSite{{file: "a", pos: pos, to: pos}})
		_, deciding := texts.ways([]templateSite{{file: "a", to: pos}})
		if len(plain) > 0 {
			for _, x := range plain[0] {
				got += x.path + "=" + x.value + " "
			}
		}
		for _, set := range append(deciding, plain...) { // an entry is never split
			for _, x := range set {
				if list, _, in := strings.Cut(x.path, "["); in && len(plain) > 0 && len(entry(plain[0], x)) > len(set) {
					t.Errorf("%s: %v has a part of an entry of %s", c.template, set, list)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.template, got, c.want)
		}
	}
}
