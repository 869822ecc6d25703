package render

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/source"
)

// isTestValues reports whether a file in a chart's folder ci holds values that chart-testing
// installs the chart with.
func isTestValues(base string) bool {
	ext := path.Ext(base)
	return (ext == ".yaml" || ext == ".yml") && strings.Contains(strings.TrimSuffix(base, ext), "values")
}

// testValues lists the values files in a chart's folder ci.
func testValues(s *source.Source, dir string) []string {
	var out []string
	for _, f := range s.Below(path.Join(dir, "ci")) {
		if path.Dir(f) == path.Join(dir, "ci") && isTestValues(path.Base(f)) {
			out = append(out, f)
		}
	}
	return out
}

// withTestValues renders the charts that do not render with their own values, on either side,
// or that run no pods with them on any side, once per values file that chart-testing would take. Where one of
// these or of the files beside the chart renders on every side that has it, the chart needs values, and its failure
// without them says nothing: a chart that chart-testing has values for is not tried without. One that renders on base
// with values alone, and on head with none, is broken by head, with these values.
func withTestValues(ctx context.Context, sides ...*side) error {
	needy := map[string]bool{}
	for _, s := range sides {
		for i, r := range s.releases {
			if isBare(r) && s.outputs[i].Err != nil && !s.outputs[i].Err.Skipped {
				needy[r.ID] = true
			}
		}
	}
	idle := withoutPods(sides)
	maps.Copy(needy, idle)
	if len(needy) == 0 {
		return nil
	}
	for _, s := range sides {
		if err := s.addTestValues(ctx, needy); err != nil {
			return err
		}
	}
	if len(sides) == 2 {
		sides[0].takeTestValues(sides[1], needy)
		sides[1].keepTestValues(sides[0], needy)
	}
	helped := map[string]bool{}
	for id := range needy {
		helped[id] = true
		for i, s := range sides {
			if _, has := s.byID[id]; !has || s.rendersSet(id) {
				continue
			}
			if helped[id] = false; i > 0 { // what only values helped on base is broken by head
				k, has := sides[0].byID[id]
				helped[id] = has && sides[0].outputs[k].Err != nil && sides[0].rendersSet(id)
			}
		}
		if idle[id] && !slices.ContainsFunc(sides, func(s *side) bool { return s.setRunsPods(id) }) {
			helped[id] = false // neither do its test values
		}
	}
	for _, s := range sides {
		s.remarkNeed(helped, sides)
	}
	for _, s := range sides {
		s.dropBare(needy, helped)
	}
	return nil
}

// withoutPods are the charts whose own values run nothing on any side that has them, and that chart-testing has values
// for: a licence that is to be accepted, a component that is to be chosen.
func withoutPods(sides []*side) map[string]bool {
	out := map[string]bool{}
	for _, s := range sides {
		for _, r := range s.releases {
			if isBare(r) && len(testValues(s.src, r.Path)) > 0 {
				out[r.ID] = true
			}
		}
	}
	for _, s := range sides {
		for i, r := range s.releases {
			if o := &s.outputs[i]; out[r.ID] && (o.Err != nil || o.Untouched || runsPods(o.Docs)) {
				delete(out, r.ID)
			}
		}
	}
	return out
}

// runsPods reports whether some documents have a workload of Kubernetes' own that is no hook.
func runsPods(docs []document.Document) bool {
	return slices.ContainsFunc(docs, func(d document.Document) bool {
		switch document.GVK(d.Content).Kind {
		case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob", "Pod":
			return !d.Hook
		}
		return false
	})
}

// setRunsPods reports whether a chart runs pods with a values file beside it, or of chart-testing.
func (s *side) setRunsPods(chart string) bool {
	for i, r := range s.releases {
		if r.Path == chart && r.ID != chart && isSet(r) && s.outputs[i].Err == nil && runsPods(s.outputs[i].Docs) {
			return true
		}
	}
	return false
}

// remarkNeed says of a chart that it renders without values on the other side alone: who
// installs it with none is in for it.
func (s *side) remarkNeed(helped map[string]bool, sides []*side) {
	for i, r := range s.releases {
		k, has := s.byID[r.Path]
		if !helped[r.Path] || isBare(r) || !isSet(r) || !has || s.outputs[k].Err == nil {
			continue
		}
		for _, other := range sides {
			if at, ok := other.byID[r.Path]; ok && other.outputs[at].Err == nil {
				s.outputs[i].Notes = append(s.outputs[i].Notes,
					"with its own values alone the chart renders on "+other.src.Tree.Name()+" and not here: "+s.outputs[k].Err.Reason)
			}
		}
	}
}

// giveValues is what to do about a chart that needs values where none are known.
const giveValues = "give it values in ci/default-values.yaml, or a file of them under `releases` in the policy"

