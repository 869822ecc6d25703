package run

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/static"
)

// A placeholder in a rendered object stands for a value that is filled in before the object is applied. A text is
// compared as it stands, and equal to itself alone; a number is left out. So a change that reaches one is no pass, and
// a finding beside one that matters is no error.

// enterValues enters the first placeholder of a release that the change may reach, and gives its place in the list;
// -1: there is none.
func enterValues(rel *finding.ReleaseResult, p slice.Pair, pl judge.Places, changes []*object.Change) int {
	enter := func(o *object.Object, path, side string) int {
		at := pl.Location(o.Locate(path), side)
		rel.Unknown = append(rel.Unknown, finding.Unread{Kind: "value", What: path + " of " + o.ID.String(), Where: &at,
			Remedy: remedyOf(p.Head.Delivery.Fills), Differs: true})
		return len(rel.Unknown) - 1
	}
	var acting []*object.Object
	for _, c := range changes {
		one := cmp.Or(c.Head, c.Base)
		if !static.OnPods(one) || one.Hook || inert(c) {
			continue
		}
		acting = append(acting, one)
		for _, side := range []string{"head", "base"} {
			o := c.Head
			if side == "base" {
				o = c.Base
			}
			if c.Head == nil || o == nil {
				continue
			}
			for _, path := range o.Unknown {
				if static.ReachesPods(path) && (c.Base == nil && !strings.HasPrefix(path, "metadata.") ||
					slices.ContainsFunc(c.Fields, func(f object.FieldChange) bool { return judge.Overlap(f.Path, path) })) {
					return enter(o, path, side)
				}
			}
		}
	}
	if len(acting) == 0 {
		return -1
	}
	u := static.NewPlaceholders(p.Head.Objects)
	for _, o := range p.Head.Objects {
		if path := u.Matters(o); path != "" {
			return enter(o, path, "head")
		}
	}
	for _, other := range pl.Changes.Head.Releases { // of one cluster, as far as is known
		if other.ID == p.ID || other.Cluster != p.Head.Cluster {
			continue
		}
		for _, o := range other.Objects {
			if len(o.Unknown) == 0 || !slices.ContainsFunc(acting, func(w *object.Object) bool { return static.Limits(o, w) }) {
				continue
			}
			if path := static.NewPlaceholders(other.Objects).Matters(o); path != "" {
				return enter(o, path, "head")
			}
		}
	}
	return -1
}

// enterUndeclared enters the values that nothing gives a chart with its own values alone, and that the API server asks
// for: a change reaches one that comes with it, or that it edits.
func enterUndeclared(rel *finding.ReleaseResult, p slice.Pair, pl judge.Places,
	changes []*object.Change) []finding.Note {
	var out []finding.Note
	for _, u := range static.UndeclaredValues(p) {
		at := pl.Location(u.Object.Locate(u.Path), "head")
		reached := slices.ContainsFunc(changes, func(c *object.Change) bool {
			return c.Head == u.Object && slices.ContainsFunc(c.Fields, func(f object.FieldChange) bool {
				return judge.Overlap(f.Path, u.Path)
			})
		})
		rel.Unknown = append(rel.Unknown, finding.Unread{Kind: "value", What: u.Path + " of " + u.Object.ID.String(),
			Where: &at, Remedy: render.GiveValues, Differs: reached || u.New})
		out = append(out, finding.Say(finding.ReleaseNote, object.ValueUndeclared, u.Path, u.Value).In(p.ID).
			At(at.File, at.StartLine).On(u.Object.ID.String()))
	}
	return out
}

func remedyOf(flux bool) string {
	if flux {
		return "commit a ConfigMap with the variable, or give it a default: ${NAME:=value}"
	}
	return "check the files with the value filled in, as they are applied: --base-dir and --head-dir"
}

// hedgeUnknown words what hangs on placeholders: it is no error.
func (a *Analysis) hedgeUnknown(head *object.Revision) {
	byRelease := map[string]map[string]string{} // by release and object, the field that matters
	generated := map[string]bool{}              // of parameters that are not known
	for _, r := range head.Releases {
		generated[r.ID] = slices.ContainsFunc(r.Notes, func(n object.Note) bool { return n.Kind == object.ParametersUnknown })
		var u *static.Placeholders
		for _, o := range r.Objects {
			if len(o.Unknown) == 0 {
				continue
			}
			if u == nil {
				u, byRelease[r.ID] = static.NewPlaceholders(r.Objects), map[string]string{}
			}
			if path := u.Matters(o); path != "" {
				byRelease[r.ID][o.ID.String()] = path
			}
		}
	}
	for i := range a.Result.Findings {
		f := &a.Result.Findings[i]
		if f.Severity != "error" || f.Status == finding.Fixed ||
			f.Scale.Nodes == 0 && (f.Rule == rules.ApplyRejected || f.Rule == rules.CannotRevert) { // which knows itself
			continue
		}
		if generated[f.Release] || strings.Contains(f.Workload, "$ARGOCD_ENV_") {
			f.While("what its generator gives the ApplicationSet changes nothing of it", "releases")
			f.AtMostWarning()
			continue
		}
		fields := byRelease[f.Release]
		ids := []string{f.Workload}
		for _, w := range a.Result.Workloads {
			if w.Release == f.Release && w.ID == f.Workload && f.Scale.Nodes > 0 {
				ids = append(ids, w.Slice...)
			}
		}
		for _, id := range ids {
			if path := fields[id]; path != "" {
				f.While("the value filled in for "+path+" of "+id+" does not change it", "")
				f.AtMostWarning()
				break
			}
		}
	}
}
