package autoscaling

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// loadChange models the event that the demand for an autoscaled workload changes. There
// is no upstream: demand is a total of each quantity that an autoscaling metric looks at,
// which ready pods share evenly.
type loadChange struct {
	workload int
	name     string // "default/web"
	demands  []demand
}

// demand is the demand for one signal.
type demand struct {
	signal
	Demand
}

func NewLoadChange(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	if c.Spec.Events.LoadChange <= 0 {
		return nil, nil
	}
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		l := &loadChange{workload: w, name: objects.OwnName(&c.Spec.Workloads[w]),
			demands: demandsFor(&c.Spec.Workloads[w], c.Spec.Events.IdleMemory)}
		if len(l.demands) == 0 {
			l.demands = demandsBeside(c, w)
		}
		if len(l.demands) == 0 {
			l.demands = demandsSized(c.Spec, w)
		}
		if len(l.demands) > 0 { // else no HPA looks at its pods
			out = append(out, l)
		}
	}
	return out, nil
}

// demandsFor are the demands for the signals of a workload's metrics, in the order of the metrics, or one that is not
// measured if none of its containers has a request.
func demandsFor(wl *state.Workload, idleMemory int) []demand {
	var out []demand
	for v := range wl.Manifests {
		m := &wl.Manifests[v]
		if m.HPA == nil || !m.Exists() {
			continue
		}
		metrics := metricsOf(m.HPA)
		for i := range metrics {
			g, ok := signalOf(&metrics[i])
			if !ok || slices.ContainsFunc(out, func(d demand) bool { return d.signal == g }) {
				continue
			}
			if d := g.demandOf(wl, idleMemory); d[state.Saturating] > 0 {
				out = append(out, demand{g, d})
			}
		}
	}
	if len(out) == 0 && wl.Autoscaled() {
		return []demand{unmeasured(wl)}
	}
	return out
}

// same reports whether two loads ask for the same.
func (l *loadChange) same(a, b state.Load) bool {
	for i := range l.demands {
		if l.demands[i].Demand[a] != l.demands[i].Demand[b] {
			return false
		}
	}
	return true
}

func (l *loadChange) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		// Only autoscalers look at the load, and they do not act while a sync loop has work, so that a load that
		// changes meanwhile might as well change afterwards.
		Calm:  !c.Spec.Unreduced,
		Lumps: actor.AnyLikeness, // it looks at no pods
		Alone: true, Of: l.workload,
	}
}

func (l *loadChange) Name() string           { return "load/" + l.name }
func (l *loadChange) Latency() actor.Latency { return actor.Event }

// Step implements [actor.Actor]: any other load.
func (l *loadChange) Step(s state.State, next *actor.Emit) {
	f := &s.C.Workload[l.workload]
	left := s.Get(f.Loads)
	if left == 0 || !s.Manifest(l.workload).Exists() {
		return
	}
	now := s.Load(l.workload)
	for to := state.Idle; to < state.Loads; to++ {
		if l.same(to, now) || (to > 0 && l.same(to, to-1)) {
			continue
		}
		t := next.Copy(s)
		t.Set(f.Load, int(to))
		t.Set(f.Loads, left-1)
		next.Move(search.Move{Args: [3]int32{int32(to)}})
	}
}

func (l *loadChange) Describe(from, to state.State, _ search.Move) actor.Words {
	old, now := from.Load(l.workload), to.Load(l.workload)
	verb := "rises"
	if now < old {
		verb = "falls"
	}
	w := actor.Words{
		Action: "load-change", Object: from.C.Spec.Workloads[l.workload].ID,
		Text: fmt.Sprintf("the load on %s %s from %s to %s (%s)", l.name, verb, old, now, l.amounts(old, now)),
	}
	if now == state.Saturating {
		w.Because = hpaRef(from, l.workload, "spec.maxReplicas")
	}
	return w
}

// amounts words what two loads ask for: "500m -> 1000m CPU".
func (l *loadChange) amounts(old, now state.Load) string {
	var out []string
	for i := range l.demands {
		d := &l.demands[i]
		text := d.amount(d.Demand[old]) + " -> " + d.amount(d.Demand[now])
		if d.custom == work {
			out = append(out, "work for "+text+" pods")
			continue
		}
		if d.custom != "" {
			out = append(out, d.String()+" "+text)
			continue
		}
		out = append(out, text+" "+d.String())
	}
	return strings.Join(out, ", ")
}

func (l *loadChange) Model() *actor.Model {
	return &actor.Model{
		Upstream: "none: the environment",
		MayInvent: []string{
			"the load may jump to any level at any moment",
			"with several metrics, each is at its target at the same load",
		},
		MayHide: []string{
			"the load has three levels: none, the one that base was sized for, the one that maxReplicas was made for",
			"ready pods share the load evenly",
			"pods that another workload's autoscaler counts are on its target at the nominal load",
			"a workload with only a vertical autoscaler uses its requests at the nominal load; at the saturating one, its fixed limits or the largest node",
			"memory follows the load, except for events.loadChange.idleMemory",
		},
	}
}
