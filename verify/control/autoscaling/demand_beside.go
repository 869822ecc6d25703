package autoscaling

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// work is the signal of a load that no metric can measure, as its pods have no requests:
// it is given in pods, which the levels are made for.
const work = "work"

func unmeasured(wl *state.Workload) demand {
	var d Demand
	for v := range wl.Manifests {
		m := &wl.Manifests[v]
		if m.HPA == nil || !m.Exists() {
			continue
		}
		if d[state.Nominal] == 0 {
			d[state.Nominal] = int64(sizedFor(m)) * 1000
		}
		d[state.Saturating] = max(d[state.Saturating], int64(m.HPA.Spec.MaxReplicas)*1000)
	}
	return demand{signal{custom: work}, d}
}

// demandsBeside are the demands for a workload without an autoscaler whose pods another workload's autoscaler counts
// without giving them a share of its load.
func demandsBeside(c *state.Config, w int) []demand {
	var out []demand
	for by := range c.Spec.Workloads {
		for v := range c.Spec.Workloads[by].Manifests {
			r := reachOf(c, by, state.Version(v))
			if !slices.ContainsFunc(r.beside,
				func(p int) bool { return c.Pods[p].Workload == w && !slices.Contains(r.sharers, p) }) {
				continue
			}
			for _, d := range demandsFor(&c.Spec.Workloads[by], c.Spec.Events.IdleMemory) {
				x := demand{d.signal, d.demandBeside(&c.Spec.Workloads[w], &c.Spec.Workloads[by], c.Spec.Events.IdleMemory)}
				if x.Demand[state.Saturating] > 0 &&
					!slices.ContainsFunc(out, func(d demand) bool { return d.signal == x.signal }) {
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// demandBeside derives the demand for a workload whose pods the autoscaler of another one
// counts: its own autoscaler's where it has one; else at the nominal load its pods are on
// that one's target, and at the saturating load they use what they request, or that.
func (g signal) demandBeside(wl, by *state.Workload, idle int) Demand {
	if wl.Autoscaled() {
		return g.demandOf(wl, idle)
	}
	var d Demand
	if g.custom != "" {
		return d // it is unknown whether they have such a metric
	}
	kept := g.idleBeside(wl, idle) * 100
	for v := range wl.Manifests {
		m := &wl.Manifests[v]
		if !m.Exists() {
			continue
		}
		request, _ := objects.PodRequest(m.Pod(), g.resource, g.container)
		target := int64(0)
		for b := range by.Manifests {
			if a := &by.Manifests[b]; a.HPA != nil && a.Exists() && target == 0 {
				target = g.hundredthsOn(a, request)
			}
		}
		pods := int64(m.Replicas())
		nominal := max(target-kept, 0) * pods / 100
		if d[state.Nominal] == 0 {
			d[state.Nominal] = nominal
		}
		d[state.Saturating] = max(d[state.Saturating], nominal, max(request*100-kept, 0)*pods/100)
	}
	return d
}

// DemandBeside is [DemandOf] for a workload whose pods the autoscaler of another one
// counts.
func DemandBeside(wl, by *state.Workload, m *autoscalingv2.MetricSpec) Demand {
	g, ok := signalOf(m)
	if !ok {
		return Demand{}
	}
	return g.demandBeside(wl, by, 0)
}

// idleBeside is [signal.idleOf] for a workload that needs no autoscaler.
func (g signal) idleBeside(wl *state.Workload, percent int) int64 {
	if g.resource != corev1.ResourceMemory || percent == 0 {
		return 0
	}
	for v := range wl.Manifests {
		if m := &wl.Manifests[v]; m.Exists() {
			if request, _ := objects.PodRequest(m.Pod(), g.resource, g.container); request > 0 {
				return request * int64(percent) / 100
			}
		}
	}
	return 0
}
