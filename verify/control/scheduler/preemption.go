package scheduler

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// This file is preemption as the scheduler does it: a pod that fits nowhere takes the
// place of pods of lower priority.
//
// Upstream: kubernetes v1.36.3, pkg/scheduler/framework/plugins/defaultpreemption:
// SelectVictimsOnNode, PodEligibleToPreemptOthers, calculateNumCandidates,
// filterPodsWithPDBViolation; pkg/scheduler/framework/preemption: Preempt,
// findCandidates, DryRunPreemption, pickOneNodeForPreemption, prepareCandidateAsync;
// framework/runtime: RunFilterPluginsWithNominatedPods.
//
// Victims are counted by pod class and by whether they are on deletion already, not
// followed one by one: which of several pods of equal priority is the older one, and so
// the more important one, is every choice.

// rankVictims finds whom each class may preempt.
func (k *Compiled) rankVictims() {
	for p := range k.Classes {
		class := &k.Classes[p]
		if !class.ranked || class.profile.NoPreemption ||
			NeverPreempts(k.Cfg.Spec, class.Pod, objects.FirstVersion(k.Cfg, p)) {
			continue
		}
		for q := range k.Classes {
			if k.Classes[q].ranked && k.Classes[q].priority < class.priority {
				class.victims = append(class.victims, q)
			}
		}
		slices.SortStableFunc(class.victims, func(a, b int) int {
			return int(int64(k.Classes[b].priority) - int64(k.Classes[a].priority))
		})
		k.Preempts = k.Preempts || len(class.victims) > 0
	}
	if !k.Preempts {
		return
	}
	k.budgets = objects.NewEvictions(k.Cfg)
	for p := range k.Classes {
		for q := range k.Classes {
			other := &k.Classes[q]
			if k.Classes[p].ranked && len(other.victims) > 0 && other.priority >= k.Classes[p].priority {
				k.Classes[p].rivals = append(k.Classes[p].rivals, q)
			}
		}
	}
}

// victim reports whether pods of class q may make room for some other's.
func (k *Compiled) victim(q int) bool {
	return slices.ContainsFunc(k.Classes, func(c schedClass) bool { return slices.Contains(c.victims, q) })
}

// loadNominated reads which pods are nominated to which nodes.
func (v *View) loadNominated(k *Compiled, s state.State) {
	if !k.Preempts {
		return
	}
	v.nominated = Grow(v.nominated, len(k.Nodes)*v.classes)
	for n := range k.Nodes {
		for p := range k.Classes {
			v.nominated[n*v.classes+p] = int32(s.Nominated(n, p))
		}
	}
}

// admits gives the first plugin that keeps class p from node n: with the pods of no
// lower priority that are nominated to it, the pod itself left out, and without them.
//
// Upstream: RunFilterPluginsWithNominatedPods, addGENominatedPods.
func (k *Compiled) admits(v *View, p, n, self int) (reasonCode, int) {
	if k.Preempts && k.addRivals(v, p, n, self, 1) {
		code, at := k.refusal(v, p, n)
		k.addRivals(v, p, n, self, -1)
		if code != reasonNone {
			return code, at
		}
	}
	return k.refusal(v, p, n)
}

func (k *Compiled) addRivals(v *View, p, n, self int, sign int32) bool {
	added := false
	for _, q := range k.Classes[p].rivals {
		count := v.nominated[n*v.classes+q]
		if q == p && self == n {
			count--
		}
		if count > 0 {
			k.shift(v, p, n, q, false, sign*count)
			added = true
		}
	}
	return added
}

// shift adds pods of class q to node n, or takes them away, in a view in which class p
// is being scheduled. gone says that they are on deletion.
//
// Upstream: (*NodeInfo).AddPodInfo, RemovePod; RunPreFilterExtensionAddPod, RemovePod:
// podtopologyspread and interpodaffinity: updateWithPod. The former counts pods on
// deletion here, as it does not when it first counts; kept as it is.
func (k *Compiled) shift(v *View, p, n, q int, gone bool, delta int32) {
	other := &k.Classes[q]
	v.total[n*v.classes+q] += delta
	if !gone {
		v.live[n*v.classes+q] += delta
	}
	v.Pods[n] += delta
	for d, r := range other.Request {
		v.Used[n*len(k.Resources)+d] += int64(delta) * r
	}
	hard := k.Classes[p].hard
	for i := range v.hard {
		t := &hard[i]
		if t.eligible[n] && !k.honors(v, p, t, n) && slices.Contains(t.moves, q) {
			v.hard[i].counts[k.keys[t.key].domain[n]] += int64(delta)
			v.hard[i].least = k.leastOf(v, p, t, v.hard[i].counts)
		}
	}
	if !v.podsSkip {
		k.shiftPods(v, p, n, q, int64(delta))
	}
}

