package helm

import (
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/render/object"
)

// A template that looks into a value that is not there asks for it; one that fails in its own way does not.
func TestAsksFor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`executing "c/templates/a.yaml" at <.Values.image.tag>: nil pointer evaluating interface {}.tag`:            "image.tag",
		`executing "c.labels" at <$.Values.a.b.c>: nil pointer evaluating interface {}.b`:                           "a.b.c",
		`executing "c/templates/a.yaml" at <.Values.host>: wrong type for value; expected string; got interface {}`: "host",
		`executing "c/templates/a.yaml" at <.Values.host>: invalid value; expected string`:                          "host",
		`executing "c/templates/a.yaml" at <$x.tag>: nil pointer evaluating interface {}.tag`:                       "",
		`executing "c/templates/a.yaml" at <include "x" .>: error calling include: template: no template "x"`:       "",
		`executing "c/templates/a.yaml" at <.Values.a.b>: can't evaluate field b in type string`:                    "",
	} {
		f := &object.Failure{Reason: text, Where: object.FileStart("c/templates/a.yaml")}
		if got := strings.Join(AsksFor(f), "."); got != want || Asks(f) != (want != "") {
			t.Errorf("%s: asks for %q, want %q", text, got, want)
		}
		f.Where = object.FileStart("c/charts/d/templates/a.yaml")
		if len(AsksFor(f)) > 0 {
			t.Errorf("%s in a dependency: its values have other names", text)
		}
	}
}
