package state

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Disruption is what becomes of a Job one pod of which is evicted, preempted, or deleted on a node that is lost.
type Disruption uint8

// What the rules of podFailurePolicy make of it.
const (
	Counted Disruption = iota // it counts towards backoffLimit
	Ignored                   // it does not
	Fails                     // the Job fails at once
)

// Disrupted is what becomes of a Job one pod of which is disrupted: the pod has the condition DisruptionTarget, and a
// container of it ends with the exit code; 0 is none that is known.
//
// Upstream: kubernetes v1.36.3, pkg/controller/job: matchPodFailurePolicy.
func Disrupted(p *batchv1.PodFailurePolicy, exit int32) Disruption {
	if p == nil {
		return Counted
	}
	for i := range p.Rules {
		r := &p.Rules[i]
		if r.OnExitCodes != nil && !exits(r.OnExitCodes, exit) || r.OnExitCodes == nil && !disrupts(r.OnPodConditions) {
			continue
		}
		switch r.Action {
		case batchv1.PodFailurePolicyActionIgnore:
			return Ignored
		case batchv1.PodFailurePolicyActionFailJob:
			return Fails
		case batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailIndex:
			return Counted
		}
	}
	return Counted
}

func exits(on *batchv1.PodFailurePolicyOnExitCodesRequirement, exit int32) bool {
	if exit == 0 {
		return false
	}
	switch on.Operator {
	case batchv1.PodFailurePolicyOnExitCodesOpIn:
		return slices.Contains(on.Values, exit)
	case batchv1.PodFailurePolicyOnExitCodesOpNotIn:
		return !slices.Contains(on.Values, exit)
	}
	return false
}

func disrupts(patterns []batchv1.PodFailurePolicyOnPodConditionsPattern) bool {
	return slices.ContainsFunc(patterns, func(x batchv1.PodFailurePolicyOnPodConditionsPattern) bool {
		return x.Type == corev1.DisruptionTarget && x.Status == corev1.ConditionTrue
	})
}

// exitCodes are the codes that a policy can distinguish of a container that its kubelet stops, which may end with any:
// none that is known, those that it names, and one that it does not.
func exitCodes(p *batchv1.PodFailurePolicy) []int32 {
	out, other := []int32{0}, int32(1)
	if p == nil {
		return out
	}
	for i := range p.Rules {
		if on := p.Rules[i].OnExitCodes; on != nil {
			out = append(out, on.Values...)
		}
	}
	for slices.Contains(out, other) {
		other++
	}
	return append(out, other)
}

// DiesOfDisruption reports whether a Job fails for good once one of its pods is disrupted, whatever the exit code: it
// counts, and no pod may fail. A Job whose policy says FailJob of it wants that.
//
// Upstream: pkg/controller/job: syncJob, nonIgnoredFailedPodsCount.
func (m *Manifest) DiesOfDisruption() bool {
	if m.Kind() != Job {
		return false
	}
	spec := m.JobSpec()
	if spec.BackoffLimit == nil || *spec.BackoffLimit > 0 || spec.BackoffLimitPerIndex != nil {
		return false
	}
	return !slices.ContainsFunc(exitCodes(spec.PodFailurePolicy),
		func(exit int32) bool { return Disrupted(spec.PodFailurePolicy, exit) != Counted })
}

// AwaitsFailure reports whether a Job takes a pod on deletion for one that has failed only once it has.
//
// Upstream: pkg/controller/job: isPodFailed, onlyReplaceFailedPods.
func (m *Manifest) AwaitsFailure() bool {
	p := m.JobSpec().PodReplacementPolicy
	return p != nil && *p == batchv1.Failed
}
