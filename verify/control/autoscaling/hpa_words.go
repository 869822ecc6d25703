package autoscaling

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Describe implements [actor.Actor].
func (h *HPA) Describe(from, to state.State, m search.Move) actor.Words {
	v := from.VersionOf(h.Workload)
	wl := &from.C.Spec.Workloads[h.Workload]
	a := &h.versions[v]
	because := reason(m.Kind &^ stabilized)
	why, fields := a.limit(because) // fields of the HPA, most telling first
	if m.Kind&stabilized != 0 {
		why = fmt.Sprintf(", %d recommended within the stabilization window", from.Recommended(h.Workload)) + why
	}
	w := actor.Words{Action: "scale", Object: wl.ID}
	byMetrics := because != aboveMax && because != belowMin
	if byMetrics {
		t := &a.metrics[m.Args[0]]
		why = t.words(&h.signals[t.signal], int64(m.Args[1])<<31|int64(m.Args[2])) + why
		fields = append(fields, t.field)
	}
	w.Text = fmt.Sprintf("HPA scales %s from %d to %d (%s)", h.name, from.Replicas(h.Workload),
		to.Replicas(h.Workload), why)
	if because == recorded {
		w.Action = "stabilize"
		w.Text = fmt.Sprintf("the HPA of %s keeps %d (%s), and remembers a recommendation of %d instead of %d",
			h.name, to.Replicas(h.Workload), why, to.Recommended(h.Workload), from.Recommended(h.Workload))
	}
	for _, f := range fields {
		w.Because = append(w.Because, actor.Ref{Object: objects.HPAID(wl, v), Version: v, Field: f})
	}
	if byMetrics && a.metrics[m.Args[0]].utilization > 0 {
		g := &h.signals[a.metrics[m.Args[0]].signal].signal
		f := objects.MetricRequestField(wl.Manifests[v].Pod(), g.container, g.resource)
		w.Because = append(w.Because, actor.Ref{Object: wl.ID, Version: v, Field: f})
	}
	return w
}

// limit words why a count is not the one that the metric asks for.
func (a *autoscaler) limit(r reason) (why string, fields []string) {
	switch r {
	case aboveMax:
		return fmt.Sprintf("above maxReplicas %d", a.max), []string{"spec.maxReplicas"}
	case belowMin:
		return fmt.Sprintf("below minReplicas %d", a.min), []string{"spec.minReplicas"}
	case limitedMax:
		return fmt.Sprintf(", limited to maxReplicas %d", a.max), []string{"spec.maxReplicas"}
	case limitedMin:
		return fmt.Sprintf(", limited to minReplicas %d", a.min), []string{"spec.minReplicas"}
	case limitedRate:
		if a.limits.declared {
			fields = []string{"spec.behavior"}
		}
		return ", limited by the scaling rate", fields
	}
	return "", nil
}

// words is what a metric measured: "CPU 87% of request, target 50%".
func (m *metric) words(g *use, usage int64) string {
	if m.average > 0 {
		return fmt.Sprintf("%s %s a pod, target %s", g, g.amount(usage), g.amount(m.average))
	}
	return fmt.Sprintf("%s %d%% of request, target %d%%", g, usage, m.utilization)
}

// Model implements [actor.Actor].
func (h *HPA) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/podautoscaler: reconcileAutoscaler, computeReplicasForMetrics, GetResourceReplicas, " +
			"calcPlainMetricReplicas, GetObjectPerPodMetricReplicas, GetExternalPerPodMetricReplicas, groupPods, validateAndParseSelector, " +
			"normalizeDesiredReplicas(WithBehaviors), stabilizeRecommendation(WithBehaviors)",
		Exact: []string{
			"truncation, tolerance, ceiling, unready pods, missing samples, limits, in upstream's order and float64",
			"several metrics: the largest proposal; while one fails there is no scale-down",
			"a container without a request stops a utilization target; 0 live replicas switch the HPA off",
			"other workloads' pods that its selector matches count; of two HPAs on the same pods each keeps only its bounds",
		},
		MayInvent: []string{
			"a sync runs at any moment, not every 15 s",
			"policy periods, and windows under 60 s, may have passed at any moment",
			"a starting pod may have a sample, an early one or none, decided again at each sync",
		},
		MayHide: []string{
			"spec.minReplicas 0 counts as 1",
			"a stabilization window holds one recommendation and passes as a whole",
			"a window of 60 s or more passes once the workload's pods have started, warmed up and stopped",
			"changes within a policy's period are not added up",
			"all young pods of a workload are sampled alike; a ready, warm and available pod has a sample",
		},
		Refused: []string{
			"resources other than cpu and memory", "Object and External metrics with a target value",
		},
	}
}
