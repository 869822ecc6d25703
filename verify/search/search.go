// Package search explores a finite transition system exhaustively: its frontier,
// its visited set, its strongly connected components, its lassos.
//
// A state is a byte string of fixed length; an [Actor] turns a state into its
// successors; a [Rule] says which states, steps or cycles are bad. The package
// knows nothing of what the bytes mean, and nothing of Kubernetes.
//
// Runs are weakly fair: an actor that stays enabled moves eventually. Steps of
// [Environment] actors are events: they are never forced, are counted, and no
// cycle contains one.
package search

import (
	"context"
	"time"
)

// Urgency says which enabled actors may move in a state.
type Urgency uint8

const (
	// Prompt actors move first: while one is enabled, no Patient actor moves.
	Prompt Urgency = iota
	// Patient actors move only in states in which no Prompt actor is enabled.
	Patient
	// Environment actors may move in every state, are never forced to, and each of
	// their steps costs one event.
	Environment
)

// Move tells the steps of one actor apart. Its meaning belongs to the actor; it is
// not stored with the state but found again when a path is rebuilt.
type Move struct {
	Kind uint16
	Args [3]int32
}

// Actor is one source of transitions. All its methods must be pure and safe to call
// from several goroutines; Step must emit the same successors in the same order
// whenever it is given the same state.
type Actor interface {
	// Name is unique within a system, such as "philosopher/3".
	Name() string
	Urgency() Urgency
	// Step emits every successor of s through this actor: [Emit.Copy], change the
	// copy, [Emit.Move]. It must not change or keep s. An actor that emits nothing is
	// not enabled in s. A successor equal to s is a transition, so an actor with
	// nothing to do must emit nothing.
	Step(s []byte, next *Emit)
	// Describe words one step; it runs for the steps of a counterexample only.
	Describe(from, to []byte, m Move) string
}

// Rule is one property. Exactly one of its predicates is set; each must be pure,
// symmetric under [System.Canon] and safe for concurrent use.
type Rule struct {
	// Name is unique within a system.
	Name string
	// Bad marks the states an invariant forbids.
	Bad func(s []byte) bool
	// BadStep marks forbidden transitions; actor indexes [System.Actors].
	BadStep func(from, to []byte, actor int, m Move) bool
	// Quiescent marks states in which no actor but the environment's is enabled and
	// that are bad to end in.
	Quiescent func(s []byte) bool
	// Persists is violated by a fair run that from some point on stays in states with
	// this predicate: a quiescent one, or a fair cycle through such states only.
	Persists func(s []byte) bool
	// Settles is the match set of convergence: violated by a fair run that is
	// outside it infinitely often: a quiescent state outside, or a fair cycle that
	// visits a state outside.
	Settles func(s []byte) bool
	// Recurs is violated by a fair cycle that contains such a step.
	Recurs func(from, to []byte, actor int, m Move) bool

	// Footprint lists the actors whose steps can change Bad of a state, or can be a BadStep, or can change BadStep of
	// another actor's step. [Options.Reduce] asks for it; an empty list that is not nil says that none can.
	Footprint []int
}

// System is the transition system to search.
type System struct {
	// Width is the length of every state in bytes, at least 1.
	Width int
	// Initial states; need be neither canonical nor distinct. At least one.
	Initial [][]byte
	Actors  []Actor
	Rules   []Rule
	// Canon rewrites a state in place to the representative of its symmetry class.
	// Exchanging symmetric states must be an automorphism of the system that maps the
	// steps of each actor to steps of the same actor. nil: none.
	Canon func(s []byte)
	// MovesActors says that Canon may map the steps of one actor to those of another.
	// Fairness per actor is then lost, so Persists, Settles and Recurs are refused.
	MovesActors bool
	// Independent says that actors a and b, a != b, commute: in every state, a step of
	// one neither enables, disables nor changes the steps of the other, and both orders
	// lead to the same state. It must be symmetric. Only [Options.Reduce] asks it.
	Independent func(a, b int) bool
	// Confluent says of an actor with one successor in s that its step commutes with everything that can happen before
	// it: no step of another actor disables it, enables it again or changes its effect, and both orders lead to the
	// same state and show the same rules violated. Only [RunScreened] asks it; nil: no actor is.
	Confluent func(s []byte, actor int) bool
	// Wakes lists the prompt actors that a step of an actor may enable, or that can be
	// enabled after it; some is false where that may be any. Only [RunScreened] asks it;
	// nil: any.
	Wakes func(actor int) (prompt []int, some bool)
	// Ample lists sets of patient actors, for a state in which no prompt actor is enabled: the steps of the first set in
	// which one is enabled may stand for those of all. It has to be symmetric under Canon. In such a state, and in all
	// that the loops lead to from it, no event is enabled; a step of one set, with the prompt steps that follow on it,
	// neither enables, disables nor changes one of another set, and both orders lead to the same state; no state is met
	// twice. So quiescent states and cycles are those of the whole, after as many steps. Refused with rules on states and
	// steps, which a run may break on its way. nil: none.
	Ample func(s []byte) [][]int
	// Spent tells states apart by the events that they took: sixteen numbers of 0 to 7, four
	// bits each, which only an event changes. One that falls keeps the sets before and after it apart. It must be
	// symmetric under Canon. [Result.Violations] has then, of each rule, a violation for every
	// least such set of events. nil: events are only counted.
	Spent func(s []byte) uint64
	// Most is the largest value of each byte of a state, as far as is known: the less, the less memory a state takes. A
	// search that meets a larger one begins again. nil: 255.
	Most []byte
	// Measure is numbers of states whose ranges are wanted; nil: there are none.
	Measure *Measure
	// Local makes the scratch memory of one worker, handed to the actors as
	// [Emit.Local]. nil: none.
	Local func() any
}

