package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/state"
)

// lagBehind has a loop's view lag, and others write meanwhile: kubelets, the scheduler, crashes, drains. It reports
// whether the view lacks any of it.
func lagBehind(t *testing.T, r *rand.Rand, actors []actor.Actor, name string, s state.State) (state.State, bool) {
	t.Helper()
	loop := lagOf(t, s.C, actors, name)
	s.BeginLag(loop)
	for range 1 + r.IntN(3) {
		var out []state.State
		for _, a := range actors {
			switch n := a.Name(); {
			case strings.HasPrefix(n, "kubelet"), n == "scheduler", n == "crash", n == "drain":
				for _, x := range actor.Successors(a, s) {
					if x.To.Lagging() == loop {
						out = append(out, x.To)
					}
				}
			}
		}
		if len(out) > 0 {
			s = out[r.IntN(len(out))]
		}
	}
	return s, s.Missed() > 0
}

// viewOf is what the loop that lags sees.
func viewOf(s state.State) state.State {
	view := s.C.New()
	s.ViewInto(view)
	return view
}

// compareBehind fails where what upstream made of s is none of the actor's steps on its view; wrote says that
// upstream wrote anything at all.
func compareBehind(t *testing.T, i int, a actor.Actor, s, want state.State, wrote bool, say string) (moved bool) {
	t.Helper()
	want.EndLag()
	s.C.Canon(want.B)
	var ours []string
	for _, x := range actor.Successors(a, s) {
		s.C.Canon(x.To.B)
		ours = append(ours, string(x.To.B))
	}
	if wrote != (len(ours) > 0) || wrote && !slices.Contains(ours, string(want.B)) {
		t.Fatalf("case %d: upstream %q, which is none of our %d steps\n%sview\n%s", i, say, len(ours), describe(s), describe(viewOf(s)))
	}
	return wrote
}

// TestDaemonSetBehind: upstream's controller makes of a cluster, on an informer that lacks what others have just
// written to pods, what one step of the actor makes.
func TestDaemonSetBehind(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*loopSeed, 29))
	cases, moved := 0, 0
	for i := range loopCases(80) {
		cfg, s := anyDaemonSet(t, r, 3)
		actors := actorsOf(t, cfg)
		s, behind := lagBehind(t, r, actors, "daemonset/default/web", s)
		if !behind {
			continue
		}
		cases++
		say := upstreamDaemonSync(t, viewOf(s))
		want := s.C.New()
		copy(want.B, s.B)
		for _, word := range strings.Fields(say) {
			daemonWrite(t, want, word)
		}
		j := slices.IndexFunc(actors, func(a actor.Actor) bool { return a.Name() == "daemonset/default/web" })
		if compareBehind(t, i, actors[j], s, want, say != "", say) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no sync on a view moved anything")
	}
	t.Logf("%d cases, %d moved", cases, moved)
}

// daemonWrite is what the API server makes of one write that [daemonDiff] words.
func daemonWrite(t *testing.T, s state.State, word string) {
	t.Helper()
	node := func(name string) int {
		return slices.IndexFunc(s.C.Nodes, func(n state.Node) bool { return n.Name == name })
	}
	if name, ok := strings.CutPrefix(word, "+"); ok {
		s.Await(node(name), s.NewClass(0), 1)
		return
	}
	at := strings.LastIndex(word, "-")
	p, err := strconv.Atoi(word[at+1:])
	check(t, err)
	n := node(word[1:at])
	s.Await(n, p, -s.Awaited(n, p))
	for _, ph := range state.LivePhases {
		k := s.On(n, p, ph)
		s.Add(n, p, ph, -k)
		s.Add(n, p, state.Terminating, k)
	}
}

// TestStatefulSetBehind is [TestDaemonSetBehind] of a StatefulSet.
func TestStatefulSetBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 31))
	cases, moved := 0, 0
	for i := range loopCases(500) {
		p, s := anyStatefulSetBehind(t, r)
		s, behind := lagBehind(t, r, p.actors, "statefulset/default/web", s)
		if !behind {
			continue
		}
		cases++
		say := newUpstreamStatefulSet(t, s).sync(t, r, viewOf(s))
		want := s.C.New()
		copy(want.B, s.B)
		for _, word := range strings.Fields(say) {
			statefulWrite(t, want, word)
		}
		if compareBehind(t, i, p.actor(t, "statefulset/default/web"), s, want, say != "", say) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no sync on a view moved anything")
	}
	t.Logf("%d cases, %d moved", cases, moved)
}

// anyStatefulSetBehind is [anyStatefulSet] where views may lack up to three writes.
func anyStatefulSetBehind(t *testing.T, r *rand.Rand) (*loopProblem, state.State) {
	t.Helper()
	p, s := anyStatefulSet(t, r)
	spec := *p.cfg.Spec
	spec.Events.StaleWrites = 3
	q := newLoopProblem(t, &spec, []int{2})
	to := q.cfg.New()
	copyPods(to, s)
	to.Set(q.cfg.Applied, int(s.Version()))
	to.SetReplicas(0, s.Replicas(0))
	to.SetCurrent(0, s.Current(0))
	to.RefillPods()
	return q, to
}

