package slice

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// TestSomeAssumedNodeFits: a pod that some node of some cluster would take has a node of the assumed cluster that takes
// it, whatever its rules ask of well-known labels and others.
func TestSomeAssumedNodeFits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(14, 1))
	values := map[string][]string{
		corev1.LabelTopologyZone:   {"a", "b", "c", "z1", "eu-1a"},
		corev1.LabelTopologyRegion: {"region-1", "eu"},
		corev1.LabelArchStable:     {"amd64", "arm64", "riscv64"},
		corev1.LabelOSStable:       {"linux", "windows"},
		"pool":                     {"a", "b", "7"},
	}
	keys := []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion, corev1.LabelArchStable, corev1.LabelOSStable, "pool"}
	for range 500 {
		real := map[string]string{} // the user's node
		for _, k := range keys {
			real[k] = fmt.Sprintf("real-%d", rnd.IntN(3))
			if rnd.IntN(2) == 0 {
				real[k] = values[k][rnd.IntN(len(values[k]))]
			}
		}
		var asked []corev1.NodeSelectorRequirement
		for range 1 + rnd.IntN(4) {
			k := keys[rnd.IntN(len(keys))]
			some := slices.DeleteFunc(slices.Clone(values[k]), func(v string) bool { return v == real[k] || rnd.IntN(4) == 0 })
			r := corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpExists}
			switch rnd.IntN(3) {
			case 0:
				r.Operator, r.Values = corev1.NodeSelectorOpIn, append(some, real[k])
			case 1:
				if len(some) > 0 {
					r.Operator, r.Values = corev1.NodeSelectorOpNotIn, some
				}
			}
			asked = append(asked, r)
		}
		pod := &corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: asked}}},
		}}}
		required := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *pod})
		kinds, _ := nodeKinds([]*corev1.PodSpec{pod})
		taken := 0
		zones := zonesFor([]*corev1.PodSpec{pod}, []string{"a", "b", "c"})
		for _, zone := range zones {
			n := &corev1.Node{}
			n.Labels = withDefaults(kinds[0], zone)
			if ok, err := required.Match(n); ok && err == nil {
				taken++
			}
		}
		named := slices.ContainsFunc(asked, func(r corev1.NodeSelectorRequirement) bool {
			return r.Key == corev1.LabelTopologyZone && r.Operator == corev1.NodeSelectorOpIn
		})
		if taken == 0 || !named && taken < assumedDomains {
			t.Fatalf("%v: nodes %v in zones %q: %d zones fit, though a node %v would", asked, kinds, zones, taken, real)
		}
	}
}
