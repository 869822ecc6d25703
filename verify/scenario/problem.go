package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/memo"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Problem is a slice at one topology, with its actors and the rules of its workloads.
type Problem struct {
	Cfg    *state.Config
	Actors []actor.Actor
	bounds []BoundRule
	System search.System
	Live   []byte        // the cluster as it is, where the search starts there too; nil: it does not
	still  search.System // the same without rules, where no event happens
	// loops are the actors before pods were lumped, and alone says that those of one workload only move; see apart.go.
	loops   []actor.Actor
	alone   bool
	only    int // where alone, the workload that moves
	timing  actor.Timing
	blind   rules.Blindness // of its rules
	foresee bool            // its searches measure the change's effects; see measure.go
	settles bool            // explore gives the states that the problem settles in as well
	// room measures what the pods of a workload by itself take of nodes, and taken is what its searches saw; nil: not
	// asked.
	room  *actor.Room
	taken []search.Range
	// lumps and calmLumps are those of System and still.
	lumps, calmLumps *state.Lumps
}

// BoundRule is one rule on one workload of a problem.
type BoundRule struct {
	Rule     rules.Rule
	Workload int
	Property rules.Property
	half     int // of the rule: 0, or 1 for [rules.Rule.Also]
}

// NewProblem compiles a slice at a topology, with the given rules on all its workloads.
func NewProblem(spec *state.Spec, topology []int, list []rules.Rule, timing actor.Timing) (*Problem, error) {
	spec = autoscaling.Sized(spec)
	cfg, actors, err := compile(spec, topology, mostPods(spec, topology))
	if err != nil {
		return nil, err
	}
	p := &Problem{Cfg: cfg, loops: actors, timing: timing}
	p.judgedBy(p.bind(list, actors))
	return p, nil
}

// compile lays out the states of a problem with the memory that all its actors need.
func compile(spec *state.Spec, topology []int, maxPods int) (*state.Config, []actor.Actor, error) {
	b, err := control.NewBuilder(spec, topology, maxPods)
	if err != nil {
		return nil, nil, err
	}
	actors, err := control.All(b)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := b.Freeze()
	return cfg, actors, err
}

// judgedBy makes the systems that are searched, with such rules.
func (p *Problem) judgedBy(judged []search.Rule, blind rules.Blindness) {
	p.blind = blind
	p.still, _, p.calmLumps = systemOf(p.Cfg, p.loops, p.timing, true, func(actor.Likeness) bool { return true })
	p.System, p.Actors, p.lumps = systemOf(p.Cfg, p.loops, p.timing, false, func(k actor.Likeness) bool {
		return k.Kind == actor.StartedWhere && blind&rules.BlindToStarts != 0 ||
			k.Kind == actor.StoppingAs && blind&rules.BlindToStops != 0
	})
	p.System.Rules = judged
	p.foresees(p.foresee)
	// One of the user's own may look at anything.
	if slices.ContainsFunc(judged, func(r search.Rule) bool { return r.Bad != nil }) {
		p.System.Confluent = nil
	}
	if slices.ContainsFunc(judged, func(r search.Rule) bool { return r.Bad != nil || r.BadStep != nil }) {
		p.System.Ample = nil
	}
}

// bind puts rules on all workloads, and returns the parts of a state that none of the applicable ones looks at.
func (p *Problem) bind(list []rules.Rule, actors []actor.Actor) (judged []search.Rule, blind rules.Blindness) {
	blind = rules.BlindToStarts | rules.BlindToStops
	workloads := p.Cfg.Spec.Workloads
	for _, r := range list {
		for w := range workloads {
			if !workloads[w].Manifests[state.Head].Exists() {
				continue
			}
			for half, prop := range r.Properties(p.Cfg, w) {
				if prop.IsZero() {
					continue
				}
				if prop.Rest != nil {
					prop.Rest(actor.Resting(p.Cfg, actors))
				}
				name := r.ID + " " + workloads[w].ID
				if half > 0 {
					name += " (2)"
				}
				p.bounds = append(p.bounds, BoundRule{Rule: r, Workload: w, Property: prop, half: half})
				judged = append(judged, p.searchRule(name, prop))
				blind &= r.Blind
			}
		}
	}
	return judged, blind
}

// systemOf is the search of some actors, without rules, with the pods lumped that neither they nor whoever judges the
// states distinguish. calm says that no event happens.
func systemOf(cfg *state.Config, actors []actor.Actor, timing actor.Timing, calm bool,
	blind func(actor.Likeness) bool) (search.System, []actor.Actor, *state.Lumps) {
	actors, lumps := control.Lump(cfg, actors, calm, blind)
	sys := search.System{
		Width: cfg.Width(), Actors: actor.Adapt(cfg, actors, timing),
		Canon: lumps.Canon, Local: actor.NewLocal, Most: cfg.Most(),
		Spent: func(b []byte) uint64 { return state.State{C: cfg, B: b}.Spent() },
	}
	if timing == actor.Realistic {
		control.Reduce(&sys, cfg, actors)
		control.End(&sys, cfg, actors, calm)
	}
	return sys, actors, lumps
}

