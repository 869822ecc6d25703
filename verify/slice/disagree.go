package slice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/control/objects"
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
func (sl *Slice) Disagree(shot *snapshot.Snapshot) []string {
	var out []string
	say := func(id, format string, args ...any) {
		out = append(out, fmt.Sprintf("the cluster and base disagree: %s: %s", id, fmt.Sprintf(format, args...)))
	}
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		m := &w.Manifests[state.Base]
		live := liveOf(shot, w.ID)
		switch {
		case !m.Exists() && live != nil:
			say(w.ID, "the change adds it, and the cluster has it already")
			continue
		case !m.Exists():
			continue
		case live == nil:
			if !m.Kind().Ends() {
				say(w.ID, "base declares it, and the cluster does not have it")
			}
			continue
		}
		if live.Replicas != nil && m.ReplicasField() != nil && m.HPA == nil && *live.Replicas != m.Replicas() {
			say(w.ID, "replicas are %d in base and %d in the cluster", m.Replicas(), *live.Replicas)
		}
		if live.Paused != m.Paused() {
			say(w.ID, "it is paused in one of them only")
		}
		if want, have, differ := unequalRequests(m.Pod(), live); differ {
			say(w.ID, "its pods ask for %s in base and for %s in the cluster", want, have)
		}
	}
	for _, id := range sl.Ids() {
		o := sl.Objects[id][state.Base]
		if o == nil {
			continue
		}
		switch t := o.Typed.(type) {
		case *autoscalingv2.HorizontalPodAutoscaler:
			if text := disagreeHPA(shot, t); text != "" {
				say(id, "%s", text)
			}
		case *policyv1.PodDisruptionBudget:
			i := slices.IndexFunc(shot.Budgets,
				func(b snapshot.Budget) bool { return b.Namespace == t.Namespace && b.Name == t.Name })
			if i < 0 && shot.Missing("poddisruptionbudgets.policy") == "" {
				say(id, "base declares it, and the cluster does not have it")
			}
		}
	}
	return out
}

func disagreeHPA(shot *snapshot.Snapshot, t *autoscalingv2.HorizontalPodAutoscaler) string {
	i := slices.IndexFunc(shot.Autoscalers,
		func(h snapshot.Autoscaler) bool { return h.Namespace == t.Namespace && h.Name == t.Name })
	least := 1
	if t.Spec.MinReplicas != nil {
		least = int(*t.Spec.MinReplicas)
	}
	switch {
	case i < 0 && shot.Missing("horizontalpodautoscalers.autoscaling") == "":
		return "base declares it, and the cluster does not have it"
	case i >= 0 && (shot.Autoscalers[i].Min != least || shot.Autoscalers[i].Max != int(t.Spec.MaxReplicas)):
		h := &shot.Autoscalers[i]
		return fmt.Sprintf("it keeps %d to %d replicas in base and %d to %d in the cluster", least,
			t.Spec.MaxReplicas, h.Min, h.Max)
	}
	return ""
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
