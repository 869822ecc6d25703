package slice

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
	"github.com/kubesettle/kubesettle/verify/state"
)

// foundPool is a NodePool of Karpenter that was found among the manifests.
type foundPool struct {
	release string
	at      object.Location
	pool    *policies.KarpenterPool
}

// readPool takes an object that is a NodePool.
func (c *configurations) readPool(release string, o *object.Object) {
	if o.Hook || o.ID.Group != policies.NodePoolGroup || o.ID.Kind != policies.NodePoolKind {
		return
	}
	at := o.Locate("spec.disruption")
	p, err := policies.ReadNodePool(o.Content)
	if err != nil {
		c.notices = append(c.notices,
			finding.Say(finding.ControllerUnread, policies.NodePoolKind, strings.ReplaceAll(err.Error(), "\n", " ")).
				At(at.File, at.StartLine))
		return
	}
	p.Locate = func(field string) (string, int) {
		l := o.Locate(field)
		return l.File, l.StartLine
	}
	c.pools = append(c.pools, foundPool{release, at, p})
}

// nodePools are those that count for a release: the release's own, or else all, by their
// names. Two of one name that differ do not count: split has their names.
func (c configurations) nodePools(release string) (out []foundPool, split []string) {
	own := slices.DeleteFunc(slices.Clone(c.pools), func(p foundPool) bool { return p.release != release })
	if len(own) == 0 {
		own = c.pools
	}
	for _, p := range own {
		i := slices.IndexFunc(out, func(o foundPool) bool { return o.pool.NodePool == p.pool.NodePool })
		switch {
		case i < 0:
			out = append(out, p)
		case !samePool(out[i].pool, p.pool):
			split = append(split, p.pool.NodePool)
		}
	}
	return slices.DeleteFunc(out, func(p foundPool) bool { return slices.Contains(split, p.pool.NodePool) }), split
}

func samePool(a, b *policies.KarpenterPool) bool {
	x, y := *a, *b
	x.Locate, y.Locate = nil, nil
	return reflect.DeepEqual(x, y)
}

// changedPool words which NodePool the change gives a release that base has otherwise, of
// those for whose nodes the cluster has a pool; "" is none.
func (b *Besides) changedPool(release string) string {
	if b.policy.Controllers.KarpenterFile != "" {
		return ""
	}
	was, _ := b.Base.nodePools(release)
	is, _ := b.Head.nodePools(release)
	for _, pool := range b.declaredPools() {
		named := func(p foundPool) bool { return p.pool.NodePool == pool.Name }
		i, k := slices.IndexFunc(was, named), slices.IndexFunc(is, named)
		switch {
		case i < 0 && k < 0, i >= 0 && k >= 0 && samePool(was[i].pool, is[k].pool):
		case k < 0:
			return fmt.Sprintf("the NodePool %s that base has in %s:%d is gone", pool.Name, was[i].at.File, was[i].at.StartLine)
		default:
			return fmt.Sprintf("the NodePool %s changed, in %s:%d", pool.Name, is[k].at.File, is[k].at.StartLine)
		}
	}
	return ""
}

// declaredPools are the pools that the policy declares: those of an assumed cluster are nobody's, whatever their names.
func (b *Besides) declaredPools() []policies.NodePool {
	if b.policy.Cluster.Assumed {
		return nil
	}
	return b.policy.Cluster.Pools
}

// withPools gives a policy with the NodePools that count for a release.
func (b *Besides) withPools(p *policies.Policy, release string, c configurations) *policies.Policy {
	found, _ := c.nodePools(release)
	if b.policy.Controllers.KarpenterFile != "" || len(found) == 0 || len(b.declaredPools()) == 0 {
		return p
	}
	pools := make([]*policies.KarpenterPool, len(found))
	for i := range found {
		pools[i] = found[i].pool
	}
	with, unknown := p.WithKarpenter(pools)
	if len(unknown) == len(pools) {
		return p
	}
	return with
}

// poolNotices says which NodePools were found for a release, and what became of them.
func (b *Besides) poolNotices(release string, say func(finding.Note)) {
	found, split := b.Head.nodePools(release)
	for _, name := range split {
		say(finding.Say(finding.PoolSplit, name).In(release))
	}
	for _, p := range found {
		name := p.pool.NodePool
		tell := func(k finding.Kind) { say(finding.Say(k, name).At(p.at.File, p.at.StartLine)) }
		known := slices.ContainsFunc(b.declaredPools(), func(pool policies.NodePool) bool { return pool.Name == name })
		switch {
		case b.policy.Controllers.KarpenterFile != "":
			tell(finding.PoolUnused)
		case known:
			tell(finding.PoolUsed)
		case b.Compared && b.policy.Cluster.Assumed && !slices.Contains(b.touched, p.at.File):
			// Whoever declares no cluster has read it once, and not with every change.
		default:
			tell(finding.PoolUnsized)
		}
	}
}

// AsBefore gives node classes the NodePools of base, with the labels and taints of their nodes, where the classes are
// the same.
func AsBefore(classes, base []state.NodeClass) []state.NodeClass {
	out := slices.Clone(classes)
	for i := range out {
		k := slices.IndexFunc(base, func(c state.NodeClass) bool { return c.Name == out[i].Name })
		if k < 0 {
			continue
		}
		now, was := out[i].Node, base[k].Node
		if sized := out[i].Karpenter != nil || base[k].Karpenter != nil; sized && now != nil && was != nil {
			out[i].Node = now.DeepCopy()
			out[i].Node.Labels, out[i].Node.Spec.Taints = was.Labels, was.Spec.Taints
		}
		out[i].Karpenter, out[i].Autoscaled = base[k].Karpenter, base[k].Autoscaled
	}
	return out
}
