package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/nodes"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ReplicaSetLoop models the ReplicaSet controller on the pods of one class.
//
// Upstream: kubernetes v1.36.3, pkg/controller/replicaset: syncReplicaSet,
// manageReplicas, getPodsToDelete, getPodsRankedByRelatedPodsOnSameNode; pkg/controller:
// ActivePodsWithRanks.Less.
type ReplicaSetLoop struct {
	Class    int
	Workload int
	name     string
	Node     int  // that the pods are created on; -1: none, the scheduler finds one
	asks     bool // that node may refuse them; see [nodes.admission]
	quotas   *admission.Quotas
	unranked bool // which nodes its pods share makes no difference; see [jobLoop]
}

// burstReplicas is the most pods one sync creates or deletes.
const burstReplicas = 500

func NewReplicaSet(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for p := range c.Pods {
		if !c.Spec.Workloads[c.Pods[p].Workload].Kind().OwnsSets() || c.Pods[p].Set != p {
			continue
		}
		node, err := scheduler.FixedNode(c, p)
		if err != nil {
			return nil, err
		}
		if node >= 0 && len(c.Members(p)) > 1 {
			wl := &c.Spec.Workloads[c.Pods[p].Workload]
			return nil, fmt.Errorf("%s %s/%s: spec.template.spec.nodeName of pods that a VerticalPodAutoscaler resizes: %w",
				wl.Kind(), wl.Namespace, wl.Name, actor.ErrUnmodeled)
		}
		r := &ReplicaSetLoop{Class: p, Workload: c.Pods[p].Workload, name: objects.ClassActor(c, "replicaset", p),
			Node: node, quotas: quotas}
		out = append(out, r)
		if node < 0 {
			continue
		}
		a, err := nodes.AdmissionOf(c, p, node)
		if err != nil {
			return nil, err
		}
		if r.asks = a != nil; r.asks {
			out = append(out, a)
		}
	}
	return out, nil
}

// Traits implements [actor.Declarer].
func (r *ReplicaSetLoop) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Managed: true, Interrupt: r.interrupt,
		// It deletes no pod of a class that grows, ranks others by how many live pods share their node, and counts pods on
		// deletion of all revisions. A webhook's server answers where it is ready.
		Lumps: func(k actor.Likeness) bool {
			return k.Kind == actor.StoppingAs || len(c.Spec.Admission.Webhooks) == 0
		},
		// If no other actor affects its creations, and its pods differ in their phase only: of those in one, which node
		// they share with how many others decides who is deleted.
		Alone: r.Node < 0 && !r.unranked && len(c.Spec.Quotas)+len(c.Spec.Admission.Webhooks) == 0 &&
			len(c.Members(r.Class)) == 1 && !c.Warms(r.Class) && !c.Ripens(r.Class),
		Of:       r.Workload,
		Commutes: r.commutes(c), Leads: r.leads,
		Wakes: &actor.Work{Workload: r.Workload, Places: true}, // its pods are its Deployment's, and the scheduler's
		Works: &actor.Work{Workload: r.Workload},
		// Under a Deployment that has come to its end it deletes its surplus pods.
		Ends: func(bool) (int, func(state.State) bool, bool) { return r.Workload, nil, r.Node < 0 && !r.unranked },
		// It sees its pods, and those that its ranking of victims counts, has SatisfiedExpectations before
		// manageReplicas, and writes the status (calculateStatus).
		Lag: &actor.Lag{Sees: c.ClassesOf[r.Workload], Expects: true, Conflicts: r.conflicts, Reports: []int{r.Class}},
	}
}

// Name implements [actor.Actor].
func (r *ReplicaSetLoop) Name() string { return r.name }

// Latency implements [actor.Actor].
func (r *ReplicaSetLoop) Latency() actor.Latency { return actor.Sync }

// creates is how many pods one sync creates, and of which class.
func (r *ReplicaSetLoop) creates(s state.State) (create, class int) {
	class = s.C.Sized(r.Class, s.SizeOf(r.Workload))
	room := s.C.MaxPods - s.ExistingOf(r.Workload)
	missing := s.Get(s.C.Class[r.Class].Size) - s.ActiveIn(r.Class)
	return r.quotas.Room(s, class, min(missing, burstReplicas, room)), class
}

// add creates pods.
func (r *ReplicaSetLoop) add(t state.State, class, create int) {
	if r.Node >= 0 && (!r.asks || t.Down(r.Node)) {
		t.Add(r.Node, r.Class, state.Starting, create)
		return
	}
	f := &t.C.Class[class]
	t.Set(f.Pending, t.Get(f.Pending)+create)
	t.LetIn(class)
}

