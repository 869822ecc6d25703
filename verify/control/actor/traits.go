package actor

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Declarer is an actor that declares something of itself beyond its steps; the others declare nothing.
type Declarer interface {
	// Traits are what the actor declares in a problem.
	Traits(c *state.Config) Traits
}

// TraitsOf asks an actor.
func TraitsOf(a Actor, c *state.Config) Traits {
	if d, ok := a.(Declarer); ok {
		return d.Traits(c)
	}
	return Traits{}
}

// Traits are the properties of an actor on which reductions of a search, and sources of faults, rely. The zero value is
// the careful one: nothing is assumed of an actor that declares nothing, so the search is larger than necessary and
// complete. Each claim is tried on random states of all actors (control's TestAlone, TestLumps, TestEnds and others),
// and on whole searches (verify's TestApartKeepsFindings and the like).
type Traits struct {
	// Managed says that it is a loop of the kube-controller-manager: while that is down, it does nothing.
	Managed bool
	// Calm is of an event that does not fall into the milliseconds in which a sync loop has work: such a moment is too
	// short to hold anybody to. Where two orders differ in that only, the one in which the loop was done first stands for
	// both.
	Calm bool

	// Alone says that it treats a workload as if it were alone, wherever its pods are. Its steps on a workload depend
	// on the numbers of that workload, on how many of its pods are in which phase, on the applied version, and on
	// budgets of events: not on nodes, and not on other workloads. As long as these are the same it takes the same
	// steps, with the same results; an event may have fewer of them beside others. Of is the one workload that it then
	// acts on, or [Each].
	Alone bool
	Of    int

	// Lumps reports whether it does not distinguish states that are alike; nil: it distinguishes everything.
	Lumps func(Likeness) bool

	// Commutes is what commutes with the steps of a sync loop, or of an event that does not wait for calm: both orders
	// lead to the same state, and neither step enables, disables or changes the other. Where one of them declares nothing,
	// nothing goes first in its problem. Slower loops and calm events are not asked: they do not move while a sync loop
	// has work.
	Commutes Early
	// Minds names the exceptions: whether in s, or after steps of others from there, the actor may take a step that does
	// not commute with this one; class is that of the ReplicaSet which creates pods, for [Create]. nil: there are none.
	Minds func(s state.State, step Early, class int) bool
	// Leads is, of a sync loop of which some steps may go first, the kind of the step that it has in a state, where it is
	// one of those, or 0; and the pod class whose ReplicaSet creates pods, for [Create].
	Leads func(s state.State) (step Early, class int)

	// Wakes names those that its steps give work; nil: anybody. Works names the kinds of work that a sync loop reacts
	// to; nil: any.
	Wakes, Works *Work

	// Takes is of the actor that decides where pods run: it lists the nodes that accept the pods of all the given
	// classes, as far as the nodes' own properties decide.
	Takes func(classes []int) []int
	// Room is of the actor that decides where pods run, where only their number may keep it from being Alone; nil:
	// something else may.
	Room *Room
	// Grows is of a controller that decides how many pods a ReplicaSet has. It says in which states no pod of class p is
	// deleted any more while others of it have yet to start, as far as the controller goes; nil: in none, or another one's
	// pods. calm says that no event happens.
	Grows func(p int, calm bool) func(state.State) bool

	// Ends says from when on each workload only comes to an end by itself: no pod is created or placed any more, and no
	// event happens. Where all actors of a problem say so of a state, it is so in every state that follows, and what each
	// of them does reads and writes what belongs to one workload, and comes to an end: steps of different workloads can be
	// taken in any order. It gives the workload that the actor has to do with from then on, or [Each] where it has nothing
	// left to do, and in which states that is so; nil: in all; ok is false where there are none. A nil Ends is an actor
	// that may do anything at any time. calm says that no event happens.
	Ends func(calm bool) (w int, ended func(state.State) bool, ok bool)

	// Interrupt is of a loop of which one sync writes several objects, so that a restart may come between two of them. It
	// emits the states after some of the writes of one sync, in upstream's order, and not all; in each of them it calls
	// [state.State.StopManager].
	Interrupt func(s state.State, next *Emit)

	// Lag is of a loop that sees pods through an informer, which may be behind the API server; its own object it sees as
	// it is. nil: it sees everything as it is.
	Lag *Lag
}

// Room is what pods take of nodes, in numbers that are added up over workloads.
type Room struct {
	Numbers int
	// Taken adds what the pods of workload w take in a state: those on deletion too, and those without a node.
	Taken func(s state.State, w int, into []search.Range)
	// Lasts reports whether the actor is Alone as long as no more than so much is taken at once.
	Lasts func(taken []int) bool
	// Rest is the least that pods take once all that may be asked for are there.
	Rest []int
}

// Each stands for every workload; see [Traits.Of].
const Each = -1

// EndsWhen is [Traits.Ends] of an actor that has nothing left to do in some states.
func EndsWhen(ended func(state.State) bool) func(bool) (int, func(state.State) bool, bool) {
	return func(bool) (int, func(state.State) bool, bool) { return Each, ended, true }
}

// Lag is what a loop whose view may be behind says of it.
type Lag struct {
	Sees    []int // the pod classes that it looks at, ascending
	Expects bool  // it waits, before it acts again, until it has seen what it wrote itself
	Reports []int // the pod classes whose ReplicaSets' status it writes, from what it sees
	// Conflicts reports whether the API server refuses in s what a sync on a view wrote, which led to after: what it was
	// made from has changed. nil: never.
	Conflicts func(s, view, after state.State) bool
	// Step is, of a loop that asks for something as it is beside the pods that it sees, a step on a view of live; what it
	// writes is made of the view. nil: the actor's own Step, on the view.
	Step func(view, live state.State, next *Emit)
}

// Early is kinds of steps of sync loops that may go first, before all else that can happen.
type Early uint8

const (
	// Resize: a controller writes the sizes of its workload's ReplicaSets, which only their controllers read.
	Resize Early = 1 << iota
	// Create: a ReplicaSet creates pods for the scheduler.
	Create
)

// Work is the part of a step that gives work to sync loops, or the part of the state that a sync loop reacts to.
type Work struct {
	Workload int  // whose controllers; -1: none
	Places   bool // the scheduler
}

// Likeness is what two states may differ in without an actor taking other steps from the one than from the other: each
// step from one has one from the other, and what they lead to differs in the same only, if at all. Whether they may
// move at all is part of that.
type Likeness struct {
	Kind LikenessKind
	// Class is the pod class that the states differ in. Other is the second one, for [StoppingAs]: of the same workload,
	// with pods of the same footprint (see objects.SameFootprint).
	Class, Other int
}

// LikenessKind says in what two states differ.
type LikenessKind uint8

const (
	// StartedWhere: on which nodes the pods of a class are that have started, of as many on each node and as many in
	// all. No pod of the class goes while others of it have yet to start.
	StartedWhere LikenessKind = iota
	// StoppingAs: of which of two classes pods on deletion on a node are.
	StoppingAs
)

// AnyLikeness is [Traits.Lumps] of an actor that distinguishes no states that are alike: it is always true.
func AnyLikeness(Likeness) bool { return true }

// Stopping is [Traits.Lumps] of an actor that does not tell pods on deletion apart: it is true of these.
func Stopping(k Likeness) bool { return k.Kind == StoppingAs }

// Lump reports whether the actor declares that it does not distinguish states that are alike.
func (t Traits) Lump(k Likeness) bool { return t.Lumps != nil && t.Lumps(k) }
