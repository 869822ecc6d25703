package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/record"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/controller/history"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/gitops"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestStatefulSetSync: one sync of upstream's controller creates and deletes the pods
// that one step of the actor does, each at the same revision, and agrees on when the
// update revision becomes the current one.
func TestStatefulSetSync(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 17))
	tally := map[string]int{}
	for i := range loopCases(3000) {
		p, s := anyStatefulSet(t, r)
		want := newUpstreamStatefulSet(t, s).sync(t, r, s)
		got := ourStatefulSync(t, p, s)
		if got != want {
			spec := s.Manifest(0).StatefulSet.Spec
			t.Fatalf("case %d: ours %q, upstream %q\n%s%s, partition %d, ordinals from %d, replicas %d, version %d, current %d", i, got, want,
				describe(s), spec.PodManagementPolicy, s.Manifest(0).Partition(), s.Manifest(0).FirstOrdinal(), s.Replicas(0), s.Version(), s.Current(0))
		}
		for _, word := range strings.Fields(got) {
			tally[word[:1]]++
		}
	}
	for _, verb := range []string{"+", "-", "="} {
		if tally[verb] == 0 {
			t.Errorf("no case has an action %q", verb)
		}
	}
	t.Logf("%d cases, %d creations, %d deletions, %d completed updates", loopCases(3000), tally["+"], tally["-"], tally["="])
}

// TestStatefulSetSyncOfSome is [TestStatefulSetSync] with the feature gate MaxUnavailableStatefulSet.
func TestStatefulSetSyncOfSome(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.MaxUnavailableStatefulSet, true)
	r := rand.New(rand.NewPCG(*loopSeed, 19))
	several := 0
	for i := range loopCases(3000) {
		p, s := anyStatefulSetOf(t, r, true)
		want := newUpstreamStatefulSet(t, s).sync(t, r, s)
		if got := ourStatefulSync(t, p, s); got != want {
			t.Fatalf("case %d: ours %q, upstream %q\n%s", i, got, want, describe(s))
		}
		if strings.Count(want, "-") > 1 {
			several++
		}
	}
	if several == 0 {
		t.Error("no sync deletes several pods")
	}
}

// TestStatefulSetRun: from an empty cluster on, through an apply and changes of scale,
// with pods that start, crash and stop in any order, both sides do the same at each step.
func TestStatefulSetRun(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 18))
	steps, moved := 0, 0
	for i := range loopCases(150) {
		p, s := anyStatefulSet(t, r)
		s = gitops.Install(p.cfg, state.Base)
		u := newUpstreamStatefulSet(t, s)
		for range 60 {
			steps++
			want := u.sync(t, r, s)
			all := actor.Successors(p.actor(t, "statefulset/default/web"), s)
			if got := ourStatefulSync(t, p, s); got != want {
				t.Fatalf("case %d: ours %q, upstream %q\n%s", i, got, want, describe(s))
			}
			if len(all) > 0 {
				s = all[0].To
				moved++
			}
			s = disturb(r, p, s)
		}
	}
	if moved == 0 {
		t.Error("no step moved anything")
	}
	t.Logf("%d runs, %d syncs, %d of them moved", loopCases(150), steps, moved)
}

// disturb lets the environment act: the kubelet and the scheduler, an apply, a scale.
func disturb(r *rand.Rand, p *loopProblem, s state.State) state.State {
	switch r.IntN(12) {
	case 0:
		most := 0
		for v := range s.C.Spec.Workloads[0].Manifests {
			most = max(most, s.C.Spec.Workloads[0].Manifests[v].Replicas())
		}
		s.SetReplicas(0, r.IntN(most+1))
		return s
	case 1:
		s.Set(s.C.Applied, r.IntN(2))
		return s
	}
	var out []state.State
	for _, a := range p.actors {
		if n := a.Name(); strings.HasPrefix(n, "kubelet") || n == "scheduler" || n == "crash" {
			for _, x := range actor.Successors(a, s) {
				out = append(out, x.To)
			}
		}
	}
	if len(out) == 0 {
		return s
	}
	return out[r.IntN(len(out))]
}

// anyStatefulSet is a generated set, changed or not, in any state.
func anyStatefulSet(t *testing.T, r *rand.Rand) (*loopProblem, state.State) {
	t.Helper()
	return anyStatefulSetOf(t, r, false)
}

