package policies

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

func (d *decoder) cluster(c *Cluster) read {
	return func(n *yaml.Node, at string) {
		var pools []NodePool
		was := *c
		c.NodesFile, c.SnapshotFile = "", ""
		d.object(n, at, fields{
			"nodes":        d.text(&c.NodesFile, relative),
			"snapshot":     d.text(&c.SnapshotFile, relative),
			"maxAge":       d.maxAge(&c.MaxAge),
			"version":      d.version(&c.Gated),
			"featureGates": d.featureGates(&c.Gated),
			"releases":     d.texts(&c.Releases, releasePattern),
			"workloads":    func(n *yaml.Node, at string) { d.list(d.otherWorkload(&c.Workloads))(n, at) },
			"nodePools": func(n *yaml.Node, at string) {
				d.list(d.pool(&pools))(n, at)
			},
		})
		if c.NodesFile != "" || c.SnapshotFile != "" || pools != nil {
			c.Assumed, c.Pools = false, pools
		} else { // the nodes are those of a folder above
			c.NodesFile, c.SnapshotFile = was.NodesFile, was.SnapshotFile
		}
		for _, g := range c.Gated.Locked() {
			if key := d.set[at+".featureGates."+g.Name]; key != nil && c.Gated.Minor > 0 {
				d.fail(key, at+".featureGates."+g.Name, "cannot be false in 1.%d: it is locked to true since 1.%d", c.Gated.Minor,
					g.LockedSince)
			}
		}
		if key := d.set[at+".nodes"]; key != nil && c.SnapshotFile != "" {
			d.fail(key, at+".nodes", "is given together with snapshot, which holds the nodes; remove one of them")
		}
		if key := d.set[at+".workloads"]; key != nil && c.SnapshotFile != "" {
			d.fail(key, at+".workloads",
				"is given together with snapshot, which holds all pods of the cluster; remove one of them")
		}
		if key := d.set[at+".maxAge"]; key != nil && c.SnapshotFile == "" {
			d.fail(key, at+".maxAge", "goes with snapshot only; remove it")
		}
	}
}

func (d *decoder) pool(pools *[]NodePool) read {
	return func(n *yaml.Node, at string) {
		p := NodePool{Min: 1, Max: 6}
		d.object(n, at, fields{
			"name": d.text(&p.Name, dnsLabel),
			"count": func(n *yaml.Node, at string) {
				d.object(n, at, fields{"min": d.number(&p.Min, 0, 5000), "max": d.number(&p.Max, 1, 5000)}, "min", "max")
				if p.Min > p.Max {
					d.fail(n, at, "min %d is more than max %d", p.Min, p.Max)
				}
			},
			"zones":       d.texts(&p.Zones, labelValue),
			"labels":      d.labels(&p.Labels),
			"taints":      d.taints(&p.Taints),
			"allocatable": d.allocatable(&p.Allocatable),
			"autoscaled":  d.flag(&p.Autoscaled),
			"spot":        d.flag(&p.Spot),
		}, "name")
		if _, ok := p.Labels[corev1.LabelTopologyZone]; ok && len(p.Zones) > 0 {
			d.fail(n, at+".labels."+corev1.LabelTopologyZone,
				"is given together with zones, which set this label; remove one of them")
		}
		for _, other := range *pools {
			if other.Name == p.Name && p.Name != "" {
				d.fail(n, at+".name", "a second pool of the name %s; give it another", quote(p.Name))
			}
		}
		if p.Allocatable == nil {
			p.Elastic, p.Allocatable = true, inventedCapacity()
		}
		*pools = append(*pools, p)
	}
}

// inventedCapacity is that of a node whose capacity was not declared. Requests fit in
// any case; the numbers serve the scheduler's scores only.
func inventedCapacity() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("8"),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
}

// ownLabels are set by the tool on every node of a pool.
var ownLabels = []string{corev1.LabelHostname}

