package run

import (
	"cmp"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// enterGone lists the workloads of a release that head does not have any more, and says what is
// left of other releases that acts on them. One that a release of head took over has moved.
// Of one that takes no workload with it that could be read it returns what it had; else "".
func enterGone(r *finding.Result, p slice.Pair, ch *object.Changes, remains func() *static.Remains) string {
	if p.Head != nil || p.Base == nil || ch.Undecided(p.Base) != "" {
		return ""
	}
	has := func(r *object.Rendered, o *object.Object) bool {
		return slices.ContainsFunc(r.Objects, func(x *object.Object) bool { return x.ID == o.ID })
	}
	moved := func(o *object.Object) bool {
		return slices.ContainsFunc(ch.Head.Releases, func(h *object.Rendered) bool {
			return has(h, o) && !slices.ContainsFunc(ch.Base.Releases,
				func(b *object.Rendered) bool { return b.ID == h.ID && has(b, o) })
		})
	}
	said := 0
	var names []string
	var lost []*object.Object
	for _, o := range p.Base.Objects {
		if o.Hook || !slice.RunsPods(o) && !modeled(o) || moved(o) {
			continue
		}
		r.Workloads = append(r.Workloads, finding.Workload{
			ID: o.ID.String(), Release: p.ID, Change: string(object.Removed), Verdict: finding.Pass,
			Reason: "it is in no release any longer",
		})
		names, lost = append(names, o.ID.String()), append(lost, o)
		for _, left := range left(o, ch.Head) {
			if said++; said > static.MostOrphans {
				break
			}
			where := left.Locate("metadata.name")
			r.Notices = append(r.Notices, finding.Say(finding.LeftBehind, o.ID, p.ID).On(left.ID.String()).In(left.Release).
				At(where.File, max(where.StartLine, 1)))
		}
	}
	switch {
	case slices.ContainsFunc(p.Base.Objects, remains().Has): // which is not gone, see [rules.NoLongerDeployed]
	case len(names) > 0 && p.Base.Kind == object.Helm && p.Base.Delivery.Tool == "" &&
		(p.Base.By.File != "" || p.Base.At.File != ""): // of a helmfile or a script, which uninstall nothing
		r.Notices = append(r.Notices, finding.Say(finding.ReleaseDropped).In(p.ID).With(names...))
	case len(names) > 0:
		n := finding.Say(finding.ReleaseGoneWith)
		if i := slices.IndexFunc(ch.Head.Releases, func(h *object.Rendered) bool { // in the same cluster, perhaps
			return !slices.ContainsFunc(lost, func(o *object.Object) bool { return !has(h, o) })
		}); i >= 0 {
			n = finding.Say(finding.ReleaseGoneWith, ch.Head.Releases[i].ID)
		}
		r.Notices = append(r.Notices, n.In(p.ID).With(names...))
	case slices.ContainsFunc(p.Base.Objects, moved) || render.TakenOver(ch, p.Base):
	case p.Base.Err != nil:
		return "failed"
	case p.Base.Untouched:
		return "untouched"
	default:
		return "none"
	}
	return ""
}

// movedHere reports whether an object of head is base's as it was, in a release of that cluster which lacks it now.
func movedHere(ch *object.Changes, to *object.Rendered, o *object.Object) bool {
	has := func(list []*object.Rendered, id string) bool {
		return slices.ContainsFunc(list, func(r *object.Rendered) bool {
			return r.ID == id && (r.Err != nil || r.Untouched ||
				slices.ContainsFunc(r.Objects, func(x *object.Object) bool { return x.ID == o.ID }))
		})
	}
	return ch.Base != nil && !has(ch.Base.Releases, to.ID) &&
		slices.ContainsFunc(ch.Base.Releases, func(b *object.Rendered) bool {
			return b.Cluster == to.Cluster && !has(ch.Head.Releases, b.ID) && slices.ContainsFunc(b.Objects,
				func(x *object.Object) bool { return object.Same([]*object.Object{x}, []*object.Object{o}) })
		})
}

// enterRemoved says which workloads go from a release that stays, and what acted on those that stay, if no other notice
// does: a workload without any actor left is a change as well. One that another release has now moved.
func enterRemoved(
	r *finding.Result, p slice.Pair, ch *object.Changes, changes []*object.Change, orphans []finding.Note,
) {
	var names []string
	stays := map[*object.Object]bool{} // as head's object in its place is refused
	for _, o := range p.Instead {
		stays[o] = true
	}
	for _, c := range changes {
		if c.Kind != object.Removed || c.Base.Hook || stays[c.Base] ||
			!slice.RunsPods(c.Base) && !modeled(c.Base) && !misses(p.Head, c.Base) {
			continue
		}
		id := c.Base.ID
		said := slices.ContainsFunc(orphans, func(n finding.Note) bool {
			return n.Kind == finding.ActsOnNothing && n.Arg(0) == id.String()
		})
		moved := slices.ContainsFunc(ch.Head.Releases, func(h *object.Rendered) bool {
			return slices.ContainsFunc(h.Objects, func(o *object.Object) bool { return o.ID == id })
		})
		if !said && !moved {
			names = append(names, id.String())
		}
	}
	if len(names) > 0 {
		r.Notices = append(r.Notices, finding.Say(finding.WorkloadsRemoved).In(p.ID).With(names...))
	}
}

// misses reports whether an object that is gone acted on a workload that a release still has.
func misses(r *object.Rendered, gone *object.Object) bool {
	return r != nil && static.Targeting(gone) &&
		slices.ContainsFunc(r.Objects, func(o *object.Object) bool { return static.Aims(gone, o) })
}

// enterStilled names the workloads of which a change takes the pods while they stay, or whose pods wait for a resume:
// nothing that may be wrong with these pods shows. Of a suspended release nothing at all is applied.
func enterStilled(r *finding.Result, p slice.Pair, changes []*object.Change) {
	if p.Head.Delivery.Suspended && p.Base != nil && (len(changes) > 0 || !p.Base.Delivery.Suspended) {
		r.Notices = append(r.Notices, finding.Say(finding.ReleaseSuspended).In(p.ID))
		return
	}
	if p.Base != nil && p.Base.Delivery.Automated && p.Head.Delivery.Tool == object.ArgoCD && !p.Head.Delivery.Automated {
		r.Notices = append(r.Notices, finding.Say(finding.ReleaseManual).In(p.ID))
	}
	var names []string
	for _, c := range changes {
		if c.Base == nil || c.Head == nil {
			continue
		}
		was, modeled := state.ManifestOf(c.Base.Typed)
		is, still := state.ManifestOf(c.Head.Typed)
		if !modeled || !still {
			continue
		}
		none := func(m *state.Manifest) bool {
			return m.ReplicasField() != nil && m.MostReplicas() == 0 || m.Suspended()
		}
		if none(&is) && !none(&was) || (is.Paused() || held(c.Head)) && c.TemplateChanged {
			names = append(names, c.Head.ID.String())
		}
	}
	if len(names) > 0 {
		r.Notices = append(r.Notices, finding.Say(finding.WorkloadsStilled).In(p.ID).With(names...))
	}
}

// held reports whether a set's own strategy replaces none of its pods for a new template: they wait for somebody to
// delete them, or are all below the partition.
//
// Upstream: kubernetes v1.36.3, pkg/controller/statefulset: (*defaultStatefulSetControl).performUpdate;
// pkg/controller/daemon: (*DaemonSetsController).updateDaemonSet.
func held(o *object.Object) bool {
	switch t := o.Typed.(type) {
	case *appsv1.StatefulSet:
		s := t.Spec.UpdateStrategy
		return s.Type == appsv1.OnDeleteStatefulSetStrategyType || s.RollingUpdate != nil &&
			s.RollingUpdate.Partition != nil && *s.RollingUpdate.Partition >= ptr.Deref(t.Spec.Replicas, 1)
	case *appsv1.DaemonSet:
		return t.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	}
	return false
}

// modeled reports whether an object is of a kind whose pods an actor runs.
func modeled(o *object.Object) bool {
	_, ok := state.ManifestOf(o.Typed)
	return ok
}

// left lists the objects of head that act on a workload that is gone, and on no other one.
func left(o *object.Object, head *object.Revision) []*object.Object {
	var out []*object.Object
	for _, rel := range head.Releases {
		for _, x := range rel.Objects {
			if !static.Targeting(x) || !static.Aims(x, o) {
				continue
			}
			other := slices.ContainsFunc(head.Releases, func(h *object.Rendered) bool {
				return slices.ContainsFunc(h.Objects, func(t *object.Object) bool { return static.Aims(x, t) })
			})
			if !other {
				out = append(out, x)
			}
		}
	}
	return out
}

// Referred are the kinds of objects that others name, as "group/Kind".
func Referred() []string { return static.ReferredKinds() }

// Leftovers are texts that stand in the objects which act on workloads of any release.
func Leftovers() []string {
	return []string{"PodDisruptionBudget", "HorizontalPodAutoscaler", "VerticalPodAutoscaler", "ScaledObject"}
}

// unusedFiles names the changed files of charts, kustomizations and manifests that no release
// is made of: nothing is said about them.
func unusedFiles(r *finding.Result, ch *object.Changes, p *policies.Policy) {
	r.Narrowed = ch.Head.Narrowed
	if slices.ContainsFunc(ch.Head.Releases, func(rel *object.Rendered) bool {
		return rel.Path == "." && rel.Err != nil && rel.Err.Cut
	}) {
		return // the list of releases is not known
	}
	n, parked := finding.Say(finding.UsedByNone), finding.Say(finding.Parked)
	var values []string
	for _, f := range render.Unused(ch) {
		r.Unused = r.Unused || f.Reason != object.NoChartTakesThem
		to := &n
		switch {
		case f.Reason == object.NoChartTakesThem && p.Parks(f.Path):
			to = &parked
		case f.Reason == object.NoChartTakesThem:
			values = append(values, f.Path)
			continue
		case !render.RunsPods(ch, f.Path):
		case p.Parks(f.Path) || render.Parked(ch, f):
			to = &parked
		default:
			r.Releases = append(r.Releases, unclaimed(f.Path, cmp.Or(f.Reason, "no release is made of it"),
				"list it where it is applied from; if nothing applies it, leave it out of the check with `parked: ['"+f.Path+
					"']` in the policy; if something else does, run `kubesettle check "+f.Path+"`"))
			continue
		}
		to.Names, to.Args = append(to.Names, f.Path), append(to.Args, f.Reason)
	}
	one := func(files []string, why, remedy string) {
		if len(files) == 0 {
			return
		}
		if n := len(files) - 1; n > 0 {
			why += fmt.Sprintf(", and so for %d more", n)
		}
		r.Releases = append(r.Releases, unclaimed(files[0], why, remedy))
	}
	one(slices.DeleteFunc(render.Programs(ch), p.Parks), "it is a program that gives manifests, and is not run",
		"render its output before and after, and compare the two: --base-dir and --head-dir")
	if len(values) > 0 {
		one(values, "no release is known to take these values",
			"declare the release that takes them in the policy, `releases: [{id: NAME, chart: FOLDER, values: [FILE]}]`, or compare what the "+
				"chart gives with them before and after: --base-dir and --head-dir; if nothing is deployed with them, "+
				"leave them out with `parked: ['"+values[0]+"']` in the policy")
	}
	opened(r, ch, p, &parked)
	for _, n := range []finding.Note{n, parked} {
		if len(n.Names) > 0 {
			r.Notices = append(r.Notices, n)
		}
	}
}

// opened names the changed files by which a program that is not run installs something, one for each reason.
func opened(r *finding.Result, ch *object.Changes, p *policies.Policy, parked *finding.Note) {
	at := map[string]int{} // of a reason, in the releases
	more := map[string]int{}
	for _, o := range render.Opened(ch) {
		if p.Parks(o.File) {
			parked.Names, parked.Args = append(parked.Names, o.File), append(parked.Args, o.Reason)
			continue
		}
		if _, said := at[o.Reason]; said {
			more[o.Reason]++
			continue
		}
		at[o.Reason] = len(r.Releases)
		one := unclaimed(o.File, o.Reason, "render what it installs before and after, and compare the two: "+
			"--base-dir and --head-dir; if no cluster depends on it, leave it out of the check with `parked: ['"+o.File+
			"']` in the policy")
		one.Where.StartLine, one.Where.EndLine = o.Line, o.Line
		r.Releases = append(r.Releases, one)
	}
	for reason, n := range more {
		r.Releases[at[reason]].Reason += fmt.Sprintf(", and so for %d more", n)
	}
}

// unclaimed is a changed file that gives workloads and that no release is made of: whoever applies it, it was not
// analysed.
func unclaimed(file, why, remedy string) finding.ReleaseResult {
	at := finding.Location{File: file, StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2, Side: "head",
		Attribution: "file"}
	return finding.ReleaseResult{ID: file, Kind: string(object.Manifests), Status: "unclaimed", Changed: true,
		Before: true, Where: &at, Reason: why, Remedy: remedy}
}

// standsFor says of what a release of head was made where the repository does not say it alone: of files that are not
// in it, if the release changes, and of objects that stand twice, if the change brings them.
func standsFor(r *finding.Result, p slice.Pair, changed, all bool) {
	var files []string
	for _, n := range p.Head.Notes {
		if n.Kind == object.PlaceholderStands && changed {
			files = append(files, n.Args[0])
		}
	}
	if len(files) > 0 {
		r.Notices = append(r.Notices, finding.Say(finding.Placeholders).In(p.ID).With(files...))
	}
	if names := static.Doubled(p); len(names) > 0 && !all {
		r.Notices = append(r.Notices, finding.Say(finding.DeclaredTwice).In(p.ID).With(names...))
	}
}
