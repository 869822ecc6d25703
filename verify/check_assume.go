package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/control/actor"
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
func (a *analysis) note(assumptions []string) {
	if a.noted == nil {
		a.noted = map[string]bool{}
	}
	for _, s := range assumptions {
		if !a.noted[s] {
			a.noted[s] = true
			a.result.Assumptions = append(a.result.Assumptions, s)
		}
	}
}

// assume says under which assumptions the result stands, and what the actors may hide.
func (a *analysis) assume(p *policies.Policy, ch *render.Changes, models map[string]*actor.Model) {
	add := func(s string) { a.note([]string{s}) }
	if p.Cluster.Assumed {
		add("no cluster was declared: an elastic three-zone cluster is assumed, and no finding rests on its capacity (declare cluster.nodes or cluster.nodePools in the policy)")
	}
	for _, g := range p.Cluster.Gated.Locked() {
		add(fmt.Sprintf("the cluster is older than 1.%d, which locks the gate %s to true: the policy sets it to false (cluster.version says which it is)",
			g.LockedSince, g.Name))
	}
	if p.Timing == "arbitrary" {
		add("timing is arbitrary, as the policy says: every order of the loops' steps was explored; what a loop reads is never stale, and none stops halfway")
	}
	if p.Crash > 0 {
		add("the kube-controller-manager restarts at any moment, as the policy says (timing.crash)")
	}
	if p.Stale > 0 {
		add(fmt.Sprintf("what one controller sees of pods lags behind once in a run, by at most %d of the last writes of others, as the policy says (timing.stale)", p.Stale))
	}
	if p.Cluster.Snapshot != nil {
		assumeSnapshot(p, add)
	} else {
		add("releases are checked in isolation: workloads of other releases take no room unless cluster.releases names them, nor do unconnected ones of the same release while the number of nodes or their capacity is open")
	}
	if p.Controllers.Descheduler != nil {
		add("the descheduler evicts only pods that are searched together; of others it counts what they request on nodes that are known")
	}
	for _, loop := range slices.Sorted(maps.Keys(models)) {
		if hides := models[loop].MayHide; len(hides) > 0 {
			add("may hide (" + loop + "): " + strings.Join(hides, "; "))
		}
	}
	for _, s := range p.Unsupported() {
		add("in the policy but not checked yet: " + s)
	}
	for _, rel := range ch.Head.Releases {
		for _, n := range rel.Notes {
			add(rel.ID + ": " + n)
		}
	}
	a.note(slice.Foreign(ch.Head))
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
	a.note([]string{"verified at a reduced scale: " + words + "; order, small differences and proportions of the replica counts are kept; what depends on a declared number itself may be missed"})
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
	found := "they found nothing more, which shows nothing"
	if sr.Swarmed.Found > 0 {
		found = "what they found is real, and what they did not find is open"
	}
	a.note([]string{fmt.Sprintf("%s: the search at the declared size of %d nodes and %d pods did not come to its end, so runs in drawn orders were taken there, %d steps in all; %s",
		sr.Variant.Spec.Workloads[0].ID, sr.Swarmed.Nodes, sr.Swarmed.Pods, sr.Swarmed.Steps, found)})
}
