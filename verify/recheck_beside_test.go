package verify

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// skewed says which DoNotSchedule spread constraint one more pod on a node would break.
func (f *Frame) skewed(kind, node int) string {
	pod := f.Kinds[kind].Pod
	var hard []corev1.TopologySpreadConstraint
	for _, c := range pod.Spec.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			hard = append(hard, c)
		}
	}
	for _, c := range hard {
		own, ok := f.Nodes[node].Labels[c.TopologyKey]
		if !ok {
			return "the node lacks the label " + c.TopologyKey + " that pods are spread by"
		}
		selector, err := withKeys(c.LabelSelector, pod, c.MatchLabelKeys, nil)
		if err != nil {
			return err.Error()
		}
		count := map[string]int{}
		for n := range f.Nodes {
			if f.Nodes[n].Absent || !f.counts(kind, n, c) ||
				slices.ContainsFunc(hard, func(o corev1.TopologySpreadConstraint) bool {
					_, has := f.Nodes[n].Labels[o.TopologyKey]
					return !has
				}) {
				continue
			}
			domain := f.Nodes[n].Labels[c.TopologyKey]
			count[domain] += 0
			for k := range f.Kinds {
				if o := f.Kinds[k].Pod; o.Namespace == pod.Namespace && selector.Matches(labels.Set(o.Labels)) {
					count[domain] += f.of(k, n, alive)
				}
			}
		}
		least := math.MaxInt
		for _, n := range count {
			least = min(least, n)
		}
		if c.MinDomains != nil && len(count) < int(*c.MinDomains) || len(count) == 0 {
			least = 0
		}
		here := count[own]
		if selector.Matches(labels.Set(pod.Labels)) {
			here++
		}
		if here-least > int(c.MaxSkew) {
			return fmt.Sprintf("%d matching pods in %s=%s where the least is %d, with maxSkew %d", here,
				c.TopologyKey, own, least, c.MaxSkew)
		}
	}
	return ""
}

// counts reports whether a node is among those that a constraint looks at: by default one that
// the pod's own node selection matches, with taints or without.
func (f *Frame) counts(kind, node int, c corev1.TopologySpreadConstraint) bool {
	pod := f.Kinds[kind].Pod
	if c.NodeAffinityPolicy == nil || *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyHonor {
		if ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(f.Nodes[node].Node); !ok || err != nil {
			return false
		}
	}
	if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor {
		for _, t := range f.taints(node) {
			if t.Effect != corev1.TaintEffectPreferNoSchedule && !f.tolerates(kind, t) {
				return false
			}
		}
	}
	return true
}

// withKeys is a label selector that also asks for what the pod itself has of some labels.
func withKeys(s *metav1.LabelSelector, pod *corev1.Pod, same, other []string) (labels.Selector, error) {
	out, err := metav1.LabelSelectorAsSelector(s)
	if err != nil || s == nil {
		return out, err
	}
	for _, list := range []struct {
		keys []string
		op   string
	}{{same, "="}, {other, "!="}} {
		for _, key := range list.keys {
			value, ok := pod.Labels[key]
			if !ok {
				continue
			}
			more, err := labels.ParseToRequirements(key + list.op + value)
			if err != nil {
				return nil, err
			}
			out = out.Add(more...)
		}
	}
	return out, nil
}

// matches reports whether a term of a pod's affinity is about another pod.
func (f *Frame) matches(of *corev1.Pod, t *corev1.PodAffinityTerm, other *corev1.Pod) bool {
	selector, err := withKeys(t.LabelSelector, of, t.MatchLabelKeys, t.MismatchLabelKeys)
	if err != nil || !selector.Matches(labels.Set(other.Labels)) {
		return false
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		return other.Namespace == of.Namespace
	}
	if slices.Contains(t.Namespaces, other.Namespace) {
		return true
	}
	named, err := metav1.LabelSelectorAsSelector(t.NamespaceSelector)
	has := labels.Set{corev1.LabelMetadataName: other.Namespace}
	for k, v := range f.Namespaces[other.Namespace] {
		has[k] = v
	}
	return err == nil && t.NamespaceSelector != nil && named.Matches(has)
}

func apartTerms(p *corev1.Pod) []corev1.PodAffinityTerm {
	if a := p.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func nearOf(p *corev1.Pod) []corev1.PodAffinityTerm {
	if a := p.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// sameDomain reports whether two nodes have the same value of a label, and have it.
func (f *Frame) sameDomain(a, b int, key string) bool {
	x, ok := f.Nodes[a].Labels[key]
	y, also := f.Nodes[b].Labels[key]
	return ok && also && x == y
}

// repelled says whose required anti-affinity keeps a pod from a node: its own, or that of a pod
// that is there. Pods on deletion are still there.
func (f *Frame) repelled(kind, node int) string {
	pod := f.Kinds[kind].Pod
	for k := range f.Kinds {
		other := f.Kinds[k].Pod
		for n := range f.Nodes {
			if f.of(k, n, every) == 0 {
				continue
			}
			for _, t := range apartTerms(pod) {
				if f.sameDomain(node, n, t.TopologyKey) && f.matches(pod, &t, other) {
					return fmt.Sprintf("its anti-affinity keeps it from pods of %s/%s in its %s", other.Namespace,
						other.Name, t.TopologyKey)
				}
			}
			for _, t := range apartTerms(other) {
				if f.sameDomain(node, n, t.TopologyKey) && f.matches(other, &t, pod) {
					return fmt.Sprintf("the anti-affinity of pods of %s/%s in its %s keeps it away", other.Namespace,
						other.Name, t.TopologyKey)
				}
			}
		}
	}
	return ""
}

// alone says that a node is not near the pods that a pod's required affinity asks for. The first
// of pods that ask for each other may go anywhere.
func (f *Frame) alone(kind, node int) string {
	pod := f.Kinds[kind].Pod
	terms := nearOf(pod)
	if len(terms) == 0 {
		return ""
	}
	all := func(other *corev1.Pod) bool {
		return !slices.ContainsFunc(terms, func(t corev1.PodAffinityTerm) bool { return !f.matches(pod, &t, other) })
	}
	met, some := make([]bool, len(terms)), false
	for k := range f.Kinds {
		for n := range f.Nodes {
			if f.of(k, n, every) == 0 || !all(f.Kinds[k].Pod) {
				continue
			}
			for i, t := range terms {
				if _, labelled := f.Nodes[n].Labels[t.TopologyKey]; labelled {
					some = true
				}
				met[i] = met[i] || f.sameDomain(node, n, t.TopologyKey)
			}
		}
	}
	for i, t := range terms {
		if _, ok := f.Nodes[node].Labels[t.TopologyKey]; !ok {
			return "the node lacks the label " + t.TopologyKey + " of its affinity"
		}
		if !met[i] && (some || !all(pod)) {
			return "no pod that its affinity asks for is in its " + t.TopologyKey
		}
	}
	return ""
}
