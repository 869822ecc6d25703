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
		if rnd.IntN(3) == 0 { // many clusters have no zones
			delete(real, corev1.LabelTopologyZone)
		}
		if rnd.IntN(3) == 0 {
			delete(real, corev1.LabelTopologyRegion)
		}
		var asked []corev1.NodeSelectorRequirement
		for range 1 + rnd.IntN(4) {
			k := keys[rnd.IntN(len(keys))]
			some := slices.DeleteFunc(slices.Clone(values[k]), func(v string) bool { return v == real[k] || rnd.IntN(4) == 0 })
			r := corev1.NodeSelectorRequirement{Key: k, Operator: corev1.NodeSelectorOpExists}
			_, has := real[k]
			switch draw := rnd.IntN(3); {
			case !has && draw > 0:
				r.Operator = corev1.NodeSelectorOpDoesNotExist
			case !has && len(some) == 0:
				continue
			case !has:
				r.Operator, r.Values = corev1.NodeSelectorOpNotIn, some
			case draw == 0:
				r.Operator, r.Values = corev1.NodeSelectorOpIn, append(some, real[k])
			case draw == 1:
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
			if kinds[0].unzoned {
				zone = ""
			}
			n.Labels = withDefaults(kinds[0].labels, zone)
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

// TestNoAssumedNodeLacksWhatAllHave: the kubelet gives every node an architecture, an operating system and a name.
func TestNoAssumedNodeLacksWhatAllHave(t *testing.T) {
	for _, key := range []string{corev1.LabelArchStable, corev1.LabelOSStable, corev1.LabelHostname} {
		pod := &corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
					{Key: key, Operator: corev1.NodeSelectorOpDoesNotExist}}}}},
		}}}
		if k, ok := fitting(pod); ok {
			t.Errorf("a node %+v is made for a pod that shuns the label %s", k, key)
		}
	}
}

// TestOthersKeepTheirZones: beside a pod that shuns zones, one that may spread over them has nodes that have some.
func TestOthersKeepTheirZones(t *testing.T) {
	shuns := &corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpDoesNotExist}}}}},
	}}}
	for _, pods := range [][]*corev1.PodSpec{{shuns, {}}, {{}, shuns}} {
		kinds, _ := nodeKinds(pods)
		if len(kinds) != 2 || kinds[0].unzoned == kinds[1].unzoned {
			t.Errorf("kinds %+v: want one with zones and one without", kinds)
		}
	}
}
