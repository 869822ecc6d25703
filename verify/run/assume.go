package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// undecided marks a slice's workloads as inconclusive.
func (a *Analysis) undecided(sl *slice.Slice, reason string) {
	for len(a.entered) < len(a.Result.Workloads) { // what came since
		if a.byWorkload == nil {
			a.byWorkload = map[[2]string][]int{}
		}
		i := len(a.entered)
		w := &a.Result.Workloads[i]
		k := [2]string{w.Release, w.ID}
		a.byWorkload[k] = append(a.byWorkload[k], i)
		a.entered = append(a.entered, k)
	}
	for _, x := range sl.Workloads {
		for _, i := range a.byWorkload[[2]string{sl.Owner(x.ID), x.ID}] {
			w := &a.Result.Workloads[i]
			w.Verdict, w.Reason = finding.Inconclusive, reason
		}
	}
}

// note adds assumptions, each once.
func (a *Analysis) note(assumptions ...finding.Note) {
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	for _, n := range assumptions {
		if k := n.Key(); !a.noted[k] {
			a.noted[k] = true
			a.Result.Assumptions = append(a.Result.Assumptions, n)
		}
	}
}

// assume says under which assumptions the result stands, and what the actors may hide.
func (a *Analysis) assume(p *policies.Policy, ch *object.Changes, models map[string]*actor.Model) {
	if p.Cluster.Assumed {
		a.note(finding.Say(finding.NoCluster))
	}
	for _, g := range p.Cluster.Gated.Locked() {
		a.note(finding.Say(finding.GateLocked, g.Name, g.LockedSince))
	}
	if p.Timing == "arbitrary" {
		a.note(finding.Say(finding.ArbitraryTiming))
	}
	if p.Crash > 0 {
		a.note(finding.Say(finding.ManagerRestarts))
	}
	if p.Stale > 0 {
		a.note(finding.Say(finding.StaleViews, p.Stale))
	}
	if p.Cluster.Snapshot != nil {
		a.note(assumeSnapshot(p)...)
	} else {
		a.note(finding.Say(finding.Isolated))
	}
	if p.Controllers.Descheduler != nil {
		a.note(finding.Say(finding.DeschedulerAlone))
	}
	for _, loop := range slices.Sorted(maps.Keys(models)) {
		if hides := models[loop].MayHide; len(hides) > 0 {
			a.note(finding.Say(finding.MayHide, loop).With(hides...))
		}
	}
	for _, s := range p.Unsupported() {
		a.note(finding.Say(finding.PolicyUnsupported, s))
	}
	for _, rel := range ch.Head.Releases {
		for _, n := range rel.Notes {
			if n.Kind == object.HiddenPart || n.Kind == object.HookUnknown || n.Kind == object.UnreadValue ||
				n.Kind == object.EntryInVain {
				continue // a notice, and findings
			}
			said := finding.Say(finding.ReleaseNote, n.Kind).In(rel.ID).At(n.File, n.Line).On(n.Object)
			said.Args = append(said.Args, n.Args...)
			a.note(said)
		}
	}
	a.note(slice.Foreign(ch.Head, besideChange(ch))...)
}

// besideChange reports which objects the change is about: of a release that is compared, those that change, and what
// is in a namespace of theirs or in none.
func besideChange(ch *object.Changes) func(*object.Rendered, object.ID) bool {
	compared, near := map[string]bool{}, map[[2]string]bool{}
	if ch.Base != nil {
		for _, rel := range ch.Base.Releases {
			compared[rel.ID] = rel.Err == nil
		}
	}
	for i := range ch.Changes {
		c := &ch.Changes[i]
		near[[2]string{c.Release, c.ID().Namespace}] = true
		near[[2]string{c.Release, ""}] = true
	}
	return func(rel *object.Rendered, id object.ID) bool {
		if !compared[rel.ID] {
			return ch.Base == nil || rel.Changed
		}
		return near[[2]string{rel.ID, id.Namespace}]
	}
}

func applyMode(p *policies.Policy) state.Apply {
	if p.Apply == "server-side" {
		return state.ServerSide
	}
	return state.ClientSide
}

// boundName is a bound as it stands in results.
func boundName(b search.Bound) string {
	switch b {
	case search.StateBound:
		return "states"
	case search.MemoryBound:
		return "memory"
	case search.TimeBound, search.Cancelled:
		return "time"
	}
	return "complete"
}