// unnamed is the failure of a chart whose own values leave an object without a name: it needs
// values, as one that fails without them.
func unnamed(docs []document.Document) *object.Failure {
	for _, d := range docs {
		meta, _ := d.Content["metadata"].(map[string]any)
		kind := document.GVK(d.Content).Kind
		if name, given := meta["name"]; !given || name != nil && name != "" ||
			meta["generateName"] != nil || d.Hook || kind == "" {
			continue
		}
		at := object.LineOf(d.File, d.Line, "template")
		return &object.Failure{
			Reason: fmt.Sprintf("%s:%d: %s has an empty metadata.name with the chart's own values", at.File, at.StartLine, kind),
			Where:  at,
			Remedy: giveValues,
		}
	}
	return nil
}

// rendersSet reports whether a chart renders with a values file beside it, or of chart-testing.
func (s *side) rendersSet(chart string) bool {
	for i, r := range s.releases {
		if r.Path == chart && r.ID != chart && isSet(r) && s.outputs[i].Err == nil {
			return true
		}
	}
	return false
}

// isBare reports whether a release is a chart with its own values alone, as discovery adds it.
func isBare(r release.Release) bool { return isSet(r) && r.ID == r.Path }

// isSet reports whether discovery added a release for a chart and one of its values sets.
func isSet(r release.Release) bool { return r.Kind == object.Helm && !r.Declared && r.By.File == "" }

// addTestValues adds and renders the releases of the charts that need values.
func (s *side) addTestValues(ctx context.Context, needy map[string]bool) error {
	from := len(s.releases)
	var list []release.Release
	for _, r := range s.releases {
		if !isBare(r) || !needy[r.ID] {
			continue
		}
		for _, f := range testValues(s.src, r.Path) {
			list = append(list, withTest(r, f))
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
	sets := map[string]int{} // by chart
	for _, r := range s.releases {
		if isSet(r) && !isBare(r) {
			sets[r.Path]++
		}
	}
	kept.ignored = slices.DeleteFunc(s.ignored, func(g object.Ignored) bool {
		dir := path.Dir(path.Dir(g.Path))
		return helped[dir] && path.Base(path.Dir(g.Path)) == "ci" && isTestValues(path.Base(g.Path))
	})
	for i, r := range s.releases {
		if e := s.outputs[i].Err; e != nil && needy[r.ID] && isBare(r) &&
			asks(e) && len(testValues(s.src, r.Path)) == 0 {
			asked := *e
			asked.Remedy = giveValues
			s.outputs[i].Err = &asked
		}
		switch {
		case isBare(r) && helped[r.ID] && sets[r.Path] > 0:
			why := "needs values: rendered with the values files beside it and those of chart-testing"
			if e := s.outputs[i].Err; e != nil {
				why += " (without: " + e.Reason + ")"
			} else if !s.outputs[i].Untouched && !runsPods(s.outputs[i].Docs) {
				why += " (without, it runs no pods)"
			}
			kept.ignored = append(kept.ignored, object.Ignored{Path: r.ID, Reason: why})
			continue
		case isSet(r) && needy[r.Path] && !helped[r.Path] && strings.HasPrefix(r.ID, path.Join(r.Path, "")+":ci/"):
			continue
		}
		kept.byID[r.ID] = len(kept.releases)
		kept.take(s, i)
	}
	sortIgnored(kept.ignored)
	*s = *kept
}

// dropUnset takes out what GitOps declares with a values file that is on no side, and does
// not render for it, where the same chart renders with the values files beside it: the name
// of the file is put together from a setting that only the cluster has, such as the
// environment, and these files are its environments.
func dropUnset(sides ...*side) {
	unset := map[string]bool{}
	for n, drop := range []bool{false, true} {
		for _, s := range sides {
			kept := s.without()
			kept.ignored, kept.waiting = s.ignored, s.waiting
			for i, r := range s.releases {
				missing := s.lacksValues(i)
				switch {
				case n == 0 && missing && s.rendersSet(r.Path):
					unset[r.ID] = true
				case drop && unset[r.ID] && missing:
					kept.ignored = append(kept.ignored,
						object.Ignored{Path: r.Path,
							Reason: r.Selected + " names values that are not here: rendered with the values files beside the chart"})
					continue
				}
				kept.byID[r.ID] = len(kept.releases)
				kept.take(s, i)
			}
			if drop {
				sortIgnored(kept.ignored)
				*s = *kept
			}
		}
		for _, s := range sides { // what one side renders is no environment's
			for i, r := range s.releases {
				if unset[r.ID] && !s.lacksValues(i) {
					delete(unset, r.ID)
				}
			}
		}
	}
}

// lacksValues reports whether a GitOps release of a chart that is here fails and names a values
// file that is not.
func (s *side) lacksValues(i int) bool {
	r := s.releases[i]
	if r.Kind != object.Helm || r.By.File == "" || s.outputs[i].Err == nil || source.MountOf(r.Path) != "" {
		return false
	}
	return slices.ContainsFunc(r.Values, func(v string) bool { return source.MountOf(v) == "" && !s.src.HasFile(v) })
}
