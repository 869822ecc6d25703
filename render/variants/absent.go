package variants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// absentParts are the lines of head's dependencies that differ from base's, are not in the chart, and that its own
// values switch off: with others on, nobody knows what comes.
func absentParts(base, head *release.Recipe) []object.Note {
	if base == nil || head == nil || base.Chart == nil || head.Chart == nil {
		return nil
	}
	was := dependenciesOf(base, "")
	var out []object.Note
	for _, d := range dependenciesOf(head, "") {
		name, _ := d["name"].(string)
		off := slices.ContainsFunc(head.Notes, func(n object.Note) bool {
			return n.Kind == object.DependencyOff && slices.Contains(n.Args, name)
		})
		same := slices.ContainsFunc(was, func(b map[string]any) bool {
			return b["name"] == d["name"] && b["version"] == d["version"] && b["repository"] == d["repository"]
		})
		if file, line := dependencyLine(head, name); off && !same {
			out = append(out, object.Say(object.HiddenPart, fmt.Sprintf("%s:%d", file, line)))
		}
	}
	return out
}

// dependencyLine is where a chart says the version of a dependency, or else the first line of its metadata.
func dependencyLine(j *release.Recipe, name string) (file string, line int) {
	for _, own := range []string{"Chart.yaml", "requirements.yaml"} {
		named, version := false, 0
		for i, l := range strings.Split(string(j.Files[j.Chart.Names[own]]), "\n") {
			if strings.HasPrefix(strings.TrimSpace(l), "- ") {
				named, version = false, 0
			}
			key, value, _ := strings.Cut(strings.TrimLeft(l, " -"), ":")
			switch value = strings.Trim(strings.TrimSpace(value), `"'`); key {
			case "name":
				named = value == name
			case "version":
				version = i + 1
			}
			if named && version > 0 {
				return j.Chart.Names[own], version
			}
		}
	}
	return j.Chart.Names["Chart.yaml"], 1
}