// holdsReduced says of a slice that was searched at a reduced scale what that claims.
func (a *Analysis) holdsReduced(sr *scenario.SliceResult) {
	counts := sr.Variant.StandIns()
	if len(counts) == 0 {
		return
	}
	words := scenario.ReducedTo(counts)
	a.Result.Coverage.Reduced = append(a.Result.Coverage.Reduced, counts...)
	for _, r := range a.checker.Rules {
		if r.Scope != nil && r.Scope.Absolute && sr.Variant.Concerns(r) {
			a.undecided(sr.Variant.Slice, fmt.Sprintf("%s:%d: intents.custom %s calculates with numbers that mean something only as declared, and the search as declared was not finished: %s", r.Declared.File, r.Declared.Line, r.ID, words))
		}
	}
	a.note(finding.Say(finding.SearchedReduced).With(words))
	if sr.TimeRanOut() {
		a.undecided(sr.Variant.Slice, "the time budget ran out before every topology was explored as declared; explored in full at a reduced scale: "+words)
	}
}

// enterRuns says which runs were taken where a slice was not searched to the end as declared.
func (a *Analysis) enterRuns(sr *scenario.SliceResult) {
	if sr.Swarmed == nil {
		return
	}
	a.Result.Coverage.Swarmed = append(a.Result.Coverage.Swarmed, sr.Swarmed.Swarmed)
	a.note(finding.Say(finding.RandomRuns, sr.Swarmed.Nodes, sr.Swarmed.Pods, sr.Swarmed.Steps, sr.Swarmed.Found).
		On(sr.Variant.Spec.Workloads[0].ID))
}

// assumeSnapshot says what a result that rests on a snapshot assumes.
func assumeSnapshot(p *policies.Policy) []finding.Note {
	shot := p.Cluster.Snapshot
	out := []finding.Note{finding.Say(finding.FromSnapshot, p.Cluster.SnapshotFile, shot.Taken)}
	for _, g := range shot.Gaps {
		out = append(out, finding.Say(finding.SnapshotLacks, g.Kind, g.Reason))
	}
	return out
}

// snapshotNotices are said on every surface: that a snapshot is old, or says too little.
func (a *Analysis) snapshotNotices() []finding.Note {
	c := &a.Options.Policy.Cluster
	if c.Snapshot == nil {
		return nil
	}
	var out []finding.Note
	if days := c.Stale(a.Options.Today); days > 0 {
		out = append(out, finding.Say(finding.SnapshotOld, c.SnapshotFile, c.Snapshot.Taken, days))
	}
	if by := c.Grows(); by != "" {
		out = append(out, finding.Say(finding.SnapshotGrows, by))
	}
	if why := c.Snapshot.Missing("pods"); why != "" {
		out = append(out, finding.Say(finding.SnapshotLacksPods, c.SnapshotFile, why))
	}
	for i := range c.Snapshot.Nodes {
		if n := &c.Snapshot.Nodes[i]; len(n.Conditions) > 0 {
			out = append(out, finding.Say(finding.NodeUnhealthy, n.Name).With(n.Conditions...))
		}
	}
	return out
}

// startLive makes the cluster as it is a start of the change, and notes where it is none and where it differs from
// base.
func (a *Analysis) startLive(sl *slice.Slice) {
	shot := a.Options.Policy.Cluster.Snapshot
	if shot == nil || a.places.Changes == nil {
		return
	}
	a.Result.Notices = finding.AppendNew(a.Result.Notices, sl.Disagree(shot)...)
	if why := sl.StartLive(shot); why != "" {
		a.Result.Notices = finding.AppendNew(a.Result.Notices,
			finding.Say(finding.NotStartedLive, why).On(sl.Spec.Workloads[0].ID))
	}
}

// meets gives the policy with the nodes as a slice finds them: of a snapshot, or beside what the releases declare, once
// for each placement of that which it can distinguish.
func (a *Analysis) meets(sl *slice.Slice, p *policies.Policy) []slice.Met {
	if p.Cluster.Snapshot != nil {
		return []slice.Met{{Own: sl.AsIs(p)}}
	}
	out, notes := a.around.Meet(sl, p)
	a.note(notes...)
	return out
}

// hiddenParts names the places of charts that change and that no value tried shows.
func hiddenParts(head *object.Revision) []finding.Note {
	said := finding.Say(finding.PartsHidden)
	for _, rel := range head.Releases {
		for _, n := range rel.Notes {
			if n.Kind == object.HiddenPart && !slices.ContainsFunc(rel.Notes, func(x object.Note) bool {
				return x.Kind == object.HookUnknown && strings.HasPrefix(n.Args[0], x.File+":") // a finding
			}) {
				said.Names = append(said.Names, n.Args...)
			}
		}
	}
	if len(said.Names) == 0 {
		return nil
	}
	return []finding.Note{said}
}
