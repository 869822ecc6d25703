//go:build unix

package verify

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/scenario"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// screenable is a slice's change at a topology.
type screenable struct {
	title    string
	slice    *slice.Slice
	pol      *policies.Policy
	topology scale.Topology
}

func screenables(t *testing.T) []screenable {
	t.Helper()
	var out []screenable
	for _, file := range reducibles {
		for _, topology := range []scale.Topology{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}} {
			out = append(out, screenable{file, reducible(t, file), policies.Default(), topology})
		}
	}
	for _, s := range []shop{{nodes: 3, pods: 2, workloads: 2, classes: 1}, {nodes: 3, pods: 3, workloads: 2, classes: 1}, {nodes: 3, pods: 1, workloads: 3, classes: 1}} {
		pol, err := policies.Load("policy.yaml", []byte(s.policy()))
		if err != nil {
			t.Fatal(err)
		}
		ch, err := render.Diff(s.revision(t, "web:1"), s.revision(t, "web:2"))
		if err != nil {
			t.Fatal(err)
		}
		cut := cutOf(ch)
		for n := range 3 {
			out = append(out, screenable{fmt.Sprint(s), cut[0], pol, scale.Topology{n + 1}})
		}
	}
	return out
}

// cutOf are the slices of a change.
func cutOf(ch *object.Changes) []*slice.Slice {
	var out []*slice.Slice
	for _, p := range slice.Pairs(ch) {
		changed := map[string]bool{}
		for i := range ch.Changes {
			if c := &ch.Changes[i]; c.Release == p.ID {
				changed[c.ID().String()] = true
			}
		}
		out = append(out, slice.Cut{Release: p.ID, Changed: changed}.Slices(p.Objects(state.Base), p.Objects(state.Head))...)
	}
	return out
}

