package report

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// What GitLab would take for a reference or, at a line's beginning, for a quick action reads as
// it stands there: of what is shown only the invisible space between sign and name differs.
func TestNoReferencesOfGitLab(t *testing.T) {
	reference := regexp.MustCompile(`[!%~&][A-Za-z0-9"]`)
	for _, s := range []string{"/merge", "/label ~bug", "see !12 and group/project!12", `%3 %"next release"`, "~bug", "&4", "100 % of 3 & 4"} {
		shown := html.UnescapeString(strings.ReplaceAll(mdText(s), `\`, ""))
		if reference.MatchString(shown) || strings.HasPrefix(mdText(s), "/") {
			t.Errorf("%q becomes %q", s, mdText(s))
		}
		if got := strings.ReplaceAll(shown, "\u200b", ""); got != s {
			t.Errorf("%q reads %q", s, got)
		}
	}
}
