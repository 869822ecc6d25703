package policies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubesettle/kubesettle/verify/state"
)

// KarpenterPool is a NodePool of Karpenter: how its nodes are disrupted, their common properties, and how many there
// may be.
type KarpenterPool struct {
	state.Karpenter
	Labels map[string]string // of its nodes, as far as the NodePool fixes them
	Taints []corev1.Taint
	// Requirements of the template, and its labels as such.
	Requirements []corev1.NodeSelectorRequirement
	Limits       corev1.ResourceList // spec.limits
	// Locate gives the file and line of a field; nil where it is not known.
	Locate func(field string) (file string, line int)
}

// nodePoolObject has the fields that are read of a NodePool (karpenter.sh/v1, and v1beta1).
type nodePoolObject struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Replicas   *int64              `json:"replicas"`
		Limits     corev1.ResourceList `json:"limits"`
		Disruption struct {
			ConsolidationPolicy string  `json:"consolidationPolicy"`
			ConsolidateAfter    string  `json:"consolidateAfter"`
			ExpireAfter         *string `json:"expireAfter"` // v1beta1
			Budgets             *[]struct {
				Nodes    string   `json:"nodes"`
				Reasons  []string `json:"reasons"`
				Schedule *string  `json:"schedule"`
			} `json:"budgets"`
		} `json:"disruption"`
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				Taints                 []corev1.Taint                   `json:"taints"`
				Requirements           []corev1.NodeSelectorRequirement `json:"requirements"`
				ExpireAfter            *string                          `json:"expireAfter"`
				TerminationGracePeriod *string                          `json:"terminationGracePeriod"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// NodePoolGroup and NodePoolKind are those of Karpenter's NodePools.
const (
	NodePoolGroup = "karpenter.sh"
	NodePoolKind  = "NodePool"
	nodePoolLabel = "karpenter.sh/nodepool"
)

// Upstream: karpenter/pkg/apis/v1: Never, ConsolidationPolicyWhenEmpty, and the default of
// spec.disruption.budgets.
const (
	neverAfter  = "Never"
	whenEmpty   = "WhenEmpty"
	usualBudget = "10%"
)

// ReadNodePool reads a NodePool, with upstream's defaults filled in.
// Errors: a field that has another type.
func ReadNodePool(content map[string]any) (*KarpenterPool, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var o nodePoolObject
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("NodePool: %w", err)
	}
	if o.Metadata.Name == "" {
		return nil, errors.New("NodePool: metadata.name is missing")
	}
	d, t := o.Spec.Disruption, o.Spec.Template
	expires := func(after *string) bool { return after != nil && *after == neverAfter }
	p := &KarpenterPool{
		Karpenter: state.Karpenter{
			NodePool:  o.Metadata.Name,
			Never:     d.ConsolidateAfter == neverAfter || o.Spec.Replicas != nil,
			WhenEmpty: d.ConsolidationPolicy == whenEmpty,
			Expires:   !expires(t.Spec.ExpireAfter) && !expires(d.ExpireAfter),
			Patient:   t.Spec.TerminationGracePeriod == nil,
		},
		Labels: map[string]string{nodePoolLabel: o.Metadata.Name},
		Taints: t.Spec.Taints, Limits: o.Spec.Limits,
	}
	if d.Budgets == nil {
		p.Budgets = []state.DisruptionBudget{{Nodes: usualBudget}}
	} else {
		for _, b := range *d.Budgets {
			if b.Schedule == nil {
				p.Budgets = append(p.Budgets, state.DisruptionBudget{Nodes: b.Nodes, Reasons: b.Reasons})
			}
		}
	}
	for _, r := range t.Spec.Requirements {
		if r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
			p.Labels[r.Key] = r.Values[0]
		}
	}
	maps.Copy(p.Labels, t.Metadata.Labels)
	p.Requirements = t.Spec.Requirements
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		p.Requirements = append(p.Requirements, corev1.NodeSelectorRequirement{Key: key,
			Operator: corev1.NodeSelectorOpIn, Values: []string{p.Labels[key]}})
	}
	return p, nil
}

// LoadNodePools reads a file of NodePools; other objects in it are left out. Errors: a file that is no YAML, or an
// object that is no valid NodePool, with the file's name.
func LoadNodePools(file string, data []byte) ([]*KarpenterPool, error) {
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("%s: has %d bytes, at most %d can be read", file, len(data), maxFileBytes)
	}
	var out []*KarpenterPool
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		var content map[string]any
		if err == nil {
			err = doc.Decode(&content)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if content["kind"] != NodePoolKind {
			continue
		}
		p, err := ReadNodePool(content)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, doc.Line, err)
		}
		lines := map[string]int{}
		fieldLines(doc.Content[0], "", lines)
		first := doc.Content[0].Line
		p.Locate = func(field string) (string, int) {
			if line := lines[field]; line > 0 {
				return file, line
			}
			return file, first
		}
		out = append(out, p)
	}
}

// WithKarpenter gives the policy with the pools of its cluster that NodePools name sized
// by Karpenter, and the names of the NodePools for which the cluster has no pool.
func (p *Policy) WithKarpenter(pools []*KarpenterPool) (out *Policy, unknown []string) {
	copied := *p
	out = &copied
	out.Controllers.NodePools = pools
	out.Cluster.Pools = slices.Clone(p.Cluster.Pools)
	for i := range out.Cluster.Pools {
		pool := &out.Cluster.Pools[i]
		pool.Autoscaled = pool.Autoscaled && (p.Controllers.ClusterAutoscaler || pool.Karpenter != nil)
	}
	for _, k := range pools {
		i := slices.IndexFunc(out.Cluster.Pools, func(pool NodePool) bool { return pool.Name == k.NodePool })
		if i < 0 {
			unknown = append(unknown, k.NodePool)
			continue
		}
		pool := &out.Cluster.Pools[i]
		labels := maps.Clone(k.Labels)
		maps.Copy(labels, pool.Labels) // the policy's win
		own := k.Karpenter
		if pool.Derived { // see [NodePool.Derived]
			own.Never, own.Expires = true, false
		}
		pool.Karpenter, pool.Autoscaled, pool.Labels = &own, true, labels
		if len(pool.Taints) == 0 {
			pool.Taints = k.Taints
		}
		pool.Max = max(min(pool.Max, k.left(p.Cluster.Nodes).most(pool.Allocatable)), pool.Min)
	}
	return out, unknown
}

// RunsKarpenter reports whether Karpenter sizes some pool of the cluster.
func (p *Policy) RunsKarpenter() bool {
	return slices.ContainsFunc(p.Cluster.Pools, func(pool NodePool) bool { return pool.Karpenter != nil })
}

// left is the pool with limits for what may come beside its nodes that are there.
func (p *KarpenterPool) left(nodes []*corev1.Node) *KarpenterPool {
	out := *p
	out.Limits = p.Limits.DeepCopy()
	for _, n := range nodes {
		if n.Labels[nodePoolLabel] != p.NodePool {
			continue
		}
		for name, limit := range out.Limits {
			used := n.Status.Allocatable[name]
			if name == "nodes" {
				used = *resource.NewQuantity(1, resource.DecimalSI)
			}
			limit.Sub(used)
			out.Limits[name] = limit
		}
	}
	return &out
}

// most is how many nodes of a size a pool's limits let it have.
func (p *KarpenterPool) most(allocatable corev1.ResourceList) int {
	out := int64(1 << 30)
	for name, limit := range p.Limits {
		one := allocatable[name]
		if name == "nodes" {
			out = min(out, limit.Value())
			continue
		}
		if size := one.MilliValue(); size > 0 {
			out = min(out, limit.MilliValue()/size)
		}
	}
	return int(max(out, 0))
}
