package workloads

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// victimsOf ranks the pods of several classes of one ReplicaSet as upstream does.
type victimsOf struct {
	classes []int
	related func(s state.State, n int) int64 // upstream's rank of a ready pod by its node
}

// deleteAny deletes one surplus pod, any of those that rank first; the next one goes in the next step. Pods without a
// node go first, the cheapest to delete, then starting ones; of ready ones the cheapest, and of these the ones that
// share a node with most others.
//
// Upstream: ActivePodsWithRanks.Less of pkg/controller.
func (v victimsOf) deleteAny(s state.State, next *actor.Emit) {
	pending := func(p int) bool { return s.Pending(p) > 0 }
	if least, some := v.leastCost(s, pending); some {
		for _, p := range v.classes {
			if pending(p) && deletionCost(s.C.Pods[p].Template) == least {
				f := s.C.Class[p].Pending
				t := next.Copy(s)
				t.Set(f, t.Get(f)-1)
				next.Move(objects.Done)
			}
		}
		return
	}
	for _, phases := range [...][]state.Phase{state.LivePhases[:1], state.ReadyPhases[:]} {
		starting := phases[0] == state.Starting // which of them run already is unknown, and ranks them first
		has := func(n, p int) bool { return anyOf(s, n, p, phases) }
		least, some := v.leastCost(s, func(p int) bool {
			for n := range s.C.Nodes {
				if has(n, p) {
					return true
				}
			}
			return false
		})
		if !some {
			continue
		}
		cheap := func(p int) bool { return starting || deletionCost(s.C.Pods[p].Template) == least }
		rank := func(n int) int64 {
			if starting {
				return 0
			}
			return v.related(s, n)
		}
		most := int64(-1)
		for _, p := range v.classes {
			for n := range s.C.Nodes {
				if cheap(p) && has(n, p) {
					most = max(most, rank(n))
				}
			}
		}
		for _, p := range v.classes {
			for n := range s.C.Nodes {
				if s.Twin(n) || !cheap(p) || !has(n, p) || rank(n) != most {
					continue
				}
				for _, ph := range phases {
					if s.On(n, p, ph) > 0 {
						t := next.Copy(s)
						objects.Evict(t, n, p, ph)
						next.Move(objects.Done)
					}
				}
			}
		}
		return
	}
}

// leastCost is the lowest deletion cost of the classes that have pods of some kind; some: there are any.
func (v victimsOf) leastCost(s state.State, has func(p int) bool) (least int64, some bool) {
	for _, p := range v.classes {
		if has(p) {
			cost := deletionCost(s.C.Pods[p].Template)
			if !some || cost < least {
				least, some = cost, true
			}
		}
	}
	return least, some
}

func anyOf(s state.State, n, p int, phases []state.Phase) bool {
	for _, ph := range phases {
		if s.On(n, p, ph) > 0 {
			return true
		}
	}
	return false
}

// deletionCost is what the annotation of a pod says; 0 where it says nothing, or no number.
//
// Upstream: GetDeletionCostFromPodAnnotations of pkg/apis/core/helper.
func deletionCost(t *corev1.PodTemplateSpec) int64 {
	if t == nil {
		return 0
	}
	value := t.Annotations[corev1.PodDeletionCost]
	if value == "" || value[0] == '+' || value[0] == '0' && value != "0" {
		return 0
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0
	}
	return n
}
