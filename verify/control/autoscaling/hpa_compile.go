package autoscaling

import (
	"fmt"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// autoscaler is what one version declares of an HPA, compiled.
type autoscaler struct {
	exists   bool
	min, max int32
	metrics  []metric
	limits   scaling
}

// metric is one metric of an HPA.
type metric struct {
	signal      int   // index in hpa.signals
	utilization int32 // target, in percent of the request; 0 where average is set
	average     int64 // target a pod, in thousandths of the signal's unit
	whole       bool  // Object and External: one sample, of all pods together
	field       string
}

// use is a signal with what the workload's pods have to do with it.
type use struct {
	signal
	demand []Demand // by workload; zero for those whose pods the HPA does not count
	pods   []podUse // by pod class; likewise
}

func NewHPA(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if !wl.Autoscaled() {
			continue
		}
		h := &HPA{Workload: w, name: objects.OwnName(wl)}
		for v := range wl.Manifests {
			if wl.Manifests[v].HPA == nil {
				continue
			}
			a, err := h.compile(wl.Manifests[v].HPA, c.Spec.HPA)
			if err != nil {
				return nil, fmt.Errorf("hpa %s/%s: %w", wl.Namespace, wl.Manifests[v].HPA.Name, err)
			}
			h.versions[v], h.reach[v] = a, reachOf(c, w, state.Version(v))
			h.most = max(h.most, a.max)
		}
		for i := range h.signals {
			h.signals[i].look(c, h)
		}
		if h.remembers(c) {
			c.Workload[w].Recommended = b.Field(c.MaxPods)
		}
		h.restOn(b)
		out = append(append(out, h), newRivals(c, w)...)
	}
	return out, nil
}

// look compiles what the pods that an HPA counts have to do with a signal.
func (g *use) look(c *state.Config, h *HPA) {
	e := &c.Spec.Events
	wl := &c.Spec.Workloads[h.Workload]
	g.demand, g.pods = make([]Demand, len(c.Spec.Workloads)), make([]podUse, len(c.Pods))
	g.demand[h.Workload] = g.demandOf(wl, e.IdleMemory)
	for _, p := range c.ClassesOf[h.Workload] {
		g.pods[p] = g.compileUse(&c.Pods[p].Template.Spec, g.idleOf(wl, e.IdleMemory), e.StartupSpike)
	}
	for v := range h.reach {
		for _, p := range h.reach[v].beside {
			o := &c.Spec.Workloads[c.Pods[p].Workload]
			g.demand[c.Pods[p].Workload] = g.demandBeside(o, wl, e.IdleMemory)
			g.pods[p] = g.compileUse(&c.Pods[p].Template.Spec, g.idleBeside(o, e.IdleMemory), e.StartupSpike)
		}
	}
}

func (h *HPA) compile(o *autoscalingv2.HorizontalPodAutoscaler, flags state.HPAFlags) (autoscaler, error) {
	a := autoscaler{exists: true, min: hpaMin(o), max: o.Spec.MaxReplicas, limits: compileBehavior(o.Spec.Behavior, flags)}
	switch {
	case a.max < a.min:
		return a, fmt.Errorf("spec.maxReplicas: %d is less than minReplicas %d, which the API server refuses: %w", a.max,
			a.min, actor.ErrUnmodeled)
	}
	metrics := metricsOf(o)
	for i := range metrics {
		m, err := h.compileMetric(&metrics[i], fmt.Sprintf("spec.metrics[%d]", i))
		if err != nil {
			return a, err
		}
		a.metrics = append(a.metrics, m)
	}
	return a, nil
}

// compileMetric compiles the metric at a path of the HPA.
func (h *HPA) compileMetric(m *autoscalingv2.MetricSpec, at string) (metric, error) {
	g, ok := signalOf(m)
	if !ok {
		return metric{}, fmt.Errorf("%s: no metric source of type %q: %w", at, m.Type, actor.ErrUnmodeled)
	}
	source := map[autoscalingv2.MetricSourceType]string{
		autoscalingv2.ResourceMetricSourceType:          "resource",
		autoscalingv2.ContainerResourceMetricSourceType: "containerResource",
		autoscalingv2.PodsMetricSourceType:              "pods", autoscalingv2.ObjectMetricSourceType: "object",
		autoscalingv2.ExternalMetricSourceType: "external",
	}[m.Type]
	if g.custom == "" && g.resource != corev1.ResourceCPU && g.resource != corev1.ResourceMemory {
		return metric{}, fmt.Errorf("%s.%s.name: %s: %w", at, source, g.resource, actor.ErrUnmodeled)
	}
	at += "." + source + ".target."
	out := metric{signal: h.signalIndex(g),
		whole: m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType}
	switch t := targetOf(m); { // computeStatusFor…Metric, in upstream's order
	case t.AverageValue != nil && t.AverageValue.MilliValue() > 0:
		out.average, out.field = t.AverageValue.MilliValue(), at+"averageValue"
	case t.AverageUtilization != nil && *t.AverageUtilization > 0 && g.custom == "":
		out.utilization, out.field = *t.AverageUtilization, at+"averageUtilization"
	case t.Value != nil && out.whole:
		return out, fmt.Errorf("%svalue: no manifest says whether the metric falls when pods are added: %w",
			at, actor.ErrUnmodeled)
	default:
		return out, fmt.Errorf("%stype: no target that a pod's use can be compared with: %w", at, actor.ErrUnmodeled)
	}
	return out, nil
}

// signalIndex is the index of a signal, which is added where it is new.
func (h *HPA) signalIndex(g signal) int {
	for i := range h.signals {
		if h.signals[i].signal == g {
			return i
		}
	}
	h.signals = append(h.signals, use{signal: g})
	return len(h.signals) - 1
}

// metricsOf are the metrics of an HPA as defaulted (SetDefaults_HorizontalPodAutoscaler).
func metricsOf(o *autoscalingv2.HorizontalPodAutoscaler) []autoscalingv2.MetricSpec {
	if len(o.Spec.Metrics) > 0 {
		return o.Spec.Metrics
	}
	percent := int32(80)
	return []autoscalingv2.MetricSpec{{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{
			Name:   corev1.ResourceCPU,
			Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
		},
	}}
}

// hpaMin is minReplicas as defaulted; 0 counts as 1.
func hpaMin(o *autoscalingv2.HorizontalPodAutoscaler) int32 {
	if o.Spec.MinReplicas == nil {
		return 1
	}
	return max(*o.Spec.MinReplicas, 1)
}

// hpaRef names a field of the HPA that a state's version has, or of head's.
func hpaRef(s state.State, w int, field string) []actor.Ref {
	v, wl := s.VersionOf(w), &s.C.Spec.Workloads[w]
	if wl.Manifests[v].HPA == nil {
		v = state.Head
	}
	if wl.Manifests[v].HPA == nil {
		return nil
	}
	return []actor.Ref{{Object: objects.HPAID(wl, v), Version: v, Field: field}}
}