// shiftPods is [Compiled.shift] for inter-pod affinity.
func (k *Compiled) shiftPods(v *View, p, n, q int, delta int64) {
	class := &k.Classes[p]
	if slices.Contains(class.nearAll, q) {
		v.nearSeen = false
		for i := range v.near {
			if key := &k.keys[class.near[i].key]; key.has[n] {
				v.near[i][key.domain[n]] += delta
			}
			v.nearSeen = v.nearSeen || slices.ContainsFunc(v.near[i], func(x int64) bool { return x > 0 })
		}
	}
	for _, terms := range [...]struct {
		list   []podTerm
		counts [][]int64
	}{{class.apart, v.apart}, {class.repel, v.repel}} {
		for i := range terms.counts {
			t := &terms.list[i]
			if key := &k.keys[t.key]; key.has[n] && slices.Contains(t.match, q) {
				terms.counts[i][key.domain[n]] += delta
			}
		}
	}
}

// hopeless reports whether no preemption on node n lets class p in: the reason for refusing the pod does not depend on
// victims (UnschedulableAndUnresolvable).
func (k *Compiled) hopeless(v *View, p, n int) bool {
	switch v.why[n] {
	case reasonUnschedulable, reasonTaint, reasonEnforcedAffinity, reasonNodeAffinity, reasonSpreadLabel,
		reasonPodAffinity, reasonVolumeNode, reasonVolumeBind, reasonGone:
		return true
	case reasonResources:
		for d, want := range k.Classes[p].Request {
			if want > k.most(p, n, d) && k.lacks(v, p, n, d) {
				return true
			}
		}
	}
	return false
}

// Moves of the scheduler beside [bind], whose arguments are the pod class and a node.
const (
	preempt uint16 = bind + 1 + iota // victims make room for a pod that is nominated to the node
	forget                           // a pod is no longer nominated to the node
)

// forgetDeleted emits that nominated pods are gone that something deleted while they waited, and reports whether there
// are any. It comes before anything else that the scheduler does.
func (a *Scheduler) forgetDeleted(s state.State, next *actor.Emit) bool {
	for p := range a.K.Classes {
		if s.NominatedOf(p) <= s.Pending(p) {
			continue
		}
		for n := range s.C.Nodes {
			if s.Nominated(n, p) > 0 && !s.Twin(n) {
				a.forget(s, p, n, next)
			}
		}
		return true
	}
	return false
}

func (a *Scheduler) forget(s state.State, p, n int, next *actor.Emit) {
	t := next.Copy(s)
	t.Nominate(n, p, -1)
	next.Move(search.Move{Kind: forget, Args: [3]int32{int32(p), int32(n)}})
}

// postFilter emits the steps of a pod of class p that fits nowhere: it waits for its victims, loses its nomination, or
// preempts. It reports whether it emitted anything. A pod that has to preempt once more loses its nomination first, in
// a separate step.
func (a *Scheduler) postFilter(s state.State, p, self int, next *actor.Emit) bool {
	class := &a.K.Classes[p]
	if len(class.victims) == 0 || !s.C.Preempts(p) {
		return false
	}
	v := actor.Own[View](next.Scratch)
	if self < 0 {
		x := actor.Own[preemption](next.Scratch)
		x.search(a.K, v, s, p)
		return x.emit(next)
	}
	if !a.K.hopeless(v, p, self) {
		for _, q := range class.victims {
			if s.On(self, q, state.Terminating) > 0 {
				return false
			}
		}
	}
	a.forget(s, p, self, next)
	return true
}

// anySelf is where a pending pod of class p is nominated to, if all of them are; else -1.
func (k *Compiled) anySelf(s state.State, p int) int {
	if !k.Preempts || s.NominatedOf(p) == 0 || s.NominatedOf(p) < s.Pending(p) {
		return -1
	}
	for n := range s.C.Nodes {
		if s.Nominated(n, p) > 0 {
			return n
		}
	}
	return -1
}

// Preemptions are the ways in which a pod of class p that is nominated to no node makes
// room for itself, as the states that each leads to; nothing where it fits somewhere.
// complete says that there were not too many of them to find them all. It is what
// [Scheduler.Step] does, laid open for tests.
func (a *Scheduler) Preemptions(s state.State, p int) (out []state.State, complete bool) {
	list := &actor.List{Cfg: s.C}
	next := actor.NewEmit(list, s.C, &actor.Scratch{})
	actor.Own[View](next.Scratch).Load(a.K, s)
	a.place(s, p, -1, next)
	for _, x := range list.All {
		if x.Move.Kind == preempt {
			out = append(out, x.To)
		}
	}
	return out, !actor.Own[preemption](next.Scratch).hides
}
