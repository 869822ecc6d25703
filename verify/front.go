package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// A violation is a rule, an object, a topology, the events of its run as a multiset of
// kinds, and how certain it is. Of one rule, object and topology, the violations that no
// other one is as bad as with fewer events are its front. What base breaks is compared with
// what head breaks front by front, and only then one of them is chosen to be shown: see
// docs/search.md.

// kinds are the events of a violation, sorted.
func (v violation) kinds() []string {
	if v.happened != nil {
		return v.happened
	}
	out := []string{}
	for _, st := range v.Steps {
		if a := v.problem.actors[st.Actor]; a.Latency() == actor.Event {
			from, to := state.State{C: v.problem.cfg, B: st.From}, state.State{C: v.problem.cfg, B: st.To}
			out = append(out, a.Describe(from, to, st.Move).Action)
		}
	}
	slices.Sort(out)
	return out
}

// fewer says whether a sorted list is part of another one, as a multiset.
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

// covers says whether whoever has v has o: it is of the same rule and object, needs the same
// events or fewer, and is at least as sure and as grave. Both are of one topology.
func (v violation) covers(o violation) bool {
	return v.key() == o.key() && (v.Inevitable || !o.Inevitable) && (!v.bound.property.Wish || o.bound.property.Wish) &&
		fewer(v.kinds(), o.kinds())
}

// enterFront adds a violation to the front of its topology.
func enterFront(front []violation, v violation) []violation {
	for i, o := range front {
		if !o.covers(v) {
			continue
		}
		if v.covers(o) && v.simpler(o) {
			front[i] = v
		}
		return front
	}
	return append(slices.DeleteFunc(front, func(o violation) bool { return v.covers(o) }), v)
}

// place is where a violation was found: at which scale of the numbers, and topology.
type place string

func placeOf(v variant, t scale.Topology) place { return place(fmt.Sprint(v.gap, t)) }

func (v violation) topology() scale.Topology { return v.problem.cfg.Topology }

func (v violation) place() place { return placeOf(v.variant, v.topology()) }

// declaredSize says whether a violation's topology is one that was declared.
func (v violation) declaredSize() bool { return scale.Declared(v.variant.spec.Classes, v.topology()) }

// judged is a violation with what is said of it.
type judged struct {
	violation
	status   Status
	declared bool // it shows at a declared size
	// unsure says that base was not searched far enough to tell whether the change brings it.
	unsure   bool
	severity rules.Severity // as far as it hangs on the violation alone
}

// judge compares a violation of head with those of base at the same place. It is worse than
// before where base breaks the rule for the object too, but not there or not as easily.
// Where the baseline was not searched to the end, a run in which the change is not applied
// is base's own, if base's surroundings are alike: the same controllers' configuration, and
// the same room on the nodes.
func (sr *sliceResult) judge(v violation, alike bool) judged {
	j := judged{violation: v, status: New}
	closed := sr.closed(v)
	onBase := slices.ContainsFunc(sr.base, func(b violation) bool { return b.place() == v.place() && v.comparable(b) && b.covers(v) })
	change := slices.Contains(v.kinds(), "apply")
	switch {
	case onBase, closed < v.Events && alike && v.scenario == scenarioChange && !change:
		j.status = Existing
		return j
	case slices.ContainsFunc(sr.base, func(b violation) bool { return b.key() == v.key() && v.comparable(b) && b.declaredSize() }):
		j.status = Worsened
	}
	j.unsure = sr.variant.has(state.Base) && closed < v.Events
	return j
}

// comparable says whether what the other violation breaks can excuse v: that the next rollout
// of base may get stuck was told nobody, and so is none for a change that does get stuck.
func (v violation) comparable(o violation) bool {
	return o.aside != asideNext || v.aside == asideNext
}

// closed is the number of events up to which base was searched to the end where a violation
// was found.
func (sr *sliceResult) closed(v violation) int {
	p := v.place()
	if v.aside != "" {
		p = asideOf(p, v.aside)
	}
	if n, ok := sr.baseClosed[p]; ok {
		return n
	}
	return noneClosed
}

// Levels of a search that are closed: none, and all.
const (
	noneClosed = -1
	allClosed  = int(^uint(0) >> 1)
)

// closedBy is the number of events up to which a search left nothing out.
func closedBy(r *search.Result) int {
	if r.Bound == search.Complete {
		return allClosed
	}
	return r.Closed
}

// choose gives of one rule and object what is shown: of the gravest violations the one at the
// smallest topology with the fewest events.
func choose(list []judged) judged {
	rankOf := func(j judged) int {
		return slices.Index([]Status{New, Worsened, Existing}, j.status) / 2 // new and worsened alike
	}
	best := slices.MinFunc(list, func(x, y judged) int {
		return cmp.Or(
			rankOf(x)-rankOf(y),
			boolRank(x.unsure)-boolRank(y.unsure),
			boolRank(!x.declared)-boolRank(!y.declared),
			rank(string(x.severity))-rank(string(y.severity)),
			boolRank(!x.Inevitable)-boolRank(!y.Inevitable),
			x.topology().Total()-y.topology().Total(),
			slices.Compare(y.topology(), x.topology()),
			x.Events-y.Events,
			boolRank(y.simpler(x.violation))-boolRank(x.simpler(y.violation)),
		)
	})
	for _, j := range list { // what is as it was elsewhere is no less worse than before
		if best.status == New && j.status == Worsened {
			best.status = Worsened
		}
	}
	return best
}

func boolRank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// paced says whether a violation shows with realistic timing as well, at its topology.
func (c *checker) paced(ctx context.Context, v violation) bool {
	if c.timing == actor.Realistic {
		return true
	}
	own := *c
	own.timing, own.lifts = actor.Realistic, nil
	o := own.within(v.variant.states()).both(ctx, job{variant: v.variant, topology: v.topology()})
	return slices.ContainsFunc(o.head, func(x violation) bool { return x.covers(v) })
}

// keysOf lists the rules and objects of violations, each once, in their order.
func keysOf(vs []violation) []key {
	var out []key
	for _, v := range vs {
		if k := v.key(); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
