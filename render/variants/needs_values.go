package variants

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/discover"
	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
)

// WithTestValues renders the charts that do not render with their own values, on either side,
// or that run no pods with them on any side, once per values file that chart-testing would take. Where one of
// these or of the files beside the chart renders on every side that has it, the chart needs values, and its failure
// without them says nothing: a chart that chart-testing has values for is not tried without. One that renders on base
// with values alone, and on head with none, is broken by head, with these values. Where there was no time to see what a
// chart needs, there is none for those values either: they are not of no use.
func WithTestValues(ctx context.Context, sides ...*side.Side) error {
	needy, late := map[string]bool{}, map[string]bool{}
	for _, s := range sides {
		for i, r := range s.Releases {
			if f := s.Outputs[i].Err; discover.IsBare(r) && f != nil && (f.Cut || !f.Skipped) {
				needy[r.ID], late[r.ID] = true, late[r.ID] || f.Cut
			}
		}
	}
	idle := withoutPods(sides)
	maps.Copy(needy, idle)
	if len(needy) == 0 {
		return nil
	}
	for _, s := range sides {
		if err := addTestValues(s, ctx, needy); err != nil {
			return err
		}
	}
	if len(sides) == 2 {
		takeTestValues(sides[0], sides[1], needy)
		keepTestValues(sides[1], sides[0], needy)
	}
	helped := map[string]bool{}
	for id := range needy {
		helped[id] = true
		for i, s := range sides {
			if _, has := s.ByID[id]; !has || rendersSet(s, id) {
				continue
			}
			if helped[id] = false; i > 0 { // what only values helped on base is broken by head
				k, has := sides[0].ByID[id]
				helped[id] = has && sides[0].Outputs[k].Err != nil && rendersSet(sides[0], id)
			}
		}
		if idle[id] && !slices.ContainsFunc(sides, func(s *side.Side) bool { return setRunsPods(s, id) }) {
			helped[id] = false // neither do its test values
		}
	}
	for _, s := range sides {
		remarkNeed(s, helped, sides)
	}
	for _, s := range sides {
		dropBare(s, needy, helped, late)
	}
	return nil
}

// withoutPods are the charts whose own values run nothing on any side that has them, and that chart-testing has values
// for: a licence that is to be accepted, a component that is to be chosen.
func withoutPods(sides []*side.Side) map[string]bool {
	out := map[string]bool{}
	for _, s := range sides {
		for _, r := range s.Releases {
			if discover.IsBare(r) && len(discover.TestValues(s.Src, r.Path)) > 0 {
				out[r.ID] = true
			}
		}
	}
	for _, s := range sides {
		for i, r := range s.Releases {
			if o := &s.Outputs[i]; out[r.ID] && (o.Err != nil || o.Untouched || RunsPods(o.Docs)) {
				delete(out, r.ID)
			}
		}
	}
	return out
}

// RunsPods reports whether some documents have a workload of Kubernetes' own that is no hook.
func RunsPods(docs []document.Document) bool {
	return slices.ContainsFunc(docs, func(d document.Document) bool {
		switch document.GVK(d.Content).Kind {
		case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob", "Pod":
			return !d.Hook
		}
		return false
	})
}

// setRunsPods reports whether a chart runs pods with a values file beside it, or of chart-testing.
func setRunsPods(s *side.Side, chart string) bool {
	for i, r := range s.Releases {
		if r.Path == chart && r.ID != chart && discover.IsSet(r) && s.Outputs[i].Err == nil && RunsPods(s.Outputs[i].Docs) {
			return true
		}
	}
	return false
}

// remarkNeed says of a chart that it renders without values on the other side alone: who
// installs it with none is in for it.
func remarkNeed(s *side.Side, helped map[string]bool, sides []*side.Side) {
	for i, r := range s.Releases {
		k, has := s.ByID[r.Path]
		if !helped[r.Path] || discover.IsBare(r) || !discover.IsSet(r) || !has || s.Outputs[k].Err == nil {
			continue
		}
		for _, other := range sides {
			if at, ok := other.ByID[r.Path]; ok && other.Outputs[at].Err == nil {
				s.Outputs[i].Notes = append(s.Outputs[i].Notes,
					object.Say(object.ValuesNeeded, other.Src.Tree.Name(), s.Outputs[k].Err.Reason))
			}
		}
	}
}

// rendersSet reports whether a chart renders with a values file beside it, or of chart-testing.
func rendersSet(s *side.Side, chart string) bool {
	for i, r := range s.Releases {
		if r.Path == chart && r.ID != chart && discover.IsSet(r) && s.Outputs[i].Err == nil {
			return true
		}
	}
	return false
}

