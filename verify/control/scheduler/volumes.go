package scheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// compileVolumes reads which nodes the volumes of class p let its pods run on.
//
// Upstream: volumebinding: FindPodVolumes, checkBoundClaims, checkVolumeProvisions with
// v1helper.MatchTopologySelectorTerms; volumerestrictions: PreFilter.
func (k *Compiled) compileVolumes(p int) error {
	class := &k.Classes[p]
	filters := class.profile.filters
	for _, i := range k.Cfg.Uses[p] {
		claim := &k.Cfg.Spec.Claims[i]
		if claim.OncePod && filters(state.VolumeRestrictions) {
			class.once = append(class.once, i)
		}
		if !filters(state.VolumeBinding) {
			continue
		}
		if claim.Affinity != nil && claim.Affinity.Required != nil {
			selector, err := nodeaffinity.NewNodeSelector(claim.Affinity.Required)
			if err != nil {
				return fmt.Errorf("%s: its PersistentVolume's spec.nodeAffinity: %w: %w", claim.ID(), err, actor.ErrUnmodeled)
			}
			k.pin(class, func(n *corev1.Node) bool { return selector.Match(n) })
		}
		if k.Cfg.Places(i) {
			class.claims = append(class.claims, claimOn{claim: i, allowed: AllowedNodes(k.Cfg, claim)})
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
func (k *Compiled) pin(class *schedClass, match func(*corev1.Node) bool) {
	if class.pinned == nil {
		class.pinned = make([]bool, len(k.Nodes))
		for n := range class.pinned {
			class.pinned[n] = true
		}
	}
	for n := range k.Nodes {
		class.pinned[n] = class.pinned[n] && match(k.Nodes[n].object)
	}
}

// AllowedNodes says on which nodes a claim's StorageClass lets a volume be made.
//
// Upstream: v1helper.MatchTopologySelectorTerms.
func AllowedNodes(c *state.Config, claim *state.Claim) []bool {
	out := make([]bool, len(c.Nodes))
	for n := range c.Nodes {
		out[n] = len(claim.Allowed) == 0
		for _, term := range claim.Allowed {
			out[n] = out[n] || matchesTopology(term, NodeObject(c, n))
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
func (v *View) loadVolumes(k *Compiled, s state.State) {
	if !k.places {
		return
	}
	claims := len(k.Cfg.Spec.Claims)
	v.bound = Grow(v.bound, claims)
	v.reaches = Grow(v.reaches, claims*len(k.Nodes))
	for i := range v.bound {
		if v.bound[i] = s.Bound(i); !v.bound[i] {
			continue
		}
		for n := range k.Nodes {
			v.reaches[n*claims+i] = s.Reaches(n, i)
		}
	}
}

// refusedByVolumes gives the first of VolumeRestrictions and VolumeBinding that keeps
// class p from node n, and the claim.
func (k *Compiled) refusedByVolumes(v *View, p, n int) (reasonCode, int) {
	class := &k.Classes[p]
	for _, i := range class.once {
		for m := range k.Nodes {
			if v.CountAll(m, k.Cfg.Users[i]) > 0 {
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
func (k *Compiled) bindVolumes(t state.State, p, n int) {
	for _, c := range k.Classes[p].claims {
		if !t.Bound(c.claim) {
			t.Bind(n, c.claim)
		}
	}
}

// wordVolume gives text and field of a refusal for volume's sake.
func (k *Compiled) wordVolume(p, at int, code reasonCode) (string, actor.Ref) {
	if at < 0 { // a PersistentVolume's own affinity
		for _, i := range k.Cfg.Uses[p] {
			if k.Cfg.Spec.Claims[i].Affinity != nil {
				at = i
			}
		}
	}
	claim := &k.Cfg.Spec.Claims[at]
	ref := actor.Ref{Object: claim.ID(), Version: claim.Version, Field: "spec.storageClassName"}
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
