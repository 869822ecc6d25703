package slice

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// volumesAsTheyAre takes from the cluster what the volumes of the slice's claims are: whether one node at
// a time can use one that is not among the objects, and which nodes reach one that is bound.
func (sl *Slice) volumesAsTheyAre(shot *snapshot.Snapshot) {
	var out []state.Claim
	for _, c := range sl.Spec.Claims {
		i := slices.IndexFunc(shot.Volumes, func(v snapshot.Volume) bool { return v.Claim == c.Namespace+"/"+c.Name })
		if i < 0 {
			out = append(out, c)
			continue
		}
		v := &shot.Volumes[i]
		if c.Assumed {
			sl.Notes = slices.DeleteFunc(sl.Notes, assumedClaim(c.Namespace, c.Name).Equal)
			c.Assumed, c.Exclusive, c.OncePod = false, exclusive(v), slices.Contains(v.AccessModes,
				string(corev1.ReadWriteOncePod))
		}
		if c.Affinity == nil {
			c.Affinity = reaches(v)
		}
		if c.Affinity != nil { // it is bound: where one would be made no longer matters
			c.Reach, c.Immediate, c.Allowed = state.Everywhere, false, nil
			sl.volumeKeys(&c)
		}
		if c.Exclusive || c.OncePod || c.Affinity != nil || c.Reach != state.Everywhere {
			out = append(out, c)
		}
	}
	sl.Spec.Claims = out
}

// exclusive reports whether one node at a time can attach a volume.
func exclusive(v *snapshot.Volume) bool {
	many := slices.Contains(v.AccessModes, string(corev1.ReadWriteMany)) ||
		slices.Contains(v.AccessModes, string(corev1.ReadOnlyMany))
	return len(v.AccessModes) > 0 && !many && (&storage{}).attaches(v.Driver)
}

// reaches are the nodes that can use a volume: one, or those of its zones; nil: all.
func reaches(v *snapshot.Volume) *corev1.VolumeNodeAffinity {
	key, values := corev1.LabelTopologyZone, v.Zones
	if v.Node != "" {
		key, values = corev1.LabelHostname, []string{v.Node}
	}
	if len(values) == 0 {
		return nil
	}
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}}
}

// assumedClaim says what is assumed of a claim that is not among the objects.
func assumedClaim(namespace, name string) finding.Note {
	return finding.Say(finding.ClaimAssumed, namespace+"/"+name)
}
