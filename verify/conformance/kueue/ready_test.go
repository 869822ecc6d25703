package kueue

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	config "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/controller/core"
	upstreamjob "sigs.k8s.io/kueue/pkg/controller/jobs/job"
	utiltesting "sigs.k8s.io/kueue/pkg/util/testing"
	utiltestingapi "sigs.k8s.io/kueue/pkg/util/testing/v1beta2"
	"sigs.k8s.io/kueue/pkg/workload"

	"github.com/kubesettle/kubesettle/verify/control"
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

const (
	histories = 100
	turns     = 12
)

// waiting is one history of a few Jobs, beside upstream's view of them.
type waiting struct {
	ready    *state.ReadyWait
	cfg      *state.Config
	actors   []actor.Actor
	s        state.State
	cache    *schdcache.Cache
	client   client.Client
	upstream *core.WorkloadReconciler
	jobs     []*batchv1.Job
	loads    []*kueue.Workload
}

// TestWaitIsUpstreams holds what waitForPodsReady does to Jobs against upstream's code, on histories in which pods start,
// end and get lost at random: which Jobs were all ready once, which are evicted, how often one is requeued until it is given
// up, and whether another is admitted meanwhile. The timeouts are over at every turn.
func TestWaitIsUpstreams(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[string]int{}
	for round := range histories {
		w := newWaiting(t, r)
		for range turns {
			for p := range w.jobs {
				w.shake(r, p)
			}
			limit := "none"
			if w.ready.Limit != nil {
				limit = fmt.Sprint(*w.ready.Limit)
			}
			at := fmt.Sprintf("history %d, limit %s, block %v, no recovery %v", round, limit, w.ready.Block, w.ready.NoRecovery)
			w.compareStarts(t, at, seen)
			w.compareBlocks(t, at, seen)
			w.compareEvictions(t, at, seen)
		}
	}
	for _, what := range []string{"started", "lost", "evicted", "kept", "given up", "blocked", "admitted"} {
		if seen[what] < histories/10 {
			t.Errorf("%s: %d times, too few to show anything", what, seen[what])
		}
	}
	t.Log(seen)
}

func newWaiting(t *testing.T, r *rand.Rand) *waiting {
	t.Helper()
	w := &waiting{ready: &state.ReadyWait{Object: "ConfigMap kueue-system/kueue-manager-config", Block: r.IntN(3) > 0, NoRecovery: r.IntN(2) == 0}}
	recovery := metav1.Duration{Duration: time.Minute}
	if w.ready.NoRecovery {
		recovery.Duration = 0
	}
	cfg := &config.WaitForPodsReady{Timeout: metav1.Duration{Duration: time.Minute}, RecoveryTimeout: &recovery,
		BlockAdmission: &w.ready.Block, RequeuingStrategy: &config.RequeuingStrategy{BackoffBaseSeconds: new(int32(1)), BackoffMaxSeconds: new(int32(3600))}}
	if r.IntN(3) > 0 {
		limit := r.IntN(3)
		w.ready.Limit, cfg.RequeuingStrategy.BackoffLimitCount = &limit, new(int32(limit))
	}
	queue := &state.Queue{Object: "kueue.x-k8s.io/ClusterQueue q0", Ready: w.ready,
		Limits: []state.QueueLimit{{Resource: corev1.ResourceCPU, Nominal: 1 << 40}}}
	spec := &state.Spec{
		Quotas: []state.Quota{{Name: "q0", Queues: [2]*state.Queue{queue, queue}}},
		Classes: []state.NodeClass{{Name: "a", Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{
			Allocatable: corev1.ResourceList{"cpu": resource.MustParse("64"), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("500")},
		}}}},
	}
	for i := range 2 + r.IntN(2) {
		j := jobOf(r, i)
		m := state.Manifest{Job: j, Queue: "q0"}
		spec.Workloads = append(spec.Workloads, state.Workload{
			ID: "batch/Job default/" + j.Name, Namespace: "default", Name: j.Name, Manifests: [2]state.Manifest{m, m},
		})
		w.jobs = append(w.jobs, j)
		w.loads = append(w.loads, utiltestingapi.MakeWorkload(j.Name, "default").Request(corev1.ResourceCPU, "1").Obj())
	}
	b, err := state.NewBuilder(spec, []int{1}, 50)
	if err != nil {
		t.Fatal(err)
	}
	if w.actors, err = control.All(b); err != nil {
		t.Fatal(err)
	}
	if w.cfg, err = b.Freeze(); err != nil {
		t.Fatal(err)
	}
	w.s = w.cfg.New()
	for p, j := range w.jobs {
		w.s.SetOutstanding(p, int(*j.Spec.Completions))
	}
	w.start(t, cfg)
	return w
}