// Step implements [actor.Actor]: one sync creates all missing pods, or deletes all surplus
// ones; every set of victims that upstream's ranking allows is a successor.
func (r *ReplicaSetLoop) Step(s state.State, next *actor.Emit) {
	f := &s.C.Class[r.Class]
	active, size := s.ActiveIn(r.Class), s.Get(f.Size)
	switch {
	case active < size:
		create, class := r.creates(s)
		if create <= 0 {
			return
		}
		t := next.Copy(s)
		r.add(t, class, create)
		next.Move(objects.Done)
	case active > size && len(s.C.Members(r.Class)) > 1:
		victimsOf{s.C.Members(r.Class), r.related}.deleteAny(s, next)
	case active > size:
		r.deleteSurplus(s, min(active-size, burstReplicas), next)
	}
}

// deleteSurplus walks upstream's ranking: pods without a node, then starting ones, then
// ready ones by how many pods of the workload share their node, most first.
func (r *ReplicaSetLoop) deleteSurplus(s state.State, surplus int, next *actor.Emit) {
	pending := min(s.Pending(r.Class), surplus)
	v := victims{
		s: s, class: r.Class, next: next, pending: pending,
		take: zeroed(&next.Scratch.Counts, len(s.C.Nodes)*len(state.ReadyPhases)),
		rank: zeroed(&next.Scratch.Scores, len(s.C.Nodes)),
	}
	surplus -= pending
	starting := s.Count(r.Class, state.Starting)
	if surplus < starting {
		v.phases = state.LivePhases[:1] // ranks do not matter: which of them run already is unknown
		v.choose(0, surplus)
		return
	}
	surplus -= starting
	v.phases, v.allStarting = state.ReadyPhases[:], true
	for n := range v.rank {
		v.rank[n] = r.related(s, n)
	}
	v.tier, surplus = v.lastTier(surplus)
	v.choose(0, surplus)
}

// related is upstream's rank of a pod on node n: the active pods there of all
// ReplicaSets of the workload.
func (r *ReplicaSetLoop) related(s state.State, n int) int64 {
	total := 0
	if r.unranked {
		return 0
	}
	for _, p := range s.C.ClassesOf[r.Workload] {
		if s.Get(s.C.Class[p].Exists) == 1 {
			total += s.LiveOn(n, p)
		}
	}
	return int64(total)
}

// zeroed gives n zeros from scratch memory.
func zeroed[T int | int64](buf *[]T, n int) []T {
	if cap(*buf) < n {
		*buf = make([]T, n)
	}
	out := (*buf)[:n]
	clear(out)
	return out
}

// victims enumerates the sets of victims of one sync that can be distinguished.
type victims struct {
	s           state.State
	class       int
	next        *actor.Emit
	pending     int           // pods without a node that go
	allStarting bool          // all starting pods go
	phases      []state.Phase // phases of which only some pods go: Starting, or the ready ones
	rank        []int64       // by node; all zero where phases is Starting
	tier        int64         // pods of phases on nodes of a higher rank all go, of a lower rank none
	take        []int         // chosen so far of the tier, by node and, within it, phase
}

// lastTier finds the rank within which the last victim lies, and how many lie in it.
func (v *victims) lastTier(surplus int) (tier int64, left int) {
	tier = 1 << 62
	for {
		best, pods := int64(-1), 0
		for n := range v.rank {
			switch on := v.on(n); {
			case on == 0 || v.rank[n] >= tier:
			case v.rank[n] > best:
				best, pods = v.rank[n], on
			case v.rank[n] == best:
				pods += on
			}
		}
		if best < 0 || surplus <= pods {
			return max(best, 0), surplus
		}
		tier, surplus = best, surplus-pods
	}
}

// on is how many pods on node n are of the phases of which only some go.
func (v *victims) on(n int) int {
	total := 0
	for _, ph := range v.phases {
		total += v.s.On(n, v.class, ph)
	}
	return total
}

// choose distributes left victims over the places of the tier, which are the phases on
// its nodes, from place i on, and emits a successor for each way. Of nodes with equal
// records the earlier loses at least as many as the later, in the first phase in which
// they differ, so that ways that only exchange nodes count once.
func (v *victims) choose(i, left int) {
	per := len(v.phases)
	for i < v.places() && v.at(i) == 0 {
		i++
	}
	if i == v.places() {
		if left == 0 {
			v.emit()
		}
		return
	}
	most := min(left, v.at(i))
	if n := i / per; v.s.Twin(n) && slices.Equal(v.take[n*per:i], v.take[(n-1)*per:i-per]) {
		most = min(most, v.take[i-per])
	}
	for k := most; k >= 0 && !v.next.Full(); k-- {
		v.take[i] = k
		v.choose(i+1, left-k)
	}
	v.take[i] = 0
}

func (v *victims) places() int { return len(v.s.C.Nodes) * len(v.phases) }

// at is how many pods a place of the tier has.
func (v *victims) at(i int) int {
	n := i / len(v.phases)
	if v.rank[n] != v.tier {
		return 0
	}
	return v.s.On(n, v.class, v.phases[i%len(v.phases)])
}

