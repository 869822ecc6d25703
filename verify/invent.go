package verify

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/state"
)

// invent gives assumed nodes the labels that the slice's pods require of a node, as the
// nodes are invented and no finding may rest on a label that they lack. Where several
// values of one key are asked for, the classes take turns. It returns the labels, sorted,
// as assumptions.
func (sl *slice) invent(classes []state.NodeClass) []string {
	out := sl.reachAll()
	wanted := map[string][]string{}
	for _, w := range sl.workloads {
		for _, m := range w.Manifests {
			if m.Exists() {
				require(m.Pod(), wanted)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		values := slices.Compact(slices.Sorted(slices.Values(wanted[key])))
		missing := false
		for i := range classes {
			if _, has := classes[i].Node.Labels[key]; !has {
				classes[i].Node.Labels[key] = values[i%len(values)]
				missing = true
			}
		}
		for _, v := range values {
			if missing {
				out = append(out, fmt.Sprintf("the assumed nodes carry the label %s=%s, which a workload requires", key, v))
			}
		}
	}
	return out
}

// reachAll lets every assumed node use the slice's volumes, and says so of those that a
// declared node might not.
func (sl *slice) reachAll() []string {
	var out []string
	for i := range sl.spec.Claims {
		c := &sl.spec.Claims[i]
		if c.Affinity != nil || c.Reach != state.Everywhere {
			out = append(out, fmt.Sprintf("the volume of %s reaches all of the assumed nodes", c.ID()))
		}
		c.Affinity, c.Reach, c.Allowed = nil, state.Everywhere, nil
	}
	return out
}

// require gathers the label values that a pod needs at least one node to have: its node
// selector and the first required node affinity term.
func require(p *corev1.PodSpec, wanted map[string][]string) {
	for k, v := range p.NodeSelector {
		wanted[k] = append(wanted[k], v)
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil {
		return
	}
	r := p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if r == nil || len(r.NodeSelectorTerms) == 0 {
		return
	}
	for _, e := range r.NodeSelectorTerms[0].MatchExpressions {
		switch {
		case e.Operator == corev1.NodeSelectorOpIn && len(e.Values) > 0:
			wanted[e.Key] = append(wanted[e.Key], e.Values[0])
		case e.Operator == corev1.NodeSelectorOpExists:
			wanted[e.Key] = append(wanted[e.Key], "true")
		}
	}
}
