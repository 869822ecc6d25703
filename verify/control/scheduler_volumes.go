package control

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/state"
)

// compileVolumes reads which nodes the volumes of class p let its pods run on.
//
// Upstream: volumebinding: FindPodVolumes, checkBoundClaims, checkVolumeProvisions with
// v1helper.MatchTopologySelectorTerms; volumerestrictions: PreFilter.
func (k *compiled) compileVolumes(p int) error {
	class := &k.classes[p]
	filters := class.profile.filters
	for _, i := range k.cfg.Uses[p] {
		claim := &k.cfg.Spec.Claims[i]
		if claim.OncePod && filters(state.VolumeRestrictions) {
			class.once = append(class.once, i)
		}
		if !filters(state.VolumeBinding) {
			continue
		}
		if claim.Affinity != nil && claim.Affinity.Required != nil {
			selector, err := nodeaffinity.NewNodeSelector(claim.Affinity.Required)
			if err != nil {
				return fmt.Errorf("%s: its PersistentVolume's spec.nodeAffinity: %w: %w", claim.ID(), err, ErrUnmodeled)
			}
			k.pin(class, func(n *corev1.Node) bool { return selector.Match(n) })
		}
		if k.cfg.Places(i) {
			class.claims = append(class.claims, claimOn{claim: i, allowed: allowedNodes(k.cfg, claim)})
		}
	}
	return nil
}

// claimOn is a claim whose volume only some nodes reach, and where it may be made.
type claimOn struct {
	claim   int
	allowed []bool // by node
}

// pin leaves class only the nodes that match.
func (k *compiled) pin(class *schedClass, match func(*corev1.Node) bool) {
	if class.pinned == nil {
		class.pinned = make([]bool, len(k.nodes))
		for n := range class.pinned {
			class.pinned[n] = true
		}
	}
	for n := range k.nodes {
		class.pinned[n] = class.pinned[n] && match(k.nodes[n].object)
	}
}

// allowedNodes says on which nodes a claim's StorageClass lets a volume be made.
//
// Upstream: v1helper.MatchTopologySelectorTerms.
func allowedNodes(c *state.Config, claim *state.Claim) []bool {
	out := make([]bool, len(c.Nodes))
	for n := range c.Nodes {
		out[n] = len(claim.Allowed) == 0
		for _, term := range claim.Allowed {
			out[n] = out[n] || matchesTopology(term, nodeObject(c, n))
		}
	}
	return out
}

func matchesTopology(term corev1.TopologySelectorTerm, n *corev1.Node) bool {
	for _, e := range term.MatchLabelExpressions {
		value, has := n.Labels[e.Key]
		found := false
		for _, v := range e.Values {
			found = found || v == value
		}
		if !has || !found {
			return false
		}
	}
	return len(term.MatchLabelExpressions) > 0
}

// loadVolumes reads where the volumes of claims are, where that makes a difference.
func (v *view) loadVolumes(k *compiled, s state.State) {
	if !k.places {
		return
	}
	claims := len(k.cfg.Spec.Claims)
	v.bound = grow(v.bound, claims)
	v.reaches = grow(v.reaches, claims*len(k.nodes))
	for i := range v.bound {
		if v.bound[i] = s.Bound(i); !v.bound[i] {
			continue
		}
		for n := range k.nodes {
			v.reaches[n*claims+i] = s.Reaches(n, i)
		}
	}
}

// refusedByVolumes gives the first of VolumeRestrictions and VolumeBinding that keeps
// class p from node n, and the claim.
func (k *compiled) refusedByVolumes(v *view, p, n int) (reasonCode, int) {
	class := &k.classes[p]
	for _, i := range class.once {
		for m := range k.nodes {
			if v.countAll(m, k.cfg.Users[i]) > 0 {
				return reasonOncePod, i
			}
		}
	}
	if class.pinned != nil && !class.pinned[n] {
		return reasonVolumeNode, -1
	}
	for _, c := range class.claims {
		switch {
		case !v.bound[c.claim] && !c.allowed[n]:
			return reasonVolumeBind, c.claim
		case v.bound[c.claim] && !v.reaches[n*len(v.bound)+c.claim]:
			return reasonVolumeNode, c.claim
		}
	}
	return reasonNone, 0
}

// bindVolumes makes the volumes that wait for the first consumer, in a state in which a
// pod of class p has just been bound to node n.
//
// Upstream: volumebinding: Reserve, PreBind.
func (k *compiled) bindVolumes(t state.State, p, n int) {
	for _, c := range k.classes[p].claims {
		if !t.Bound(c.claim) {
			t.Bind(n, c.claim)
		}
	}
}

// wordVolume gives text and field of a refusal for volume's sake.
func (k *compiled) wordVolume(p, at int, code reasonCode) (string, Ref) {
	if at < 0 { // a PersistentVolume's own affinity
		for _, i := range k.cfg.Uses[p] {
			if k.cfg.Spec.Claims[i].Affinity != nil {
				at = i
			}
		}
	}
	claim := &k.cfg.Spec.Claims[at]
	ref := Ref{Object: claim.ID(), Version: claim.Version, Field: "spec.storageClassName"}
	switch code {
	case reasonOncePod:
		ref.Field = "spec.accessModes"
		return "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod", ref
	case reasonVolumeBind:
		return "node(s) didn't find available persistent volumes to bind", ref
	}
	if claim.Affinity != nil {
		ref.Field = "spec.volumeName"
	}
	return "node(s) didn't match PersistentVolume's node affinity", ref
}
