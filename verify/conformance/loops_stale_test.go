package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/controller/replicaset"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestReplicaSetBehind: upstream's controller syncs on an informer that lacks what others have just written to
// pods, with a ReplicaSet as it is. What it makes of the cluster is among the steps of the actor on its view, and
// each of these is what upstream does at some ages; and upstream creates nothing, and deletes nothing, a second
// time before it has seen the first, as the actor does not.
func TestReplicaSetBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 23))
	cases, creates, deletes, missing, hidden := 0, 0, 0, 0, 0
	for i := range loopCases(100) {
		p, s := lagging(t, r)
		pods := webPods(r, s)
		real := slices.Clone(pods)
		s.BeginLag(lagOf(t, p.cfg, p.actors, "replicaset/default/web@old"))
		what := meddle(r, s, real)
		if what == "" {
			continue
		}
		from := s.C.New()
		copy(from.B, s.B)
		set := r.IntN(s.Active(0) + 3)
		from.Set(s.C.Class[0].Size, set)
		view := s.C.New()
		from.ViewInto(view)
		if view.Active(0) == set {
			continue
		}
		cases++
		ours := ourChoices(p, p.actor(t, "replicaset/default/web@old"), from)
		seen := map[string]bool{}
		for n := 0; n < 25 || n < 3000 && len(seen) < len(ours); n++ {
			u := newBehind(t, r, pods, set)
			u.sync(t)
			got := u.outcome(from, real)
			if !slices.Contains(ours, got) && (what == "bound" || what == "ready") {
				hidden++ // one that has gone on is not deleted: may hide
				continue
			}
			if !slices.Contains(ours, got) {
				t.Fatalf("case %d: upstream creates %d and deletes %v, which is none of our %d steps\n%sview\n%s",
					i, u.created, u.deleted, len(ours), describe(from), describe(view))
			}
			seen[got] = true
			creates, deletes = creates+u.created, deletes+len(u.deleted)
			if n == 0 {
				before := u.created + len(u.deleted)
				u.sync(t)
				if again := u.created + len(u.deleted); again != before {
					t.Fatalf("case %d: upstream acts again on what it has not seen", i)
				}
			}
		}
		if len(seen) < len(ours) && what != "bound" && what != "ready" {
			missing++
			t.Errorf("case %d: upstream makes %d of our %d steps\n%sview\n%s",
				i, len(seen), len(ours), describe(from), describe(view))
		}
	}
	if creates == 0 || deletes == 0 {
		t.Errorf("%d creations and %d deletions", creates, deletes)
	}
	t.Logf("%d cases, %d creations, %d deletions; %d syncs are hidden", cases, creates, deletes, hidden)
}

// lagging is a Deployment's two ReplicaSets in any state, where views may lag.
func lagging(t *testing.T, r *rand.Rand) (*loopProblem, state.State) {
	t.Helper()
	base, head := webDeployment(r, "v1"), webDeployment(r, "v2")
	spec := webSpec(state.Manifest{Deployment: base}, state.Manifest{Deployment: head}, 2)
	spec.Events.StaleWrites = 1
	p := newLoopProblem(t, spec, []int{2, 1})
	s := p.cfg.New()
	scatter(r, s)
	s.Set(p.cfg.Class[0].Exists, 1)
	s.RefillPods()
	return p, s
}

// lagOf is the loop of that name, as the views count them.
func lagOf(t *testing.T, c *state.Config, actors []actor.Actor, name string) int {
	t.Helper()
	n := 0
	for _, a := range actors {
		if actor.TraitsOf(a, c).Lag == nil {
			continue
		}
		if a.Name() == name {
			return n
		}
		n++
	}
	t.Fatalf("%s never lags", name)
	return 0
}

// standing is one pod and where it stands: its node, -1 for none, and its phase; gone pods have no phase.
type standing struct {
	name  string
	class int
	node  int
	phase state.Phase
	gone  bool
}

// webPods are the pods of a state, one by one.
func webPods(_ *rand.Rand, s state.State) []standing {
	var out []standing
	for p := range s.C.Pods {
		if s.Get(s.C.Class[p].Exists) == 0 {
			continue
		}
		add := func(n int, ph state.Phase, k int) {
			for range k {
				out = append(out, standing{name: fmt.Sprintf("web-%d-%d", p, len(out)), class: p, node: n, phase: ph})
			}
		}
		add(-1, state.Starting, s.Pending(p))
		for n := range s.C.Nodes {
			for ph := range state.Phases {
				if s.C.HasPhase(p, ph) {
					add(n, ph, s.On(n, p, ph))
				}
			}
		}
	}
	return out
}

