package kustomize

import (
	"testing"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
)

// TestWhatUnknownVariablesStandIn: an expression of a variable that a Secret elsewhere may have stays as it is written,
// whatever its form and beside whatever. A default counts, and so does what is known.
func TestWhatUnknownVariablesStandIn(t *testing.T) {
	s := &release.Substitution{Vars: map[string]string{"KNOWN": "a.b.c"}, Open: true}
	for _, c := range [][2]string{
		{"${X}", "${X}"}, {"x-${X}-y", "x-${X}-y"}, {"${X}${Y}", "${X}${Y}"}, {"${X/./-}-tls", "${X/./-}-tls"},
		{"${X//./-}${KNOWN}${Y}", "${X//./-}a.b.c${Y}"}, {"${X%.com}${X##a}", "${X%.com}${X##a}"},
		{"${X^^}, ${X,}", "${X^^}, ${X,}"}, {"${X:0:3}", "${X:0:3}"}, {"${#X}", "${#X}"}, {"$${X}", "${X}"},
		{"${KNOWN/./-}", "a-b.c"}, {"${KNOWN//./-}", "a-b-c"}, {"${KNOWN%.c}", "a.b"}, {"n${#KNOWN}", "n5"},
		{"${X:=one}", "one"}, {"${X:-one}", "one"},
	} {
		docs := []document.Document{{Content: map[string]any{"kind": "ConfigMap", "value": c[0]}}}
		if _, f := Substitute(s, docs); f != nil {
			t.Fatalf("%s: %s", c[0], f.Reason)
		}
		if got := docs[0].Content["value"]; got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
}
