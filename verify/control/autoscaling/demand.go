package autoscaling

import (
	"math"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Demand is what a workload's clients ask for at each load, of all pods together, in
// thousandths of a unit: of a core, a byte, or whatever a custom metric counts.
type Demand [state.Loads]int64

// DemandFor derives the CPU demand of a workload from its manifests, in millicores:
// nominal puts the base version exactly on its tightest target at its declared replicas,
// or at minReplicas; saturating is on target at maxReplicas, in the version where that is
// more. The loads are the same before and after the apply, as clients do not know of it.
// Containers without a request count as nothing; all are zero where no HPA looks at the
// CPU of a container that has one.
func DemandFor(wl *state.Workload) Demand {
	return signal{resource: corev1.ResourceCPU}.demandOf(wl, 0)
}

// DemandOf is [DemandFor] for the quantity that a metric looks at, of pods that use
// nothing without load. All are zero for a metric without a source.
func DemandOf(wl *state.Workload, m *autoscalingv2.MetricSpec) Demand {
	g, ok := signalOf(m)
	if !ok {
		return Demand{}
	}
	return g.demandOf(wl, 0)
}

// signal is a quantity that autoscaling metrics look at.
type signal struct {
	// resource is that of a Resource or ContainerResource metric, and container the one
	// that the latter names.
	resource  corev1.ResourceName
	container string
	// custom identifies a Pods, Object or External metric; resource is then "".
	custom string
}

// signalOf is what a metric looks at; false for one that has no source.
func signalOf(m *autoscalingv2.MetricSpec) (signal, bool) {
	switch {
	case m.Type == autoscalingv2.ResourceMetricSourceType && m.Resource != nil:
		return signal{resource: m.Resource.Name}, true
	case m.Type == autoscalingv2.ContainerResourceMetricSourceType && m.ContainerResource != nil:
		return signal{resource: m.ContainerResource.Name, container: m.ContainerResource.Container}, true
	case m.Type == autoscalingv2.PodsMetricSourceType && m.Pods != nil:
		return customSignal(m.Pods.Metric, "pods"), true
	case m.Type == autoscalingv2.ObjectMetricSourceType && m.Object != nil:
		return customSignal(m.Object.Metric, m.Object.DescribedObject.Kind+" "+m.Object.DescribedObject.Name), true
	case m.Type == autoscalingv2.ExternalMetricSourceType && m.External != nil:
		return customSignal(m.External.Metric, ""), true
	}
	return signal{}, false
}

func customSignal(id autoscalingv2.MetricIdentifier, of string) signal {
	name := "metric " + id.Name
	if id.Selector != nil {
		name += "{" + metav1.FormatLabelSelector(id.Selector) + "}"
	}
	if of != "" {
		name += " of " + of
	}
	return signal{custom: name}
}

// targetOf is the target of a metric that has a signal.
func targetOf(m *autoscalingv2.MetricSpec) *autoscalingv2.MetricTarget {
	switch {
	case m.Resource != nil:
		return &m.Resource.Target
	case m.ContainerResource != nil:
		return &m.ContainerResource.Target
	case m.Pods != nil:
		return &m.Pods.Target
	case m.Object != nil:
		return &m.Object.Target
	}
	return &m.External.Target
}

// cpu reports whether upstream leaves out the samples of unready pods.
func (g signal) cpu() bool { return g.resource == corev1.ResourceCPU }

// amount words an amount of a signal, given in thousandths of its unit.
func (g signal) amount(milli int64) string { return objects.AmountOf(g.resource, milli) }

// String is the signal as texts have it: "CPU", "memory of container app", "metric qps of pods".
func (g signal) String() string {
	name := g.custom
	if g.resource != "" {
		name = objects.ResourceWord(g.resource)
	}
	if g.container != "" {
		name += " of container " + g.container
	}
	return name
}

// demandOf derives the demand for a signal as [DemandFor] does, over and above what each
// pod uses without load: idle percent of its request.
func (g signal) demandOf(wl *state.Workload, idle int) Demand {
	var d Demand
	kept := g.idleOf(wl, idle) * 100
	for v := state.Base; v <= state.Head; v++ {
		m := &wl.Manifests[v]
		if m.HPA == nil || !m.Exists() {
			continue
		}
		pod := max(g.hundredthsPerPod(m)-kept, 0)
		if d[state.Nominal] == 0 {
			d[state.Nominal] = pod * int64(sizedFor(m)) / 100
		}
		d[state.Saturating] = max(d[state.Saturating], pod*int64(m.HPA.Spec.MaxReplicas)/100)
	}
	return d
}

// idleOf is the memory that one pod uses without load, in thousandths of a byte: so many
// percent of the request in the first version that has one, as an apply that changes the
// request does not change the program.
func (g signal) idleOf(wl *state.Workload, percent int) int64 {
	if g.resource != corev1.ResourceMemory || percent == 0 {
		return 0
	}
	for v := range wl.Manifests {
		if m := &wl.Manifests[v]; m.HPA != nil && m.Exists() {
			if request, _ := objects.PodRequest(m.Pod(), g.resource, g.container); request > 0 {
				return request * int64(percent) / 100
			}
		}
	}
	return 0
}

// hundredthsPerPod is the use of one pod on the tightest target that an HPA has for a
// signal, in hundredths of a thousandth of its unit; 0 if it has none that can be
// computed.
func (g signal) hundredthsPerPod(m *state.Manifest) int64 {
	request, _ := objects.PodRequest(m.Pod(), g.resource, g.container)
	return g.hundredthsOn(m, request)
}

// hundredthsOn is that use for a pod with such a request.
func (g signal) hundredthsOn(m *state.Manifest, request int64) int64 {
	tightest := int64(0)
	metrics := metricsOf(m.HPA)
	for i := range metrics {
		metric := &metrics[i]
		if have, ok := signalOf(metric); !ok || have != g {
			continue
		}
		t := targetOf(metric)
		var p int64
		switch {
		case t.AverageValue != nil:
			p = t.AverageValue.MilliValue() * 100
		case t.AverageUtilization != nil && g.custom == "":
			p = request * int64(*t.AverageUtilization)
		}
		if p > 0 && (tightest == 0 || p < tightest) {
			tightest = p
		}
	}
	return tightest
}

// sizedFor is how many pods a manifest was made for.
func sizedFor(m *state.Manifest) int32 {
	low, high := hpaMin(m.HPA), m.HPA.Spec.MaxReplicas
	if !m.DeclaresReplicas {
		return low
	}
	return min(max(int32(objects.LiveReplicas(m)), low), high)
}

// podUse is what a pod of one class asks for and uses of a signal, in thousandths of its
// unit.
type podUse struct {
	request    int64
	hasRequest bool  // false where upstream fails with "missing request"
	limit      int64 // math.MaxInt64 where nothing limits the pod
	idle       int64 // used without load
	startup    int64 // used while warming up, unless its share of the load is more
}

// of is what a pod uses at a share of the load.
func (p *podUse) of(share int64, warming bool) int64 {
	use := p.idle + share
	if warming {
		use = max(use, p.startup)
	}
	return min(use, p.limit)
}

// compileUse compiles the use of a signal by the pods of a template; spike is the CPU of
// a warming pod in percent of its request.
func (g signal) compileUse(spec *corev1.PodSpec, idle int64, spike int) podUse {
	if g.custom != "" {
		return podUse{hasRequest: true, limit: math.MaxInt64}
	}
	p := podUse{limit: objects.PodLimit(spec, g.resource, g.container), idle: idle}
	p.request, p.hasRequest = objects.PodRequest(spec, g.resource, g.container)
	if g.cpu() {
		p.startup = p.request * int64(spike) / 100
	}
	return p
}
