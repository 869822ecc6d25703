package verify

import (
	"slices"
	"strings"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// askers are those that take pods away through the eviction API.
var askers = []string{"drain", "node-exit", "descheduler", "vpa-updater"}

// evicted holds what the eviction API let go against the budgets.
func evicted(before, after *Frame, m Move, say saying) {
	who, _, _ := strings.Cut(m.Actor, "/")
	if m.Forced || !strings.HasPrefix(m.Action, "evict") || !slices.Contains(askers, who) {
		return
	}
	at := before.copy()
	for k := range before.Kinds {
		for n := range before.Nodes {
			for _, ph := range []Phase{Starting, Ready, Available} {
				g := Group{k, n, ph}
				for range before.Pods[g] - after.Pods[g] {
					if why := at.kept(k, ph); why != "" {
						say("a pod of %s is evicted: %s", before.name(k), why)
					}
					at.Pods[g]--
					at.Pods[Group{k, n, Terminating}]++
				}
			}
		}
	}
}

// kept says which budget does not let a pod go.
func (f *Frame) kept(kind int, ph Phase) string {
	pod := f.Kinds[kind].Pod
	var of []*policyv1.PodDisruptionBudget
	for _, b := range f.Budgets {
		if f.covers(b, kind) {
			of = append(of, b)
		}
	}
	switch {
	case ph == Starting && pod.Status.Phase != "Running": // it may not have started at all, and then it may go
		return ""
	case len(of) == 0:
		return ""
	case len(of) > 1:
		return "more than one PodDisruptionBudget selects it"
	}
	healthy, want, none := f.health(of[0])
	switch {
	case none != "":
		return none
	case healthy > want:
		return ""
	case ph == Starting && of[0].Spec.UnhealthyPodEvictionPolicy != nil &&
		*of[0].Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow:
		return ""
	case ph == Starting && healthy >= want:
		return ""
	}
	return "the PodDisruptionBudget " + of[0].Name + " has no pod to spare"
}

func (f *Frame) covers(b *policyv1.PodDisruptionBudget, kind int) bool {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	pod := f.Kinds[kind].Pod
	return err == nil && (b.Namespace == "" || pod.Namespace == b.Namespace) && selector.Matches(labels.Set(pod.Labels))
}

// health is how many of a budget's pods are healthy, and how many have to be.
func (f *Frame) health(b *policyv1.PodDisruptionBudget) (healthy, want int, none string) {
	expected, owners := 0, map[int]bool{}
	for k := range f.Kinds {
		if !f.covers(b, k) || f.of(k, anywhere, every) == 0 {
			continue
		}
		healthy += f.of(k, anywhere, up)
		if w := f.Kinds[k].Workload; !owners[w] {
			owners[w] = true
			expected += f.Workloads[w].Replicas
			if !f.Workloads[w].Scales {
				none = "its controller has no scale, so no percentage of it is known"
			}
		}
	}
	switch {
	case b.Spec.MinAvailable != nil && b.Spec.MinAvailable.Type == intstr.Int:
		return healthy, int(b.Spec.MinAvailable.IntVal), ""
	case b.Spec.MinAvailable != nil:
		return healthy, share(b.Spec.MinAvailable, expected, true, expected), none
	case b.Spec.MaxUnavailable != nil:
		return healthy, max(expected-share(b.Spec.MaxUnavailable, expected, true, 0), 0), none
	}
	return healthy, 0, ""
}
