package static

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/judge"
	"github.com/kubesettle/kubesettle/verify/slice"
	"github.com/kubesettle/kubesettle/verify/state"
)

// drainBlocked is the rule for pods that keep their node from ever being emptied.
const drainBlocked = "drain-blocked"

// held are the annotations of a pod by which an autoscaler of nodes leaves its node alone, with
// the value that says so.
var held = []struct{ annotation, value, by string }{
	{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false", "the cluster autoscaler"},
	{"karpenter.sh/do-not-disrupt", "true", "Karpenter"},
}

// holding says which workloads that run on and on come to keep an autoscaler from removing the
// nodes that they are on. A Job ends, and has reason to.
func holding(p slice.Pair) []Remark {
	base := newAimIndex(p.Objects(state.Base))
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		switch o.Typed.(type) {
		case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.ReplicaSet:
		default:
			continue
		}
		b := base.counterpart(o)
		if b == nil || o.Hook {
			continue
		}
		for _, h := range held {
			if podAnnotation(o, h.annotation) != h.value || podAnnotation(b, h.annotation) == h.value {
				continue
			}
			out = append(out, Remark{
				Rule: drainBlocked, release: p.ID, Object: o, status: judge.New, Conditional: true,
				paths: []string{"spec.template.metadata.annotations[" + h.annotation + "]"},
				remedies: []Remedy{{
					Say:  "remove the annotation, and have a PodDisruptionBudget with maxUnavailable: 1 pace evictions",
					Cost: "its pods are moved when a node is removed", Object: o,
					Set: []render.Setting{{Path: "spec.template.metadata.annotations[" + h.annotation + "]"}},
				}},
				text: fmt.Sprintf("a node with a pod of %s is never removed by %s, where that runs: %s is %q", o.ID, h.by,
					h.annotation, h.value),
			})
		}
	}
	return out
}

func podAnnotation(o *render.Object, key string) string {
	list, _ := slice.ValueAt(o.Content, "spec", "template", "metadata", "annotations").(map[string]any)
	s, _ := list[key].(string)
	return s
}
