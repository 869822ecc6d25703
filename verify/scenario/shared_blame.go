package scenario

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// The rules that say how a workload comes to rest share its blame: a rollout that cannot complete
// and a pod that cannot be placed are one bad end. And workloads of which only so many can
// have what they want share one as well: whoever loses, somebody does.
//
// A set of workloads is doomed by some events if every fair run that they lead to leaves one of the
// set stuck; see verify/README.md for what "lead to" is. A violation is inevitable where
// its own workload is doomed, or is one that a doomed set would not be doomed without.

// mostRivals bounds the workloads of a slice whose shared blame is looked for.
const mostRivals = 8

// sharedBlame finds the doomed workloads, for the violations of one exploration.
type sharedBlame struct {
	run     *scenarioRun
	problem *Problem
	initial [][]byte
	stuck   []func(state.State) bool // by workload; nil: no rule says how it comes to rest
	ends    map[string]ends          // by state; see endsOf
	known   map[string]Answer        // by set and events: see doomed
}

func newSharedBlame(r *scenarioRun, p *Problem, initial [][]byte) *sharedBlame {
	f := &sharedBlame{run: r, problem: p, initial: initial, ends: map[string]ends{}, known: map[string]Answer{}}
	for w := range p.Cfg.Spec.Workloads {
		f.stuck = append(f.stuck, nil)
		if !p.Cfg.Spec.Workloads[w].Manifests[state.Head].Exists() {
			continue
		}
		var list []func(state.State) bool
		for _, rule := range rules.All() { // whichever of them are on
			for _, prop := range rule.Properties(p.Cfg, w) {
				if prop.Persists != nil {
					list = append(list, prop.Persists)
				}
			}
		}
		f.stuck[w] = func(s state.State) bool {
			return slices.ContainsFunc(list, func(is func(state.State) bool) bool { return is(s) })
		}
	}
	return f
}

// inevitable reports whether a violation is inevitable, and with whom its workload shares that
// blame.
func (f *sharedBlame) inevitable(ctx context.Context, v Violation) (Answer, []string, error) {
	if v.Bound.Property.Persists == nil {
		return No, nil, nil
	}
	w := v.Bound.Workload
	own := uint64(1) << w
	is, err := f.doomed(ctx, own, v)
	if err != nil || is == Yes || len(f.stuck) > mostRivals {
		return is, nil, err
	}
	var others []uint64
	for set := uint64(1); set < 1<<len(f.stuck); set++ {
		if set&own == 0 {
			others = append(others, set)
		}
	}
	slices.SortStableFunc(others, func(a, b uint64) int { return bits.OnesCount64(a) - bits.OnesCount64(b) })
	for _, set := range others { // the smallest first
		with, err := f.doomed(ctx, own|set, v)
		if err != nil {
			return Undecided, nil, err
		}
		if with == No {
			continue
		}
		without, err := f.doomed(ctx, set, v)
		switch {
		case err != nil:
			return Undecided, nil, err
		case with == Yes && without == No:
			return Yes, f.names(set), nil
		case without != Yes:
			is = Undecided
		}
	}
	return is, nil, nil
}

func (f *sharedBlame) names(set uint64) []string {
	var out []string
	for w := range f.stuck {
		if set&(1<<w) != 0 {
			out = append(out, f.problem.Cfg.Spec.Workloads[w].ID)
		}
	}
	slices.Sort(out)
	return out
}

// doomed reports whether the events of a violation doom a set of workloads. Up to one event, it has
// to be so whichever settled state the run began in; the cluster as a snapshot shows it is a fact, and no choice.
func (f *sharedBlame) doomed(ctx context.Context, set uint64, v Violation) (Answer, error) {
	from := v.afterLastEvent()
	at, err := f.endsOf(ctx, from)
	switch {
	case err != nil || len(at.stuck) == 0:
		return Undecided, err
	case slices.ContainsFunc(at.stuck, func(end uint64) bool { return end&set == 0 }):
		return No, nil
	}
	initial, events := [][]byte{from}, 0
	if v.Events <= 1 && len(f.initial) > 1 && !v.FromLive() {
		initial, events = f.initial, v.Events
	} else if bits.OnesCount64(set) == 1 {
		return answerTo(at.doomed&set != 0), nil
	}
	key := fmt.Sprint(set, events, v.Kinds())
	if len(initial) == 1 {
		key += string(from)
	}
	if is, ok := f.known[key]; ok {
		return is, nil
	}
	sys := f.problem.System
	sys.Rules, sys.Initial = []search.Rule{f.stuckInAnyWay(set)}, initial
	opt := f.run.Budget.options()
	opt.MaxEvents = events
	res, err := f.problem.run(ctx, f.run.Budget, question{sys: sys, opt: opt, of: fmt.Sprint("shared blame of ", set)})
	if err != nil {
		return Undecided, err
	}
	f.run.cov.add(res)
	is := decided(res, slices.ContainsFunc(res.Violations, func(x search.Violation) bool {
		found := Violation{Problem: f.problem, Violation: x}
		return x.Inevitable && (events == 0 || fewer(found.Kinds(), v.Kinds()) &&
			(v.unapplied || v.Scenario != ScenarioChange || slices.Contains(found.Kinds(), "apply")))
	}))
	f.known[key] = is
	return is, nil
}

