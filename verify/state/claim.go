package state

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// Reach is how many nodes can use a volume that is yet to be made for a claim.
type Reach uint8

const (
	Everywhere Reach = iota // any node; also where that is not known
	WithinZone              // nodes of the zone that it is made in
	OnNode                  // the node that it is made on
)

// Claim is a PersistentVolumeClaim that pods of the slice name, with the known facts about its volume. It is that of
// the version that had it first: a live claim hardly changes.
type Claim struct {
	Namespace, Name string
	Version         Version // whose object it is
	// Set is the StatefulSet that makes the claim for its pod of an ordinal, by ID; "": pods name it.
	Set     string
	Ordinal int
	// Exclusive says that the volume is attached to one node at a time, and OncePod that
	// one pod at a time may use it (ReadWriteOncePod).
	Exclusive, OncePod bool
	// Assumed says that the claim is not among the objects, and that it is Exclusive is not known.
	Assumed bool
	// Reach of the volume, where it is made for the claim; Immediate says that it is made
	// at once, and not where the first pod is to run. Allowed restricts where.
	Reach     Reach
	Immediate bool
	Allowed   []corev1.TopologySelectorTerm
	// Affinity is the node affinity of the PersistentVolume that the claim is bound to; nil:
	// it has none, or is not among the objects.
	Affinity *corev1.VolumeNodeAffinity
}

// ID is the claim's object.
func (c *Claim) ID() string { return "PersistentVolumeClaim " + c.Namespace + "/" + c.Name }

// ClaimFields are the moving parts of one claim; a field that makes no difference is not laid out.
type ClaimFields struct {
	Bound    Field     // 1 once its volume was made, where that takes a choice
	Reaches  NodeField // 1 on the nodes that can use it
	Attached NodeField // 1 on the node that it is attached to
}

// addClaims finds which pods use which claims, and lays out what moves of them.
func (c *Config) addClaims(b *Builder) {
	spec := c.Spec
	c.Claims = make([]ClaimFields, len(spec.Claims))
	c.Uses, c.Users = make([][]int, len(c.Pods)), make([][]int, len(spec.Claims))
	for p := range c.Pods {
		for i := range spec.Claims {
			if c.uses(p, &spec.Claims[i]) {
				c.Uses[p], c.Users[i] = append(c.Uses[p], i), append(c.Users[i], p)
			}
		}
	}
	for i := range spec.Claims {
		k, f := &spec.Claims[i], &c.Claims[i]
		if len(c.Users[i]) == 0 || len(c.Nodes) < 2 {
			continue
		}
		if k.Exclusive {
			f.Attached = b.NodeField(1)
		}
		if k.Reach != Everywhere {
			f.Bound, f.Reaches = b.Field(1), b.NodeField(1)
		}
	}
}

// uses reports whether the pods of class p have a claim.
func (c *Config) uses(p int, k *Claim) bool {
	class := &c.Pods[p]
	if k.Set != "" {
		return c.Spec.Workloads[class.Workload].ID == k.Set && class.Ordinal == k.Ordinal
	}
	return class.Namespace == k.Namespace && names(&class.Template.Spec, k.Name)
}

// names reports whether a pod has a volume of the claim.
func names(p *corev1.PodSpec, claim string) bool {
	return slices.ContainsFunc(p.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
	})
}

// Attaches reports whether the model follows which node a claim's volume is attached to.
func (c *Config) Attaches(claim int) bool { return c.Claims[claim].Attached.width > 0 }

// Places reports whether the model follows which nodes reach a claim's volume.
func (c *Config) Places(claim int) bool { return c.Claims[claim].Bound.width > 0 }

// Attached reports whether a claim's volume is attached to node n.
func (s State) Attached(n, claim int) bool { return s.At(n, s.C.Claims[claim].Attached) != 0 }

// SetAttached attaches a claim's volume to node n, or detaches it; see [Config.Attaches].
func (s State) SetAttached(n, claim int, is bool) {
	v := 0
	if is {
		v = 1
	}
	s.SetAt(n, s.C.Claims[claim].Attached, v)
}

// Bound reports whether a claim's volume was made; see [Config.Places].
func (s State) Bound(claim int) bool { return s.Get(s.C.Claims[claim].Bound) != 0 }

// Reaches reports whether node n can use the volume that was made for a claim.
func (s State) Reaches(n, claim int) bool { return s.At(n, s.C.Claims[claim].Reaches) != 0 }

// Bind makes the volume of a claim on node n: all nodes of its zone can use it, or, as the
// claim's reach is, it alone.
func (s State) Bind(n, claim int) {
	f := s.C.Claims[claim]
	s.Set(f.Bound, 1)
	for m := range s.C.Nodes {
		if m == n || s.C.Spec.Claims[claim].Reach == WithinZone && s.C.Zone(m) == s.C.Zone(n) {
			s.SetAt(m, f.Reaches, 1)
		}
	}
}

// Zone is the zone of node n; "" where it has none.
func (c *Config) Zone(n int) string {
	return c.Spec.Classes[c.Nodes[n].Class].Node.Labels[corev1.LabelTopologyZone]
}

// Unattached reports whether pods of class p on node n wait for a volume that is not attached
// there.
func (s State) Unattached(n, p int) bool {
	for _, k := range s.C.Uses[p] {
		if s.C.Attaches(k) && !s.Attached(n, k) {
			return true
		}
	}
	return false
}

// Waiting is the number of pods of class p on nodes to which one of their volumes is not
// attached.
func (s State) Waiting(p int) int {
	total := 0
	for n := range s.C.Nodes {
		if len(s.C.Uses[p]) > 0 && s.Unattached(n, p) {
			total += s.On(n, p, Starting)
		}
	}
	return total
}

// loseVolumes takes from node n the volumes that went with its machine.
func (s State) loseVolumes(n int) {
	for i, f := range s.C.Claims {
		if f.Attached.width > 0 {
			s.SetAttached(n, i, false)
		}
		if f.Reaches.width > 0 && s.C.Spec.Claims[i].Reach == OnNode {
			s.SetAt(n, f.Reaches, 0)
		}
	}
}
