package variants

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/release"
)

// A subchart is a chart within a chart, at any depth; the chart itself is one of no depth.
type subchart struct {
	// scope is where its values stand among those of the release: the names, or aliases, of the charts that lead to it.
	scope []string
	// needs are the settings without which its parents leave it out.
	needs []toggle
	// aliased says that Helm calls it, or a chart around it, otherwise than its folder.
	aliased bool
}

// inSubchart splits the name of a file in a chart into the folder of the subchart that it belongs to and its name
// there.
func inSubchart(name string) (folder, own string) {
	own = name
	for {
		_, rest, ok := strings.Cut(strings.TrimPrefix(own, "charts/"), "/")
		if !strings.HasPrefix(own, "charts/") || !ok {
			return name[:len(name)-len(own)], own
		}
		own = rest
	}
}

// subcharts are the charts within a chart, by folder: "charts/db/". Those that no parent's Chart.yaml names have the
// name that they give themselves.
func subcharts(j *release.Recipe) map[string]*subchart {
	out := map[string]*subchart{}
	for name := range j.Chart.Names {
		folder, _ := inSubchart(name)
		if out[folder] == nil {
			out[folder] = readSubchart(j, folder, out)
		}
	}
	return out
}

func readSubchart(j *release.Recipe, folder string, known map[string]*subchart) *subchart {
	if folder == "" {
		return &subchart{}
	}
	above, _ := inSubchart(strings.TrimSuffix(folder, "/"))
	parent := known[above]
	if parent == nil {
		parent = readSubchart(j, above, known)
		known[above] = parent
	}
	base := strings.TrimSuffix(strings.TrimPrefix(folder[len(above):], "charts/"), "/")
	key := nameOf(j, folder, base)
	out := &subchart{needs: parent.needs, aliased: parent.aliased}
	condition := ""
	for _, d := range dependenciesOf(j, above) {
		if d["name"] != key {
			continue
		}
		if alias, ok := d["alias"].(string); ok && alias != "" {
			key, out.aliased = alias, true
		}
		condition, _ = d["condition"].(string)
		break
	}
	out.scope = append(slices.Clone(parent.scope), key)
	for _, path := range strings.Split(condition, ",") {
		at := append(slices.Clone(parent.scope), strings.Split(strings.TrimSpace(path), ".")...)
		if set := setting(at, "true"); set != nil {
			out.needs = append(slices.Clone(out.needs), set...)
			break // Helm asks the first one that a value answers
		}
	}
	return out
}

func chartYAML(j *release.Recipe, folder string) map[string]any {
	v, err := document.DecodeYAML(j.Files[j.Chart.Names[folder+"Chart.yaml"]])
	if err != nil {
		return nil
	}
	m, _ := v.(map[string]any)
	return m
}

func nameOf(j *release.Recipe, folder, otherwise string) string {
	if name, ok := chartYAML(j, folder)["name"].(string); ok && name != "" {
		return name
	}
	return otherwise
}

func dependenciesOf(j *release.Recipe, folder string) []map[string]any {
	var out []map[string]any
	for _, file := range []string{"Chart.yaml", "requirements.yaml"} {
		v, err := document.DecodeYAML(j.Files[j.Chart.Names[folder+file]])
		if err != nil {
			continue
		}
		m, _ := v.(map[string]any)
		list, _ := m["dependencies"].([]any)
		for _, x := range list {
			if d, ok := x.(map[string]any); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

// valuesOf are a chart's own values, those of its subcharts under their names.
func valuesOf(j *release.Recipe, subs map[string]*subchart) map[string]any {
	out := map[string]any{}
	folders := slices.Sorted(maps.Keys(subs))
	slices.SortStableFunc(folders, func(a, b string) int { // a parent's values count more than its subchart's
		return cmp.Compare(len(subs[b].scope), len(subs[a].scope))
	})
	for _, folder := range folders {
		v, err := document.DecodeYAML(j.Files[j.Chart.Names[folder+"values.yaml"]])
		if m, ok := v.(map[string]any); err == nil && ok {
			out = helm.MergeValues(out, under(subs[folder].scope, m))
		}
	}
	return out
}

// under are the values of a subchart as its release gives them.
func under(scope []string, values map[string]any) map[string]any {
	if len(scope) == 0 {
		return values
	}
	return helm.Nested(keysPath(scope), values, nil)
}

func keysPath(keys []string) fieldpath.Path {
	var out fieldpath.Path
	for _, k := range keys {
		out = append(out, fieldpath.Key(k))
	}
	return out
}

// unmet are those of some settings that the values do not meet.
func (t *chartTexts) unmet(needs []toggle) []toggle {
	return slices.DeleteFunc(slices.Clone(needs), func(n toggle) bool {
		have, ok := keysPath(strings.Split(n.path, ".")).Get(t.values)
		return !ok || have == true
	})
}

// scoped is a path of a chart's values as the release has it.
func (r *reading) scoped(path []string) []string {
	scope := r.texts.scopes[r.tree.ParseName]
	if len(scope) == 0 || len(path) > 0 && path[0] == "global" {
		return path
	}
	return append(slices.Clone(scope), path...)
}