// addTestValues adds and renders the releases of the charts that need values.
func addTestValues(s *side.Side, ctx context.Context, needy map[string]bool) error {
	from := len(s.Releases)
	var list []release.Release
	for _, r := range s.Releases {
		if !discover.IsBare(r) || !needy[r.ID] {
			continue
		}
		for _, f := range discover.TestValues(s.Src, r.Path) {
			list = append(list, withTest(r, f))
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := s.Gather(ctx, list, nil); err != nil {
		return err
	}
	return s.CompleteFrom(ctx, from)
}

// dropBare takes charts out that render with values alone, and test values out that do not
// help: the chart's own failure stands for them, unless that is that it came too late.
func dropBare(s *side.Side, needy, helped, late map[string]bool) {
	kept := s.Without()
	sets := map[string]int{} // by chart
	for _, r := range s.Releases {
		if discover.IsSet(r) && !discover.IsBare(r) {
			sets[r.Path]++
		}
	}
	kept.Ignored = slices.DeleteFunc(s.Ignored, func(g object.Ignored) bool {
		dir := path.Dir(path.Dir(g.Path))
		return helped[dir] && path.Base(path.Dir(g.Path)) == "ci" && discover.IsTestValues(path.Base(g.Path))
	})
	for i, r := range s.Releases {
		if e := s.Outputs[i].Err; e != nil && needy[r.ID] && discover.IsBare(r) &&
			helm.Asks(e) && len(discover.TestValues(s.Src, r.Path)) == 0 {
			asked := *e
			asked.Remedy = side.GiveValues
			s.Outputs[i].Err = &asked
		}
		switch {
		case discover.IsBare(r) && helped[r.ID] && sets[r.Path] > 0:
			why := "needs values: rendered with the values files beside it and those of chart-testing"
			if e := s.Outputs[i].Err; e != nil {
				why += " (without: " + e.Reason + ")"
			} else if !s.Outputs[i].Untouched && !RunsPods(s.Outputs[i].Docs) {
				why += " (without, it runs no pods)"
			}
			kept.Ignored = append(kept.Ignored, object.Ignored{Path: r.ID, Reason: why})
			continue
		case discover.IsSet(r) && needy[r.Path] && !helped[r.Path] && !late[r.Path] &&
			strings.HasPrefix(r.ID, path.Join(r.Path, "")+":ci/"):
			continue
		}
		kept.ByID[r.ID] = len(kept.Releases)
		kept.Take(s, i)
	}
	discover.SortIgnored(kept.Ignored)
	*s = *kept
}

// DropUnset takes out what GitOps declares with a values file that is on no side, and does
// not render for it, where the same chart renders with the values files beside it: the name
// of the file is put together from a setting that only the cluster has, such as the
// environment, and these files are its environments.
func DropUnset(sides ...*side.Side) {
	unset := map[string]bool{}
	for n, drop := range []bool{false, true} {
		for _, s := range sides {
			kept := s.Without()
			kept.Ignored, kept.Waiting = s.Ignored, s.Waiting
			for i, r := range s.Releases {
				missing := lacksValues(s, i)
				switch {
				case n == 0 && missing && rendersSet(s, r.Path):
					unset[r.ID] = true
				case drop && unset[r.ID] && missing:
					kept.Ignored = append(kept.Ignored,
						object.Ignored{Path: r.Path,
							Reason: r.Selected + " names values that are not here: rendered with the values files beside the chart"})
					continue
				}
				kept.ByID[r.ID] = len(kept.Releases)
				kept.Take(s, i)
			}
			if drop {
				discover.SortIgnored(kept.Ignored)
				*s = *kept
			}
		}
		for _, s := range sides { // content that one side renders belongs to no environment
			for i, r := range s.Releases {
				if unset[r.ID] && !lacksValues(s, i) {
					delete(unset, r.ID)
				}
			}
		}
	}
}

// lacksValues reports whether a GitOps release of a chart that is here fails and names a values
// file that is not.
func lacksValues(s *side.Side, i int) bool {
	r := s.Releases[i]
	if r.Kind != object.Helm || r.By.File == "" || s.Outputs[i].Err == nil || source.MountOf(r.Path) != "" {
		return false
	}
	return slices.ContainsFunc(r.Values, func(v string) bool { return source.MountOf(v) == "" && !s.Src.HasFile(v) })
}