func (p *Problem) searchRule(name string, prop rules.Property) search.Rule {
	cfg := p.Cfg
	one := func(f func(state.State) bool) func([]byte) bool {
		if f == nil {
			return nil
		}
		return func(b []byte) bool {
			s := state.State{C: cfg, B: b}
			return !s.IsOutgrown() && f(s)
		}
	}
	settles := one(prop.Settles)
	if f := prop.Settles; f != nil {
		settles = func(b []byte) bool {
			s := state.State{C: cfg, B: b}
			return s.IsOutgrown() || f(s)
		}
	}
	two := func(f func(a, b state.State) bool) func(from, to []byte, _ int, _ search.Move) bool {
		if f == nil {
			return nil
		}
		return func(from, to []byte, _ int, _ search.Move) bool {
			t := state.State{C: cfg, B: to}
			return !t.IsOutgrown() && f(state.State{C: cfg, B: from}, t)
		}
	}
	return search.Rule{
		Name: name, Bad: one(prop.Bad), Quiescent: one(prop.Quiescent), Persists: one(prop.Persists),
		Settles: settles, BadStep: two(prop.BadStep), Recurs: two(prop.Recurs),
	}
}

// mostPods bounds the pods of one workload that can be counted at once: twice the most replicas that any manifest
// allows, with surge, as terminating pods coexist with their replacements; and once more for each node that is lost, or
// restarts, as its pods stay.
func mostPods(spec *state.Spec, topology []int) int {
	most := 1
	for _, w := range spec.Workloads {
		for _, m := range w.Manifests {
			if !m.Exists() {
				continue
			}
			if m.Kind() == state.DaemonSet {
				most = max(most, scale.Topology(topology).Total())
				continue
			}
			n := max(m.MostReplicas(), m.JobPods(&spec.Events))
			most = max(most, n+m.Pace().SurgeOf(n))
		}
	}
	outages := max(spec.Events.NodeFailure, 0)
	if spec.Events.NodePanic > 0 {
		outages++
	}
	return (2+outages)*most + 1
}

// Budget is what one search may use.
type Budget struct {
	Deadline time.Time // zero: none
	States   uint64
	Bytes    uint64
	Kept     *memo.Store // answers of earlier searches; nil: none
	Recall   *Recall     // answers of this run, if Kept is nil
	first    bool        // a search with rules ends once each has a violation
}

func (b Budget) options() search.Options {
	o := search.Options{Workers: 1, MaxStates: b.States, MaxBytes: b.Bytes}
	if !b.Deadline.IsZero() {
		o.MaxTime = max(time.Until(b.Deadline), time.Millisecond)
	}
	return o
}

// Settle gives the states the cluster can settle in after version v was installed on
// an empty cluster, without events.
func (p *Problem) Settle(ctx context.Context, v state.Version, bud Budget) ([][]byte, []*search.Result, error) {
	sys := p.still
	sys.Initial = p.Installs(v)
	opt := bud.options()
	opt.MaxEvents, opt.Settled = 0, true
	res, tries, err := p.search(ctx, bud, question{sys: sys, opt: opt, calm: true})
	if err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(res.Settled,
		func(b []byte) bool { return state.State{C: p.Cfg, B: b}.IsOutgrown() }), append(tries, res), nil
}

// Installs are the states in which version v was just applied to an empty cluster.
func (p *Problem) Installs(v state.Version) [][]byte {
	var out [][]byte
	for _, s := range gitops.Installs(p.Cfg, v) {
		out = append(out, s.B)
	}
	return out
}

// explore searches from the given states; events -1 means as many as their budgets allow. The last of the results
// counts, the others are work that was done for it.
func (p *Problem) explore(ctx context.Context, initial [][]byte, events int, bud Budget) ([]*search.Result, error) {
	sys := p.System
	sys.Initial = initial
	opt := bud.options()
	opt.MaxEvents, opt.Settled, opt.StopAtFirst = events, p.settles, bud.first
	res, tries, err := p.search(ctx, bud, question{sys: sys, opt: opt})
	return append(tries, res), err
}

// unanswered lists what kept the rules of a problem, and the loops that the policy declares, from being evaluated.
func (p *Problem) unanswered() []string {
	var out []string
	for _, b := range p.bounds {
		if b.Property.Err == nil {
			continue
		}
		if err := b.Property.Err(); err != nil {
			out = append(out, err.Error())
		}
	}
	for _, a := range p.Actors {
		if e, ok := a.(interface{ Err() error }); ok && e.Err() != nil {
			out = append(out, e.Err().Error())
		}
	}
	return out
}