// anyStatefulSetOf is [anyStatefulSet], with the feature gate MaxUnavailableStatefulSet on where some is true.
func anyStatefulSetOf(t *testing.T, r *rand.Rand, some bool) (*loopProblem, state.State) {
	t.Helper()
	base := webStatefulSet(r, "v1")
	head := webStatefulSet(r, "v2")
	head.Spec.PodManagementPolicy, head.Spec.MinReadySeconds = base.Spec.PodManagementPolicy, base.Spec.MinReadySeconds
	if r.IntN(8) == 0 { // the template stays
		head.Spec.Template = *base.Spec.Template.DeepCopy()
	}
	spec := webSpec(state.Manifest{}, state.Manifest{}, 1)
	spec.Workloads[0].ID = "apps/StatefulSet default/web"
	spec.Workloads[0].Manifests = [2]state.Manifest{
		{StatefulSet: base, DeclaresReplicas: true}, {StatefulSet: head, DeclaresReplicas: true},
	}
	for v := range spec.Workloads[0].Manifests {
		if m := &spec.Workloads[0].Manifests[v]; some {
			m.MaxUnavailable = true
			if u := []intstr.IntOrString{intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromString("50%"), intstr.FromString("10%")}; m.StatefulSet.Spec.UpdateStrategy.RollingUpdate != nil && r.IntN(4) > 0 {
				m.StatefulSet.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable = &u[r.IntN(len(u))]
			}
		}
	}
	spec.Events.PodCrash = 10
	p := newLoopProblem(t, spec, []int{2})
	s := p.cfg.New()
	gitops.Refill(s)
	s.Set(p.cfg.Applied, r.IntN(2))
	s.SetReplicas(0, r.IntN(int(max(*base.Spec.Replicas, *head.Spec.Replicas))+1))
	s.SetCurrent(0, state.Version(r.IntN(2)))
	healthy := r.IntN(3) == 0 // else most states have a gap, and little follows
	for o := range len(p.cfg.ClassesOf[0]) / p.cfg.Revisions(0) {
		class := p.cfg.ByVersion[0][r.IntN(2)] + o
		switch k := r.IntN(9); {
		case healthy && k < 8 || k < 3:
			s.Add(r.IntN(2), class, state.Ready, 1)
		case k == 3:
			s.Add(r.IntN(2), class, state.Starting, 1)
		case k == 4:
			s.Add(r.IntN(2), class, state.Terminating, 1)
		case k == 5:
			s.Set(p.cfg.Class[class].Pending, 1)
		case k == 6 && p.cfg.Ripens(class):
			s.Add(r.IntN(2), class, state.Fresh, 1)
		}
	}
	return p, s
}

// webStatefulSet is a StatefulSet as the API server defaults it.
func webStatefulSet(r *rand.Rand, image string) *appsv1.StatefulSet {
	labels := map[string]string{"app": "web"}
	limit, replicas, partition := int32(10), int32(1+r.IntN(5)), int32(0)
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "web"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels}, RevisionHistoryLimit: &limit,
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: image}}},
			},
			PodManagementPolicy: []appsv1.PodManagementPolicyType{appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement}[r.IntN(2)],
		},
	}
	if r.IntN(3) == 0 {
		set.Spec.MinReadySeconds = 10
	}
	if r.IntN(4) == 0 {
		set.Spec.Ordinals = &appsv1.StatefulSetOrdinals{Start: int32(r.IntN(3))}
	}
	if r.IntN(5) == 0 {
		set.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
		return set
	}
	if r.IntN(2) == 0 {
		partition = int32(r.IntN(5))
	}
	set.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{
		Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &partition},
	}
	return set
}

