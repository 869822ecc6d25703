package helm

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

var (
	// valuePath is a value that a template takes, and otherwise a function that gives something where there is none.
	valuePath = regexp.MustCompile(`\.Values((?:\.\w+)+)`)
	otherwise = regexp.MustCompile(`\b(default|coalesce|ternary|if|else|with|range)\b`)
	// blockText ends a line whose value is on the next.
	blockText = regexp.MustCompile(`[|>][-+]?\s*$`)
)

// Undeclared is the first value of a chart that a line of its templates writes into an object although nothing gives
// it: neither the chart's own values nor those of the release, or only as an empty text. "" where there is none, or
// where the line has something else for such a case.
func Undeclared(r *release.Recipe, at object.Location) string {
	c := r.Chart
	if c == nil || !strings.HasPrefix(at.File, path.Join(c.Dir, "templates")+"/") || at.StartLine < 1 {
		return ""
	}
	lines := bytes.Split(r.Files[at.File], []byte("\n"))
	if at.StartLine > len(lines) {
		return ""
	}
	text := string(lines[at.StartLine-1])
	if blockText.MatchString(text) && at.StartLine < len(lines) {
		text += string(lines[at.StartLine])
	}
	used := valuePath.FindAllStringSubmatch(text, -1)
	if len(used) == 0 || otherwise.MatchString(text) {
		return ""
	}
	given, ok := given(r)
	if !ok {
		return ""
	}
	for _, m := range used {
		name := strings.TrimPrefix(m[1], ".")
		if _, err := given.Table(name); err == nil {
			continue
		}
		if v, err := given.PathValue(name); err != nil || v == nil || v == "" {
			return ".Values" + m[1]
		}
	}
	return ""
}

// given are the values that a chart is rendered with; false where they cannot be read.
func given(r *release.Recipe) (chartutil.Values, bool) {
	ch, vals, _, f := loadWithValues(r.Chart, r.Files)
	if f != nil {
		return nil, false
	}
	all, err := chartutil.CoalesceValues(ch, vals)
	return all, err == nil
}
