package helm

import (
	"testing"

	"helm.sh/helm/v3/pkg/chart"
)

// A draw that decides is one in a condition or a choice, or in a variable that is used in one; a password that is drawn
// is none.
func TestDrawsDecide(t *testing.T) {
	for template, want := range map[string]bool{
		`{{ if regexMatch "^[0-7]" (randAlphaNum 8) }}a{{ end }}`: true,
		`{{ index (list "a" "b") (randInt 0 2) }}`:                true,
		`{{ $r := randInt 0 2 }}{{ if eq $r 1 }}a{{ end }}`:       true,
		`{{ ternary "a" "b" (gt (randInt 0 9) 4) }}`:              true,
		`{{ .Values.password | default (randAlphaNum 16) }}`:      false,
		`{{ $p := randAlphaNum 16 }}{{ $p | b64enc }}`:            false,
		`{{ $p := randAlphaNum 16 }}{{ if .Values.x }}a{{ end }}`: false,
		`{{ if .Values.random }}a{{ end }}`:                       false,
	} {
		ch := &chart.Chart{Templates: []*chart.File{{Name: "t", Data: []byte(template)}}}
		if got := drawsDecide(ch); got != want {
			t.Errorf("%s: %v", template, got)
		}
	}
}
