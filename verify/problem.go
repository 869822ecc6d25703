package verify

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// problem is a slice at one topology, with its actors and the rules of its workloads.
type problem struct {
	cfg    *state.Config
	actors []actor.Actor
	bounds []boundRule
	system search.System
}

// boundRule is one rule on one workload of a problem.
type boundRule struct {
	rule     rules.Rule
	workload int
	property rules.Property
	side     int // of the rule: 0, or 1 for [rules.Rule.Also]
}

// newProblem compiles a slice at a topology, with the given rules on all its workloads.
func newProblem(spec *state.Spec, topology []int, rules []rules.Rule, timing actor.Timing) (*problem, error) {
	spec = autoscaling.Sized(spec)
	b, err := state.NewBuilder(spec, topology, mostPods(spec, topology))
	if err != nil {
		return nil, err
	}
	actors, err := control.All(b)
	if err != nil {
		return nil, err
	}
	cfg, err := b.Freeze()
	if err != nil {
		return nil, err
	}
	p := &problem{cfg: cfg, actors: actors}
	p.system = search.System{
		Width: cfg.Width(), Actors: actor.Adapt(cfg, actors, timing),
		Canon: cfg.Canon, Local: actor.NewLocal,
		Spent: func(b []byte) uint64 { return state.State{C: cfg, B: b}.Spent() },
	}
	if timing == actor.Realistic {
		control.Reduce(&p.system, cfg, actors)
	}
	for _, r := range rules {
		for w := range spec.Workloads {
			if !spec.Workloads[w].Manifests[state.Head].Exists() {
				continue
			}
			for side, prop := range r.Properties(cfg, w) {
				if prop.IsZero() {
					continue
				}
				if prop.Rest != nil {
					prop.Rest(actor.Resting(actors))
				}
				name := r.ID + " " + spec.Workloads[w].ID
				if side > 0 {
					name += " (2)"
				}
				p.bounds = append(p.bounds, boundRule{rule: r, workload: w, property: prop, side: side})
				p.system.Rules = append(p.system.Rules, p.searchRule(name, prop))
				if prop.Bad != nil { // one of the user's own, which may look at anything
					p.system.Confluent = nil
				}
			}
		}
	}
	return p, nil
}

func (p *problem) searchRule(name string, prop rules.Property) search.Rule {
	cfg := p.cfg
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

// mostPods bounds the pods of one class that can be counted at once: twice the most
// replicas that any manifest allows, with surge, as terminating pods still stand beside
// their replacements; and once more for each node that is lost, or restarts, as its pods stay.
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
			n := max(m.Replicas(), m.JobPods(&spec.Events))
			if m.HPA != nil {
				n = max(n, int(m.HPA.Spec.MaxReplicas))
			}
			for _, h := range m.Rivals {
				n = max(n, int(h.Spec.MaxReplicas))
			}
			most = max(most, n+surge(m.Deployment, n))
		}
	}
	outages := max(spec.Events.NodeFailure, 0)
	if spec.Events.NodePanic > 0 && spec.Events.StartupSpike > 0 {
		outages++
	}
	return (2+outages)*most + 1
}

// surge is how many pods of a Deployment stand beside its replicas in a rollout; other
// kinds have none.
func surge(d *appsv1.Deployment, replicas int) int {
	if d == nil {
		return 0
	}
	r := d.Spec.Strategy.RollingUpdate
	if r == nil || r.MaxSurge == nil {
		return 0
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(r.MaxSurge, replicas, true)
	if err != nil {
		return 0
	}
	return n
}

// budget is what one search may use.
type budget struct {
	deadline time.Time // zero: none
	states   uint64
	bytes    uint64
}

func (b budget) options() search.Options {
	o := search.Options{Workers: 1, MaxStates: b.states, MaxBytes: b.bytes}
	if !b.deadline.IsZero() {
		o.MaxTime = max(time.Until(b.deadline), time.Millisecond)
	}
	return o
}

// settle gives the states the cluster can settle in after version v was installed on
// an empty cluster, without events.
func (p *problem) settle(ctx context.Context, v state.Version, bud budget) ([][]byte, []*search.Result, error) {
	sys := p.system
	sys.Rules = nil
	sys.Initial = p.installs(v)
	opt := bud.options()
	opt.MaxEvents, opt.Settled = 0, true
	res, tries, err := p.search(ctx, sys, opt)
	if err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(res.Settled, func(b []byte) bool { return state.State{C: p.cfg, B: b}.IsOutgrown() }), append(tries, res), nil
}

// installs are the states in which version v was just applied to an empty cluster.
func (p *problem) installs(v state.Version) [][]byte {
	var out [][]byte
	for _, s := range gitops.Installs(p.cfg, v) {
		out = append(out, s.B)
	}
	return out
}

// explore searches from the given states; events -1 means as many as their budgets allow.
// Of what it gives the last counts, the others are work that was done for it.
func (p *problem) explore(ctx context.Context, initial [][]byte, events int, bud budget) ([]*search.Result, error) {
	sys := p.system
	sys.Initial = initial
	opt := bud.options()
	opt.MaxEvents = events
	res, tries, err := p.search(ctx, sys, opt)
	return append(tries, res), err
}
