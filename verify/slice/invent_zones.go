package slice

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
)

// zonesOf are the zones that a pod's terms name, and one that none does.
func zonesOf(terms []term) []string {
	var out []string
	var asked []corev1.NodeSelectorRequirement
	for _, t := range terms {
		asked = append(asked, t[corev1.LabelTopologyZone]...)
		for _, r := range t[corev1.LabelTopologyZone] {
			if r.Operator == corev1.NodeSelectorOpIn {
				out = append(out, r.Values...)
			}
		}
	}
	return append(out, "a", unnamed("z", asked))
}

// zonesFor are the zones of the assumed cluster: those that pods name, with the given ones
// up to as many as pods need, and no fewer than these. A pod that names zones which it does not take has as many
// others.
func zonesFor(pods []*corev1.PodSpec, given []string) []string {
	var out []string
	add := func(zone string) {
		if !slices.Contains(out, zone) {
			out = append(out, zone)
		}
	}
	wanted := max(len(given), assumedDomains)
	for _, p := range pods {
		for _, t := range requirements(p) {
			for _, r := range t[corev1.LabelTopologyZone] {
				if r.Operator == corev1.NodeSelectorOpIn {
					for _, zone := range slices.Sorted(slices.Values(r.Values)) {
						add(zone)
					}
				}
			}
		}
		for _, c := range kube.Spreads(p) {
			if c.TopologyKey != corev1.LabelHostname && c.MinDomains != nil {
				wanted = max(wanted, int(*c.MinDomains))
			}
		}
	}
	for _, zone := range given {
		if len(out) < wanted {
			add(zone)
		}
	}
	for i := 0; len(out) < wanted; i++ {
		add(fmt.Sprintf("z%d", i+1))
	}
	shunned := map[string]bool{} // by any pod
	for _, p := range pods {
		for _, t := range requirements(p) {
			for _, zone := range shunnedZones(t) {
				shunned[zone] = true
			}
		}
	}
	for _, p := range pods {
		for _, t := range requirements(p) {
			if zones := shunnedZones(t); len(zones) > 0 {
				taken := slices.DeleteFunc(slices.Clone(out), func(z string) bool { return slices.Contains(zones, z) })
				for i, missing := 0, wanted-len(taken); missing > 0; i++ {
					if zone := fmt.Sprintf("z%d", i+1); !shunned[zone] && !slices.Contains(out, zone) {
						out, missing = append(out, zone), missing-1
					}
				}
			}
		}
	}
	return out
}

// shunnedZones are those that a term leaves out where it names none that it wants.
func shunnedZones(t term) []string {
	var out []string
	for _, r := range t[corev1.LabelTopologyZone] {
		switch r.Operator {
		case corev1.NodeSelectorOpIn:
			return nil
		case corev1.NodeSelectorOpNotIn:
			out = append(out, r.Values...)
		}
	}
	return out
}