func jobOf(r *rand.Rand, i int) *batchv1.Job {
	parallelism := int32(1 + r.IntN(3))
	completions := parallelism + int32(r.IntN(2))
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("j%d", i), Namespace: "default"},
		Spec: batchv1.JobSpec{Parallelism: &parallelism, Completions: &completions, Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "v1",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}},
		}},
	}
}

// start brings upstream's part up.
func (w *waiting) start(t *testing.T, cfg *config.WaitForPodsReady) {
	t.Helper()
	list := &kueue.WorkloadList{}
	for _, wl := range w.loads {
		list.Items = append(list.Items, *wl)
	}
	w.client = utiltesting.NewClientBuilder().WithLists(list).WithStatusSubresource(&kueue.Workload{}).Build()
	w.cache = schdcache.New(w.client, schdcache.WithPodsReadyTracking(w.ready.Block))
	log := logr.Discard()
	w.cache.AddOrUpdateResourceFlavor(log, utiltestingapi.MakeResourceFlavor("default").Obj())
	q := utiltestingapi.MakeClusterQueue("q0").ResourceGroup(*utiltestingapi.MakeFlavorQuotas("default").Resource(corev1.ResourceCPU, "1000").Obj()).Obj()
	if err := w.cache.AddClusterQueue(logr.NewContext(context.Background(), log), q); err != nil {
		t.Fatal(err)
	}
	w.upstream = core.NewWorkloadReconciler(w.client, nil, w.cache, &utiltesting.EventRecorder{}, withWaitForPodsReady(waitForPodsReady(cfg)))
}

// shake gives the Job of class p other pods, as it may have them at any moment: less than its quota is for may have a node.
func (w *waiting) shake(r *rand.Rand, p int) {
	in := w.s.Pending(p)+w.s.ReadyPods(p) > 0
	w.s.Set(w.cfg.Class[p].Pending, 0)
	w.s.Add(0, p, state.Ready, -w.s.On(0, p, state.Ready))
	switch {
	case w.s.Evicted(p) == state.BacksOff && r.IntN(2) == 0:
		w.s.Requeue(p)
	case w.s.Evicted(p) == state.BacksOff || w.s.Evicted(p) == state.GivenUp:
	case in || r.IntN(2) == 0:
		if !in { // it is admitted
			w.s.LetIn(p)
			w.loads[p] = withStatus(w.loads[p], true)
		}
		if left := w.s.Outstanding(p); left > 1 && r.IntN(4) == 0 {
			w.s.SetOutstanding(p, left-1)
		}
		pods := min(int(*w.jobs[p].Spec.Parallelism), w.s.Outstanding(p))
		ready := r.IntN(pods + 1)
		w.s.Set(w.cfg.Class[p].Pending, pods-ready)
		w.s.Add(0, p, state.Ready, ready)
	}
}

// withStatus gives a workload that Kueue has just admitted, an hour ago, or taken its quota from.
func withStatus(wl *kueue.Workload, admitted bool) *kueue.Workload {
	at := time.Now().Add(-time.Hour)
	out := utiltestingapi.MakeWorkload(wl.Name, wl.Namespace).Request(corev1.ResourceCPU, "1").ResourceVersion(wl.ResourceVersion)
	if admitted {
		out = out.SimpleReserveQuota("q0", "default", at).AdmittedAt(true, at)
	}
	out.Obj().Status.RequeueState = wl.Status.RequeueState
	return out.Obj()
}

// step takes the one step of an actor; false: it has none.
func (w *waiting) step(t *testing.T, name string) bool {
	t.Helper()
	i := slices.IndexFunc(w.actors, func(a actor.Actor) bool { return a.Name() == name })
	if i < 0 {
		return false
	}
	all := actor.Successors(w.actors[i], w.s)
	if len(all) == 0 {
		return false
	}
	w.s = all[0].To
	return true
}

// admitted reports whether Kueue has admitted the Job of class p.
func (w *waiting) admitted(p int) bool { return w.s.Pending(p)+w.s.ReadyPods(p) > 0 }

