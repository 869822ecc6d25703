package helm

import (
	"bytes"
	"regexp"

	"helm.sh/helm/v3/pkg/chart"
)

// Charts are rendered by the engine of Helm 3. That of Helm 4 has a few functions more, two of which differ from one of
// Helm 3 only by failing at values that cannot be written, of which values files have none.

// mustCall matches them, and what may hold the words as well: texts, comments, fields, variables.
var mustCall = regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|/\\*.*?\\*/|[.$][\\w.]*|\\bmustTo(?:Yaml|Toml)\\b")

// asHelm3 has the templates of a chart call them by the names that Helm 3 knows.
func asHelm3(ch *chart.Chart) {
	for _, t := range ch.Templates {
		if !bytes.Contains(t.Data, []byte("mustTo")) {
			continue
		}
		t.Data = actions.ReplaceAllFunc(t.Data, func(action []byte) []byte {
			return mustCall.ReplaceAllFunc(action, func(m []byte) []byte {
				if rest, is := bytes.CutPrefix(m, []byte("mustTo")); is {
					return append([]byte("to"), rest...)
				}
				return m
			})
		})
	}
	for _, d := range ch.Dependencies() {
		asHelm3(d)
	}
}
