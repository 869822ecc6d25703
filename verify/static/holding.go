package static

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/policies"
	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// held are the annotations of a pod by which an autoscaler of nodes leaves its node alone, with
// the value that says so.
var held = []struct{ annotation, value, by string }{
	{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false", "the cluster autoscaler"},
	{"karpenter.sh/do-not-disrupt", "true", karpenter},
}

const karpenter = "Karpenter"

var holds = Analyzer{Name: "held-nodes", Rule: rules.DrainBlocked, Run: holding,
	Doc: "pods that keep an autoscaler from ever removing their node"}

// holding says which workloads that run on and on come to keep an autoscaler from removing the
// nodes that they are on. A Job ends, and has reason to. Nodes of a NodePool among the objects
// are removed when they expire, whether anybody wants room or not: there a new workload is told of, too.
func holding(p *Pass) []Remark {
	pools := p.pools()
	base := p.before()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		if !standing(o) {
			continue
		}
		b := base.counterpart(o)
		for _, h := range held {
			if podAnnotation(o, h.annotation) != h.value {
				continue
			}
			before := b != nil && podAnnotation(b, h.annotation) == h.value
			says, occasion := "", ""
			pool, had := expiringFor(o, pools[state.Head]), before && expiringFor(b, pools[state.Base]) != nil
			if h.by == karpenter && pool != nil && !had {
				says, occasion = fmt.Sprintf("an expired node of NodePool %s is never removed with a pod of %s on it: %s, and no "+
					"terminationGracePeriod", pool.NodePool, o.ID, h.annotation), nodeRemoved
			} else if b != nil && !before {
				says = fmt.Sprintf("a node with a pod of %s is never removed by %s, where that runs: %s is %q", o.ID, h.by,
					h.annotation, h.value)
			}
			if says == "" {
				continue
			}
			out = append(out, Remark{
				Object: o, Conditional: true,
				paths: []string{"spec.template.metadata.annotations[" + h.annotation + "]"},
				remedies: []Remedy{{
					Say:  "remove the annotation, and have a PodDisruptionBudget with maxUnavailable: 1 pace evictions",
					Cost: "its pods are moved when a node is removed", Object: o,
					Set: []object.Setting{{Path: "spec.template.metadata.annotations[" + h.annotation + "]"}},
				}},
				text: says, occasion: occasion,
			})
		}
	}
	return out
}

// standing reports whether an object is a workload whose pods run until somebody removes them.
func standing(o *object.Object) bool {
	switch o.Typed.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.ReplicaSet:
		return !o.Hook
	}
	return false
}

// nodePools are the NodePools of Karpenter among objects, as far as they can be read.
func nodePools(objects []*object.Object) []*policies.KarpenterPool {
	var out []*policies.KarpenterPool
	for _, o := range objects {
		if o.Hook || o.ID.Group != policies.NodePoolGroup || o.ID.Kind != policies.NodePoolKind {
			continue
		}
		if p, err := policies.ReadNodePool(o.Content); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// expiringFor is a NodePool whose nodes expire, and then wait without end for pods that are not to be disrupted, of
// those that may have the pods of a workload; nil: there is none.
func expiringFor(o *object.Object, pools []*policies.KarpenterPool) *policies.KarpenterPool {
	m, ok := state.ManifestOf(o.Typed)
	if !ok || m.Replicas() == 0 {
		return nil
	}
	for _, p := range pools {
		if why, _ := refuses(p, m.Pod()); why == "" && p.Expires && p.Patient {
			return p
		}
	}
	return nil
}

func podAnnotation(o *object.Object, key string) string {
	list, _ := slice.ValueAt(o.Content, "spec", "template", "metadata", "annotations").(map[string]any)
	s, _ := list[key].(string)
	return s
}
