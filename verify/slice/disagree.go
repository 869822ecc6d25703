package slice

import (
	"maps"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// liveOf is a workload of the slice as the cluster has it; nil where it has none.
func liveOf(shot *snapshot.Snapshot, id string) *snapshot.Workload {
	i := slices.IndexFunc(shot.Workloads, func(w snapshot.Workload) bool { return w.ID() == id })
	if i < 0 {
		return nil
	}
	return &shot.Workloads[i]
}

// Disagree says, object by object, where the cluster is not what base's manifests say.
func (sl *Slice) Disagree(shot *snapshot.Snapshot) []finding.Note {
	var out []finding.Note
	say := func(id string, k finding.Kind, args ...any) { out = append(out, finding.Say(k, args...).On(id)) }
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		m := &w.Manifests[state.Base]
		live := liveOf(shot, w.ID)
		switch {
		case !m.Exists() && live != nil:
			say(w.ID, finding.LiveAlready)
			continue
		case !m.Exists():
			continue
		case live == nil:
			if !m.Kind().Ends() {
				say(w.ID, finding.LiveMissing)
			}
			continue
		}
		if live.Replicas != nil && m.ReplicasField() != nil && m.HPA == nil && *live.Replicas != m.Replicas() {
			say(w.ID, finding.LiveReplicas, m.Replicas(), *live.Replicas)
		}
		if live.Paused != m.Paused() {
			say(w.ID, finding.LivePaused)
		}
		if want, have, differ := unequalRequests(m.Pod(), live); differ {
			say(w.ID, finding.LiveRequests, want, have)
		}
	}
	for _, id := range sl.Ids() {
		o := sl.Objects[id][state.Base]
		if o == nil {
			continue
		}
		switch t := o.Typed.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			disagreeHPA(shot, t, func(k finding.Kind, args ...any) { say(id, k, args...) })
		case *policyv1.PodDisruptionBudget:
			i := slices.IndexFunc(shot.Budgets,
				func(b snapshot.Budget) bool { return b.Namespace == t.Namespace && b.Name == t.Name })
			if i < 0 && shot.Missing("poddisruptionbudgets.policy") == "" {
				say(id, finding.LiveMissing)
			}
		}
	}
	return out
}

func disagreeHPA(shot *snapshot.Snapshot, t *autoscalingv2.HorizontalPodAutoscaler, say func(finding.Kind, ...any)) {
	i := slices.IndexFunc(shot.Autoscalers,
		func(h snapshot.Autoscaler) bool { return h.Namespace == t.Namespace && h.Name == t.Name })
	least := 1
	if t.Spec.MinReplicas != nil {
		least = int(*t.Spec.MinReplicas)
	}
	switch {
	case i < 0 && shot.Missing("horizontalpodautoscalers.autoscaling") == "":
		say(finding.LiveMissing)
	case i >= 0 && (shot.Autoscalers[i].Min != least || shot.Autoscalers[i].Max != int(t.Spec.MaxReplicas)):
		h := &shot.Autoscalers[i]
		say(finding.LiveBounds, least, t.Spec.MaxReplicas, h.Min, h.Max)
	}
}

// unequalRequests compares what base's pods ask for with what those of the current revision do.
func unequalRequests(pod *corev1.PodSpec, live *snapshot.Workload) (want, have string, differ bool) {
	spec := pod.DeepCopy()
	objects.DefaultRequests(spec)
	declared := objects.PodRequests(&corev1.Pod{Spec: *spec})
	for i := range live.Pods {
		p := &live.Pods[i]
		if live.Revision != "" && p.Revision != live.Revision {
			continue
		}
		names := map[corev1.ResourceName]bool{}
		for name := range declared {
			names[name] = true
		}
		for name := range p.Requests {
			names[corev1.ResourceName(name)] = true
		}
		for name := range names {
			a, b := declared[name], corev1.ResourceList{}[name]
			if text, ok := p.Requests[string(name)]; ok {
				b, _ = snapshot.Quantity(text)
			}
			if a.Cmp(b) != 0 {
				want, have = amountsOf(declared, rounded), amountsOf(listOf(p.Requests), rounded)
				if want == have {
					want, have = amountsOf(declared, exactly), amountsOf(listOf(p.Requests), exactly)
				}
				return want, have, true
			}
		}
	}
	return "", "", false
}

func listOf(r snapshot.Resources) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, text := range r {
		out[corev1.ResourceName(name)], _ = snapshot.Quantity(text)
	}
	return out
}

func rounded(name corev1.ResourceName, q resource.Quantity) string {
	return objects.Quantity(name, q.MilliValue())
}

func exactly(_ corev1.ResourceName, q resource.Quantity) string { return q.String() }

// amountsOf words a resource list: "500m cpu, 1Gi memory".
func amountsOf(list corev1.ResourceList, word func(corev1.ResourceName, resource.Quantity) string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		out = append(out, word(name, list[name])+" "+string(name))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}