// copyPods gives a state the pods of another one, of the same classes and nodes.
func copyPods(to, s state.State) {
	for p := range s.C.Pods {
		to.Set(to.C.Class[p].Pending, s.Pending(p))
		for n := range s.C.Nodes {
			for ph := range state.Phases {
				if s.C.HasPhase(p, ph) {
					to.Add(n, p, ph, s.On(n, p, ph))
				}
			}
		}
	}
}

// statefulWrite is what the API server makes of one write that [ourStatefulSync] words.
func statefulWrite(t *testing.T, s state.State, word string) {
	t.Helper()
	if word[0] == '=' {
		s.SetCurrent(0, s.Version())
		return
	}
	p := slices.IndexFunc(s.C.Pods, func(k state.PodClass) bool {
		return word[1:] == fmt.Sprintf("web-%d@%s", k.Ordinal, k.Template.Spec.Containers[0].Image)
	})
	if word[0] == '+' {
		s.Set(s.C.Class[p].Pending, 1)
		s.Begin(p)
		return
	}
	s.Set(s.C.Class[p].Pending, 0)
	for n := range s.C.Nodes {
		for _, ph := range state.LivePhases {
			k := s.On(n, p, ph)
			s.Add(n, p, ph, -k)
			s.Add(n, p, state.Terminating, k)
		}
	}
}

// TestJobBehind is [TestDaemonSetBehind] of a Job. What has succeeded is in the pods that the informer has, and in a
// status that only the controller itself writes.
func TestJobBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 37))
	upstream := newUpstreamJobs(t)
	cases, moved, hidden := 0, 0, 0
	for i := range loopCases(1000) {
		object := anyJob(r, i)
		spec := webSpec(state.Manifest{Job: object}, state.Manifest{Job: object}, 1)
		spec.Workloads[0].ID, spec.Workloads[0].Name = "batch/Job default/"+object.Name, object.Name
		spec.Events.StaleWrites = 1
		p := newLoopProblem(t, spec, []int{2})
		name := "job/default/" + object.Name
		s := p.cfg.New()
		few := func(n int) int { return max(r.IntN(2*n)-n, 0) }
		s.Set(p.cfg.Class[0].Pending, few(3))
		for n := range p.cfg.Nodes {
			for _, ph := range []state.Phase{state.Starting, state.Ready, state.Terminating} {
				s.Add(n, 0, ph, few(3))
			}
		}
		s.Set(p.cfg.Class[0].Exists, 1)
		s.RefillPods()
		s.SetOutstanding(0, 1+r.IntN(s.Manifest(0).Completions()))
		real := webPods(r, s)
		s.BeginLag(lagOf(t, p.cfg, p.actors, name))
		what := meddleJob(r, s, real)
		if what == "" {
			continue
		}
		cases++
		upstream.sync(t, viewOf(s), object)
		wrote := upstream.created + upstream.deleted
		err := syncJob(upstream.controller, quiet(t), "default/"+object.Name)
		if again := upstream.created + upstream.deleted; again != wrote || err != nil {
			t.Fatalf("case %d: upstream acts again on what it has not seen: %v", i, err)
		}
		want := s.C.New()
		copy(want.B, s.B)
		want.Set(p.cfg.Class[0].Pending, want.Pending(0)+upstream.created)
		for _, pod := range upstream.names {
			k, err := strconv.Atoi(pod[strings.LastIndex(pod, "-")+1:])
			check(t, err)
			deleteStanding(want, &real[k])
		}
		if upstream.deleted > 0 && (what == "bound" || what == "ready") {
			hidden++ // one that has gone on is not deleted: may hide
			continue
		}
		say := fmt.Sprintf("+%d -%v", upstream.created, upstream.names)
		if compareBehind(t, i, p.actor(t, name), s, want, wrote > 0, say) {
			moved++
		}
	}
	if moved == 0 {
		t.Error("no sync on a view moved anything")
	}
	t.Logf("%d cases, %d moved, %d are hidden", cases, moved, hidden)
}

// meddleJob is [meddle] of the pods of a Job, which may also succeed.
func meddleJob(r *rand.Rand, s state.State, pods []standing) string {
	if r.IntN(2) == 0 {
		return meddle(r, s, pods)
	}
	for _, i := range r.Perm(len(pods)) {
		if x := &pods[i]; x.node >= 0 && x.phase == state.Ready {
			s.Add(x.node, 0, state.Ready, -1)
			s.SetOutstanding(0, s.Outstanding(0)-1)
			x.gone = true
			return "succeeded"
		}
	}
	return ""
}

// deleteStanding is what the API server makes of the deletion of a pod of class 0.
func deleteStanding(s state.State, x *standing) {
	switch {
	case x.gone || x.node >= 0 && x.phase == state.Terminating:
	case x.node < 0:
		s.Set(s.C.Class[0].Pending, s.Pending(0)-1)
	default:
		s.Add(x.node, 0, x.phase, -1)
		s.Add(x.node, 0, state.Terminating, 1)
	}
}

