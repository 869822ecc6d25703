package helm

import (
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
)

// Asks reports whether a chart does not render for a value that it is not given: in its author's words, of `required`
// or `fail`, or as a template looks into one that is not there. Which of them it names first depends on the order of
// its templates.
func Asks(f *object.Failure) bool {
	return strings.Contains(f.Reason, "execution error at (") || len(AsksFor(f)) > 0
}

var lookedInto = regexp.MustCompile(`at <\$?\.Values\.([A-Za-z0-9_.]+)>: ` +
	`(?:nil pointer evaluating|invalid value; expected|wrong type for value; expected)`)

// AsksFor is the path of a value of the chart that a template looks into although it is not there, or takes for a text;
// none where it fails for another reason, or in a dependency's template.
func AsksFor(f *object.Failure) []string {
	m := lookedInto.FindStringSubmatch(f.Reason)
	if m == nil || strings.Contains(f.Where.File, "/charts/") {
		return nil
	}
	return strings.Split(m[1], ".")
}

// Cause is the text of a failure without the place.
func Cause(f *object.Failure) string {
	s := strings.TrimPrefix(f.Reason, f.Where.File)
	if i := strings.Index(s, ": "); strings.HasPrefix(s, ":") && i > 0 {
		s = s[i:]
	}
	return s
}
