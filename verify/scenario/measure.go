package scenario

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// The effects of a change, as numbers: while a search of the change explores its states it notes for each workload the
// least and the most of a few counts over all states in which the change was applied and nothing else has happened.
// They are counts of one workload's pods by phase, so that no reduction loses any: lumping and exchanging nodes keep
// them; a confluent step resizes, or adds pods that are not ready yet, so that another order of it undercuts no least
// of pods that are ready, and leads to the same calm states; and the runs of several workloads, one after the other at
// their end, lead each workload through the same states. TestForecastHolds compares them with a search without
// reductions.

// Seen holds a search's observations of one workload after the change was applied.
type Seen struct {
	Replicas search.Range // spec.replicas
	Pods     search.Range // in any phase but on deletion, where no loop of milliseconds has anything left to do
	Ready    search.Range
}

// join takes in the observations of another search.
func (s *Seen) join(o Seen) {
	s.Replicas.Join(o.Replicas)
	s.Pods.Join(o.Pods)
	s.Ready.Join(o.Ready)
}

const seenNumbers = 3 // of a workload

// measure is the numbers of a problem in states in which the change alone has happened.
func (p *Problem) measure() *search.Measure {
	return p.numbers(func(s state.State) bool { return s.Version() == state.Head && onlyApplied(s) && !s.IsOutgrown() })
}

// numbers are those of a problem in some states.
func (p *Problem) numbers(counts func(state.State) bool) *search.Measure {
	c := p.Cfg
	workloads := len(c.Spec.Workloads)
	return &search.Measure{Numbers: seenNumbers * workloads, Of: func(b []byte, calm bool, into []search.Range) {
		s := state.State{C: c, B: b}
		if !counts(s) {
			return
		}
		for w := range workloads {
			active, ready := 0, 0
			for _, class := range c.ClassesOf[w] {
				r := s.ReadyPods(class)
				ready += r
				active += r + s.Pending(class) + s.Count(class, state.Starting)
			}
			at := into[seenNumbers*w:]
			at[0].Add(s.Replicas(w))
			if calm {
				at[1].Add(active)
			}
			at[2].Add(ready)
		}
	}}
}

// foresees has the searches of a problem measure what they see, or not.
func (p *Problem) foresees(yes bool) {
	if p.foresee, p.System.Measure = yes, nil; yes {
		p.System.Measure = p.measure()
	}
}

// measuresRoom has the searches of one workload by itself measure what its pods take of nodes, in every state that
// there is: no step goes first. It reports whether they can.
func (p *Problem) measuresRoom() bool {
	room := control.RoomFor(p.Cfg, p.loops)
	if room == nil {
		return false
	}
	p.room, p.taken = room, make([]search.Range, room.Numbers)
	for _, sys := range []*search.System{&p.System, &p.still} {
		before := sys.Measure
		n := 0
		if before != nil {
			n = before.Numbers
		}
		sys.Confluent = nil
		sys.Measure = &search.Measure{Numbers: n + room.Numbers, Of: func(b []byte, calm bool, into []search.Range) {
			if before != nil {
				before.Of(b, calm, into[:n])
			}
			room.Taken(state.State{C: p.Cfg, B: b}, p.only, into[n:])
		}}
	}
	return true
}

// tally takes in what a search measured of room.
func (p *Problem) tally(res *search.Result) {
	if p.room == nil || res == nil || len(res.Ranges) < p.room.Numbers {
		return
	}
	for i, r := range res.Ranges[len(res.Ranges)-p.room.Numbers:] {
		p.taken[i].Join(r)
	}
}

// onlyApplied reports whether no event has happened but the apply.
func onlyApplied(s state.State) bool { return s.Spent()>>8 == 0 }

// seen gives what a measured search saw of workload w; false where it did not see all that so many events lead to.
func seen(res *search.Result, w, events int) (Seen, bool) {
	if res == nil || res.Closed < events || len(res.Ranges) < seenNumbers*(w+1) {
		return Seen{}, false
	}
	r := res.Ranges[seenNumbers*w:]
	return Seen{r[0], r[1], r[2]}, r[0].Some
}

// see notes the observations of a search of the change: of all workloads, or of the one that it is about. Those of a
// workload among the others replace those of the workload by itself.
func (r *scenarioRun) see(p *Problem, res *search.Result) {
	if !p.foresee {
		return
	}
	if r.cov.seen == nil {
		r.cov.seen = make([]Seen, len(p.Cfg.Spec.Workloads))
	}
	apply := min(p.Cfg.Spec.Events.Apply, 1) // where nothing is applied, all that is new is there from the start
	for w := range r.cov.seen {
		if p.alone && w != p.only {
			continue
		}
		if s, ok := seen(res, w, apply); ok {
			r.cov.seen[w] = s
		}
	}
}

// joinSeen joins the observations at two topologies, by workload: a number that one of them leaves open is open.
func joinSeen(have, more []Seen) []Seen {
	out := slices.Clone(have)
	for w := range out {
		switch {
		case w >= len(more) || !more[w].Pods.Some || !out[w].Pods.Some:
			out[w] = Seen{}
		default:
			out[w].join(more[w])
		}
	}
	return out
}

// foretells reports whether what the task sees of the change counts: it is searched as declared, at a size that is.
func (j *Task) foretells() bool {
	return !j.probes && j.Variant.probes == nil && j.Variant.premise == "" && j.Variant.AsDeclared() &&
		scale.Declared(j.Variant.Spec.Classes, j.Topology)
}

// foresee takes in what a task saw of the change; of one that was not done everything is open.
func (sr *SliceResult) foresee(j Task, o Outcome) {
	if !j.foretells() {
		return
	}
	saw := o.Cov.seen
	if saw == nil || o.Err != nil {
		saw = make([]Seen, len(j.Variant.Spec.Workloads))
	}
	if sr.seen == nil {
		sr.seen = slices.Clone(saw)
		return
	}
	sr.seen = joinSeen(sr.seen, saw)
}

// arriving is head alone, of a slice that base has nothing of.
func (v Variant) arriving() Variant {
	v = v.only(state.Head)
	v.arrives = true
	return v
}
