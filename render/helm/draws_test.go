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

// A draw that is compared decides in any run alike, whatever the two renders of one happen to draw.
func TestDecidesByDraw(t *testing.T) {
	for template, want := range map[string]bool{
		`{{ if has (randAlpha 1) (list "a" "b") }}1{{ end }}`:                   true,
		`{{ if contains "A" (genPrivateKey "ecdsa") }}1{{ end }}`:               true,
		`{{ mod (atoi (randNumeric 3)) 2 }}`:                                    true,
		`{{ if eq .Values.a "x" }}{{ randAlphaNum 8 }}{{ end }}`:                false,
		`{{ $p := .Values.p | default (randAlphaNum 8) }}{{ if $p }}a{{ end }}`: false,
		`{{ ternary (randAlphaNum 8) "" .Values.x }}`:                           false,
		`{{ if eq (htmlDate "") "2026-11-26" }}1{{ end }}`:                      true,
		`{{ $h := date "15" "" }}{{ if eq $h "03" }}1{{ end }}`:                 true,
		// Of Bitnami's library: what is shuffled is never empty, and a variable is not what it is given.
		`{{ $p = index $data .key }}{{ $p = randAlpha 9 | shuffle }}{{ if not $p }}a{{ end }}`: false,
		`{{ $p = randAlpha 9 | shuffle }}{{ if eq (substr 0 1 $p) "a" }}a{{ end }}`:            true,
		`{{ $n := randInt 0 2 }}{{ if $n }}a{{ end }}`:                                         true,
		`{{ now | date "2006" }}`: false,
	} {
		if got := decidesByDraw([]byte(template)); got != want {
			t.Errorf("%s: %v", template, got)
		}
	}
	for template, want := range map[string]bool{
		`{{ if has (tpl (printf "{{ rand%s 1 }}" "Alpha") .) (list "a") }}1{{ end }}`: true,
		`{{ tpl .Values.password . }}`:                                   false,
		`{{ if eq .Values.a "x" }}{{ tpl .Values.password . }}{{ end }}`: false,
	} {
		ch := &chart.Chart{Templates: []*chart.File{{Name: "t", Data: []byte(template)}}}
		if got := comparesTexts(ch); got != want {
			t.Errorf("%s: %v", template, got)
		}
	}
}