// meddle has others write once: a pod of the old ReplicaSet is evicted, bound, ready, or has stopped; "": it has
// none.
func meddle(r *rand.Rand, s state.State, pods []standing) string {
	for _, i := range r.Perm(len(pods)) {
		x := &pods[i]
		f := &s.C.Class[x.class]
		switch {
		case x.class != 0:
			continue
		case x.node < 0:
			x.node, x.phase = r.IntN(len(s.C.Nodes)), state.Starting
			s.Set(f.Pending, s.Pending(0)-1)
			s.Add(x.node, 0, state.Starting, 1)
			return "bound"
		case x.phase == state.Terminating:
			s.Add(x.node, 0, state.Terminating, -1)
			x.gone = true
			return "stopped"
		case x.phase == state.Starting && r.IntN(2) == 0:
			s.Add(x.node, 0, state.Starting, -1)
			x.phase = state.Ready
			s.Add(x.node, 0, state.Ready, 1)
			return "ready"
		default:
			s.Add(x.node, 0, x.phase, -1)
			x.phase = state.Terminating
			s.Add(x.node, 0, state.Terminating, 1)
			return "evicted"
		}
	}
	return ""
}

// behind is upstream's controller with the informers of an earlier moment, and what it asks of the API server.
type behind struct {
	control *replicaset.ReplicaSetController
	created int
	deleted []string
}

func newBehind(t *testing.T, r *rand.Rand, pods []standing, size int) *behind {
	t.Helper()
	u := &behind{}
	client := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	sets, live := factory.Apps().V1().ReplicaSets(), factory.Core().V1().Pods()
	u.control = replicaset.NewReplicaSetController(quiet(t), sets, live, client, 500)
	owner := true
	for p, name := range []string{"old", "new"} {
		n := int32(size)
		rs := &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Namespace: "default", UID: types.UID(name), ResourceVersion: "1",
				OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: &owner,
				}},
			},
			Spec: appsv1.ReplicaSetSpec{
				Replicas: &n, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"set": name}},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"set": name}}},
			},
		}
		check(t, sets.Informer().GetStore().Add(rs))
		for _, x := range pods {
			if x.class == p {
				check(t, live.Informer().GetStore().Add(x.pod(r, rs)))
			}
		}
	}
	client.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		switch {
		case a.Matches("create", "pods"):
			u.created++
		case a.Matches("delete", "pods"):
			u.deleted = append(u.deleted, a.(clienttesting.DeleteAction).GetName())
		case a.Matches("update", "replicasets"):
			return true, a.(clienttesting.UpdateAction).GetObject(), nil
		}
		return true, &corev1.Pod{}, nil
	})
	return u
}

// pod is a pod as the informer has it, of any age.
func (x *standing) pod(r *rand.Rand, rs *appsv1.ReplicaSet) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: x.name, Namespace: "default", UID: types.UID(x.name), Labels: rs.Spec.Selector.MatchLabels,
		OwnerReferences: []metav1.OwnerReference{
			*metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet")),
		},
	}}
	pod.Status.Phase = corev1.PodPending
	if x.node < 0 {
		age(r, pod)
		return pod
	}
	pod.Spec.NodeName = fmt.Sprint(x.node)
	status := corev1.ConditionFalse
	switch {
	case x.phase == state.Ready:
		status = corev1.ConditionTrue
		pod.Status.Phase = corev1.PodRunning
	case x.phase == state.Terminating:
		pod.Status.Phase, pod.DeletionTimestamp = corev1.PodRunning, &metav1.Time{}
	case r.IntN(2) == 0:
		pod.Status.Phase = corev1.PodRunning
	}
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: status}}
	age(r, pod)
	return pod
}

func (u *behind) sync(t *testing.T) {
	t.Helper()
	err := syncReplicaSet(u.control, quiet(t), "default/old")
	if err != nil && !strings.Contains(err.Error(), "read version") {
		t.Fatal(err)
	}
}

// outcome is what the API server makes of it in s, whose pods are real, once the informer has caught up.
func (u *behind) outcome(s state.State, real []standing) string {
	to := s.C.New()
	copy(to.B, s.B)
	f := &s.C.Class[0]
	to.Set(f.Pending, to.Pending(0)+u.created)
	for _, name := range u.deleted {
		x := &real[slices.IndexFunc(real, func(x standing) bool { return x.name == name })]
		switch {
		case x.gone || x.node >= 0 && x.phase == state.Terminating:
		case x.node < 0:
			to.Set(f.Pending, to.Pending(0)-1)
		default:
			to.Add(x.node, 0, x.phase, -1)
			to.Add(x.node, 0, state.Terminating, 1)
		}
	}
	to.EndLag()
	s.C.Canon(to.B)
	return string(to.B)
}