// Options bound a search. The zero value of a budget means no bound, except where
// said otherwise; a negative one is refused.
type Options struct {
	Workers   int           // goroutines; 0 means one per processor
	MaxEvents int           // environment steps on a path; -1 means no separate bound, 0 none at all
	MaxStates uint64        // distinct states
	MaxBytes  uint64        // memory of the visited set, the frontier and the parents
	MaxTime   time.Duration // wall time
	// StopAtFirst ends the search when every rule has a violation or, for rules on
	// states and steps only, as soon as the first one is known to be the shortest.
	StopAtFirst bool
	// Settled asks for [Result.Settled].
	Settled bool
	// Reduce explores an ample set of the actors in each state instead of all
	// (partial-order reduction), as [System.Independent] allows. Violations are found
	// as before but may not be the shortest. Refused with rules on cycles and with
	// Settled, and with a rule on states or steps that has no Footprint.
	Reduce bool
	// Compact lets a search without events go on beyond MaxBytes with 8-byte
	// fingerprints in place of expanded states, see [Result.MissProbability]. Refused
	// with rules on cycles and with Settled.
	Compact bool
	// Checked verifies the contract of actors, canonical form, rules and Independent in
	// every state, at several times the cost.
	Checked bool
	// Progress, if set, is called from one goroutine, at most about ten times a second.
	Progress func(Progress)

	sizes sizes
}

// Progress is a snapshot of a running search.
type Progress struct {
	States, Transitions uint64
	Frontier            uint64 // states still to be expanded in the current layer
	Events, Depth       int    // the layer being expanded
	Elapsed             time.Duration
}

// Bound says what ended a search.
type Bound uint8

const (
	Complete    Bound = iota + 1 // everything within MaxEvents was explored
	StateBound                   // MaxStates reached
	MemoryBound                  // MaxBytes reached
	TimeBound                    // MaxTime reached
	Cancelled                    // the context was cancelled
	FirstFound                   // StopAtFirst ended it
)

// Result is what a search found and what it covered. It does not depend on
// [Options.Workers], except for a search that a time bound or a cancellation ended.
type Result struct {
	Bound       Bound
	Closed      int    // events up to which all was explored, or -1
	States      uint64 // distinct canonical states
	Transitions uint64
	Events      int // most events on a shortest path
	Depth       int // most steps on a shortest path
	// Violations has at most one entry a rule, in the order of [System.Rules]; with
	// [System.Spent] one for every set of events that none of fewer is known of, and one
	// more where an event more makes it inevitable.
	Violations []Violation
	// Settled holds, in canonical order, every reachable quiescent state and one state
	// of every fair terminal cycle, where [Options.Settled] asked for them.
	Settled [][]byte
	// Quiescent counts the quiescent states; Cyclic the terminal cycles, where
	// [Options.Settled] asked for them.
	Quiescent, Cyclic int
	// Ranges are those of [System.Measure], over the states that were expanded: of all that need up to Closed events, and
	// of some that need more.
	Ranges []Range `json:",omitempty"`
	// Bytes is the most memory that MaxBytes counts that was in use.
	Bytes uint64
	// Reduced counts the states of which only an ample set was explored.
	Reduced uint64
	// Compacted says that fingerprints replaced states. MissProbability then bounds the
	// probability that a reachable state was taken for another one and missed.
	Compacted       bool
	MissProbability float64
}

// Violation is one counterexample: the one with the fewest events and, among those,
// the fewest steps.
type Violation struct {
	Rule  int // index in [System.Rules]
	Start []byte
	Steps []Step
	// CycleStart is the index in Steps of the first step of the loop, or -1. A loop
	// closes up to symmetry: its last state has the canonical form of its first.
	CycleStart int
	Events     int
	// Inevitable says that, from the state after the last event of Steps (or from
	// Start) on, every fair run without further events violates the rule.
	Inevitable bool
	// Undecided says that a budget ended the search before that was decided: Inevitable is false then, and has no
	// meaning.
	Undecided bool
}

// Step is one transition of a counterexample, between concrete states (not canonical
// ones: a path can be followed node by node).
type Step struct {
	Actor    int // index in [System.Actors]
	Move     Move
	From, To []byte
}

// Run explores sys within opt.
//
// Errors: [ErrSystem] for a system or options that cannot be searched, [ErrActor] for
// an actor that panics or breaks its contract, both naming the actor or rule.
// Running out of a budget is not an error but a [Bound].
func Run(ctx context.Context, sys System, opt Options) (*Result, error) {
	return run(ctx, sys, opt)
}
