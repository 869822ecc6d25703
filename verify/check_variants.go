package verify

import (
	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
	"github.com/kubesettle/kubesettle/verify/static"
)

// variants are what is searched of a slice: on the declared cluster first; where its size is open and
// others take room, also on the smallest that hold them (see [slice.Around.Sizes]).
func (a *analysis) variants(sl *slice.Slice) []scenario.Variant {
	p, invented := sl.Suit(a.besides.PolicyOf(sl.Release, a.besides.Head))
	a.note(invented...)
	sl.RunsBeside(p)
	sl.Maintained = p.Events.Drain == nil && !p.Events.NoDrain
	if a.besides.Compared {
		sl.RanBeside(a.besides.PolicyOf(sl.Release, a.besides.Base))
	}
	sl.Watched(a.checker.Rules)
	if slice.Limited(a.opt.Policy) {
		sl.DaemonKeys()
	}
	own, packed := a.meets(sl, p)
	a.note(sl.Notes...)
	a.startLive(sl)
	own, met, notes := a.around.Sizes(sl, own)
	a.note(notes...)
	out := []scenario.Variant{a.variant(sl, own, packed)}
	for _, m := range met {
		out = append(out, a.variant(sl.Copy(), m.Own, m.Packed))
	}
	return out
}

// variant is what is searched of a slice on the nodes of a policy; packed: see [analysis.meets].
func (a *analysis) variant(sl *slice.Slice, p, packed *policies.Policy) scenario.Variant {
	classes := p.NodeClasses(sl.Relevant)
	a.note(sl.Crowd(classes)...)
	if packed != nil {
		sl.Packed = packed.NodeClasses(sl.Relevant)
		sl.Crowd(sl.Packed)
		sl.Shapes(sl.Packed)
	}
	if a.besides.Compared {
		was := []state.NodeClass(nil)
		if packed == nil { // declared nodes alone are nobody's NodePool
			before, _ := a.meets(sl, a.besides.PolicyOf(sl.Release, a.besides.Base))
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
	sl.Spec.Unlumped, sl.Spec.Interleaved = a.opt.unlumped || stranded, a.opt.interleaved
	return scenario.VariantOf(sl, classes, a.deliver(sl), events)
}

// delivered is a release on both sides, with the order in which Argo CD or Flux applies its objects where one does.
type delivered struct {
	pair    slice.Pair
	waves   *static.Waves
	ordered bool
}

// deliveryOf is a release by its ID.
func (a *analysis) deliveryOf(release string) delivered {
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

// deliver marks how the tool in use applies what a slice is of: in which steps, and what it replaces as a whole. It
// gives how manifests are merged, which is the policy's to say first.
func (a *analysis) deliver(sl *slice.Slice) state.Apply {
	mode, d := applyMode(a.opt.Policy), a.deliveryOf(sl.Release)
	if d.pair.Head == nil {
		return mode
	}
	if a.opt.Policy.Apply == "" && d.pair.Head.Delivery.ServerSide {
		mode = state.ServerSide
	}
	step := func(id string) int {
		if pair := sl.Objects[id]; pair != nil && d.ordered {
			return d.waves.Of(pair[state.Base], pair[state.Head])
		}
		return 0
	}
	sl.Spec.Straight = d.ordered && !d.waves.Waits()
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		w.Step = step(w.ID)
		for v, r := range []*object.Rendered{d.pair.Base, d.pair.Head} {
			pair := sl.Objects[w.ID]
			w.Manifests[v].Replaced = pair != nil && pair[v] != nil && static.Replaces(r, pair[v])
		}
	}
	for i := range sl.Spec.Quotas {
		q := &sl.Spec.Quotas[i]
		if sl.Owner(q.ID()) == sl.Release { // others wait for nothing of it
			q.Step = step(q.ID())
		}
	}
	return mode
}

// strand marks the workloads of which base's pods no longer start once head is applied, and reports whether there are
// any. They matter where a rollout may not end: otherwise they are replaced soon.
func (a *analysis) strand(sl *slice.Slice) bool {
	found := false
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		if pair := sl.Objects[w.ID]; pair != nil && static.Strands(a.places.Changes, sl.Release, pair[state.Base]) {
			w.Manifests[state.Base].Stranded, found = true, true
		}
	}
	return found
}
