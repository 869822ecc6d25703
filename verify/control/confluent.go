package control

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// confluence says which steps commute with everything that can happen before them, for [search.System.Confluent]. They
// are those of the controllers of one workload that no other actor looks at:
//
//   - A sync of a Deployment reads its own fields and counts its own pods, and writes the
//     sizes of its ReplicaSets, which only their controllers read. While sync loops have
//     work, only these controllers change how many of its pods there are. So it can go
//     first where it leaves alone the size of those that have something to do, and would
//     write the same once they have done it.
//   - A ReplicaSet that creates pods for the scheduler reads its size and counts its own
//     pods; it adds pending ones. So it can go first where the Deployment has nothing to
//     do, nor will have once the other ReplicaSet is done; and where all pods have one
//     priority, one more that is pending takes no choice from the scheduler.
//
// A deletion is not among them: it makes room that the scheduler sees.
//
// Whoever else takes pods away in the milliseconds of a sync loop breaks this, and so does
// an event that may fall there: each of them says whether it does ([actor.Traits]), and
// where one says nothing, nothing is confluent. Slower loops, and events that wait for calm,
// never move while a sync loop has work, so that they come before no such step.
type confluence struct {
	cfg    *state.Config
	sync   []bool                                 // by actor
	traits []actor.Traits                         // by actor
	leads  []func(state.State) (actor.Early, int) // by actor; nil: none
	minds  []func(s state.State, step actor.Early, class int) bool
	early  actor.Early // what commutes with everybody, but where one of them minds
}

// Reduce tells a search of the actors' system, under realistic timing, which steps commute
// with everything that can happen before them, and what a step can give work to.
func Reduce(sys *search.System, cfg *state.Config, actors []actor.Actor) {
	if len(cfg.Spec.Claims) > 0 || resized(cfg) {
		return
	}
	k := &confluence{
		cfg: cfg, leads: make([]func(state.State) (actor.Early, int), len(actors)), early: actor.Resize | actor.Create,
	}
	for i, a := range actors {
		t := actor.TraitsOf(a, cfg)
		k.traits, k.sync = append(k.traits, t), append(k.sync, a.Latency() == actor.Sync)
		if hasty := k.sync[i] || a.Latency() == actor.Event && !t.Calm; !hasty {
			continue // it does not move while a sync loop has work
		}
		k.early &= t.Commutes
		k.leads[i] = t.Leads
		if t.Minds != nil {
			k.minds = append(k.minds, t.Minds)
		}
	}
	if k.early == 0 {
		return
	}
	sys.Confluent = k.holds
	if len(cfg.Spec.Quotas) == 0 {
		sys.Wakes = k.wakes
	}
}

// resized reports whether a ReplicaSet may have pods of several sizes.
func resized(c *state.Config) bool {
	for p := range c.Pods {
		if c.Pods[p].Set != p {
			return true
		}
	}
	return false
}

// wakes is [search.System.Wakes]: a step in the life of a workload's pods gives work to
// its controllers and to the scheduler, who give work to each other.
func (k *confluence) wakes(waker int) (prompt []int, some bool) {
	given := k.traits[waker].Wakes
	if given == nil {
		return nil, false
	}
	for i, t := range k.traits {
		if k.sync[i] && (t.Works == nil || meet(given, t.Works)) {
			prompt = append(prompt, i)
		}
	}
	return prompt, true
}

// meet reports whether a loop that has to do with some work is given it.
func meet(given, does *actor.Work) bool {
	return given.Workload >= 0 && given.Workload == does.Workload || given.Places && does.Places
}

func (k *confluence) holds(b []byte, leader int) bool {
	leads := k.leads[leader]
	if leads == nil {
		return false
	}
	s := state.State{C: k.cfg, B: b}
	step, class := leads(s)
	if step&k.early == 0 {
		return false
	}
	for _, minds := range k.minds {
		if minds(s, step, class) {
			return false
		}
	}
	return true
}
