package nodes

import (
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// manyDomains stands for more domains than there can be.
const manyDomains = 1 << 20

// relaxations are the pod specs that Karpenter tries for a pod, one after the other: its
// preferences as requirements, then without one after the other of them.
//
// Upstream: sigs.k8s.io/karpenter v1.9.1, pkg/controllers/provisioning/scheduling:
// (*Scheduler).trySchedule, (*Preferences).Relax.
func relaxations(pod *corev1.PodSpec, zones int) []*corev1.PodSpec {
	soft := pod.DeepCopy()
	out := []*corev1.PodSpec{required(soft, zones)}
	for relax(soft) {
		out = append(out, required(soft, zones))
	}
	return out
}

// relax takes one preference, or one of several required terms, off a pod; false where
// none is left.
//
// Upstream: removeRequiredNodeAffinityTerm, removePreferredPodAffinityTerm,
// removePreferredPodAntiAffinityTerm, removePreferredNodeAffinityTerm,
// removeTopologySpreadScheduleAnyway, in this order. A toleration of PreferNoSchedule
// taints, the last one, is not needed: such taints keep no pod away here.
func relax(pod *corev1.PodSpec) bool {
	a := pod.Affinity
	if a != nil && a.NodeAffinity != nil {
		if r := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil && len(r.NodeSelectorTerms) > 1 {
			r.NodeSelectorTerms = r.NodeSelectorTerms[1:]
			return true
		}
	}
	if a != nil && a.PodAffinity != nil && lighten(&a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution) {
		return true
	}
	if a != nil && a.PodAntiAffinity != nil &&
		lighten(&a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution) {
		return true
	}
	if a != nil && a.NodeAffinity != nil {
		if terms := &a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution; len(*terms) > 0 {
			heaviestFirst(*terms)
			*terms = (*terms)[1:]
			return true
		}
	}
	for _, c := range kube.Spreads(pod) {
		if c.WhenUnsatisfiable == corev1.ScheduleAnyway {
			kube.DropSpread(pod, c.Index)
			return true
		}
	}
	return false
}

// lighten takes the heaviest term off; false where none is left.
func lighten(terms *[]corev1.WeightedPodAffinityTerm) bool {
	if len(*terms) == 0 {
		return false
	}
	sort.SliceStable(*terms, func(i, j int) bool { return (*terms)[i].Weight > (*terms)[j].Weight })
	*terms = (*terms)[1:]
	return true
}

func heaviestFirst(terms []corev1.PreferredSchedulingTerm) {
	sort.SliceStable(terms, func(i, j int) bool { return terms[i].Weight > terms[j].Weight })
}

// required is a pod with what it prefers as what it requires.
//
// Upstream: (*Topology).newForAffinities and newForTopologies, which look at hard and soft
// terms alike; (*TopologyGroup).domainMinCount, by which a node name always has one with no
// pods; pkg/scheduling: NewPodRequirements, which takes the heaviest preferred node term and
// the first one of several required.
func required(soft *corev1.PodSpec, zones int) *corev1.PodSpec {
	pod := soft.DeepCopy()
	if a := pod.Affinity; a != nil {
		if p := a.PodAffinity; p != nil {
			for _, t := range p.PreferredDuringSchedulingIgnoredDuringExecution {
				p.RequiredDuringSchedulingIgnoredDuringExecution = append(p.RequiredDuringSchedulingIgnoredDuringExecution,
					t.PodAffinityTerm)
			}
			p.PreferredDuringSchedulingIgnoredDuringExecution = nil
		}
		if p := a.PodAntiAffinity; p != nil {
			for _, t := range p.PreferredDuringSchedulingIgnoredDuringExecution {
				p.RequiredDuringSchedulingIgnoredDuringExecution = append(p.RequiredDuringSchedulingIgnoredDuringExecution,
					t.PodAffinityTerm)
			}
			p.PreferredDuringSchedulingIgnoredDuringExecution = nil
		}
		if a.NodeAffinity != nil {
			requireNodes(a.NodeAffinity)
		}
	}
	for _, c := range kube.Spreads(pod) {
		c.WhenUnsatisfiable = corev1.DoNotSchedule
		switch {
		case c.TopologyKey == corev1.LabelHostname:
			c.MinDomains = new(int32(manyDomains))
		case c.TopologyKey == corev1.LabelTopologyZone && (c.MinDomains == nil || int(*c.MinDomains) < zones):
			c.MinDomains = new(int32(max(zones, 1)))
		}
	}
	return pod
}

// requireNodes makes the first required term and the heaviest preferred one required.
func requireNodes(a *corev1.NodeAffinity) {
	var term corev1.NodeSelectorTerm
	r := a.RequiredDuringSchedulingIgnoredDuringExecution
	if r != nil && len(r.NodeSelectorTerms) > 0 {
		term = r.NodeSelectorTerms[0]
	}
	if soft := slices.Clone(a.PreferredDuringSchedulingIgnoredDuringExecution); len(soft) > 0 {
		heaviestFirst(soft)
		term.MatchExpressions = slices.Concat(term.MatchExpressions, soft[0].Preference.MatchExpressions)
		term.MatchFields = slices.Concat(term.MatchFields, soft[0].Preference.MatchFields)
	}
	a.PreferredDuringSchedulingIgnoredDuringExecution = nil
	if len(term.MatchExpressions)+len(term.MatchFields) > 0 {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{term},
		}
	}
}

// levels compiles, for pods of class p, the scheduler of each of their relaxations.
func levels(c *state.Config, p int) ([]*scheduler.Compiled, error) {
	var out []*scheduler.Compiled
	for _, spec := range relaxations(&c.Pods[p].Template.Spec, zonesOf(c)) {
		own := *c
		own.Pods = slices.Clone(c.Pods)
		template := own.Pods[p].Template.DeepCopy()
		template.Spec = *spec
		own.Pods[p].Template = template
		k, err := scheduler.Compile(&own)
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// zonesOf is the number of zones that nodes can be in.
func zonesOf(c *state.Config) int {
	seen := map[string]bool{}
	for i := range c.Spec.Classes {
		if zone, ok := c.Spec.Classes[i].Node.Labels[corev1.LabelTopologyZone]; ok {
			seen[zone] = true
		}
	}
	return len(seen)
}