func (w *waiting) compareStarts(t *testing.T, at string, seen map[string]int) {
	t.Helper()
	for p, j := range w.jobs {
		j.Status.Ready = new(int32(w.s.ReadyPods(p)))
		j.Status.Succeeded = *j.Spec.Completions - int32(w.s.Outstanding(p))
		condition := generatePodsReadyCondition(context.Background(), nil, (*upstreamjob.Job)(j), w.loads[p], clock.RealClock{})
		condition.LastTransitionTime = metav1.NewTime(time.Now().Add(-time.Hour))
		apimeta.SetStatusCondition(&w.loads[p].Status.Conditions, condition)
		w.step(t, "kueue-started/default/"+j.Name)
		want := condition.Status == metav1.ConditionTrue || condition.Reason == kueue.WorkloadWaitForRecovery
		if w.ready.NoRecovery && w.s.Started(p) != want {
			t.Fatalf("%s: %s was all ready: %v, upstream %+v", at, j.Name, w.s.Started(p), condition)
		}
		if w.admitted(p) && w.s.AllReady(p) != (condition.Status == metav1.ConditionTrue) {
			t.Fatalf("%s: %s is all ready: %v, upstream %+v", at, j.Name, w.s.AllReady(p), condition)
		}
		if want {
			seen["started"]++
		}
		if w.s.Lost(p) {
			seen["lost"]++
		}
	}
}

// hopes reports whether the actor takes it that another Job may make room for one.
func (w *waiting) hopes(p int) bool {
	for o := range w.jobs {
		if o != p && w.s.ReadyPods(o) > 0 {
			return true
		}
	}
	return false
}

func (w *waiting) compareBlocks(t *testing.T, at string, seen map[string]int) {
	t.Helper()
	known := false // what blocks is one of those that the actor follows
	for p := range w.jobs {
		w.cache.AddOrUpdateWorkload(logr.Discard(), w.loads[p])
		known = known || w.admitted(p) && !w.s.AllReady(p) && (w.s.Lost(p) || !w.hopes(p))
	}
	blocked := !w.cache.PodsReadyForAllAdmittedWorkloads(logr.Discard())
	for p, j := range w.jobs {
		e := w.s.Evicted(p)
		if w.admitted(p) || e == state.BacksOff || e == state.GivenUp {
			continue
		}
		was := w.s
		lets := w.step(t, "job/default/"+j.Name)
		w.s = was
		switch {
		case !lets && !blocked:
			t.Fatalf("%s: %s is not admitted, upstream admits it", at, j.Name)
		case lets && blocked && known:
			t.Fatalf("%s: %s is admitted, upstream waits", at, j.Name)
		case lets:
			seen["admitted"]++
		default:
			seen["blocked"]++
		}
		if out := w.s.ShutOut(p) >= 0; out && !blocked {
			t.Fatalf("%s: %s is shut out, upstream admits it", at, j.Name)
		}
	}
}

func (w *waiting) compareEvictions(t *testing.T, at string, seen map[string]int) {
	t.Helper()
	for p, j := range w.jobs {
		cause, after := admittedNotReadyWorkload(w.upstream, w.loads[p])
		want := cause != "" && after == 0
		followed := !w.hopes(p)
		if w.s.Evicted(p) == state.BacksOff { // its next step is another
			continue
		}
		if got := w.step(t, "kueue-ready/default/"+j.Name); got != (want && followed) {
			t.Fatalf("%s: %s is evicted: %v, upstream %q after %v, others may make room %v", at, j.Name, got, cause, after, !followed)
		} else if !got {
			if w.admitted(p) {
				seen["kept"]++
			}
			continue
		}
		seen["evicted"]++
		w.s.Add(0, p, state.Terminating, -w.s.On(0, p, state.Terminating)) // they stop
		up := w.loads[p]
		gone, err := triggerDeactivation(w.upstream, context.Background(), up.DeepCopy())
		if err != nil {
			t.Fatal(err)
		}
		if gone != (w.s.Evicted(p) == state.GivenUp) {
			t.Fatalf("%s: %s is at %v, upstream deactivates it: %v", at, j.Name, w.s.Evicted(p), gone)
		}
		if gone {
			seen["given up"]++
			up.Status.RequeueState = nil
		} else {
			workload.UpdateRequeueState(up, 1, 3600, clock.RealClock{})
		}
		count := int32(0)
		if up.Status.RequeueState != nil {
			count = *up.Status.RequeueState.Count
		}
		if f := w.cfg.Class[p].Requeues; f.Laid() && w.s.Get(f) != int(count) {
			t.Fatalf("%s: %s was requeued %d times, upstream %d", at, j.Name, w.s.Get(f), count)
		}
		w.loads[p] = withStatus(up, false)
		w.cache.AddOrUpdateWorkload(logr.Discard(), w.loads[p])
	}
}
