package descheduler

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// podLifeTime models the descheduler's PodLifeTime plugins. That a pod grows older than
// a limit is an event here, as the state keeps no ages: at some moment one pod has
// passed the limit, or all have, as pods of one rollout do.
//
// Upstream: descheduler v0.36.0, pkg/framework/plugins/podlifetime: New, Deschedule.
type podLifeTime struct {
	k    *deschedCompiled
	runs state.Field // that evicted so far; zero at first
}

// lifeTimeRuns is how many runs of the plugins evict on one run of the cluster.
const lifeTimeRuns = 1

// lifeTime compiles one PodLifeTime plugin.
func (k *deschedCompiled) lifeTime(plugin *deschedPlugin, a *state.PodLifeTimeArgs) error {
	var err error
	if plugin.selects, err = k.selection(a.PodSelection, plugin.field); err != nil {
		return err
	}
	for p := range k.classes {
		looks := plugin.selects[p] && admits(a.OwnerKinds, k.classes[p].owner) && len(a.ExitCodes) == 0
		for _, ph := range state.LivePhases {
			plugin.single = append(plugin.single, looks && inState(a.States, ph))
		}
	}
	plugin.run = expire
	return nil
}

// inState reports whether pods of a phase can be in one of the states that a plugin names;
// no states are all.
func inState(states []string, ph state.Phase) bool {
	if len(states) == 0 || slices.Contains(states, "Running") {
		return true
	}
	return ph == state.Starting && slices.ContainsFunc(states, func(s string) bool {
		return s == "Pending" || s == "PodInitializing" || s == "ContainerCreating"
	})
}

// expire evicts one pod, or all, that may have passed the limit of age or restarts.
func expire(r *descheduling, plugin *deschedPlugin) {
	groups, all := 0, 0
	for n := range r.k.nodes {
		for p := range r.k.classes {
			for i, ph := range state.LivePhases {
				if on := r.now.On(n, p, ph); on > 0 && r.expires(plugin, n, p, i) {
					r.cand[r.at(n, p, i)] = on
					groups, all = groups+1, all+on
				}
			}
		}
	}
	if all > 1 {
		groups++ // the last choice: all of them
	}
	chosen := r.choose(groups)
	if all > 1 && chosen == groups-1 {
		r.evictPods(plugin, 0, len(r.k.nodes))
		return
	}
	for n := range r.k.nodes {
		for p := range r.k.classes {
			for i, ph := range state.LivePhases {
				if r.cand[r.at(n, p, i)] == 0 {
					continue
				}
				if chosen == 0 {
					r.request(plugin, n, p, ph)
					return
				}
				chosen--
			}
		}
	}
}

func (r *descheduling) expires(plugin *deschedPlugin, n, p, phase int) bool {
	return r.ready[n] && plugin.single[p*len(state.LivePhases)+phase] && (!plugin.onlyBad || r.from.Bad(p)) &&
		r.evictable(plugin.evictor, p) && r.mayLeave(plugin.evictor, p, n)
}

func (a *podLifeTime) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: a.k.lumps} }

func (a *podLifeTime) Name() string           { return "pod-lifetime" }
func (a *podLifeTime) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: the plugins run once, with pods that are just too old.
func (a *podLifeTime) Step(s state.State, next *actor.Emit) {
	if s.Get(a.runs) >= lifeTimeRuns {
		return
	}
	for i := range a.k.expiry {
		r := actor.Own[descheduling](next.Scratch)
		r.load(a.k, s)
		r.play(a.k.expiry[i : i+1])
		for at, end := r.outcomes(); at < end; at++ {
			if r.evicts(at) {
				t := next.Copy(s)
				copy(t.B, r.state(at))
				t.Set(a.runs, s.Get(a.runs)+1)
				next.Move(search.Move{Args: [3]int32{int32(i), int32(at)}})
			}
		}
	}
}

func (a *podLifeTime) Describe(from, _ state.State, m search.Move) actor.Words {
	return a.k.describe(from, a.k.expiry[m.Args[0]:m.Args[0]+1], int(m.Args[1]))
}

func (a *podLifeTime) Model() *actor.Model {
	return &actor.Model{
		Upstream: deschedulerTag + ", pkg/framework/plugins/podlifetime",
		Exact:    []string{"namespaces, labels, owner kinds, the evictor's filters and the eviction API"},
		MayInvent: []string{
			"any pod may pass maxPodLifeTimeSeconds at any moment, alone or with all others",
			"every pod may meet conditions",
		},
		MayHide: []string{
			"one run of the plugin evicts; no pod is old in a loop",
			"only Running, Pending, PodInitializing and ContainerCreating match; exitCodes match nothing",
		},
	}
}
