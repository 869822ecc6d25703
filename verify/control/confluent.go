package control

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/control/faults"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/control/workloads"
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
	actors      []actor.Actor
	deployments map[int]*workloads.Deployment // by workload
	replicaSets []*workloads.ReplicaSetLoop   // by actor; nil: another one
	syncs       []*workloads.Deployment       // by actor; nil: another one
	bad         *faults.BadRevision           // or nil
	create      bool                          // creations commute
}

// Reduce tells a search of the actors' system, under realistic timing, which steps commute
// with everything that can happen before them, and what a step can give work to.
func Reduce(sys *search.System, cfg *state.Config, actors []actor.Actor) {
	if len(cfg.Spec.Claims) > 0 || resized(cfg) {
		return
	}
	k := &confluence{
		cfg: cfg, actors: actors, deployments: map[int]*workloads.Deployment{}, create: len(cfg.Spec.Quotas) == 0,
		replicaSets: make([]*workloads.ReplicaSetLoop, len(actors)), syncs: make([]*workloads.Deployment, len(actors)),
	}
	for i, a := range actors {
		switch a := a.(type) {
		case *workloads.Deployment:
			k.syncs[i] = a
			k.deployments[a.Workload] = a
		case *workloads.ReplicaSetLoop:
			k.create = k.create && a.Node < 0
			k.replicaSets[i] = a
		case *scheduler.Scheduler:
			if a.K.Preempts {
				return
			}
			k.create = k.create && len(a.K.Groups)+min(len(a.K.Unranked), 1) <= 1
		case *faults.BadRevision:
			k.bad = a
		case *gitops.Apply:
		default:
			if e, ok := a.(actor.CalmEvent); a.Latency() == actor.Sync ||
				a.Latency() == actor.Event && !(ok && e.FallsInCalm(cfg)) {
				return
			}
		}
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
func (k *confluence) wakes(actor int) (prompt []int, some bool) {
	own, placing := -1, true
	switch a := k.actors[actor].(type) {
	case *nodes.Kubelet:
		own = k.cfg.Pods[a.Class].Workload
	case *workloads.ReplicaSetLoop:
		own = a.Workload
	case *workloads.Deployment:
		own, placing = a.Workload, false
	case *autoscaling.HPA:
		own, placing = a.Workload, false
	case *scheduler.Scheduler:
	default:
		return nil, false
	}
	for i, a := range k.actors {
		_, schedules := a.(*scheduler.Scheduler)
		if d, r := k.syncs[i], k.replicaSets[i]; d != nil && d.Workload == own ||
			r != nil && r.Workload == own || schedules && placing {
			prompt = append(prompt, i)
		}
	}
	return prompt, true
}

func (k *confluence) holds(b []byte, actor int) bool {
	s := state.State{C: k.cfg, B: b}
	if s.Get(k.cfg.Applies) > 0 || s.StepsLeft() > 0 {
		return false
	}
	if d := k.syncs[actor]; d != nil {
		return !k.mayTurnBad(s) && d.Steady(s, -1)
	}
	if r := k.replicaSets[actor]; r != nil && k.create {
		return s.Active(r.Class) < s.Get(k.cfg.Class[r.Class].Size) && k.deployments[r.Workload].Steady(s, r.Class)
	}
	return false
}

// mayTurnBad reports whether the next revision of a workload may still turn out bad before
// its Deployment rolls it out.
func (k *confluence) mayTurnBad(s state.State) bool {
	return k.bad != nil && s.BadRevisionsLeft() > 0 && k.bad.Pends(s)
}
