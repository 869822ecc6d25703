package discover

import (
	"path"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"

	"regexp"

	"github.com/kubesettle/kubesettle/render/helm"
)

// IsTestValues reports whether a file in a chart's folder ci holds values that chart-testing
// installs the chart with.
func IsTestValues(base string) bool {
	ext := path.Ext(base)
	return (ext == ".yaml" || ext == ".yml") && strings.Contains(strings.TrimSuffix(base, ext), "values")
}

// TestValues lists the values files in a chart's folder ci.
func TestValues(s *source.Source, dir string) []string {
	var out []string
	for _, f := range s.Below(path.Join(dir, "ci")) {
		if path.Dir(f) == path.Join(dir, "ci") && IsTestValues(path.Base(f)) {
			out = append(out, f)
		}
	}
	return out
}

// IsBare reports whether a release is a chart with its own values alone, as discovery adds it.
func IsBare(r release.Release) bool { return IsSet(r) && r.ID == r.Path }

// IsSet reports whether discovery added a release for a chart and one of its values sets.
func IsSet(r release.Release) bool { return r.Kind == object.Helm && !r.Declared && r.By.File == "" }

// withSets is a chart with its own values alone, and with each file of values beside it.
func (d *Found) withSets(base release.Release) []release.Release {
	out := []release.Release{base}
	for _, set := range d.valuesSets(base.Path) {
		r := base
		r.ID = base.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(set, base.Path), "/")
		r.Values = append(append([]string(nil), base.Values...), set)
		r.Selected = "Chart.yaml found, with values " + set
		out = append(out, r)
	}
	return out
}

// bare is the release of a chart with its own values alone.
func (d *Found) bare(dir string) release.Release {
	name := path.Base(dir)
	if m, f := helm.ReadMetadata(d.src, dir); f == nil && m.Name != "" {
		name = m.Name
	}
	r := release.Release{Release: object.Release{ID: dir, Kind: object.Helm, Path: dir,
		Name: installable(name), Selected: "Chart.yaml found"}}
	if own := path.Join(dir, "values.yaml"); d.src.HasFile(own) {
		r.Values = []string{own}
	}
	return r
}

var (
	valuesSibling = regexp.MustCompile(`^(values[-._].+|.+[-._]values)\.ya?ml$`)
	valuesBeside  = regexp.MustCompile(`^values[-._].+\.ya?ml$`)
	valuesFolder  = regexp.MustCompile(`^(values|env|envs|environments|environment)$`)
)

// valuesSets lists the values files beside a chart's own: values-NAME.yaml,
// values.NAME.yaml, NAME-values.yaml and NAME.values.yaml in its folder, and every YAML
// file directly in its folders values, env, envs, environment and environments.
func (d *Found) valuesSets(dir string) []string {
	var sets []string
	for _, f := range d.src.Below(dir) {
		rel := strings.TrimPrefix(f, dir+"/")
		if dir == "." {
			rel = f
		}
		folder, base := path.Split(rel)
		ext := path.Ext(base)
		if ext != ".yaml" && ext != ".yml" {
			continue
		}
		switch folder = strings.TrimSuffix(folder, "/"); {
		case folder == "" && valuesSibling.MatchString(base):
		case valuesFolder.MatchString(folder):
		case folder == "ci" && IsTestValues(base):
			d.ignore(f, "values of chart-testing, taken where a chart does not render without")
			continue
		default:
			continue
		}
		if b, err := d.src.Read(f); err == nil && source.IsObject(b) {
			d.ignore(f, "a manifest inside chart "+dir)
			continue
		} else if err == nil && isSchema(b) {
			d.ignore(f, "a schema of values, in chart "+dir)
			continue
		}
		sets = append(sets, f)
	}
	return append(sets, d.setsBeside(dir)...)
}

// setsBeside lists the values files of environments that lie beside a chart's folder: values-NAME.yaml, where the chart
// is the only one there.
func (d *Found) setsBeside(dir string) []string {
	at := path.Dir(dir)
	if dir == "." || d.charts[at] || d.chartAbove(dir) != "" {
		return nil
	}
	for other := range d.charts {
		if other != dir && path.Dir(other) == at {
			return nil
		}
	}
	var sets []string
	for _, f := range d.src.Below(at) {
		if path.Dir(f) != at || !valuesBeside.MatchString(path.Base(f)) {
			continue
		}
		b, err := d.src.Read(f)
		if v, broken := document.DecodeYAML(b); err == nil && broken == nil && !source.IsObject(b) && !isSchema(b) {
			if _, values := v.(map[string]any); values {
				sets = append(sets, f)
			}
		}
	}
	return sets
}

// isSchema reports whether a file beside a chart is the schema of its values, which some keep in YAML.
func isSchema(b []byte) bool {
	v, err := document.DecodeYAML(b)
	m, ok := v.(map[string]any)
	if err != nil || !ok {
		return false
	}
	_, named := m["$schema"].(string)
	_, properties := m["properties"].(map[string]any)
	return named || m["type"] == "object" && properties
}
