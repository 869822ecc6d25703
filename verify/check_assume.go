package verify

import (
	"fmt"
	"maps"
	"slices"

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
func (a *analysis) undecided(sl *slice.Slice, reason string) {
	for len(a.entered) < len(a.result.Workloads) { // what came since
		if a.byWorkload == nil {
			a.byWorkload = map[[2]string][]int{}
		}
		i := len(a.entered)
		w := &a.result.Workloads[i]
		k := [2]string{w.Release, w.ID}
		a.byWorkload[k] = append(a.byWorkload[k], i)
		a.entered = append(a.entered, k)
	}
	for _, x := range sl.Workloads {
		for _, i := range a.byWorkload[[2]string{sl.Release, x.ID}] {
			w := &a.result.Workloads[i]
			w.Verdict, w.Reason = Inconclusive, reason
		}
	}
}

// note adds assumptions, each once.
func (a *analysis) note(assumptions ...finding.Note) {
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	for _, n := range assumptions {
		if k := n.Key(); !a.noted[k] {
			a.noted[k] = true
			a.result.Assumptions = append(a.result.Assumptions, n)
		}
	}
}

// assume says under which assumptions the result stands, and what the actors may hide.
func (a *analysis) assume(p *policies.Policy, ch *object.Changes, models map[string]*actor.Model) {
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
			a.note(finding.Say(finding.ReleaseNote, n).In(rel.ID))
		}
	}
	a.note(slice.Foreign(ch.Head)...)
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
func (a *analysis) holdsReduced(sr *scenario.SliceResult) {
	counts := sr.Variant.StandIns()
	if len(counts) == 0 {
		return
	}
	words := scenario.ReducedTo(counts)
	a.result.Coverage.Reduced = append(a.result.Coverage.Reduced, counts...)
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
func (a *analysis) enterRuns(sr *scenario.SliceResult) {
	if sr.Swarmed == nil {
		return
	}
	a.result.Coverage.Swarmed = append(a.result.Coverage.Swarmed, *sr.Swarmed)
	a.note(finding.Say(finding.RandomRuns, sr.Swarmed.Nodes, sr.Swarmed.Pods, sr.Swarmed.Steps, sr.Swarmed.Found).
		On(sr.Variant.Spec.Workloads[0].ID))
}
