package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"

	"github.com/kubesettle/kubesettle/verify/control/autoscaling"
	"github.com/kubesettle/kubesettle/verify/state"
)

// anyMetric is a metric of every source that the model knows, mostly of CPU.
func anyMetric(r *rand.Rand) autoscalingv2.MetricSpec {
	percent := int32(1 + r.IntN(150))
	utilization := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent}
	average := func(max int64) autoscalingv2.MetricTarget {
		return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: resource.NewMilliQuantity(1+r.Int64N(max), resource.DecimalSI)}
	}
	id := autoscalingv2.MetricIdentifier{Name: []string{"requests", "queue"}[r.IntN(2)]}
	name, most := corev1.ResourceCPU, int64(900)
	if r.IntN(3) == 0 {
		name, most = corev1.ResourceMemory, 1000<<28
	}
	target := utilization
	if r.IntN(3) == 0 {
		target = average(most)
	}
	switch r.IntN(9) {
	case 0:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: name, Container: "main", Target: target}}
	case 1:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: id, Target: average(100_000)}}
	case 2:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{Metric: id, Target: average(100_000)}}
	case 3:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{Metric: id, Target: average(100_000),
			DescribedObject: autoscalingv2.CrossVersionObjectReference{APIVersion: "v1", Kind: "Service", Name: "web"}}}
	}
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{Name: name, Target: target}}
}

// beside is another workload whose pods the HPA counts.
type beside struct {
	workload *state.Workload
	load     state.Load
	ready    []string // pods
}

// demandOf is the demand for what the first metric looks at that is so.
func (u *upstreamHPA) demandOf(is func(m *autoscalingv2.MetricSpec) bool) int64 {
	for i := range u.metrics {
		if is(&u.metrics[i]) {
			return autoscaling.DemandOf(u.workload, &u.metrics[i])[u.load]
		}
	}
	return 0
}

// besideOf is the other workload's demand for it.
func (u *upstreamHPA) besideOf(is func(m *autoscalingv2.MetricSpec) bool) int64 {
	for i := range u.metrics {
		if is(&u.metrics[i]) && u.beside.workload != nil {
			return autoscaling.DemandBeside(u.beside.workload, u.workload, &u.metrics[i])[u.beside.load]
		}
	}
	return 0
}

// share splits a demand among the ready pods, unevenly, as only the sum may count.
// Unready pods use nothing, or what counts for nothing.
func (u *upstreamHPA) share(total, others int64, ofNoAccount bool) metrics.PodMetricsInfo {
	out := metrics.PodMetricsInfo{}
	add := func(pod string, value int64) {
		out[pod] = metrics.PodMetric{Timestamp: time.Now(), Window: 30 * time.Second, Value: value}
	}
	split := func(pods []string, total int64) {
		for i, name := range pods {
			part := total / int64(len(pods)-i)
			if i < len(pods)-1 && part > 0 {
				part = u.random.Int64N(part + 1)
			}
			add(name, part)
			total -= part
		}
	}
	split(u.ready, total)
	split(u.beside.ready, others)
	for _, name := range u.unready {
		value := int64(0)
		if ofNoAccount {
			value = u.random.Int64N(5000)
		}
		add(name, value)
	}
	return out
}

// GetResourceMetric implements upstream's MetricsClient.
func (u *upstreamHPA) GetResourceMetric(_ context.Context, name corev1.ResourceName, _ string, _ labels.Selector, container string) (metrics.PodMetricsInfo, time.Time, error) {
	is := func(m *autoscalingv2.MetricSpec) bool {
		if container != "" {
			return m.ContainerResource != nil && m.ContainerResource.Name == name && m.ContainerResource.Container == container
		}
		return m.Resource != nil && m.Resource.Name == name
	}
	out := u.share(u.demandOf(is), u.besideOf(is), name == corev1.ResourceCPU)
	if len(out) == 0 {
		return nil, time.Time{}, fmt.Errorf("no metrics returned from resource metrics API")
	}
	return out, time.Now(), nil
}

// GetRawMetric implements upstream's MetricsClient.
func (u *upstreamHPA) GetRawMetric(name, _ string, _ labels.Selector, _ labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	is := func(m *autoscalingv2.MetricSpec) bool { return m.Pods != nil && m.Pods.Metric.Name == name }
	out := u.share(u.demandOf(is), u.besideOf(is), false)
	if len(out) == 0 {
		return nil, time.Time{}, fmt.Errorf("no metrics returned from custom metrics API")
	}
	return out, time.Now(), nil
}

// GetObjectMetric implements upstream's MetricsClient.
func (u *upstreamHPA) GetObjectMetric(name, _ string, _ *autoscalingv2.CrossVersionObjectReference, _ labels.Selector) (int64, time.Time, error) {
	return u.demandOf(func(m *autoscalingv2.MetricSpec) bool { return m.Object != nil && m.Object.Metric.Name == name }), time.Now(), nil
}

// GetExternalMetric implements upstream's MetricsClient. The total comes in parts.
func (u *upstreamHPA) GetExternalMetric(name, _ string, _ labels.Selector) ([]int64, time.Time, error) {
	total := u.demandOf(func(m *autoscalingv2.MetricSpec) bool { return m.External != nil && m.External.Metric.Name == name })
	return []int64{total / 3, total - total/3}, time.Now(), nil
}
