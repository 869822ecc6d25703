package control

import (
	"fmt"
	"math"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// hpa models the HorizontalPodAutoscaler of one workload, with CPU targets.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler: reconcileAutoscaler,
// computeReplicasForMetrics (this file), GetResourceReplicas, GetRawResourceReplicas,
// groupPods, calculateRequests (hpa_metrics.go), normalizeDesiredReplicas,
// normalizeDesiredReplicasWithBehaviors (hpa_behavior.go).
type hpa struct {
	workload int
	name     string // "default/web"
	demand   Demand
	versions [2]autoscaler
	pods     []podCPU // by pod class; zero for those of other workloads
}

// autoscaler is what one version declares of an HPA, compiled.
type autoscaler struct {
	exists   bool
	min, max int32
	targets  []cpuTarget // one a metric
	limits   scaling
}

// cpuTarget is one metric.
type cpuTarget struct {
	utilization int32 // percent of the request; 0 where average is set
	average     int64 // millicores a pod
}

// reason says what decided a count, for [hpa.Describe].
type reason uint8

const (
	byMetric    reason = iota + 1
	aboveMax           // the live count was above maxReplicas
	belowMin           // the live count was below minReplicas
	limitedMax         // the metric wants more than maxReplicas
	limitedMin         // the metric wants less than minReplicas
	limitedRate        // the metric wants a faster change than the behavior allows
)

// decision is the outcome of one sync.
type decision struct {
	replicas int32
	reason   reason
	metric   int   // index of the deciding metric
	usage    int64 // of the deciding metric: percent of the request, or millicores a pod
}

func newHPA(b *state.Builder) ([]Actor, error) {
	c := b.Config()
	var out []Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if !wl.Autoscaled() {
			continue
		}
		h := &hpa{workload: w, name: shortName(wl), demand: DemandFor(wl), pods: make([]podCPU, len(c.Pods))}
		for v := range wl.Manifests {
			if wl.Manifests[v].HPA == nil {
				continue
			}
			a, err := compileHPA(wl.Manifests[v].HPA)
			if err != nil {
				return nil, fmt.Errorf("hpa %s/%s: %w", wl.Namespace, wl.Manifests[v].HPA.Name, err)
			}
			h.versions[v] = a
		}
		for _, p := range c.ClassesOf[w] {
			h.pods[p] = compilePodCPU(&c.Pods[p].Template.Spec)
		}
		out = append(out, h)
	}
	return out, nil
}

func compileHPA(h *autoscalingv2.HorizontalPodAutoscaler) (autoscaler, error) {
	a := autoscaler{exists: true, min: hpaMin(h), max: h.Spec.MaxReplicas}
	if a.min == 0 {
		return a, fmt.Errorf("spec.minReplicas: scaling to zero: %w", ErrUnmodeled)
	}
	for i := range h.Spec.Metrics {
		m := &h.Spec.Metrics[i]
		at := fmt.Sprintf("spec.metrics[%d]", i)
		if m.Type != autoscalingv2.ResourceMetricSourceType || m.Resource == nil {
			return a, fmt.Errorf("%s.type: %s metrics: %w", at, m.Type, ErrUnmodeled)
		}
		if m.Resource.Name != corev1.ResourceCPU {
			return a, fmt.Errorf("%s.resource.name: %s: %w", at, m.Resource.Name, ErrUnmodeled)
		}
		switch t := m.Resource.Target; {
		case t.AverageValue != nil:
			a.targets = append(a.targets, cpuTarget{average: t.AverageValue.MilliValue()})
		case t.AverageUtilization != nil:
			a.targets = append(a.targets, cpuTarget{utilization: *t.AverageUtilization})
		default:
			return a, fmt.Errorf("%s.resource.target: neither averageUtilization nor averageValue: %w", at, ErrUnmodeled)
		}
	}
	if len(a.targets) == 0 { // SetDefaults_HorizontalPodAutoscaler
		a.targets = []cpuTarget{{utilization: 80}}
	}
	a.limits = compileBehavior(h.Spec.Behavior)
	return a, nil
}

// hpaMin is minReplicas as defaulted.
func hpaMin(h *autoscalingv2.HorizontalPodAutoscaler) int32 {
	if h.Spec.MinReplicas == nil {
		return 1
	}
	return *h.Spec.MinReplicas
}

// hpaID is the object ID of a workload's HPA in a version.
func hpaID(wl *state.Workload, v state.Version) string {
	return "autoscaling/HorizontalPodAutoscaler " + wl.Namespace + "/" + wl.Manifests[v].HPA.Name
}

// hpaRef names a field of the HPA that a state's version has, or of head's.
func hpaRef(s state.State, w int, field string) []Ref {
	v, wl := s.Version(), &s.C.Spec.Workloads[w]
	if wl.Manifests[v].HPA == nil {
		v = state.Head
	}
	if wl.Manifests[v].HPA == nil {
		return nil
	}
	return []Ref{{Object: hpaID(wl, v), Version: v, Field: field}}
}

// Name implements [Actor].
func (h *hpa) Name() string { return "hpa/" + h.name }

// Latency implements [Actor].
func (h *hpa) Latency() Latency { return Periodic }

// Step implements [Actor]: one sync, or nothing if it would keep the count.
func (h *hpa) Step(s state.State, next *Emit) {
	a := &h.versions[s.Version()]
	if !a.exists || !s.Manifest(h.workload).Exists() {
		return
	}
	d, ok := h.reconcile(s, a)
	if !ok || int(d.replicas) == s.Replicas(h.workload) || h.held(s, a, d) {
		return
	}
	t := next.Copy(s)
	t.SetReplicas(h.workload, int(d.replicas))
	if s.C.Spec.Apply == state.ServerSide { // an update takes a changed field from its owners
		t.Set(t.C.Workload[h.workload].Owners, int(state.Autoscaler))
	}
	next.Move(search.Move{Kind: uint16(d.reason), Args: [3]int32{int32(d.metric), int32(min(d.usage, math.MaxInt32))}})
}

