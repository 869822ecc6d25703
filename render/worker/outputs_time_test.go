package worker

import "testing"

// A file asks for the time of day where one of the functions stands between braces, also behind braces in a text; not
// where a word of its own text, or of a comment, is like one.
func TestAFileAsksForTheTime(t *testing.T) {
	for text, want := range map[string]bool{
		`day: {{ now | date "2006-01-02" }}`:                     true,
		"{{- $x :=\n  now }}":                                    true,
		`{{ printf "}}" now }}`:                                  true,
		`{{ printf "{{ %s }}" now }}`:                            true,
		`{{ .Values.x }} {{ ago .Values.since }}`:                true,
		`{{ .Values.since | htmlDate }}`:                         true,
		`{{/* the day */}}{{ now }}`:                             true,
		`{{/* now we begin */}} {{ .Values.x }}`:                 false,
		"{{- /* what is new now:\n {{ now }} is not used */ -}}": true, // braces in a comment are not told from others
		"# now that {{ .Values.x }} is set, now is too late":     false,
		`{{ .Values.known }}`:                                    false,
		`{{ .Values.x }} is now {{ .Values.y }}`:                 false,
		`now`:                                                    false,
		`{{ .Values.x`:                                           false,
	} {
		if got := asksTheTime([]byte(text)); got != want {
			t.Errorf("%q asks for the time: %v", text, got)
		}
	}
}
