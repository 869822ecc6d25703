package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/job"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"

	_ "unsafe" // for go:linkname
)

//go:linkname syncJob k8s.io/kubernetes/pkg/controller/job.(*Controller).syncJob
func syncJob(jm *job.Controller, ctx context.Context, key string) error

// TestJobSync: one sync of upstream's controller creates or deletes as many pods as one
// step of the actor.
func TestJobSync(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 19))
	upstream := newUpstreamJobs(t)
	moved := map[bool]int{}
	for i := range loopCases(2000) {
		object := anyJob(r, i)
		spec := webSpec(state.Manifest{Job: object}, state.Manifest{Job: object}, 1)
		spec.Workloads[0].ID, spec.Workloads[0].Name = "batch/Job default/"+object.Name, object.Name
		p := newLoopProblem(t, spec, []int{2})
		s := p.cfg.New()
		few := func(n int) int { return max(r.IntN(2*n)-n, 0) }
		s.Set(p.cfg.Class[0].Pending, few(3))
		for n := range p.cfg.Nodes {
			for _, ph := range []state.Phase{state.Starting, state.Ready, state.Terminating} {
				s.Add(n, 0, ph, few(3))
			}
		}
		// A Job that has succeeded as often as it has to is finished, and no sync looks at it.
		s.SetOutstanding(0, 1+r.IntN(s.Manifest(0).Completions()))
		created, deleted := upstream.sync(t, s, object)
		ours := 0
		for _, x := range actor.Successors(p.actor(t, "job/default/"+object.Name), s) {
			ours = x.To.Active(0) - s.Active(0)
		}
		if want := created - deleted; ours != want {
			t.Fatalf("case %d: ours %+d, upstream +%d -%d\n%s%+v", i, ours, created, deleted, describe(s), object.Spec)
		}
		if ours != 0 {
			moved[ours > 0]++
		}
	}
	if moved[true] == 0 || moved[false] == 0 {
		t.Errorf("%d cases create and %d delete", moved[true], moved[false])
	}
	t.Logf("%d cases, %d create and %d delete", loopCases(2000), moved[true], moved[false])
}

// anyJob is a Job as the API server defaults it. A count of completions up to one more
// than parallelism is followed one by one.
func anyJob(r *rand.Rand, i int) *batchv1.Job {
	labels := map[string]string{"job": fmt.Sprint(i)}
	parallelism, backoff, suspend := int32(r.IntN(5)), int32(1000), r.IntN(8) == 0
	mode, policy := batchv1.NonIndexedCompletion, batchv1.TerminatingOrFailed
	if r.IntN(2) == 0 {
		policy = batchv1.Failed
	}
	object := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("once-%d", i), Namespace: "default", UID: types.UID(fmt.Sprintf("once-%d", i))},
		Spec: batchv1.JobSpec{
			Parallelism: &parallelism, BackoffLimit: &backoff, Suspend: &suspend, CompletionMode: &mode, PodReplacementPolicy: &policy,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "v1"}}},
			},
		},
	}
	completions := int32(1 + r.IntN(int(parallelism)+1))
	object.Spec.Completions = &completions
	return object
}

// upstreamJobs is upstream's Job controller; it counts what it creates and deletes.
type upstreamJobs struct {
	controller       *job.Controller
	factory          informers.SharedInformerFactory
	mu               sync.Mutex
	created, deleted int
	names            []string // of the pods deleted
	failed           bool     // a Job was noted to fail
}

func newUpstreamJobs(t *testing.T) *upstreamJobs {
	t.Helper()
	client := &fake.Clientset{}
	u := &upstreamJobs{factory: informers.NewSharedInformerFactory(client, 0)}
	client.AddReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		switch a := a.(type) {
		case clienttesting.CreateActionImpl:
			if a.GetResource().Resource == "pods" {
				u.created++
			}
			return true, a.GetObject(), nil
		case clienttesting.DeleteActionImpl:
			u.deleted++
			u.names = append(u.names, a.GetName())
			return true, nil, nil
		case clienttesting.UpdateActionImpl:
			if j, ok := a.GetObject().(*batchv1.Job); ok {
				for _, c := range j.Status.Conditions {
					u.failed = u.failed || c.Type == batchv1.JobFailureTarget && c.Status == corev1.ConditionTrue
				}
			}
			return true, a.GetObject(), nil
		case clienttesting.PatchActionImpl:
			return true, &corev1.Pod{}, nil
		}
		return false, nil, fmt.Errorf("unexpected %s of %s", a.GetVerb(), a.GetResource())
	})
	var err error
	u.controller, err = job.NewController(quiet(t), client, u.factory.Core().V1().Pods(), u.factory.Batch().V1().Jobs(), nil, nil)
	check(t, err)
	return u
}

// sync plays s to upstream's controller for one sync.
func (u *upstreamJobs) sync(t *testing.T, s state.State, object *batchv1.Job) (created, deleted int) {
	t.Helper()
	u.created, u.deleted, u.names = 0, 0, nil
	live := object.DeepCopy()
	started := metav1.NewTime(time.Now().Add(-2 * time.Hour))
	live.Status.StartTime = &started
	live.Status.Succeeded = *live.Spec.Completions - int32(s.Outstanding(0))
	live.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	var pods []any
	for i, pod := range classPods(rand.New(rand.NewPCG(1, 1)), s, 0, live.Name) {
		pod.Name, pod.UID = fmt.Sprintf("%s-%d", live.Name, i), types.UID(fmt.Sprintf("%s-%d", live.Name, i))
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(live, batchv1.SchemeGroupVersion.WithKind("Job"))}
		pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
		if pod.DeletionTimestamp != nil {
			old := metav1.NewTime(time.Now().Add(-time.Hour)) // no back-off is left of it
			pod.DeletionTimestamp = &old
		}
		pods = append(pods, pod)
	}
	check(t, u.factory.Batch().V1().Jobs().Informer().GetIndexer().Replace([]any{live}, ""))
	check(t, u.factory.Core().V1().Pods().Informer().GetIndexer().Replace(pods, ""))
	check(t, syncJob(u.controller, quiet(t), "default/"+live.Name))
	return u.created, u.deleted
}
