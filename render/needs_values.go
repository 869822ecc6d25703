package render

import (
	"context"
	"path"
	"slices"
	"strings"
)

// isTestValues says whether a file in a chart's folder ci holds values that chart-testing
// installs the chart with.
func isTestValues(base string) bool {
	ext := path.Ext(base)
	return (ext == ".yaml" || ext == ".yml") && strings.Contains(strings.TrimSuffix(base, ext), "values")
}

// testValues lists the values files in a chart's folder ci.
func testValues(s *source, dir string) []string {
	var out []string
	for _, f := range s.below(path.Join(dir, "ci")) {
		if path.Dir(f) == path.Join(dir, "ci") && isTestValues(path.Base(f)) {
			out = append(out, f)
		}
	}
	return out
}

// withTestValues renders the charts that do not render with their own values, on any side
// that has them, once per values file that chart-testing would take. Where one of these or
// of the files beside the chart renders, the chart needs values, and its failure without
// them says nothing.
func withTestValues(ctx context.Context, sides ...*side) error {
	needy := map[string]bool{}
	for _, s := range sides {
		for i, r := range s.releases {
			if r.isBare() && s.outputs[i].Err != nil && !s.outputs[i].Err.Skipped {
				needy[r.ID] = true
			}
		}
	}
	for _, s := range sides {
		for i, r := range s.releases {
			if r.isBare() && (s.outputs[i].Err == nil || s.outputs[i].Err.Skipped) {
				delete(needy, r.ID)
			}
		}
	}
	if len(needy) == 0 {
		return nil
	}
	for _, s := range sides {
		if err := s.addTestValues(ctx, needy); err != nil {
			return err
		}
	}
	helped := map[string]bool{}
	for _, s := range sides {
		for i, r := range s.releases {
			if needy[r.Path] && r.ID != r.Path && r.isSet() && s.outputs[i].Err == nil {
				helped[r.Path] = true
			}
		}
	}
	for _, s := range sides {
		s.dropBare(needy, helped)
	}
	return nil
}

// isBare says whether a release is a chart with its own values alone, as discovery adds it.
func (r Release) isBare() bool { return r.isSet() && r.ID == r.Path }

// isSet says whether discovery added a release for a chart and one of its values sets.
func (r Release) isSet() bool { return r.Kind == Helm && !r.Declared && r.By.File == "" }

// addTestValues adds and renders the releases of the charts that need values.
func (s *side) addTestValues(ctx context.Context, needy map[string]bool) error {
	from := len(s.releases)
	var list []Release
	for _, r := range s.releases {
		if !r.isBare() || !needy[r.ID] {
			continue
		}
		for _, f := range testValues(s.src, r.Path) {
			one := r
			one.ID = r.Path + ":" + strings.TrimPrefix(strings.TrimPrefix(f, r.Path), "/")
			one.Values = append(slices.Clone(r.Values), f)
			one.Selected = "Chart.yaml found, which needs values: with those of chart-testing, " + f
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := s.gather(ctx, list, nil); err != nil {
		return err
	}
	return s.completeFrom(ctx, from)
}

// dropBare takes charts out that render with values alone, and test values out that do not
// help: the chart's own failure stands for them.
func (s *side) dropBare(needy, helped map[string]bool) {
	kept := s.without()
	kept.ignored = slices.DeleteFunc(s.ignored, func(g Ignored) bool {
		dir := path.Dir(path.Dir(g.Path))
		return helped[dir] && path.Base(path.Dir(g.Path)) == "ci" && isTestValues(path.Base(g.Path))
	})
	for i, r := range s.releases {
		switch {
		case r.isBare() && helped[r.ID]:
			why := "needs values: rendered with the values files beside it and those of chart-testing"
			if e := s.outputs[i].Err; e != nil {
				why += " (without: " + e.Reason + ")"
			}
			kept.ignored = append(kept.ignored, Ignored{r.ID, why})
			continue
		case r.isSet() && needy[r.Path] && !helped[r.Path] && strings.HasPrefix(r.ID, path.Join(r.Path, "")+":ci/"):
			continue
		}
		kept.byID[r.ID] = len(kept.releases)
		kept.take(s, i)
	}
	sortIgnored(kept.ignored)
	*s = *kept
}
