package helm

import (
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// switchedOff leaves out of the missing dependencies those that the values switch off: Helm renders nothing of
// them, so that the chart is the same without.
//
// Upstream: helm v3.21.4, pkg/chartutil, processDependencyTags and processDependencyConditions. Exact where
// the chart's own values and those of the release say it; a condition that the values of a dependency may
// answer switches nothing off.
func (g *gatherer) switchedOff(rel release.Release, c *release.Chart) {
	var needed []*chart.Dependency
	vals, ok := g.valuesOf(rel, c)
	for _, d := range g.lost {
		if !ok || !g.isOff(rel, d, vals) {
			needed = append(needed, d)
			continue
		}
		g.recipe.Notes = append(g.recipe.Notes, object.Say(object.DependencyOff, d.Name))
	}
	g.lost = needed
}

// valuesOf are the chart's own values with those of the release over them; false where they cannot be read.
func (g *gatherer) valuesOf(rel release.Release, c *release.Chart) (map[string]any, bool) {
	if len(g.lost) == 0 {
		return nil, false
	}
	own := []string{path.Join(rel.Path, "values.yaml")}
	if len(c.OwnValues) > 0 {
		own = c.OwnValues
	}
	vals, f := mergeFiles(g.recipe.Files, own)
	if f != nil {
		return nil, false
	}
	given, f := Values(c, g.recipe.Files)
	if f != nil {
		return nil, false
	}
	return MergeValues(vals, given), true
}

// isOff reports whether values switch a missing dependency off. Where they give it no map, Helm fails.
func (g *gatherer) isOff(rel release.Release, d *chart.Dependency, vals map[string]any) bool {
	if v, has := vals[d.Name]; has {
		if _, is := v.(map[string]any); !is {
			return false
		}
	}
	for _, cond := range strings.Split(strings.TrimSpace(d.Condition), ",") {
		if cond == "" {
			continue
		}
		v, _ := chartutil.Values(vals).PathValue(cond)
		if on, is := v.(bool); is {
			return !on
		}
		if v == nil && g.ofDependency(rel, cond) {
			return false // its own values may say
		}
	}
	tags, _ := vals["tags"].(map[string]any)
	off := false
	for _, t := range d.Tags {
		if on, is := tags[t].(bool); is && on {
			return false
		} else if is {
			off = true
		}
	}
	return off
}

// ofDependency reports whether a path of values lies in those of a dependency.
func (g *gatherer) ofDependency(rel release.Release, cond string) bool {
	first, _, _ := strings.Cut(cond, ".")
	meta, f := g.metadata(rel.Path)
	return f != nil || slices.ContainsFunc(meta.Dependencies, func(d *chart.Dependency) bool {
		return d != nil && (first == d.Name || first == d.Alias)
	})
}