// problem compiles the change, and gives the states that base settles in.
func (x screenable) problem(t *testing.T) (*scenario.Problem, [][]byte) {
	t.Helper()
	rules, err := policies.Select(x.pol, nil)
	if err != nil {
		t.Fatal(err)
	}
	classes := x.pol.NodeClasses(x.slice.Relevant)
	x.slice.Shapes(classes)
	v := scenario.VariantOf(x.slice, classes, state.ClientSide, state.Events{LoadChange: 1, BadRevision: 1, PodCrash: 1}).Change()
	p, err := scenario.NewProblem(&v.Spec, x.topology, rules, actor.Realistic)
	if err != nil {
		t.Fatal(err)
	}
	initial, _, err := p.Settle(context.Background(), state.Base, scenario.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	return p, initial
}

// Screened or not, the same rules are violated by the same counterexamples, and base
// settles in the same states.
func TestScreenKeepsFindings(t *testing.T) {
	comparison(t)
	kept, plain, cyclic, told := uint64(0), uint64(0), 0, 0
	for _, x := range screenables(t) {
		p, initial := x.problem(t)
		for _, settles := range []bool{false, true} {
			sys, opt := p.System, search.Options{Workers: 1, MaxEvents: -1}
			if sys.Initial = initial; settles {
				sys.Rules, sys.Initial = nil, p.Installs(state.Head)
				opt.MaxEvents, opt.Settled = 0, true
			}
			want, err := search.Run(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			got, err := search.RunScreened(context.Background(), sys, opt)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case got != nil:
			case len(want.Violations) > 0:
				told++ // the fronts are the plain search's
				continue
			default:
				cyclic++
				continue
			}
			if !reflect.DeepEqual(got.Violations, want.Violations) || !reflect.DeepEqual(got.Settled, want.Settled) {
				t.Errorf("%s %v: screened %d violations, %d settled; plain %d, %d", x.title, x.topology,
					len(got.Violations), len(got.Settled), len(want.Violations), len(want.Settled))
			}
			kept, plain = kept+got.States, plain+want.States
		}
	}
	t.Logf("%d states of %d kept; %d systems with a cycle, %d with something to find", kept, plain, cyclic, told)
	if plain == 0 || kept*10 > plain*7 || cyclic > 10 {
		t.Errorf("%d states of %d kept, %d systems with a cycle: the test has lost its teeth", kept, plain, cyclic)
	}
}

// TestCommute holds what [control.Reduce] says against every reachable state: a step that
// is said to commute does, with every other step, and is said to after it; and nobody is
// given work whom the step is not said to give any.
func TestCommute(t *testing.T) {
	squares, woken := 0, 0
	for _, x := range screenables(t) {
		p, initial := x.problem(t)
		c := commuting{t: t, problem: p, title: fmt.Sprint(x.title, " ", x.topology)}
		sys := p.System
		sys.Initial = initial
		sys.Rules = []search.Rule{{Name: "commute", Bad: func(s []byte) bool { c.check(s); return t.Failed() }}}
		if _, err := search.Run(context.Background(), sys, search.Options{Workers: 1, MaxEvents: -1, MaxStates: 1000}); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
		squares, woken = squares+c.squares, woken+c.woken
	}
	t.Logf("%d squares, %d loops that were given work", squares, woken)
	if squares < 1000 || woken < 1000 {
		t.Error("the test has lost its teeth")
	}
}

type commuting struct {
	t       *testing.T
	problem *scenario.Problem
	title   string
	squares int
	woken   int
}

// steps are the canonical successors of a state by actor: those of sync loops, or else of
// slower ones, and events.
func (c *commuting) steps(s []byte) [][][]byte {
	p := c.problem
	out := make([][][]byte, len(p.Actors))
	busy := false
	for _, latency := range []actor.Latency{actor.Sync, actor.Kubelet, actor.Periodic, actor.Event} {
		for i, a := range p.Actors {
			if a.Latency() != latency || busy && latency != actor.Sync && latency != actor.Event {
				continue
			}
			if calm, ok := p.System.Actors[i].(search.Calm); ok && calm.InCalm() && busy {
				continue
			}
			for _, x := range actor.Successors(a, state.State{C: p.Cfg, B: s}) {
				p.Cfg.Canon(x.To.B)
				out[i] = append(out[i], x.To.B)
			}
		}
		if latency == actor.Sync {
			busy = slices.ContainsFunc(out, func(x [][]byte) bool { return len(x) > 0 })
		}
	}
	return out
}

func (c *commuting) check(s []byte) {
	steps := c.steps(s)
	for a, list := range steps {
		if list == nil {
			continue
		}
		for _, to := range list {
			c.checkWakes(a, steps, to)
		}
		if len(list) != 1 || c.problem.System.Confluent == nil || c.problem.Actors[a].Latency() != actor.Sync || !c.problem.System.Confluent(s, a) {
			continue
		}
		after := c.steps(list[0])
		for b, others := range steps {
			if b == a {
				continue
			}
			for _, to := range others {
				c.squares++
				then := c.steps(to)[a]
				switch {
				case len(then) != 1 || !c.problem.System.Confluent(to, a):
					c.t.Errorf("%s: %s no longer goes first after %s", c.title, c.problem.Actors[a].Name(), c.problem.Actors[b].Name())
				case !slices.ContainsFunc(after[b], func(x []byte) bool { return bytes.Equal(x, then[0]) }):
					c.t.Errorf("%s: %s and %s do not commute", c.title, c.problem.Actors[a].Name(), c.problem.Actors[b].Name())
				}
			}
		}
	}
}

func (c *commuting) checkWakes(a int, before [][][]byte, to []byte) {
	if c.problem.System.Wakes == nil {
		return
	}
	list, some := c.problem.System.Wakes(a)
	if !some {
		return
	}
	for b, x := range c.steps(to) {
		if x == nil || before[b] != nil || c.problem.Actors[b].Latency() != actor.Sync {
			continue
		}
		if c.woken++; !slices.Contains(list, b) {
			c.t.Errorf("%s: %s gives %s something to do", c.title, c.problem.Actors[a].Name(), c.problem.Actors[b].Name())
		}
	}
}
