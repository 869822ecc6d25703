package judge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// recreate is for one pod that writes to a volume: the old one is gone before the new one
// comes.
func recreate(p patient) []remedy {
	if !p.writer {
		return nil
	}
	return p.recreated("set strategy.type: Recreate, so that the old pod releases the volume before the new one starts")
}

// goneFirst has one pod leave before its successor asks for room: a pod that is still on deletion takes room, and
// without a surge the new one is there meanwhile, and pushes others aside.
func goneFirst(p patient) []remedy {
	return p.recreated("set strategy.type: Recreate, so that the old pod is gone before the new one asks for room")
}

// recreated sets the strategy of a Deployment of one pod to Recreate.
func (p patient) recreated(say string) []remedy {
	d, ok := p.workload.Typed.(*appsv1.Deployment)
	if !ok || d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType || p.manifest.Replicas() > 1 {
		return nil
	}
	set := map[string]any{"type": "Recreate", "rollingUpdate": nil}
	if !declares(p.workload, "spec", "strategy", "rollingUpdate") {
		delete(set, "rollingUpdate")
	}
	return p.of(say, "no replicas during a rollout", object.Setting{Path: "spec.strategy", Value: set})
}

// noSurge rolls one pod at a time without one more.
func noSurge(p patient) []remedy {
	cost := "one replica fewer during a rollout"
	if p.manifest.Replicas() < 2 {
		cost = "no replicas during a rollout"
	}
	set := map[string]any{"rollingUpdate": map[string]any{"maxSurge": 0, "maxUnavailable": 1}}
	say := "set maxSurge: 0 with maxUnavailable: 1, so that an old pod makes room for each new one"
	switch t := p.workload.Typed.(type) {
	case *appsv1.Deployment:
		if t.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
			return nil
		}
		return p.of(say, cost, object.Setting{Path: "spec.strategy", Value: set})
	case *appsv1.DaemonSet:
		if r := t.Spec.UpdateStrategy.RollingUpdate; r == nil || r.MaxSurge == nil || *r.MaxSurge == intstr.FromInt32(0) {
			return nil
		}
		return p.of(say, "no pod on a node during its rollout", object.Setting{Path: "spec.updateStrategy", Value: set})
	}
	return nil
}

// surgeFirst makes a new pod before an old one goes.
func surgeFirst(p patient) []remedy {
	if d, ok := p.workload.Typed.(*appsv1.Deployment); !ok ||
		d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && p.writer {
		return nil
	}
	set := map[string]any{"rollingUpdate": map[string]any{"maxSurge": 1, "maxUnavailable": 0}}
	if declares(p.workload, "spec", "strategy", "type") {
		set["type"] = "RollingUpdate"
	}
	return p.of("set maxSurge: 1 with maxUnavailable: 0, so that each new pod is ready before an old one goes",
		"room for one more pod during a rollout", object.Setting{Path: "spec.strategy", Value: set})
}

// raiseQuota makes room for one pod more.
func raiseQuota(p patient) []remedy {
	var out []remedy
	pod := admission.QuotaUse(&corev1.Pod{Spec: *p.manifest.Pod()})
	for _, o := range p.beside {
		q, ok := o.Typed.(*corev1.ResourceQuota)
		if !ok || o.ID.Namespace != p.workload.ID.Namespace {
			continue
		}
		hard := map[string]any{}
		for name, have := range q.Spec.Hard {
			more, counted := pod[name]
			if !counted {
				continue
			}
			have.Add(more)
			hard[string(name)] = have.String()
			if n, err := strconv.Atoi(have.String()); err == nil {
				if _, text := slice.ValueAt(o.Content, "spec", "hard", string(name)).(string); !text {
					hard[string(name)] = n
				}
			}
		}
		if len(hard) > 0 {
			out = append(out, changing("raise the quota by one pod", "the namespace may use one more pod", o,
				[]object.Setting{{Path: "spec.hard", Value: hard}}))
		}
	}
	return out
}

// spareOwnWebhook keeps a webhook from asking its own pods.
func spareOwnWebhook(p patient) []remedy {
	var out []remedy
	for _, o := range p.beside {
		for _, h := range slice.Webhooks(o) {
			list := []any{map[string]any{"key": corev1.LabelMetadataName, "operator": "NotIn", "values": []any{h.Namespace}}}
			if have, _ := slice.ValueAt(o.Content, "webhooks").([]any); h.Index < len(have) {
				one, _ := have[h.Index].(map[string]any)
				old, _ := slice.ValueAt(one, "namespaceSelector", "matchExpressions").([]any)
				list = slices.Concat(old, list)
			}
			out = append(out, changing(
				"exclude the webhook's own namespace, so that its pods start without it",
				"pods of the namespace "+h.Namespace+" are not checked", o,
				[]object.Setting{{Path: fmt.Sprintf("webhooks[%d].namespaceSelector", h.Index),
					Value: map[string]any{"matchExpressions": list}}},
			))
		}
	}
	return out
}

// startAtOnce lets the pods of a StatefulSet come beside each other.
func startAtOnce(p patient) []remedy {
	s, ok := p.workload.Typed.(*appsv1.StatefulSet)
	if !ok || s.Spec.PodManagementPolicy == appsv1.ParallelPodManagement || len(p.claims) > 0 {
		return nil
	}
	set := []object.Setting{{Path: "spec.podManagementPolicy", Value: "Parallel"}}
	r := changing("set podManagementPolicy: Parallel, so that a pod that does not become ready blocks no other",
		"pods start in any order", p.workload, set)
	if p.before != nil {
		r.say += fmt.Sprintf("; as it cannot change, delete the StatefulSet without its pods before the apply (%s)",
			orphaned(p.workload))
		r.cost += ", and one step by hand"
		r.before = set
	}
	return []remedy{r}
}

// orphaned is the command that deletes an object and leaves its pods, which its successor takes over.
func orphaned(o *object.Object) string {
	kind := strings.ToLower(o.ID.Kind)
	return fmt.Sprintf("kubectl delete %s %s -n %s --cascade=orphan", kind, o.ID.Name, o.ID.Namespace)
}