// TestDeploymentBehind is [TestDaemonSetBehind] of a Deployment, which reads the status of its ReplicaSets: the API
// server refuses what it makes of one that is another by now.
func TestDeploymentBehind(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 41))
	upstream := newUpstreamDeployments(t)
	cases, moved, refused, hidden := 0, 0, 0, 0
	for i := range loopCases(1500) {
		head := webDeployment(r, "v2")
		spec := webSpec(state.Manifest{Deployment: webDeployment(r, "v1")}, state.Manifest{Deployment: head}, 1)
		spec.Events.StaleWrites, spec.Events.PodCrash = 3, 3
		p := newLoopProblem(t, spec, []int{2})
		s := p.cfg.New()
		s.Set(p.cfg.Applied, int(state.Head))
		s.SetReplicas(0, int(*head.Spec.Replicas))
		scatter(r, s)
		s.RefillPods()
		s, behind := lagBehind(t, r, p.actors, "deployment/default/web", s)
		if !behind {
			continue
		}
		cases++
		view := viewOf(s)
		upstream.changed, upstream.refused = map[string]bool{}, 0
		for c := range s.C.Pods {
			upstream.changed[fmt.Sprintf("web-%d", c)] = view.Active(c) != s.Active(c) || view.AvailablePods(c) != s.AvailablePods(c)
		}
		sets := upstream.sync(t, r, view)
		wrote := fmt.Sprint(sets) != fmt.Sprint(ourSets(s))
		if refused += upstream.refused; wrote && upstream.refused > 0 {
			hidden++ // the second write is refused, and the first is not: may hide
			continue
		}
		want := s.C.New()
		copy(want.B, s.B)
		for c, x := range sets {
			f := &s.C.Class[c]
			want.Set(f.Exists, x.exists)
			want.Set(f.Size, x.size)
			want.Set(f.Desired, x.desired)
			want.Set(f.Max, x.max)
		}
		if compareBehind(t, i, p.actor(t, "deployment/default/web"), s, want, wrote, fmt.Sprint(sets)) {
			moved++
		}
	}
	if moved == 0 || refused == 0 {
		t.Errorf("%d syncs on a view moved anything, and %d writes were refused", moved, refused)
	}
	t.Logf("%d cases, %d moved, %d writes refused, %d are hidden", cases, moved, refused, hidden)
}

// TestHPABehind: upstream's controller, on an informer of pods that lacks an eviction, asks for the scale and for samples
// as they are, and writes a count that the actor writes.
func TestHPABehind(t *testing.T) {
	r := rand.New(rand.NewPCG(*loopSeed, 43))
	upstream := newUpstreamHPA(t, 0)
	cases, moved, held, differs := 0, 0, 0, 0
	for i := range loopCases(4000) {
		spec := webSpec(hpaManifest(r), hpaManifest(r), 1)
		spec.Events.StaleWrites = 1
		p := newLoopProblem(t, spec, []int{2})
		if len(p.cfg.Pods) != 2 {
			continue
		}
		s := p.cfg.New()
		s.Set(p.cfg.Applied, r.IntN(2))
		scatter(r, s)
		s.RefillPods()
		h := s.Manifest(0).HPA.Spec
		s.SetReplicas(0, int(*h.MinReplicas)+r.IntN(int(h.MaxReplicas-*h.MinReplicas)+1))
		s.Set(p.cfg.Workload[0].Load, r.IntN(int(state.Loads)))
		s.BeginLag(lagOf(t, p.cfg, p.actors, "hpa/default/web"))
		real := webPods(r, s)
		if meddle(r, s, real) != "evicted" {
			continue
		}
		cases++
		view := viewOf(s)
		upstream.live, upstream.lost = &s, view.Count(0, state.Ready)-s.Count(0, state.Ready)
		want := upstream.sync(t, r, view)
		all := actor.Successors(p.actor(t, "hpa/default/web"), s)
		found := want == s.Replicas(0)
		for _, x := range all {
			found = found || x.To.Replicas(0) == want
		}
		if !found && waits(view) && want < s.Replicas(0) {
			held++ // as in [TestHPASync]
			continue
		}
		if !found {
			t.Fatalf("case %d: upstream writes %d (%v), which none of our %d steps does\n%sview\n%s%+v", i, want, upstream.err, len(all),
				describe(s), describe(view), h)
		}
		if want != s.Replicas(0) {
			moved++
		}
		upstream.live, upstream.lost = nil, 0
		if upstream.sync(t, r, view) != want {
			differs++
		}
	}
	if moved == 0 || differs == 0 {
		t.Errorf("%d syncs moved anything, and samples of pods that are gone made a difference in %d", moved, differs)
	}
	t.Logf("%d cases, %d moved, %d waited, in %d the pod that is gone made a difference", cases, moved, held, differs)
}
