package static

import (
	"fmt"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

var recreates = Analyzer{Name: "all-at-once", Rule: rules.ServiceGap, Run: allAtOnce, Compares: true,
	Doc: "a Deployment whose rollouts come to take all of its pods away first"}

// allAtOnce says which Deployments of several replicas come to be recreated: all pods go before the first new one
// starts, and their Service has none meanwhile. A volume or a port of the node that one pod at a time has is a reason.
//
// Upstream: kubernetes v1.36.3, pkg/controller/deployment: (*DeploymentController).rolloutRecreate.
func allAtOnce(p *Pass) []Remark {
	base, head := p.before(), p.everywhere()
	var out []Remark
	for _, o := range p.Objects(state.Head) {
		b := base.counterpart(o)
		if o.Hook || b == nil || !recreated(o) || recreated(b) || leastReplicas(p, o) < 2 || ownsAlone(p.after(), o) {
			continue
		}
		was, ok := b.Typed.(*appsv1.Deployment)
		if !ok {
			continue
		}
		asked := head.nearest(o, slices.DeleteFunc(slices.Clone(head.objects), func(s *object.Object) bool {
			_, yes := s.Typed.(*corev1.Service)
			return !yes || !Aims(s, o) || !head.joins(s, o) || len(backers(head, s)) != 1
		}))
		if len(asked) == 0 {
			continue // nobody is known to ask its pods, or others answer
		}
		out = append(out, Remark{
			Object: o, Conditional: true, recovers: true, paths: []string{"spec.strategy", "spec.replicas"},
			next: reflect.DeepEqual(was.Spec.Template, o.Typed.(*appsv1.Deployment).Spec.Template),
			text: fmt.Sprintf("%s has no ready pods during each rollout of %s: Recreate takes all %d away before one starts",
				asked[0].ID, o.ID, leastReplicas(p, o)), with: p.where().open(o, asked[0]),
			remedies: []Remedy{{Say: "stay with RollingUpdate", Cost: "pods of two versions run at once", Object: o,
				Set: []object.Setting{{Path: "spec.strategy.type", Value: string(appsv1.RollingUpdateDeploymentStrategyType)}}}},
		})
	}
	return out
}

// leastReplicas is how many pods a workload has at least: as its autoscaler has it, where it has one.
func leastReplicas(p *Pass, o *object.Object) int {
	for _, x := range p.after().objects {
		if h, ok := x.Typed.(*autoscalingv2.HorizontalPodAutoscaler); ok && Aims(x, o) {
			if h.Spec.MinReplicas == nil {
				return 1
			}
			return int(*h.Spec.MinReplicas)
		}
	}
	m, ok := state.ManifestOf(o.Typed)
	if !ok {
		return 0
	}
	return m.Replicas()
}

// ownsAlone reports whether the pods of a workload have something that two at once may not have: a volume, unless its
// claim is known to be for many, or a port of their node.
func ownsAlone(x *aimIndex, o *object.Object) bool {
	spec, _ := podSpec(o)
	if spec == nil {
		return false
	}
	return spec.HostNetwork || slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && !sharedClaim(x, o.ID.Namespace, v.PersistentVolumeClaim.ClaimName)
	}) || slices.ContainsFunc(spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.HostPort != 0 })
	})
}

func sharedClaim(x *aimIndex, namespace, name string) bool {
	for _, i := range x.named[[3]string{namespace, "PersistentVolumeClaim", name}] {
		if c, ok := x.objects[i].Typed.(*corev1.PersistentVolumeClaim); ok {
			return slices.Contains(c.Spec.AccessModes, corev1.ReadWriteMany) ||
				slices.Contains(c.Spec.AccessModes, corev1.ReadOnlyMany)
		}
	}
	return false
}
