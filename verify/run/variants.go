package run

import (
	"context"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// variants are the searches of a slice: on the declared cluster first, in each placement of the others (see
// [slice.Around.Meet]); if its size is open and others take room, also on the smallest sizes that hold them (see
// [slice.Around.Sizes]).
func (a *Analysis) variants(sl *slice.Slice) []scenario.Variant {
	p, invented := sl.Suit(a.besides.PolicyOf(sl.Release, a.besides.Head))
	a.note(invented...)
	sl.RunsBeside(p)
	sl.Maintained = p.Events.Drain == nil && !p.Events.NoDrain
	if a.besides.Compared {
		sl.RanBeside(a.besides.PolicyOf(sl.Release, a.besides.Base))
	}
	sl.Watched(a.checker.Rules)
	if slice.Limited(a.Options.Policy) {
		sl.DaemonKeys()
	}
	met := a.meets(sl, p)
	for _, m := range met {
		m.Hold(sl)
	}
	a.note(sl.Notes...)
	a.startLive(sl)
	from, more, notes := a.around.Sizes(sl, met[0].Own)
	a.note(notes...)
	met[0].Own = from
	var out []scenario.Variant
	for i, m := range append(met, more...) {
		if i > 0 {
			sl = sl.Copy()
		}
		out = append(out, a.variant(sl, m))
	}
	return out
}

// variant is the search of a slice on one cluster.
func (a *Analysis) variant(sl *slice.Slice, m slice.Met) scenario.Variant {
	p := m.Own
	classes := p.NodeClasses(sl.Relevant)
	a.note(sl.Crowd(classes)...)
	for _, o := range m.Others {
		other := o.NodeClasses(sl.Relevant)
		sl.Crowd(other)
		sl.Shapes(other)
		sl.Elsewhere = append(sl.Elsewhere, other)
	}
	if a.besides.Compared {
		was := []state.NodeClass(nil)
		if m.Alone() { // declared nodes alone belong to no NodePool
			before := a.meets(sl, a.besides.PolicyOf(sl.Release, a.besides.Base))[0].Own
			was = before.NodeClasses(sl.Relevant)
		}
		sl.Before.Classes = slice.AsBefore(classes, was)
	}
	sl.Shapes(classes)
	events := scenario.Budgets(p, sl.Spec.Workloads)
	if d := a.deliveryOf(sl.Release).pair; d.Head != nil {
		if d.Head.Delivery.Tool == "" && d.Head.Delivery.Upgrade.Undone() == object.Rollback {
			events.Rollback = true // as the repository has it, where a revision may be bad
		}
		sl.Spec.Helm, sl.Deliverer = static.Remedies(a.places.Changes.Head, d)
	}
	stranded := events.BadRevision > 0 && a.strand(sl) // of these it matters which have started
	sl.Spec.Unreduced = a.Options.Unreduced
	sl.Spec.Unlumped, sl.Spec.Interleaved = a.Options.Unlumped || stranded, a.Options.Interleaved
	return scenario.VariantOf(sl, classes, a.deliver(sl), events)
}

// delivered is a release on both sides, with the order in which Argo CD or Flux applies its objects where one does.
type delivered struct {
	pair    slice.Pair
	waves   *static.Waves
	ordered bool
}

// deliveryOf is a release by its ID.
func (a *Analysis) deliveryOf(release string) delivered {
	if a.places.Changes == nil { // one state of manifests, without a base
		return delivered{}
	}
	if a.deliveries == nil {
		a.deliveries = map[string]delivered{}
		for _, p := range slice.Pairs(a.places.Changes) {
			d := delivered{pair: p}
			if p.Head != nil {
				d.waves, d.ordered = static.NewWaves(p)
			}
			a.deliveries[p.ID] = d
		}
	}
	return a.deliveries[release]
}

// deliver marks how the tool in use applies the release of a slice: in which steps, and which objects it replaces as a
// whole. It gives how manifests are merged, which is the policy's to say first.
func (a *Analysis) deliver(sl *slice.Slice) state.Apply {
	mode, d := applyMode(a.Options.Policy), a.deliveryOf(sl.Release)
	if d.pair.Head == nil {
		return mode
	}
	if a.Options.Policy.Apply == "" && d.pair.Head.Delivery.ServerSide {
		mode = state.ServerSide
	}
	step := func(id string) int {
		if pair := sl.Objects[id]; pair != nil && d.ordered && sl.Owner(id) == sl.Release {
			return d.waves.Of(pair[state.Base], pair[state.Head])
		}
		return 0
	}
	sl.Spec.Straight = d.ordered && !d.waves.Waits()
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		w.Step = step(w.ID)
		of := a.deliveryOf(sl.Owner(w.ID)).pair
		for v, r := range []*object.Rendered{of.Base, of.Head} {
			pair := sl.Objects[w.ID]
			w.Manifests[v].Replaced = pair != nil && pair[v] != nil && static.Replaces(r, pair[v])
		}
	}
	for i := range sl.Spec.Quotas {
		q := &sl.Spec.Quotas[i]
		q.Step = step(q.ID())
	}
	return mode
}

// strand marks the workloads of which base's pods no longer start once head is applied, and reports whether there are
// any. They matter where a rollout may not end: otherwise they are replaced soon.
func (a *Analysis) strand(sl *slice.Slice) bool {
	found := false
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		if pair := sl.Objects[w.ID]; pair != nil && static.Strands(a.places.Changes, sl.Owner(w.ID), pair[state.Base]) {
			w.Manifests[state.Base].Stranded, found = true, true
		}
	}
	return found
}

// plan lays out the searches of the slices, and gives how many there are; cov says so where the
// budget ended before.
func (a *Analysis) plan(ctx context.Context, picked []*slice.Slice,
	cov *scenario.Coverage) (plans []scenario.Plan, tasks int, err error) {
	for _, sl := range picked {
		if err := context.Cause(ctx); a.checker.Expired() || err != nil {
			cov.Bound = search.TimeBound
			if outOfMemory(ctx) {
				cov.Bound = search.MemoryBound
			}
			a.undecided(sl, "the "+boundName(cov.Bound)+" budget ran out before it was searched")
			continue
		}
		for _, v := range a.variants(sl) {
			plan, err := a.checker.Plan(a.runnable(v))
			if err != nil {
				a.undecided(sl, err.Error())
				continue
			}
			plans = append(plans, plan)
			tasks += len(scenario.Order(plans[len(plans)-1:]))
		}
	}
	return plans, tasks, nil
}

// runnable leaves the descheduler out where its policy has something that is not modeled: it is
// said, and what does not hang on it is verified all the same.
func (a *Analysis) runnable(v scenario.Variant) scenario.Variant {
	if v.Spec.Descheduler == nil && (v.Before == nil || v.Before.Descheduler == nil) {
		return v
	}
	for _, side := range []scenario.Variant{v, v.Reapply()} {
		if side.Spec.Descheduler == nil {
			continue
		}
		_, err := scenario.NewProblem(&side.Spec, scale.Least(side.Spec.Classes), nil, a.checker.Timing)
		if err == nil || !scenario.NotModeled(err) {
			continue
		}
		without := side
		without.Spec.Descheduler = nil
		if _, other := scenario.NewProblem(&without.Spec, scale.Least(side.Spec.Classes), nil,
			a.checker.Timing); other != nil {
			continue // it is something else
		}
		a.note(finding.Say(finding.DeschedulerLeftOut, err))
		v.Spec.Descheduler = nil
		if v.Before != nil {
			v.Before.Descheduler = nil
		}
		break
	}
	return v
}