// doomedLive reports whether the events of a violation doom the cluster as it is to break its rule. Other states that
// base may settle in do not count: that it is in this one is a fact.
func (r *scenarioRun) doomedLive(ctx context.Context, v Violation) (Answer, error) {
	p := v.Problem
	sys := p.System
	sys.Rules, sys.Initial = sys.Rules[v.Rule:v.Rule+1], [][]byte{p.Live}
	opt := r.Budget.options()
	opt.MaxEvents = v.Events
	res, err := p.run(ctx, r.Budget, question{sys: sys, opt: opt, of: "what the cluster as it is comes to"})
	if err != nil {
		return Undecided, err
	}
	r.cov.add(res)
	return decided(res, slices.ContainsFunc(res.Violations, func(x search.Violation) bool {
		found := Violation{Problem: p, Violation: x}
		return x.Inevitable && (v.Events == 0 || slices.Equal(found.Kinds(), v.Kinds()))
	})), nil
}

// decided is the answer of a search that was asked whether something is inevitable: one that was cut off tells nothing.
func decided(res *search.Result, sure bool) Answer {
	if res.Bound != search.Complete {
		return Undecided
	}
	return answerTo(sure)
}

// stuckInAnyWay is the rule that none of a set of workloads is stuck for good.
func (f *sharedBlame) stuckInAnyWay(set uint64) search.Rule {
	return f.problem.searchRule(fmt.Sprint("stuck in any way ", set), rules.Property{Persists: func(s state.State) bool {
		for w, is := range f.stuck {
			if set&(1<<w) != 0 && is != nil && is(s) {
				return true
			}
		}
		return false
	}})
}

// ends are those of the runs from a state with no further event.
type ends struct {
	// stuck are the sets of workloads that may be stuck, one for each end. Of a cycle one state is looked at, so there
	// the set may be too large. Empty: it could not be decided.
	stuck  []uint64
	doomed uint64 // the workloads that every fair run leaves stuck
}

// endsOf searches the runs from a state with no further event.
func (f *sharedBlame) endsOf(ctx context.Context, from []byte) (ends, error) {
	if at, ok := f.ends[string(from)]; ok {
		return at, nil
	}
	sys := f.problem.System
	sys.Rules, sys.Initial = nil, [][]byte{from}
	for w, is := range f.stuck {
		if is != nil {
			sys.Rules = append(sys.Rules, f.stuckInAnyWay(1<<w))
		}
	}
	opt := f.run.Budget.options()
	opt.MaxEvents, opt.Settled = 0, true
	res, err := f.problem.run(ctx, f.run.Budget, question{sys: sys, opt: opt, of: "who is stuck"})
	if err != nil {
		return ends{}, err
	}
	f.run.cov.add(res)
	var out ends
	if res.Bound == search.Complete {
		for _, b := range res.Settled {
			s, end := state.State{C: f.problem.Cfg, B: b}, uint64(0)
			for w, is := range f.stuck {
				if is != nil && !s.IsOutgrown() && is(s) {
					end |= 1 << w
				}
			}
			out.stuck = append(out.stuck, end)
		}
		rule := 0
		for w, is := range f.stuck {
			if is == nil {
				continue
			}
			if slices.ContainsFunc(res.Violations, func(x search.Violation) bool { return x.Rule == rule && x.Inevitable }) {
				out.doomed |= 1 << w
			}
			rule++
		}
	}
	f.ends[string(from)] = out
	return out, nil
}

// afterLastEvent is the state from which on the control loops are alone.
func (v Violation) afterLastEvent() []byte {
	at := v.Start
	for _, st := range v.Steps {
		if v.Problem.Actors[st.Actor].Latency() == actor.Event {
			at = st.To
		}
	}
	return at
}

// Else words with whom a workload shares its blame; "" where it is its own.
func (v Violation) Else() string {
	if len(v.Rivals) == 0 {
		return ""
	}
	var names []string
	for _, id := range v.Rivals {
		names = append(names, WorkloadName(id))
	}
	if len(names) == 1 {
		return " (or else " + names[0] + " is stuck: no run ends well for both)"
	}
	return " (or else one of " + strings.Join(names, ", ") + " is stuck: no run ends well for all)"
}
