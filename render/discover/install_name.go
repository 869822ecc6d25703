package discover

import (
	"regexp"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"
)

// longestName is the longest name of a release that Helm takes, in characters.
const longestName = 53

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// installable is the name that a chart is installed under where nothing declares one: its own, where Helm takes it.
// Charts may have capitals in their names, which no release and no object has.
func installable(chart string) string {
	if chartutil.ValidateReleaseName(chart) == nil {
		return chart
	}
	name := notInNames.ReplaceAllString(strings.ToLower(chart), "-")
	name = strings.Trim(name[:min(len(name), longestName)], "-")
	if name == "" {
		return "release"
	}
	return name
}