// held says whether a scale-down waits for its stabilization window, in which the
// kubelet does what it has to do: no pod of the workload starts or stops any more when
// it ends. Upstream takes the highest recommendation within the window, of 300 s unless
// declared; live replicas above maxReplicas are lowered at once.
func (h *hpa) held(s state.State, a *autoscaler, d decision) bool {
	if int(d.replicas) > s.Replicas(h.workload) || d.reason == aboveMax || a.limits.downWindow < slowWindow {
		return false
	}
	for _, p := range s.C.ClassesOf[h.workload] {
		if s.Count(p, state.Starting) > 0 || s.Count(p, state.Terminating) > 0 {
			return true
		}
	}
	return false
}

// reconcile is reconcileAutoscaler; false where it does nothing.
func (h *hpa) reconcile(s state.State, a *autoscaler) (decision, bool) {
	current := int32(s.Replicas(h.workload))
	switch {
	case current == 0:
		return decision{}, false // scaling is disabled
	case current > a.max:
		return decision{replicas: a.max, reason: aboveMax}, true
	case current < a.min:
		return decision{replicas: a.min, reason: belowMin}, true
	}
	u := h.measure(s)
	d, ok := a.computeReplicas(current, &u)
	if !ok {
		return d, false
	}
	a.limits.normalize(&d, current, a.min, a.max)
	return d, true
}

// computeReplicas is computeReplicasForMetrics: the largest proposal, unless a metric
// failed and the others would scale down.
func (a *autoscaler) computeReplicas(current int32, u *cpuUsage) (decision, bool) {
	d := decision{reason: byMetric}
	invalid := 0
	for i, t := range a.targets {
		proposal, usage, ok := u.replicasFor(t, current, a.limits.tolerance)
		if !ok {
			invalid++
			continue
		}
		if d.replicas == 0 || proposal > d.replicas {
			d.replicas, d.metric, d.usage = proposal, i, usage
		}
	}
	if invalid >= len(a.targets) || (invalid > 0 && d.replicas < current) {
		return d, false
	}
	return d, true
}

// Describe implements [Actor].
func (h *hpa) Describe(from, to state.State, m search.Move) Words {
	v := from.Version()
	wl := &from.C.Spec.Workloads[h.workload]
	a := &h.versions[v]
	why := ""
	var fields []string // of the HPA, most telling first
	switch reason(m.Kind) {
	case aboveMax:
		why, fields = fmt.Sprintf("above maxReplicas %d", a.max), []string{"spec.maxReplicas"}
	case belowMin:
		why, fields = fmt.Sprintf("below minReplicas %d", a.min), []string{"spec.minReplicas"}
	case limitedMax:
		why, fields = fmt.Sprintf(", limited to maxReplicas %d", a.max), []string{"spec.maxReplicas"}
	case limitedMin:
		why, fields = fmt.Sprintf(", limited to minReplicas %d", a.min), []string{"spec.minReplicas"}
	case limitedRate:
		why = ", limited by the scaling rate"
		if a.limits.declared {
			fields = []string{"spec.behavior"}
		}
	}
	onRequest := false
	if metric := int(m.Args[0]); reason(m.Kind) != aboveMax && reason(m.Kind) != belowMin {
		t, field := a.targets[metric], fmt.Sprintf("spec.metrics[%d].resource.target.", metric)
		if t.average > 0 {
			why = fmt.Sprintf("CPU %dm a pod, target %dm", m.Args[1], t.average) + why
			field += "averageValue"
		} else {
			why = fmt.Sprintf("CPU %d%% of request, target %d%%", m.Args[1], t.utilization) + why
			field += "averageUtilization"
			onRequest = true
		}
		fields = append(fields, field)
	}
	w := Words{Action: "scale", Object: wl.ID, Text: fmt.Sprintf("HPA scales %s from %d to %d (%s)",
		h.name, from.Replicas(h.workload), to.Replicas(h.workload), why)}
	for _, f := range fields {
		w.Because = append(w.Because, Ref{Object: hpaID(wl, v), Version: v, Field: f})
	}
	if onRequest {
		w.Because = append(w.Because, Ref{Object: wl.ID, Version: v, Field: "spec.template.spec.containers[0].resources.requests[cpu]"})
	}
	return w
}

// Model implements [Actor].
func (h *hpa) Model() *Model {
	return &Model{
		Upstream: upstream + ", pkg/controller/podautoscaler: reconcileAutoscaler, GetResourceReplicas, groupPods, normalizeDesiredReplicas(WithBehaviors)",
		Exact: []string{
			"truncation, tolerance, ceiling, unready pods and limits, in upstream's order and float64",
			"a container without a CPU request stops a utilization target; live replicas of 0 switch the HPA off",
		},
		MayInvent: []string{
			"a sync runs at any moment, where upstream waits 15 s between two",
			"scale-up windows, policy periods and scale-down windows under 60 s have always passed: what they dampen is not dampened",
		},
		MayHide: []string{
			"recommendations are not remembered: a scale-up that only a remembered one causes is missed",
			"a scale-down with a window of 60 s or more waits until the workload's pods have started and stopped: one that takes longer than the window is missed",
			"changes within a policy's period are not added up: counts that a half-used period allows are missed",
			"a ready pod has a sample at once, one that is starting has none that counts: pods without metrics are missed",
			"pods of other workloads that the selector matches are not counted",
		},
		Refused: []string{"metrics other than Resource cpu", "spec.minReplicas 0"},
	}
}
