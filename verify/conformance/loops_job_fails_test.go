package conformance

import (
	"math/rand/v2"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/verify/state"

	_ "unsafe" // for go:linkname
)

//go:linkname matchPodFailurePolicy k8s.io/kubernetes/pkg/controller/job.matchPodFailurePolicy
func matchPodFailurePolicy(p *batchv1.PodFailurePolicy, failed *corev1.Pod) (*string, bool, *batchv1.PodFailurePolicyAction)

// TestJobDisruption: what becomes of a Job one pod of which is evicted is what upstream's controller makes of it: by its
// podFailurePolicy, and by whether one sync fails the Job for good.
func TestJobDisruption(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 47))
	upstream := newUpstreamJobs(t)
	outcomes := map[state.Disruption]int{}
	died, lived := 0, 0
	for i := range loopCases(1500) {
		object := anyJob(r, i)
		object.Spec.Suspend, object.Spec.PodFailurePolicy = new(bool), anyFailurePolicy(r)
		object.Spec.BackoffLimit = new(int32(max(r.IntN(4)-1, 0)))
		*object.Spec.Parallelism = max(*object.Spec.Parallelism, 1)
		object.Spec.Completions = new(*object.Spec.Parallelism)
		exit := []int32{0, 1, 3, 137, 143}[r.IntN(5)]
		pod := evicted(object, exit)
		got := state.Disrupted(object.Spec.PodFailurePolicy, exit)
		message, counts, _ := matchPodFailurePolicy(object.Spec.PodFailurePolicy, pod)
		want := state.Ignored
		switch {
		case message != nil:
			want = state.Fails
		case counts:
			want = state.Counted
		}
		if got != want {
			t.Fatalf("case %d: ours %v, upstream %v\n%+v exit %d", i, got, want, object.Spec.PodFailurePolicy, exit)
		}
		outcomes[got]++
		// One that certainly dies does so in upstream's controller, and one that upstream fails is one, or hangs on the exit
		// code, or has a policy that wants it.
		m := state.Manifest{Job: object}
		failed := upstream.failsWith(t, object, pod)
		switch {
		case m.DiesOfDisruption() && !failed:
			t.Fatalf("case %d: upstream's controller does not fail it\n%+v exit %d", i, object.Spec, exit)
		case failed && !m.DiesOfDisruption() && got == state.Counted && sure(object.Spec.PodFailurePolicy):
			t.Fatalf("case %d: upstream's controller fails it\n%+v exit %d", i, object.Spec, exit)
		case failed:
			died++
		default:
			lived++
		}
	}
	for _, n := range []int{outcomes[state.Counted], outcomes[state.Ignored], outcomes[state.Fails], died, lived} {
		if n < loopCases(1500)/20 {
			t.Errorf("%v, %d fail and %d do not: too few to show anything", outcomes, died, lived)
		}
	}
	t.Logf("%v, %d fail and %d do not", outcomes, died, lived)
}

// sure reports whether a policy says the same whatever a container's exit code is.
func sure(p *batchv1.PodFailurePolicy) bool {
	if p != nil {
		for _, r := range p.Rules {
			if r.OnExitCodes != nil {
				return false
			}
		}
	}
	return true
}

// anyFailurePolicy is none, or has up to three rules.
func anyFailurePolicy(r *rand.Rand) *batchv1.PodFailurePolicy {
	if r.IntN(3) == 0 {
		return nil
	}
	p := &batchv1.PodFailurePolicy{}
	actions := []batchv1.PodFailurePolicyAction{batchv1.PodFailurePolicyActionIgnore, batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailJob}
	for range r.IntN(4) {
		rule := batchv1.PodFailurePolicyRule{Action: actions[r.IntN(3)]}
		if r.IntN(2) == 0 {
			op := batchv1.PodFailurePolicyOnExitCodesOpIn
			if r.IntN(2) == 0 {
				op = batchv1.PodFailurePolicyOnExitCodesOpNotIn
			}
			rule.OnExitCodes = &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: op, Values: [][]int32{{143}, {1, 2}, {137, 143}}[r.IntN(3)]}
		} else {
			status := corev1.ConditionTrue
			if r.IntN(4) == 0 {
				status = corev1.ConditionFalse
			}
			kind := []corev1.PodConditionType{corev1.DisruptionTarget, corev1.DisruptionTarget, "example.com/ConfigIssue"}[r.IntN(3)]
			rule.OnPodConditions = []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: kind, Status: status}}
		}
		p.Rules = append(p.Rules, rule)
	}
	return p
}

// evicted is a pod that was evicted, and whose container has ended with an exit code; 0: it has none.
func evicted(object *batchv1.Job, exit int32) *corev1.Pod {
	at := metav1.NewTime(time.Now().Add(-time.Hour))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: object.Name + "-0", Namespace: "default", UID: object.UID + "-0", Labels: object.Spec.Template.Labels,
			DeletionTimestamp: &at, Finalizers: []string{batchv1.JobTrackingFinalizer},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(object, batchv1.SchemeGroupVersion.WithKind("Job"))}},
		Spec: object.Spec.Template.Spec,
		Status: corev1.PodStatus{Phase: corev1.PodFailed,
			Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI"}}},
	}
	if exit != 0 {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main",
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, FinishedAt: at}}}}
	}
	return pod
}

// failsWith reports whether one sync of upstream's controller fails a Job with this one pod.
func (u *upstreamJobs) failsWith(t *testing.T, object *batchv1.Job, pod *corev1.Pod) bool {
	t.Helper()
	u.failed = false
	live := object.DeepCopy()
	started := metav1.NewTime(time.Now().Add(-2 * time.Hour))
	live.Status.StartTime, live.Status.UncountedTerminatedPods = &started, &batchv1.UncountedTerminatedPods{}
	check(t, u.factory.Batch().V1().Jobs().Informer().GetIndexer().Replace([]any{live}, ""))
	check(t, u.factory.Core().V1().Pods().Informer().GetIndexer().Replace([]any{pod}, ""))
	check(t, syncJob(u.controller, quiet(t), "default/"+live.Name))
	return u.failed
}
