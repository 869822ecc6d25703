package control

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// loadChange models the event that the demand for an autoscaled workload changes. There
// is no upstream: demand is a total in millicores of CPU that ready pods share evenly.
type loadChange struct {
	workload int
	name     string // "default/web"
	demand   Demand
}

// Demand is the CPU that a workload's clients ask for at each load, in millicores.
type Demand [state.Loads]int64

func newLoadChange(b *state.Builder) ([]Actor, error) {
	c := b.Config()
	if c.Spec.Events.LoadChange <= 0 {
		return nil, nil
	}
	var out []Actor
	for w := range c.Spec.Workloads {
		d := DemandFor(&c.Spec.Workloads[w])
		if d[state.Saturating] == 0 {
			continue // no HPA, or none that can compute anything: the load changes nothing
		}
		out = append(out, &loadChange{workload: w, name: shortName(&c.Spec.Workloads[w]), demand: d})
	}
	return out, nil
}

// DemandFor derives the loads of a workload from its manifests: nominal puts the base
// version exactly on target at its declared replicas, or at minReplicas; saturating is
// on target at maxReplicas, in the version where that is more. The loads are the same
// before and after the apply, as clients do not know of it. All are zero where no HPA can
// compute anything.
func DemandFor(wl *state.Workload) Demand {
	var d Demand
	for v := state.Base; v <= state.Head; v++ {
		m := &wl.Manifests[v]
		if m.HPA == nil || !m.Exists() {
			continue
		}
		percent := percentPerPod(m)
		if d[state.Nominal] == 0 {
			d[state.Nominal] = percent * int64(sizedFor(m)) / 100
		}
		d[state.Saturating] = max(d[state.Saturating], percent*int64(m.HPA.Spec.MaxReplicas)/100)
	}
	return d
}

// sizedFor is how many pods a manifest was made for.
func sizedFor(m *state.Manifest) int32 {
	low, high := hpaMin(m.HPA), m.HPA.Spec.MaxReplicas
	if !m.DeclaresReplicas {
		return low
	}
	return min(max(int32(liveReplicas(m)), low), high)
}

// percentPerPod is the CPU of one pod on the tightest target of an HPA, in hundredths
// of a millicore; 0 if the HPA has none that can be computed.
func percentPerPod(m *state.Manifest) int64 {
	tightest := int64(0)
	for i := range m.HPA.Spec.Metrics {
		r := m.HPA.Spec.Metrics[i].Resource
		if m.HPA.Spec.Metrics[i].Type != autoscalingv2.ResourceMetricSourceType || r == nil {
			continue
		}
		var p int64
		switch request, ok := cpuRequest(&m.Deployment.Spec.Template.Spec); {
		case r.Target.AverageValue != nil:
			p = r.Target.AverageValue.MilliValue() * 100
		case r.Target.AverageUtilization != nil && ok:
			p = request * int64(*r.Target.AverageUtilization)
		}
		if p > 0 && (tightest == 0 || p < tightest) {
			tightest = p
		}
	}
	return tightest
}

// Name implements [Actor].
func (l *loadChange) Name() string { return "load/" + l.name }

// Latency implements [Actor].
func (l *loadChange) Latency() Latency { return Event }

// Step implements [Actor]: any other load.
func (l *loadChange) Step(s state.State, next *Emit) {
	f := &s.C.Workload[l.workload]
	left := s.Get(f.Loads)
	if left == 0 || !s.Manifest(l.workload).Exists() {
		return
	}
	now := s.Load(l.workload)
	for to := state.Idle; to < state.Loads; to++ {
		if l.demand[to] == l.demand[now] || (to > 0 && l.demand[to] == l.demand[to-1]) {
			continue
		}
		t := next.Copy(s)
		t.Set(f.Load, int(to))
		t.Set(f.Loads, left-1)
		next.Move(search.Move{Args: [3]int32{int32(to)}})
	}
}

// Describe implements [Actor].
func (l *loadChange) Describe(from, to state.State, _ search.Move) Words {
	old, now := from.Load(l.workload), to.Load(l.workload)
	verb := "rises"
	if now < old {
		verb = "falls"
	}
	w := Words{
		Action: "load-change", Object: from.C.Spec.Workloads[l.workload].ID,
		Text: fmt.Sprintf("the load on %s %s from %s to %s (%dm -> %dm CPU)",
			l.name, verb, old, now, l.demand[old], l.demand[now]),
	}
	if now == state.Saturating {
		w.Because = hpaRef(from, l.workload, "spec.maxReplicas")
	}
	return w
}

// Model implements [Actor].
func (l *loadChange) Model() *Model {
	return &Model{
		Upstream:  "none: the environment",
		MayInvent: []string{"the load may jump to any level at any moment"},
		MayHide: []string{
			"the load has three levels: none, what the base version was sized for, what maxReplicas was made for",
			"demand is CPU only, and ready pods share it evenly",
		},
	}
}
