package slice

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Dropped says which guards head takes away from a workload that base has: somebody set each of them on purpose.
type Dropped struct {
	Unhealthy bool // a budget's unhealthyPodEvictionPolicy: AlwaysAllow
	Spread    bool // matchLabelKeys: [pod-template-hash] of a hard spread
	// Overlap says of a CronJob that its Jobs may run side by side as many as there are: base forbade it, or it is due
	// so often that a slow Job is soon met by the next one.
	Overlap bool
	// Memory says that an autoscaler of base that looked at no memory does so in head: the memory of pods does not fall
	// with the load.
	Memory bool
}

func (d Dropped) or(o Dropped) Dropped {
	return Dropped{d.Unhealthy || o.Unhealthy, d.Spread || o.Spread, d.Overlap || o.Overlap, d.Memory || o.Memory}
}

// droppedFrom compares both versions of a workload.
func droppedFrom(m [2]state.Manifest) Dropped {
	base, head := &m[state.Base], &m[state.Head]
	if !head.Exists() {
		return Dropped{}
	}
	if head.Kind() == state.CronJob {
		bounded := base.Exists() && base.CronJob != nil && !overlaps(base.CronJob)
		return Dropped{Overlap: overlaps(head.CronJob) && (oftenDue(head.CronJob.Spec.Schedule) || bounded)}
	}
	if !base.Exists() || head.Kind().Ends() {
		return Dropped{}
	}
	refuses := func(b *policyv1.PodDisruptionBudget) bool { return !alwaysAllows(b) }
	rolls := head.Kind() == state.Deployment &&
		head.Deployment.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType
	return Dropped{
		Memory:    base.HPA != nil && head.HPA != nil && !byMemory(base.HPA) && byMemory(head.HPA),
		Unhealthy: slices.ContainsFunc(base.PDBs, alwaysAllows) && slices.ContainsFunc(head.PDBs, refuses),
		Spread: rolls && hardSpreads(base.Pod(), true) > 0 &&
			hardSpreads(head.Pod(), false) > hardSpreads(base.Pod(), false),
	}
}

// byMemory reports whether an autoscaler looks at what its pods use of the memory that they ask for.
func byMemory(h *autoscalingv2.HorizontalPodAutoscaler) bool {
	return slices.ContainsFunc(h.Spec.Metrics, func(m autoscalingv2.MetricSpec) bool {
		return m.Resource != nil && m.Resource.Name == corev1.ResourceMemory && m.Resource.Target.AverageUtilization != nil
	})
}

func alwaysAllows(b *policyv1.PodDisruptionBudget) bool {
	p := b.Spec.UnhealthyPodEvictionPolicy
	return p != nil && *p == policyv1.AlwaysAllow
}

// hardSpreads counts a pod's hard spread constraints that tell revisions apart, or do not.
func hardSpreads(pod *corev1.PodSpec, apart bool) int {
	n := 0
	for _, c := range kube.Spreads(pod) {
		if c.Hard() && c.Apart() == apart {
			n++
		}
	}
	return n
}

// overlaps reports whether the Jobs of a CronJob may pile up, as nothing bounds those that run side by side, or nothing
// but a deadline by which several more are due.
func overlaps(c *batchv1.CronJob) bool { return state.Overlap(c) > state.FewJobs }

// often is a period so short that who sets it has to think of a Job that takes longer.
const often = 5 * time.Minute

// oftenDue reports whether a schedule is due every five minutes or more often.
func oftenDue(schedule string) bool { return state.AlwaysDueWithin(schedule, 2*often) }
