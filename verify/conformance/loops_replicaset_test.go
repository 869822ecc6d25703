package conformance

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// TestVictims: whatever the pods' ages and phases, upstream deletes pods that some step
// of the actor deletes; and each step of the actor is what upstream does at some ages.
func TestVictims(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 4))
	draws, choices := 0, 0
	for i := range loopCases(800) {
		p := newLoopProblem(t, webSpec(
			state.Manifest{Deployment: webDeployment(r, "v1")}, state.Manifest{Deployment: webDeployment(r, "v2")}, 2), []int{3, 1})
		s := p.cfg.New()
		scatter(r, s)
		f := &p.cfg.Class[0]
		active := s.Active(0)
		if active == 0 {
			continue
		}
		s.Set(f.Exists, 1)
		s.Set(f.Size, r.IntN(active))
		missing := ourChoices(p, p.actor(t, "replicaset/default/web@old"), s)
		choices += len(missing)
		ours := slices.Clone(missing)
		for n := 0; n < 60 || len(missing) > 0; n++ {
			if n == 20000 {
				t.Fatalf("case %d: upstream never makes %d of our %d choices\n%s", i, len(missing), len(ours), describe(s))
			}
			draws++
			got := upstreamVictims(r, s)
			if !slices.Contains(ours, got) {
				t.Fatalf("case %d: upstream's victims are none of our %d choices\n%s", i, len(ours), describe(s))
			}
			missing = slices.DeleteFunc(missing, func(x string) bool { return x == got })
		}
	}
	if draws == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d draws of ages, %d choices, all made by both", draws, choices)
}

// ourChoices lists the canonical successors, each once.
func ourChoices(p *loopProblem, a actor.Actor, s state.State) []string {
	var out []string
	for _, x := range actor.Successors(a, s) {
		p.cfg.Canon(x.To.B)
		out = append(out, string(x.To.B))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// upstreamVictims deletes the surplus of class 0 at ages that r draws, and gives the
// state after that in canonical form.
func upstreamVictims(r *rand.Rand, s state.State) string {
	var active, related []*corev1.Pod
	for p := range s.C.Pods {
		if s.Get(s.C.Class[p].Exists) == 0 {
			continue
		}
		pods := classPods(r, s, p, "web")
		related = append(related, pods...)
		if p > 0 {
			continue
		}
		for _, pod := range pods {
			age(r, pod)
			if controller.IsPodActive(pod) {
				active = append(active, pod)
			}
		}
	}
	r.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
	to := s.C.New()
	copy(to.B, s.B)
	for _, victim := range getPodsToDelete(active, related, len(active)-s.Get(s.C.Class[0].Size)) {
		remove(to, nil, victim)
	}
	s.C.Canon(to.B)
	return string(to.B)
}

// age gives a pod a past: seconds to days.
func age(r *rand.Rand, pod *corev1.Pod) {
	at := func() metav1.Time {
		return metav1.Time{Time: time.Now().Add(-time.Duration(1+r.IntN(10)) * time.Second << (2 * r.IntN(8)))}
	}
	pod.CreationTimestamp = at()
	for i := range pod.Status.Conditions {
		pod.Status.Conditions[i].LastTransitionTime = at()
	}
}

// remove deletes one pod of a class, 0 where it is not among those of another, as the API server does.
func remove(s state.State, of map[*corev1.Pod]int, pod *corev1.Pod) {
	p := of[pod]
	if pod.Spec.NodeName == "" {
		s.Set(s.C.Class[p].Pending, s.Pending(p)-1)
		return
	}
	n := slices.IndexFunc(s.C.Nodes, func(n state.Node) bool { return n.Name == pod.Spec.NodeName })
	phase := state.Starting
	if pod.Status.Conditions[0].Status == corev1.ConditionTrue {
		phase = state.Ready
	}
	s.Add(n, p, phase, -1)
	if s.C.HasPhase(p, state.Terminating) {
		s.Add(n, p, state.Terminating, 1)
	}
}

// TestCheapestVictims is the same of a ReplicaSet without a Deployment, whose pods of two templates may cost different
// things to delete: of the pods that upstream deletes first, one is of a class and phase, and on a node, that the actor
// deletes, and each of its choices is upstream's at some ages.
func TestCheapestVictims(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 5))
	costs := []string{"", "0", "7", "-7", "+9", "08", "many"}
	choices := 0
	for i := range loopCases(400) {
		var sides [2]state.Manifest
		for v := range sides {
			d := webDeployment(r, []string{"v1", "v2"}[v])
			d.Spec.Template.Annotations = map[string]string{corev1.PodDeletionCost: costs[r.IntN(len(costs))]}
			sides[v].ReplicaSet = &appsv1.ReplicaSet{ObjectMeta: d.ObjectMeta,
				Spec: appsv1.ReplicaSetSpec{Replicas: d.Spec.Replicas, Selector: d.Spec.Selector, Template: d.Spec.Template}}
		}
		spec := webSpec(sides[0], sides[1], 2)
		spec.Workloads[0].ID = "apps/ReplicaSet default/web"
		p := newLoopProblem(t, spec, []int{2, 1})
		s := p.cfg.New()
		scatter(r, s)
		active := 0
		for class := range s.C.Pods {
			active += s.Active(class)
		}
		if active == 0 {
			continue
		}
		s.Set(s.C.Workload[0].Replicas, active-1)
		missing := ourChoices(p, p.actor(t, "replicaset/default/web"), s)
		choices += len(missing)
		ours := slices.Clone(missing)
		for n := 0; n < 60 || len(missing) > 0; n++ {
			if n == 20000 {
				t.Fatalf("case %d: upstream never makes %d of our %d choices\n%s", i, len(missing), len(ours), describe(s))
			}
			got := upstreamCheapest(r, s)
			if !slices.Contains(ours, got) {
				t.Fatalf("case %d: upstream's victim is none of our %d choices\n%s", i, len(ours), describe(s))
			}
			missing = slices.DeleteFunc(missing, func(x string) bool { return x == got })
		}
	}
	if choices == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d choices, all made by both", choices)
}

// upstreamCheapest deletes the first victim of all classes at ages that r draws, and gives the state after that.
func upstreamCheapest(r *rand.Rand, s state.State) string {
	of := map[*corev1.Pod]int{}
	var active, related []*corev1.Pod
	for p := range s.C.Pods {
		for _, pod := range classPods(r, s, p, "web") {
			age(r, pod)
			pod.Annotations = s.C.Pods[p].Template.Annotations
			of[pod], related = p, append(related, pod)
			if controller.IsPodActive(pod) {
				active = append(active, pod)
			}
		}
	}
	r.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
	to := s.C.New()
	copy(to.B, s.B)
	remove(to, of, getPodsToDelete(active, related, 1)[0])
	s.C.Canon(to.B)
	return string(to.B)
}
