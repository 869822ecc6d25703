package faults

import (
	"bytes"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// staleView is the event that a loop's informer of pods falls behind: from then on the loop acts on the pods of
// that moment, until it has caught up ([freshView]), or writes of others it has not seen would be more than the
// policy allows. What came between it never sees.
//
// Upstream: kubernetes v1.36.3, client-go tools/cache: Reflector; pkg/controller:
// UIDTrackingControllerExpectations, util/consistency: RealConsistencyStore (its own writes a loop has seen before
// it acts again), disruption: trySync and pkg/registry/core/pod/storage: checkAndDecrement (evictions lower what a
// status allows at once).
type staleView struct{ loops []string }

// freshView ends the lag.
type freshView struct{ staleView }

// disruption stands for the disruption controller among the loops whose views lag: it is no actor, as a budget's
// status is that of the state.
const disruption = "the disruption controller"

// WithLags has the views of loops lag, where the policy says so.
func WithLags(b *state.Builder, actors []actor.Actor) []actor.Actor {
	c := b.Config()
	if c.Spec.Events.StaleWrites <= 0 {
		return actors
	}
	actors = slices.Clone(actors)
	e := staleView{}
	var sees [][]int
	reports := slices.Repeat([]int{-1}, len(c.Pods))
	for i, a := range actors {
		t := actor.TraitsOf(a, c)
		if t.Lag == nil {
			continue
		}
		actors[i] = &onView{Actor: a, Lag: t.Lag, loop: len(sees), managed: t.Managed}
		for _, p := range t.Lag.Reports {
			reports[p] = len(sees)
		}
		e.loops, sees = append(e.loops, a.Name()), append(sees, t.Lag.Sees)
	}
	status := -1
	if classes := budgeted(c); len(classes) > 0 {
		status, sees, e.loops = len(sees), append(sees, classes), append(e.loops, disruption)
	}
	if len(sees) == 0 {
		return actors
	}
	b.AddLags(sees, reports, status)
	return append(actors, &e, &freshView{e})
}

// budgeted lists the pod classes that a PodDisruptionBudget selects in either version.
func budgeted(c *state.Config) []int {
	of := objects.NewEvictions(c).Of
	var out []int
	for p := range c.Pods {
		if len(of[state.Base][p])+len(of[state.Head][p]) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func (*staleView) Name() string           { return "stale-view" }
func (*staleView) Latency() actor.Latency { return actor.Event }

// Traits implements [actor.Declarer]: while a sync loop has work, only sync loops make writes that it could miss.
func (*staleView) Traits(*state.Config) actor.Traits { return actor.Traits{Calm: true} }

// Step implements [actor.Actor]: any one loop falls behind.
func (e *staleView) Step(s state.State, next *actor.Emit) {
	if s.LagsLeft() == 0 || s.Lagging() >= 0 {
		return
	}
	for i := range e.loops {
		t := next.Copy(s)
		t.BeginLag(i)
		next.Move(search.Move{Args: [3]int32{int32(i)}})
	}
}

func (e *staleView) Describe(_, to state.State, _ search.Move) actor.Words {
	loop := e.loops[to.Lagging()]
	return actor.Words{Action: "stale-view", Object: loop, Text: "what " + loop + " sees of pods falls behind"}
}

func (*staleView) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", client-go tools/cache: Reflector; pkg/controller: expectations, util/consistency, disruption; " +
			"pkg/registry/core/pod/storage: checkAndDecrement",
		Exact: []string{
			"a ReplicaSet, a StatefulSet, a DaemonSet, a Job and a Deployment act again only when they have seen their own writes, or are refused (expectations, the consistency store, resourceVersion)",
			"a Job counts succeeded pods by the pods it sees: no other controller writes its status",
			"a pod that is already on deletion, or gone, is deleted once",
			"for an HPA a pod that it still sees, and that is gone, has no sample",
			"an eviction lowers what a PodDisruptionBudget's status allows at once, however far behind that is",
		},
		MayInvent: []string{
			"before 1.36, and without the gate StaleControllerConsistencyStatefulSet, a StatefulSet does not wait for its own writes: it is taken to",
		},
		MayHide: []string{
			"one loop is behind at a time, once in a run, in what it sees of pods; its own object and nodes it sees as they are",
			"a view that is behind jumps to the present, and does not follow at a distance",
			"an HPA that lags asks for the scale and the samples as they are; a pod that has got ready since counts as one that has not",
			"the scheduler, Rollouts, the descheduler and autoscalers of nodes are never behind",
			"no view goes back in time at a restart: from 1.35 on the first list of an informer is a consistent one (WatchListClient)",
			"a loop that is refused as an object has changed does nothing in that sync, though its first of two writes may have passed; so does one that asks for more pods than a quota has room for",
			"a pod that has been bound or has got ready since the view is not deleted, if it cannot be distinguished from others",
		},
	}
}

func (*freshView) Name() string { return "fresh-view" }

// Latency implements [actor.Actor]: seconds, where an API server is behind.
func (*freshView) Latency() actor.Latency { return actor.Kubelet }

// Traits implements [actor.Declarer]; it is no event.
func (*freshView) Traits(*state.Config) actor.Traits { return actor.Traits{} }

func (*freshView) Step(s state.State, next *actor.Emit) {
	if s.Lagging() < 0 {
		return
	}
	t := next.Copy(s)
	t.EndLag()
	next.Move(objects.Done)
}

func (e *freshView) Describe(from, _ state.State, _ search.Move) actor.Words {
	loop := e.loops[from.Lagging()]
	return actor.Words{Action: "fresh-view", Object: loop, Text: loop + " has seen all pods again"}
}

// onView is a loop that acts on what it sees.
type onView struct {
	actor.Actor
	*actor.Lag
	loop    int
	managed bool
}

func (x *onView) Traits(*state.Config) actor.Traits {
	return actor.Traits{Managed: x.managed, Lag: x.Lag}
}

// Err is that of the loop, where it has one: an expression that had no value.
func (x *onView) Err() error {
	if e, ok := x.Actor.(interface{ Err() error }); ok {
		return e.Err()
	}
	return nil
}

// Step implements [actor.Actor]: a sync, of which the reads are of the view and the writes are to the cluster.
func (x *onView) Step(s state.State, next *actor.Emit) {
	if s.Lagging() != x.loop {
		x.Actor.Step(s, next)
		return
	}
	v := actor.Own[viewed](next.Scratch)
	v.step(x, s)
	for i := range v.moves {
		x.offer(s, v, i, next)
	}
}

// offer emits the results of a sync on the view. If the view has pods that are gone or have moved on a phase, any of
// them may be among those that it deletes: it tries as few of them as possible, and as many.
func (x *onView) offer(s state.State, v *viewed, i int, next *actor.Emit) {
	after := v.after(i)
	if x.Conflicts != nil && x.Conflicts(s, v.view, after) {
		return
	}
	for most, open := true, true; open; most = false {
		t := next.Copy(s)
		open = v.write(t, s, after, x.Sees, most) && most
		if x.Expects {
			t.EndLag()
		}
		if !bytes.Equal(t.B, s.B) {
			next.Move(v.moves[i])
		}
	}
}

func (x *onView) Describe(from, to state.State, m search.Move) actor.Words {
	if from.Lagging() != x.loop {
		return x.Actor.Describe(from, to, m)
	}
	v := &viewed{}
	v.step(x, from)
	for i := range v.moves {
		list := &actor.List{Cfg: from.C}
		x.offer(from, v, i, actor.NewEmit(list, from.C, &actor.Scratch{}))
		for _, y := range list.All {
			if y.Move == m && bytes.Equal(y.To.B, to.B) {
				w := x.Actor.Describe(v.view, v.after(i), m)
				if n := from.Missed(); n > 0 {
					w.Text += " (it has not seen the last " + english.Plural(n, "write", "") + " of others)"
				}
				return w
			}
		}
	}
	return x.Actor.Describe(from, to, m)
}

// viewed is the memory of one sync on a view: it, and what the loop made of it. It is a sink.
type viewed struct {
	view    state.State
	afters  []byte // one state after the other
	moves   []search.Move
	cfg     *state.Config // that next is for
	next    *actor.Emit
	scratch actor.Scratch
}

// step has a loop make one sync on what it sees in s.
func (v *viewed) step(x *onView, s state.State) {
	if len(v.view.B) != len(s.B) {
		v.view.B = make([]byte, len(s.B))
	}
	v.view.C = s.C
	s.ViewInto(v.view)
	if v.cfg != s.C {
		v.cfg, v.next = s.C, actor.NewEmit(v, s.C, &v.scratch)
	}
	v.afters, v.moves = v.afters[:0], v.moves[:0]
	if x.Lag.Step != nil {
		x.Lag.Step(v.view, s, v.next)
		return
	}
	x.Actor.Step(v.view, v.next)
}

func (v *viewed) Copy(b []byte) []byte {
	v.afters = append(v.afters[:len(v.moves)*len(b)], b...)
	return v.afters[len(v.moves)*len(b):]
}

func (v *viewed) Move(m search.Move) { v.moves = append(v.moves, m) }

// after is what the i-th move of the sync makes of the view.
func (v *viewed) after(i int) state.State {
	size := len(v.view.B)
	return state.State{C: v.view.C, B: v.afters[i*size : (i+1)*size]}
}

// write makes t of s by the writes of a sync: the fields after it, and as many pods more or fewer. Pods to delete that
// are gone are not deleted again; if it is open how many those are, most says whether as few as possible or as many.
func (v *viewed) write(t, s, after state.State, classes []int, most bool) (open bool) {
	copy(t.B, after.B)
	t.Relag(s)
	for _, p := range classes {
		if s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind().Ends() {
			t.SetOutstanding(p, s.Outstanding(p))
		}
		if s.C.Pods[p].PerNode {
			open = v.writePerNode(t, s, after, p, most) || open
			continue
		}
		f := t.C.Class[p].Pending
		was, now := v.view.Get(f), s.Get(f)
		k, differs := deleted(was-after.Get(f), was, now, most)
		open = open || differs
		t.Set(f, now-k)
		at := place{class: p, unbound: max(was-now, 0), all: after.Get(f) == 0}
		for at.node = range s.C.Nodes {
			open = v.writeOn(t, s, after, at, most) || open
		}
	}
	return open
}

// writePerNode is [viewed.write] of pods that are made for one node each.
func (v *viewed) writePerNode(t, s, after state.State, p int, most bool) (open bool) {
	t.Set(t.C.Class[p].Pending, s.Pending(p))
	for n := range s.C.Nodes {
		was, now := v.view.Awaited(n, p), s.Awaited(n, p)
		k, differs := deleted(was-after.Awaited(n, p), was, now, most)
		t.SetAt(n, t.C.Class[p].Awaited, now)
		t.Await(n, p, -k)
		at := place{node: n, class: p, unbound: max(was-now, 0), all: after.Awaited(n, p) == 0}
		open = v.writeOn(t, s, after, at, most) || open || differs
	}
	return open
}

// deleted is how many of k pods out of was that were to be deleted still are, of now that may be among them. A
// negative k is of pods that are made.
func deleted(k, was, now int, most bool) (n int, open bool) {
	if k <= 0 {
		return k, false
	}
	still := min(was, now)
	hi, lo := min(k, still), max(0, k-(was-still))
	if most {
		return hi, hi != lo
	}
	return lo, hi != lo
}

// place is the pods of a class on a node; of those without a node so many were bound, or are gone, since the view,
// and all says that all of these were to be deleted.
type place struct {
	node, class, unbound int
	all                  bool
}

// writeOn is [viewed.write] on one node. A pod gets on from phase to phase: of those in one that the sync cannot have
// seen there, none is deleted, unless all that it has seen on the node are there, or were all to be deleted.
func (v *viewed) writeOn(t, s, after state.State, at place, most bool) (open bool) {
	n, p := at.node, at.class
	whole := at.unbound == 0 && v.view.LiveOn(n, p) == s.LiveOn(n, p)
	arrived, rest, gone := at.unbound, 0, 0
	if at.all {
		arrived = 0
	}
	if s.C.Spec.Events.PodCrash > 0 && after.ReadyOn(n, p) > 0 {
		arrived += max(v.view.ReadyOn(n, p)-s.ReadyOn(n, p), 0)
		at.all = false
	}
	for _, ph := range state.LivePhases {
		was, now := v.view.On(n, p, ph), s.On(n, p, ph)
		k := was - after.On(n, p, ph)
		d, differs := deleted(k, was, max(now-max(arrived, 0), 0), most || whole)
		if at.all = at.all && k == was; at.all && !whole {
			d, differs = now, false
		} else {
			arrived += was - now
		}
		open = open || differs && !whole
		rest += max(k-d, 0)
		t.SetAt(n, s.C.Class[p].Phase[ph], now-d)
		gone += max(d, 0)
	}
	for i := 0; whole && rest > 0 && i < len(state.LivePhases); i++ {
		ph := state.LivePhases[i]
		d := min(rest, t.On(n, p, ph))
		t.Add(n, p, ph, -d)
		rest, gone = rest-d, gone+d
	}
	if f := s.C.Class[p].Phase[state.Terminating]; s.C.HasPhase(p, state.Terminating) {
		t.SetAt(n, f, s.At(n, f)+gone)
	}
	return open
}
