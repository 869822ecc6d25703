package helm

import (
	"testing"

	"helm.sh/helm/v3/pkg/chart"
)

// Calls of Helm 4's functions are renamed, and nothing that only looks like one.
func TestHelm4FunctionsAreCalledByTheirOldNames(t *testing.T) {
	for in, want := range map[string]string{
		`{{ mustToYaml .Values }}`:                           `{{ toYaml .Values }}`,
		`{{- .a | mustToToml | nindent 2 -}}`:                `{{- .a | toToml | nindent 2 -}}`,
		`{{ mustToJson .a }}`:                                `{{ mustToJson .a }}`,
		`# mustToYaml`:                                       `# mustToYaml`,
		`{{ "mustToYaml" }}{{/* mustToYaml */}}`:             `{{ "mustToYaml" }}{{/* mustToYaml */}}`,
		`{{ .mustToYaml }}{{ $mustToYaml := 1 }}`:            `{{ .mustToYaml }}{{ $mustToYaml := 1 }}`,
		"{{ `mustToYaml` | mustToYaml }}":                    "{{ `mustToYaml` | toYaml }}",
		"{{ if (mustToYaml .a | eq \"{}\") }}\nx\n{{ end }}": "{{ if (toYaml .a | eq \"{}\") }}\nx\n{{ end }}",
	} {
		ch := &chart.Chart{Templates: []*chart.File{{Name: "t", Data: []byte(in)}}}
		if asHelm3(ch); string(ch.Templates[0].Data) != want {
			t.Errorf("%q becomes %q, want %q", in, ch.Templates[0].Data, want)
		}
	}
}