// ourStatefulSync words the actor's step: "+web-0@v1" for a creation, "-web-2@v1" for a
// deletion, "=v2" for a completed update.
func ourStatefulSync(t *testing.T, p *loopProblem, s state.State) string {
	t.Helper()
	all := actor.Successors(p.actor(t, "statefulset/default/web"), s)
	if len(all) == 0 {
		return ""
	}
	if len(all) > 1 {
		t.Fatalf("%d successors", len(all))
	}
	var out []string
	to := all[0].To
	for class := range s.C.Pods {
		name := fmt.Sprintf("web-%d@%s", s.C.Pods[class].Ordinal, s.C.Pods[class].Template.Spec.Containers[0].Image)
		switch was, is := s.Active(class), to.Active(class); {
		case is > was:
			out = append(out, "+"+name)
		case was > is:
			out = append(out, "-"+name)
		}
	}
	if s.Current(0) != to.Current(0) {
		out = append(out, "="+s.C.Pods[s.NewClass(0)].Template.Spec.Containers[0].Image)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// upstreamStatefulSet is upstream's control of one set, with its history of revisions.
type upstreamStatefulSet struct {
	control   statefulset.StatefulSetControlInterface
	revisions [2]string // by version: the name of its ControllerRevision
	mu        sync.Mutex
	actions   []string
	images    map[string]string // by revision
	status    *appsv1.StatefulSetStatus
}

func newUpstreamStatefulSet(t *testing.T, s state.State) *upstreamStatefulSet {
	t.Helper()
	factory := informers.NewSharedInformerFactory(&fake.Clientset{}, 0)
	u := &upstreamStatefulSet{images: map[string]string{}}
	u.control = statefulset.NewDefaultStatefulSetControl(
		statefulset.NewStatefulPodControlFromManager(u, record.NewFakeRecorder(1000)), u,
		history.NewFakeHistory(factory.Apps().V1().ControllerRevisions()))
	for v := range u.revisions { // without replicas, a sync only makes the revision
		set := s.C.Spec.Workloads[0].Manifests[v].StatefulSet.DeepCopy()
		*set.Spec.Replicas = 0
		_, err := u.control.UpdateStatefulSet(quiet(t), set, nil, time.Now())
		check(t, err)
		u.revisions[v] = u.status.UpdateRevision
		u.images[u.status.UpdateRevision] = set.Spec.Template.Spec.Containers[0].Image
	}
	return u
}

// sync plays s to upstream's control for one sync, and words what it does.
func (u *upstreamStatefulSet) sync(t *testing.T, r *rand.Rand, s state.State) string {
	t.Helper()
	set := s.Manifest(0).StatefulSet.DeepCopy()
	*set.Spec.Replicas = int32(s.Replicas(0))
	current := s.Version()
	if s.C.TracksCurrent(0) {
		current = s.Current(0)
	}
	set.Status.CurrentRevision = u.revisions[current]
	u.actions, u.status = nil, nil
	var pods []*corev1.Pod
	for class := range s.C.Pods {
		if pod := u.pod(r, s, class, set); pod != nil {
			pods = append(pods, pod)
		}
	}
	r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	_, err := u.control.UpdateStatefulSet(quiet(t), set, pods, time.Now())
	check(t, err)
	if s.C.TracksCurrent(0) && u.status != nil && u.status.CurrentRevision != set.Status.CurrentRevision {
		u.actions = append(u.actions, "="+u.images[u.status.CurrentRevision])
	}
	slices.Sort(u.actions)
	return strings.Join(u.actions, " ")
}

// pod is the one pod of a class as the API server has it, or nil.
func (u *upstreamStatefulSet) pod(r *rand.Rand, s state.State, class int, set *appsv1.StatefulSet) *corev1.Pod {
	if s.Existing(class) == 0 {
		return nil
	}
	version := state.Base
	if !s.C.HasTemplate(class, state.Base) {
		version = state.Head
	}
	name := fmt.Sprintf("web-%d", s.C.Pods[class].Ordinal)
	pod := &corev1.Pod{
		ObjectMeta: *s.C.Pods[class].Template.ObjectMeta.DeepCopy(), Spec: *s.C.Pods[class].Template.Spec.DeepCopy(),
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	pod.Name, pod.Namespace = name, "default"
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	pod.Labels[appsv1.StatefulSetPodNameLabel], pod.Labels[appsv1.StatefulSetRevisionLabel] = name, u.revisions[version]
	pod.Labels[appsv1.PodIndexLabel] = fmt.Sprint(s.C.Pods[class].Ordinal)
	ready := func(since time.Duration) {
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Time{Time: time.Now().Add(-since)},
		}}
	}
	switch {
	case s.Pending(class) > 0:
		pod.Status.Phase = corev1.PodPending
	case s.Count(class, state.Terminating) > 0:
		now := metav1.Now()
		pod.DeletionTimestamp = &now
		if r.IntN(2) == 0 {
			ready(time.Hour)
		}
	case s.Count(class, state.Starting) > 0:
		if r.IntN(2) == 0 {
			pod.Status.Phase = corev1.PodPending
		}
	case s.Count(class, state.Fresh) > 0:
		ready(0)
	default:
		ready(time.Hour)
	}
	return pod
}

var errUnexpected = errors.New("unexpected")

func (u *upstreamStatefulSet) note(verb string, pod *corev1.Pod) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.actions = append(u.actions, verb+pod.Name+"@"+u.images[pod.Labels[appsv1.StatefulSetRevisionLabel]])
}

// CreatePod implements upstream's StatefulPodControlObjectManager, as do the others.
func (u *upstreamStatefulSet) CreatePod(_ context.Context, pod *corev1.Pod, _ *appsv1.StatefulSet) error {
	u.note("+", pod)
	return nil
}

func (u *upstreamStatefulSet) DeletePod(pod *corev1.Pod) error {
	u.note("-", pod)
	return nil
}

func (u *upstreamStatefulSet) GetPod(_, name string) (*corev1.Pod, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
}

func (u *upstreamStatefulSet) UpdatePod(*corev1.Pod, *appsv1.StatefulSet) error { return errUnexpected }

func (u *upstreamStatefulSet) CreateClaim(*corev1.PersistentVolumeClaim, *appsv1.StatefulSet) error {
	return errUnexpected
}

func (u *upstreamStatefulSet) GetClaim(_, name string) (*corev1.PersistentVolumeClaim, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("persistentvolumeclaims"), name)
}

func (u *upstreamStatefulSet) UpdateClaim(*corev1.PersistentVolumeClaim, *appsv1.StatefulSet) error {
	return errUnexpected
}

// UpdateStatefulSetStatus implements upstream's StatefulSetStatusUpdaterInterface.
func (u *upstreamStatefulSet) UpdateStatefulSetStatus(_ context.Context, _ *appsv1.StatefulSet, status *appsv1.StatefulSetStatus) error {
	u.status = status
	return nil
}
