package control

import (
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// confluence says which steps commute with everything that can happen before them, for
// [search.System.Confluent]. They are those of the controllers of one workload that
// nobody else looks at:
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
// an event that may fall there; where the problem has such an actor, nothing is confluent.
type confluence struct {
	cfg         *state.Config
	actors      []Actor
	deployments map[int]*deployment // by workload
	replicaSets []*replicaSetLoop   // by actor; nil: another one
	syncs       []*deployment       // by actor; nil: another one
	bad         *badRevision        // or nil
	create      bool                // creations commute
}

// Reduce tells a search of the actors' system, under realistic timing, which steps commute
// with everything that can happen before them, and what a step can give work to.
func Reduce(sys *search.System, cfg *state.Config, actors []Actor) {
	if len(cfg.Spec.Claims) > 0 || resized(cfg) {
		return
	}
	k := &confluence{
		cfg: cfg, actors: actors, deployments: map[int]*deployment{}, create: len(cfg.Spec.Quotas) == 0,
		replicaSets: make([]*replicaSetLoop, len(actors)), syncs: make([]*deployment, len(actors)),
	}
	for i, a := range actors {
		switch a := a.(type) {
		case *deployment:
			k.syncs[i] = a
			k.deployments[a.workload] = a
		case *replicaSetLoop:
			k.create = k.create && a.node < 0
			k.replicaSets[i] = a
		case *Scheduler:
			if a.k.preempts {
				return
			}
			k.create = k.create && len(a.k.groups)+min(len(a.k.unranked), 1) <= 1
		case *badRevision:
			k.bad = a
		case *apply:
		default:
			if e, ok := a.(calmEvent); a.Latency() == Sync || a.Latency() == Event && !(ok && e.fallsInCalm(cfg)) {
				return
			}
		}
	}
	sys.Confluent = k.holds
	if len(cfg.Spec.Quotas) == 0 {
		sys.Wakes = k.wakes
	}
}

// resized says whether a ReplicaSet may have pods of several sizes.
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
func (k *confluence) wakes(actor int) (prompt []int, some bool) {
	own, schedules := -1, true
	switch a := k.actors[actor].(type) {
	case *kubelet:
		own = k.cfg.Pods[a.class].Workload
	case *replicaSetLoop:
		own = a.workload
	case *deployment:
		own, schedules = a.workload, false
	case *hpa:
		own, schedules = a.workload, false
	case *Scheduler:
	default:
		return nil, false
	}
	for i, a := range k.actors {
		_, scheduler := a.(*Scheduler)
		if d, r := k.syncs[i], k.replicaSets[i]; d != nil && d.workload == own || r != nil && r.workload == own || scheduler && schedules {
			prompt = append(prompt, i)
		}
	}
	return prompt, true
}

func (k *confluence) holds(b []byte, actor int) bool {
	s := state.State{C: k.cfg, B: b}
	if s.Get(k.cfg.Applies) > 0 {
		return false
	}
	if d := k.syncs[actor]; d != nil {
		return !k.mayTurnBad(s) && d.steady(s, -1)
	}
	if r := k.replicaSets[actor]; r != nil && k.create {
		return s.Active(r.class) < s.Get(k.cfg.Class[r.class].Size) && k.deployments[r.workload].steady(s, r.class)
	}
	return false
}

// mayTurnBad says whether the next revision of a workload may still turn out bad before
// its Deployment rolls it out.
func (k *confluence) mayTurnBad(s state.State) bool {
	return k.bad != nil && s.BadRevisionsLeft() > 0 && k.bad.pends(s)
}