func (v *victims) emit() {
	t := v.next.Copy(v.s)
	f := &t.C.Class[v.class]
	t.Set(f.Pending, t.Get(f.Pending)-v.pending)
	for n := range v.rank {
		if v.allStarting {
			v.terminate(t, n, state.Starting, v.s.On(n, v.class, state.Starting))
		}
		for i, ph := range v.phases {
			k := v.take[n*len(v.phases)+i]
			if v.rank[n] > v.tier {
				k = v.s.On(n, v.class, ph)
			}
			v.terminate(t, n, ph, k)
		}
	}
	v.next.Move(objects.Done)
}

func (v *victims) terminate(t state.State, n int, ph state.Phase, k int) {
	if k > 0 {
		t.Add(n, v.class, ph, -k)
		if t.C.HasPhase(v.class, state.Terminating) { // else its deletion is not visible
			t.Add(n, v.class, state.Terminating, k)
		}
	}
}

// Describe implements [actor.Actor].
func (r *ReplicaSetLoop) Describe(from, to state.State, _ search.Move) actor.Words {
	c := from.C
	id := c.Spec.Workloads[r.Workload].ID
	w := actor.Words{
		Action: "create-pod", Object: objects.PodObject(c, r.Class),
		Because: []actor.Ref{{Object: id, Version: from.VersionOf(r.Workload), Field: "spec.replicas"}},
	}
	set := "the " + objects.SetName(c, r.Class)
	for _, p := range c.Members(r.Class) {
		g := &c.Class[p]
		if created := to.Get(g.Pending) - from.Get(g.Pending); created > 0 {
			w.Text = fmt.Sprintf("%s creates %s%s", set, english.Plural(created, "pod", ""), objects.SizeWords(c, p))
			return w
		}
	}
	if r.Node >= 0 {
		if created := to.On(r.Node, r.Class, state.Starting) - from.On(r.Node, r.Class, state.Starting); created > 0 {
			w.Text = fmt.Sprintf("%s creates %s on %s (spec.nodeName)", set,
				english.Plural(created, "pod", ""), c.Nodes[r.Node].Name)
			return w
		}
	}
	w.Action = "delete-pod"
	for _, p := range c.Members(r.Class) {
		w.Text += r.deleted(from, to, p)
	}
	w.Text = set + " deletes " + strings.TrimPrefix(w.Text, ", ")
	return w
}

// deleted words which pods of a class a sync deleted.
func (r *ReplicaSetLoop) deleted(from, to state.State, p int) string {
	c, text := from.C, ""
	f := &c.Class[p]
	if gone := from.Get(f.Pending) - to.Get(f.Pending); gone > 0 {
		text = ", " + english.Plural(gone, "pending pod", "") + objects.SizeWords(c, p)
	}
	for n := range c.Nodes {
		if gone := from.On(n, p, state.Starting) - to.On(n, p, state.Starting); gone > 0 {
			text += ", " + english.Plural(gone, "starting pod", "") + objects.SizeWords(c, p) + " on " + c.Nodes[n].Name
		}
		if gone := from.ReadyOn(n, p) - to.ReadyOn(n, p); gone > 0 {
			text += ", " + english.Plural(gone, "ready pod", "") + objects.SizeWords(c, p) + " on " + c.Nodes[n].Name
		}
	}
	return text
}

// Model implements [actor.Actor].
func (r *ReplicaSetLoop) Model() *actor.Model {
	return r.quotas.Queued(&actor.Model{
		Upstream: objects.Upstream +
			", pkg/controller/replicaset: manageReplicas, getPodsToDelete; pkg/controller: ActivePodsWithRanks",
		Exact: []string{
			"how many pods are created or deleted; the ranking of victims: unassigned, not ready, pods that share a node",
			"ResourceQuotas: pods, requests, limits and extended resources",
			"a ReplicaSet without a Deployment keeps its pods when its template changes",
			"the pod-deletion-cost of a template; of pods of a Deployment it is equal in each ReplicaSet, and ranks none",
		},
		MayInvent: []string{
			"ages are not kept: of ready pods of one rank, and of starting ones, any may be the victim",
			"a pod being deleted counts against a quota until it has stopped, not only for its grace period",
		},
		MayHide: []string{
			"only quotas, LimitRanges, RuntimeClasses, Pod Security and unanswered webhooks with failurePolicy Fail refuse a pod",
			"pods of an unchanged template, also base's, get what head's LimitRange, RuntimeClass or mutating policies fill in",
			"workloads outside the slice use quota as declared; DaemonSets and Jobs use none",
			"creation waits while more pods of a workload terminate than the bound of the search allows",
			"restart counts are not kept, and no pod-deletion-cost that something writes on pods that run",
		},
		Refused: []string{"spec.template.spec.nodeName of a missing node, one of several alike, or against the pod's node affinity", "spec.template.spec.nodeName of a ReplicaSet without a Deployment"},
	})
}
