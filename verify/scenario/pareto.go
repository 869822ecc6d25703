package scenario

import (
	"context"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A violation is a rule, an object, a topology, the events of its run as a multiset of kinds, and how certain it is. Of
// one rule, object and topology, the violations that no other one covers are its Pareto front. The violations of base
// and head are compared front by front, and only then one of them is chosen to be shown: see verify/README.md.

// Kinds are the events of a violation, sorted.
func (v Violation) Kinds() []string {
	if v.Happened != nil {
		return v.Happened
	}
	out := []string{}
	for _, st := range v.Steps {
		if a := v.Problem.Actors[st.Actor]; a.Latency() == actor.Event {
			from, to := state.State{C: v.Problem.Cfg, B: st.From}, state.State{C: v.Problem.Cfg, B: st.To}
			out = append(out, a.Describe(from, to, st.Move).Action)
		}
	}
	slices.Sort(out)
	return out
}

// fewer reports whether a sorted list is part of another one, as a multiset.
func fewer(a, b []string) bool {
	for len(a) > 0 {
		if len(b) == 0 || b[0] > a[0] {
			return false
		}
		if a[0] == b[0] {
			a = a[1:]
		}
		b = b[1:]
	}
	return true
}

// Covers reports whether whoever has v has o: it is of the same rule and object, needs the same
// events or fewer, and is at least as sure and as grave. Both are of one topology. Where it is not known how sure
// either is, v is taken for possible and o for inevitable.
func (v Violation) Covers(o Violation) bool { return v.covers(o) && v.Sure() >= o.mostSure() }

// MayCover reports whether it does, or would if it were known how sure both are.
func (v Violation) MayCover(o Violation) bool { return v.covers(o) && v.mostSure() >= o.Sure() }

func (v Violation) covers(o Violation) bool {
	return v.Key() == o.Key() && (!v.Bound.Property.Wish || o.Bound.Property.Wish) && fewer(v.Kinds(), o.Kinds())
}

// Sure ranks how certain a violation is known to be: 0 possible, 1 inevitable for it or others that share its
// blame, 2 inevitable by itself.
func (v Violation) Sure() int {
	switch {
	case !v.Inevitable:
		return 0
	case len(v.Rivals) > 0:
		return 1
	}
	return surest
}

const surest = 2

// mostSure is the same if an unknown certainty counts as inevitable.
func (v Violation) mostSure() int {
	if v.Undecided {
		return surest
	}
	return v.Sure()
}

// hides reports whether nothing is lost if o is not reported beside v. A violation by base alone does not hide one by
// the change.
func (v Violation) hides(o Violation) bool { return v.unapplied == o.unapplied && v.Covers(o) }

// enterPareto adds a violation to the Pareto front of its topology.
func enterPareto(front []Violation, v Violation) []Violation {
	for i, o := range front {
		if !o.hides(v) {
			continue
		}
		if v.Covers(o) && v.Simpler(o) {
			front[i] = v
		}
		return front
	}
	return append(slices.DeleteFunc(front, func(o Violation) bool { return v.hides(o) }), v)
}

// whereApplied parts violations into those of runs that apply the change, and what base breaks by itself: an apply is
// fair, so that a run without it is none of the change's.
func whereApplied(vs []Violation) (applied, own []Violation) {
	for _, v := range vs {
		if v.unapplied {
			own = append(own, v)
		} else {
			applied = append(applied, v)
		}
	}
	return applied, own
}

// Place is where a violation was found: at which scale of the numbers, and topology, and, for how far base was searched
// there, by which probe.
type Place struct {
	at    string
	probe *probe
}

func placeOf(v Variant, t scale.Topology) Place { return Place{at: fmt.Sprint(v.gap, t, v.premise)} }

func (v Violation) Topology() scale.Topology { return v.Problem.Cfg.Topology }

func (v Violation) Place() Place { return placeOf(v.Variant, v.Topology()) }

// DeclaredSize reports whether a violation's topology is one that was declared.
func (v Violation) DeclaredSize() bool { return scale.Declared(v.Variant.Spec.Classes, v.Topology()) }

// Comparable reports whether what the other violation breaks can excuse v: that the next rollout of base may get stuck
// was never reported, so it is no excuse for a change that does get stuck.
func (v Violation) Comparable(o Violation) bool {
	return o.Scenario != ScenarioNext || v.Scenario == ScenarioNext
}

// Closed is the number of events up to which base was searched to the end where a violation
// was found.
func (sr *SliceResult) Closed(v Violation) int {
	p := v.Place()
	if p.probe = v.probe; v.probe == nil && v.Bound.Property.Soft {
		own := p
		if own.probe = preferred; sr.hasClosed(own) {
			p = own
		}
	}
	if n, ok := sr.BaseClosed[p]; ok {
		return n
	}
	return NoneClosed
}

// hasClosed reports whether it is noted how far base was searched at a place.
func (sr *SliceResult) hasClosed(p Place) bool { _, ok := sr.BaseClosed[p]; return ok }

// Levels of a search that are closed: none, and all.
const (
	NoneClosed = -1
	AllClosed  = int(^uint(0) >> 1)
)

// closedBy is the number of events up to which a search left nothing out.
func closedBy(r *search.Result) int {
	if r.Bound == search.Complete {
		return AllClosed
	}
	return r.Closed
}

func BoolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Paced reports whether a violation shows with realistic timing as well, at its topology.
func (c *Checker) Paced(ctx context.Context, v Violation) bool {
	if c.Timing == actor.Realistic {
		return true
	}
	own := *c
	own.Timing, own.Largest = actor.Realistic, nil
	o := own.Within(v.Variant.States()).Both(ctx, Task{Variant: v.Variant, Topology: v.Topology()})
	return slices.ContainsFunc(o.Head, func(x Violation) bool { return x.Covers(v) })
}

// KeysOf lists the rules and objects of violations, each once, in their order.
func KeysOf(vs []Violation) []Key {
	var out []Key
	for _, v := range vs {
		if k := v.Key(); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// OfBase gives violations of the baseline as those of a change from base to base, so that they can be compared with the
// violations of head. Those found in the search for a guard that head takes away are left out: only this change is told
// of them.
func OfBase(vs []Violation) []Violation {
	alike := map[*slice.Slice]*slice.Slice{} // like violations share their searches
	var out []Violation
	for _, v := range vs {
		if v.Unguarded() || v.Idle() > 0 {
			continue
		}
		v.Variant = v.Variant.Reapply()
		sl := alike[v.Variant.Slice]
		if sl == nil {
			of := *v.Variant.Slice
			of.Before, of.BaseNodes, of.BaseNamespaces, of.Dropped = nil, nil, nil, slice.Dropped{}
			sl, alike[v.Variant.Slice] = &of, &of
		}
		v.Variant.Slice, v.Variant.alone = sl, true
		out = append(out, v)
	}
	return out
}

// happened notes the events of a violation, and whether they are base's own.
func (v *Violation) happened() {
	v.Happened = v.Kinds()
	v.unapplied = v.Scenario == ScenarioChange && v.Problem.Cfg.Spec.Events.Apply > 0 &&
		!slices.Contains(v.Happened, "apply")
}

// last is the state that a counterexample ends in.
func (v Violation) last() []byte {
	if n := len(v.Steps); n > 0 {
		return v.Steps[n-1].To
	}
	return v.Start
}

// Simpler reports whether a counterexample needs fewer events or, with as many, fewer steps.
// One without any shows nothing: how the pods came where they rest tells more.
func (v Violation) Simpler(o Violation) bool {
	if v.Events != o.Events {
		return v.Events < o.Events
	}
	if mute := v.mute(); mute != o.mute() {
		return !mute
	}
	return len(v.Steps) < len(o.Steps)
}

// mute reports whether a counterexample neither takes a step nor ends before one that is
// refused: the wrong state is there from the start, at rest.
func (v Violation) mute() bool {
	if len(v.Steps) > 0 {
		return false
	}
	s := state.State{C: v.Problem.Cfg, B: v.Start}
	for _, p := range s.C.ClassesOf[v.Bound.Workload] {
		drain, _, _ := nodes.DrainRefusal(s, p)
		quota, _ := workloads.QuotaRefusal(s, p)
		if s.Pending(p) > 0 || s.Waiting(p) > 0 || drain != "" || quota != "" {
			return false
		}
	}
	return true
}
