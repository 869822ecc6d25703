package descheduler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// deschedulerTag is the version that the descheduler's files were read from.
const deschedulerTag = "descheduler v0.36.0"

// DeschedulerObject is what a [actor.Ref] into the descheduler's own policy names.
const DeschedulerObject = "DeschedulerPolicy"

// descheduler models the descheduler: one step is one cycle, which runs the Deschedule
// plugins of every profile and then the Balance plugins of every profile.
//
// A cycle is atomic as upstream's takes milliseconds: its pods are listed from a cache in which evicted pods are on
// deletion and still hold their place, the limits count per cycle, and a plugin such as LowNodeUtilization stops by its
// own evictions. The replacements of evicted pods have no node yet and are seen by no plugin.
//
// Upstream: descheduler v0.36.0, pkg/descheduler: runProfiles; pkg/framework/profile:
// RunDeschedulePlugins, RunBalancePlugins; and the functions named in the files
// descheduler_*.go.
type descheduler struct{ k *deschedCompiled }

func New(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if c.Spec.Descheduler == nil {
		return nil, nil
	}
	k, err := compileDescheduler(c)
	if err != nil {
		return nil, err
	}
	var out []actor.Actor
	if len(k.plugins) > 0 {
		out = append(out, &descheduler{k: k})
	}
	if len(k.expiry) > 0 {
		out = append(out, &podLifeTime{k: k, runs: b.Field(lifeTimeRuns)})
	}
	return out, nil
}

