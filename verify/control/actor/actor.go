// Package actor says what a control loop, or a source of events, is to the checker: a name, a latency class, its steps,
// its words for people, and what it shares with upstream.
//
// Every actor names the upstream functions it was read from and says of each simplification whether it is exact, may
// invent runs, may hide runs, or is refused ([ErrUnmodeled]). The families beside this package hold the actors.
package actor

import (
	"errors"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ErrUnmodeled says that a manifest asks for behavior no actor has. The error that
// wraps it names the object and the field; the verdict is then inconclusive.
var ErrUnmodeled = errors.New("not modeled")

// Latency is an actor's class of speed; it decides what may overtake it.
type Latency uint8

const (
	Sync     Latency = iota // controllers, scheduler: milliseconds
	Kubelet                 // starting and stopping pods: seconds to minutes
	Periodic                // HPA 15 s, re-sync 3 min, descheduler 5 min
	Event                   // the environment: any time, never forced
)

// String is the class as it stands in results: "sync", "kubelet", "periodic", "event".
func (l Latency) String() string {
	return [...]string{"sync", "kubelet", "periodic", "event"}[l]
}

// Actor is one control loop on one object, or one source of events. Its methods are
// pure and safe for concurrent use; scratch memory comes from [Emit].
type Actor interface {
	// Name is unique, such as "hpa/default/web", "scheduler" or "load/default/web".
	Name() string
	Latency() Latency
	// Step emits every successor of s through this actor, in a fixed order. Loops are level-triggered: the enabled
	// steps follow from s alone.
	Step(s state.State, next *Emit)
	// Describe words one step; it runs for the steps of a counterexample only.
	Describe(from, to state.State, m search.Move) Words
	// Model says what the actor was read from and how it errs.
	Model() *Model
}

// Words is one step for people.
type Words struct {
	Action string // kebab-case verb, stable: "scale", "create-pod", "bind", "load-change", "apply"
	Object string // the object acted on, such as "apps/Deployment default/web" or "Pod default/web (new revision)"
	Text   string // one line without a full stop: "replicas 2 -> 4 (cpu 87% of request, target 50%)"
	// Because names the declarations that allow or force the step, most telling first.
	Because []Ref
}

// Ref names a field of a manifest: an object's ID ("autoscaling/HorizontalPodAutoscaler
// default/web") and a path in field.Path's notation ("spec.minReplicas").
type Ref struct {
	Object  string
	Version state.Version
	Field   string
}

// Model is an actor's declaration of what it shares with upstream.
type Model struct {
	Upstream  string   // component, tag and functions
	Exact     []string // what equals upstream
	MayInvent []string // runs that upstream does not have
	MayHide   []string // runs of upstream that are missing here; printed under every result that holds
	Refused   []string // features that make the verdict inconclusive
}

// Emit collects the successors of one state. One worker owns one Emit.
type Emit struct {
	to      Sink
	cfg     *state.Config
	Scratch *Scratch
	limit   interface{ Full() bool } // nil: all successors are wanted
	// from and last are the state that the last copy was made of, and the copy.
	from, last []byte
}

// Full reports whether enough successors were taken, so that an actor which enumerates many may stop. The search always
// wants all.
func (e *Emit) Full() bool { return e.limit != nil && e.limit.Full() }

// Sink takes successors: the search's [search.Emit], or a test's.
type Sink interface {
	Copy(s []byte) []byte
	Move(m search.Move)
}

// Scratch is the memory of one worker that actors may use within one Step.
type Scratch struct {
	Scores  []int64
	Nodes   []int
	Counts  []int
	Domains []int
	own     []any // one for each type that [Own] was asked for; at most a handful
}

// Own is the part of a worker's memory that has a family's type: the first call makes it,
// the others give it back as the last Step left it.
func Own[T any](s *Scratch) *T {
	for _, x := range s.own {
		if own, ok := x.(*T); ok {
			return own
		}
	}
	own := new(T)
	s.own = append(s.own, own)
	return own
}

// NewEmit makes a collector of the successors of cfg's states.
func NewEmit(to Sink, cfg *state.Config, s *Scratch) *Emit {
	e := &Emit{to: to, cfg: cfg, Scratch: s}
	e.limit, _ = to.(interface{ Full() bool })
	return e
}

// Copy gives a copy of s to be changed and then offered by [Emit.Move]. It is valid
// until the next Copy.
func (e *Emit) Copy(s state.State) state.State {
	t := state.State{C: e.cfg, B: e.to.Copy(s.B)}
	e.from, e.last = s.B, t.B
	return t
}

// Move offers the last copy as a successor. Where a loop's view lags, it lacks what the step wrote.
func (e *Emit) Move(m search.Move) {
	if e.cfg.Lags() {
		state.State{C: e.cfg, B: e.last}.Misses(state.State{C: e.cfg, B: e.from})
	}
	e.to.Move(m)
}

// adapter makes an actor one of the search's.
type adapter struct {
	Actor
	cfg     *state.Config
	urgency search.Urgency
	after   []loop // the loops that an event waits for; see [Traits.Calm]
	managed bool   // see [Traits.Managed]; false where nothing restarts
}

// Timing says which interleavings are explored; see the design, section 3.
type Timing uint8

const (
	Realistic Timing = iota // no slower loop acts while a millisecond loop has work
	Arbitrary               // every interleaving
)

// Adapt turns actors into those of a search over cfg's states.
func Adapt(cfg *state.Config, actors []Actor, t Timing) []search.Actor {
	out := make([]search.Actor, len(actors))
	sync := loopsOf(cfg, actors, func(l Latency) bool { return l == Sync })
	for i, a := range actors {
		u := search.Prompt
		switch {
		case a.Latency() == Event:
			u = search.Environment
		case a.Latency() != Sync || t == Arbitrary:
			u = search.Patient
		}
		own := TraitsOf(a, cfg)
		x := &adapter{Actor: a, cfg: cfg, urgency: u, managed: own.Managed && cfg.Spec.Events.ManagerRestart > 0}
		if own.Calm && t == Realistic {
			x.after = sync
		}
		out[i] = x
	}
	return out
}

func (a *adapter) Urgency() search.Urgency { return a.urgency }

func (a *adapter) Step(s []byte, next *search.Emit) {
	l, from := next.Local.(*Local), state.State{C: a.cfg, B: s}
	if from.IsOutgrown() || a.managed && from.ManagerDown() || a.after != nil && l.busy(a.after, from) {
		return
	}
	l.emit.to, l.emit.cfg, l.emit.limit = next, a.cfg, next
	a.Actor.Step(from, &l.emit)
}

func (a *adapter) Describe(from, to []byte, m search.Move) string {
	return a.Actor.Describe(state.State{C: a.cfg, B: from}, state.State{C: a.cfg, B: to}, m).Text
}

// Local is the scratch memory of one worker; [NewLocal] makes it for the search.
type Local struct {
	emit    Emit
	scratch Scratch
	probe   probe
}

// NewLocal makes the scratch memory of one worker, for [search.System.Local].
func NewLocal() any {
	l := &Local{}
	l.emit.Scratch = &l.scratch
	return l
}

// InCalm reports whether the actor never moves while a sync loop has work.
func (a *adapter) InCalm() bool { return a.after != nil }