func (d *decoder) labels(dst *map[string]string) read {
	return func(n *yaml.Node, at string) {
		out := map[string]string{}
		d.entries(n, at, func(key *yaml.Node) read {
			if slices.Contains(ownLabels, key.Value) {
				d.fail(key, join(at, key.Value), "is each node's own name; remove it")
				return nil
			}
			if why := qualifiedName(key.Value); why != "" {
				d.fail(key, join(at, key.Value), "%s", why)
				return nil
			}
			return func(n *yaml.Node, at string) {
				s, ok := d.scalar(n, at, "a string", "!!str") // "" is a valid label value
				if why := labelValue(s); ok && why != "" {
					d.fail(n, at, "%s", why)
				} else if ok {
					out[key.Value] = s
				}
			}
		})
		*dst = out
	}
}

func (d *decoder) taints(dst *[]corev1.Taint) read {
	return func(n *yaml.Node, at string) {
		var out []corev1.Taint
		d.list(func(n *yaml.Node, at string) {
			var t corev1.Taint
			d.object(n, at, fields{
				"key": d.text(&t.Key, qualifiedName),
				"value": func(n *yaml.Node, at string) {
					s, ok := d.scalar(n, at, "a string", "!!str")
					if why := labelValue(s); ok && why != "" {
						d.fail(n, at, "%s", why)
					}
					t.Value = s
				},
				"effect": oneOf(d, &t.Effect,
					corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute),
			}, "key", "effect")
			for _, other := range out {
				if other.MatchTaint(&t) && t.Key != "" {
					d.fail(n, at, "a second taint of this key and effect; the API server allows one")
				}
			}
			out = append(out, t)
		})(n, at)
		*dst = out
	}
}

// quantities reads a map of resources.
func (d *decoder) quantities(dst *corev1.ResourceList) read {
	return func(n *yaml.Node, at string) {
		out := corev1.ResourceList{}
		d.entries(n, at, func(key *yaml.Node) read {
			if why := qualifiedName(key.Value); why != "" {
				d.fail(key, join(at, key.Value), "%s", why)
				return nil
			}
			return func(n *yaml.Node, at string) {
				s, ok := d.scalar(n, at, "a quantity such as 500m, 8 or 32Gi", "!!str", "!!int", "!!float")
				if !ok {
					return
				}
				q, err := quantity(s)
				if err != nil || q.Sign() < 0 {
					d.fail(n, at, "%s is not a quantity; write a positive one such as 500m, 8 or 32Gi", quote(s))
					return
				}
				out[corev1.ResourceName(key.Value)] = q
			}
		})
		*dst = out
	}
}

func (d *decoder) allocatable(dst *corev1.ResourceList) read {
	return func(n *yaml.Node, at string) {
		var out corev1.ResourceList
		d.quantities(&out)(n, at)
		if out == nil {
			out = corev1.ResourceList{}
		}
		for _, k := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if d.set[at+"."+string(k)] == nil {
				d.fail(n, at, "%s is missing; give cpu and memory, or leave out allocatable as a whole", k)
			}
		}
		if _, ok := out[corev1.ResourcePods]; !ok {
			out[corev1.ResourcePods] = resource.MustParse("110") // the kubelet's default --max-pods
		}
		*dst = out
	}
}

// plainQuantity keeps texts from upstream's parser that it would not bound: it computes 10^999999999 digit by digit.
var plainQuantity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[-+]?[0-9.]{1,30}([eE][-+]?[0-9]{1,2}|[a-zA-Z]{0,2})$`)
})

func quantity(s string) (resource.Quantity, error) {
	if !plainQuantity().MatchString(s) {
		return resource.Quantity{}, resource.ErrFormatWrong
	}
	return resource.ParseQuantity(s)
}

func dnsLabel(s string) string      { return refusal(s, validation.IsDNS1123Label(s)) }
func qualifiedName(s string) string { return refusal(s, validation.IsQualifiedName(s)) }
func labelValue(s string) string    { return refusal(s, validation.IsValidLabelValue(s)) }

// refusal words upstream's answer to a name; "" where there is none.
func refusal(s string, why []string) string {
	if len(why) == 0 {
		return ""
	}
	return quote(s) + " is not valid: " + strings.Join(why, "; ")
}

// workloadName wants "namespace/name".
func workloadName(s string) string {
	ns, name, ok := strings.Cut(s, "/")
	if !ok {
		return quote(s) + " is not valid: write namespace/name, such as default/web"
	}
	return refusal(s, append(validation.IsDNS1123Label(ns), validation.IsDNS1123Subdomain(name)...))
}