// addPlugins compiles the plugins of all profiles in the order of a cycle.
func (k *deschedCompiled) addPlugins() error {
	for _, balance := range []bool{false, true} {
		for i := range k.policy.Profiles {
			profile := &k.policy.Profiles[i]
			evictor, err := k.evictor(&profile.Evictor)
			if err != nil {
				return err
			}
			list := profile.Deschedule
			if balance {
				list = profile.Balance
			}
			for _, p := range list {
				if err := k.addPlugin(p, evictor); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (k *deschedCompiled) addPlugin(p state.DeschedulerPlugin, evictor *deschedEvictor) error {
	plugin := deschedPlugin{name: p.Name, field: p.Field, evictor: evictor}
	var err error
	switch a := p.Args.(type) {
	case *state.RemoveDuplicatesArgs:
		err = k.duplicates(&plugin, a)
	case *state.SpreadArgs:
		err = k.spread(&plugin, a)
	case *state.LowNodeUtilizationArgs:
		err = k.lowUtilization(&plugin, a)
	case *state.HighNodeUtilizationArgs:
		k.highUtilization(&plugin, a)
	case *state.NodeAffinityArgs:
		err = k.nodeAffinity(&plugin, a)
	case *state.NodeTaintsArgs:
		err = k.nodeTaints(&plugin, a)
	case *state.AntiAffinityArgs:
		err = k.antiAffinity(&plugin, a)
	case *state.PodLifeTimeArgs:
		if err = k.lifeTime(&plugin, a); err == nil {
			k.expiry = append(k.expiry, plugin)
		}
		return err
	case *state.RestartsArgs:
		err = k.restarts(&plugin, a)
	case *state.FailedPodsArgs:
		return nil // no pod fails: see Model
	default:
		return deschedUnmodeled(p.Field, "the plugin "+p.Name)
	}
	if err == nil {
		k.plugins = append(k.plugins, plugin)
	}
	return err
}

func (a *descheduler) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: a.k.lumps} }

// lumps says that pods on deletion count by what they hold, but where minReplicas counts those of one owner. Whether a
// pod has started reports whether a budget lets it go.
func (k *deschedCompiled) lumps(x actor.Likeness) bool {
	counts := func(p *state.DeschedulerProfile) bool { return p.Evictor.MinReplicas > 1 }
	return x.Kind == actor.StoppingAs &&
		!slices.ContainsFunc(k.policy.Profiles, func(p state.DeschedulerProfile) bool { return counts(&p) })
}

func (a *descheduler) Name() string           { return "descheduler" }
func (a *descheduler) Latency() actor.Latency { return actor.Periodic }

// Step implements [actor.Actor]: every distinct outcome of one cycle that evicts a pod.
func (a *descheduler) Step(s state.State, next *actor.Emit) {
	r := actor.Own[descheduling](next.Scratch)
	r.load(a.k, s)
	r.play(a.k.plugins)
	for at, end := r.outcomes(); at < end; at++ {
		if r.evicts(at) {
			t := next.Copy(s)
			copy(t.B, r.state(at))
			next.Move(search.Move{Args: [3]int32{int32(at)}})
		}
	}
}

func (a *descheduler) Describe(from, _ state.State, m search.Move) actor.Words {
	return a.k.describe(from, a.k.plugins, int(m.Args[0]))
}

// describe words one outcome of some plugins by playing the cycle again.
func (k *deschedCompiled) describe(from state.State, plugins []deschedPlugin, outcome int) actor.Words {
	var r descheduling
	r.load(k, from)
	r.play(plugins)
	path := make([]state.State, len(plugins)+1) // the states between the plugins
	for i := len(plugins); i >= 0; i-- {
		path[i] = state.State{C: from.C, B: r.state(outcome)}
		outcome = r.parent[outcome]
	}
	w := actor.Words{Action: "evict"}
	var parts []string
	for i := range plugins {
		evicted, classes := k.wordEvictions(path[i], path[i+1])
		if len(classes) == 0 {
			continue
		}
		parts = append(parts, plugins[i].name+" evicts "+evicted)
		w.Because = actor.AppendNew(w.Because,
			actor.Ref{Object: DeschedulerObject, Version: from.Version(), Field: plugins[i].field})
		for _, p := range classes {
			if w.Object == "" {
				w.Object = objects.PodObject(k.cfg, p)
			}
			if plugins[i].because != nil {
				w.Because = actor.AppendNew(w.Because, plugins[i].because(k, from, p)...)
			}
		}
	}
	w.Text = "the descheduler's " + strings.Join(parts, "; then its ")
	return w
}

// wordEvictions sums up what one plugin evicted: "2 ready pods of default/web on a-1",
// and of which pod classes.
func (k *deschedCompiled) wordEvictions(from, to state.State) (text string, classes []int) {
	var out []string
	for p := range k.classes {
		for n := range k.nodes {
			for _, ph := range [...]state.Phase{state.Starting, state.Ready} {
				gone := from.On(n, p, ph) - to.On(n, p, ph)
				if ph == state.Ready {
					gone = from.ReadyOn(n, p) - to.ReadyOn(n, p)
				}
				if gone == 0 {
					continue
				}
				what := ph.String() + " " + objects.Revised(k.cfg, p, "pod")
				out = append(out, fmt.Sprintf("%s of %s on %s%s", english.Plural(gone, what, ""),
					objects.PodName(k.cfg, p), k.cfg.Nodes[n].Name, k.api.Bare(from, p)))
				if !slices.Contains(classes, p) {
					classes = append(classes, p)
				}
			}
		}
	}
	return strings.Join(out, ", "), classes
}

func (a *descheduler) Model() *actor.Model {
	return &actor.Model{
		Upstream: deschedulerTag +
			": runProfiles, DefaultEvictor, RemoveDuplicates, RemovePodsViolatingTopologySpreadConstraint, " +
			"LowNodeUtilization, HighNodeUtilization, RemovePodsViolatingNodeAffinity, RemovePodsViolatingNodeTaints, " +
			"RemovePodsViolatingInterPodAntiAffinity, RemovePodsHavingTooManyRestarts",
		Exact: []string{
			"which pods each plugin evicts, in every order that upstream leaves open; the evictor's filters, nodeFit, limits of a cycle",
			"cordoned, lost and missing nodes, and their taints",
			"a PodDisruptionBudget refuses as the eviction API does",
		},
		MayInvent: []string{
			"a cycle runs at any moment, without deschedulingInterval",
			"ages are not kept: minPodAge protects no pod",
			"pods of a bad revision pass any podRestartThreshold at any cycle",
			"pods that two constraints pick may be the same or others",
		},
		MayHide: []string{
			"the descheduler's cache is never behind; a cycle ends before a replacement has a node",
			"RemoveFailedPods evicts nothing: failed pods are not kept",
			"RemovePodsHavingTooManyRestarts evicts pods of a bad revision only",
			"on assumed nodes LowNodeUtilization and HighNodeUtilization evict nothing",
			"a pod being deleted is not evicted again, whatever " + alwaysEvict + " allows",
			"EvictionsInBackground is not modeled",
		},
		Refused: []string{
			"metricsUtilization, protected storage classes, a PriorityClass that is not among the objects",
		},
	}
}
