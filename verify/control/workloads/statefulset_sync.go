package workloads

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/state"
)

// member is one ordinal of a StatefulSet as its controller sees it.
type member struct {
	ordinal     int
	class       int // of its pod, or of the pod that it is to get
	created     bool
	terminating bool
	ready       bool // isRunningAndReady
	available   bool // isRunningAndAvailable
}

// unavailable is upstream's isUnavailable.
func (m *member) unavailable() bool { return !m.available || m.terminating }

// statefulSync is one call of updateStatefulSet: its inputs and its requests.
type statefulSync struct {
	set       *statefulSet
	rollout   *statefulRollout
	s         state.State
	replicas  []member // in the range of ordinals, ascending
	condemned []member // the others that exist, descending
	// firstUnavailable is the ordinal of upstream's firstUnavailablePod, or -1.
	firstUnavailable int
	creates, deletes []int // pod classes
	// completes says that the update revision becomes the current one.
	completes bool
}

// sync decides what the controller does in a state.
func (y *statefulSync) sync(x *statefulSet, s state.State) {
	y.set, y.rollout, y.s = x, &x.versions[s.VersionOf(x.workload)], s
	y.creates, y.deletes, y.completes = y.creates[:0], y.deletes[:0], false
	if !y.rollout.exists { // the garbage collector takes what the object leaves behind
		for _, p := range s.C.ClassesOf[x.workload] {
			if s.Active(p) > 0 {
				y.deletes = append(y.deletes, p)
			}
		}
		return
	}
	y.read()
	y.completes = !y.rollout.onDelete && y.complete()
	if y.processReplicas() || y.processCondemned() || y.rollout.onDelete {
		return
	}
	if y.rollout.gated {
		y.updateSome()
		return
	}
	y.update()
}

// read sorts the pods into replicas and condemned, and finds the first unavailable one.
func (y *statefulSync) read() {
	x, s := y.set, y.s
	y.replicas, y.condemned = y.replicas[:0], y.condemned[:0]
	start, end := y.rollout.start, y.rollout.start+s.Replicas(x.workload)
	for i := range x.classes[s.VersionOf(x.workload)] {
		m := y.member(i)
		switch {
		case m.ordinal >= start && m.ordinal < end:
			y.replicas = append(y.replicas, m)
		case m.created:
			y.condemned = append(y.condemned, m)
		}
	}
	slices.Reverse(y.condemned)
	y.firstUnavailable = -1
	for i := range y.replicas {
		if y.replicas[i].unavailable() && y.firstUnavailable < 0 {
			y.firstUnavailable = y.replicas[i].ordinal
		}
	}
	for i := len(y.condemned) - 1; i >= 0; i-- {
		if y.condemned[i].unavailable() && y.firstUnavailable < 0 {
			y.firstUnavailable = y.condemned[i].ordinal
		}
	}
}

// member is the pod of an ordinal, the i-th that is laid out; where there is none it is
// the one that newVersionedStatefulSetPod makes.
func (y *statefulSync) member(i int) member {
	x, s := y.set, y.s
	for v := range x.classes {
		if x.classes[v] == nil {
			continue
		}
		if p := x.classes[v][i]; s.Existing(p) > 0 {
			gone := s.Count(p, state.Terminating) > 0
			return member{
				ordinal: x.first + i, class: p, created: true, terminating: gone,
				ready: !gone && s.ReadyPods(p) > 0, available: !gone && s.AvailablePods(p) > 0,
			}
		}
	}
	v := s.VersionOf(x.workload)
	if x.first+i < y.rollout.start+y.rollout.partition && !y.rollout.onDelete && x.classes[s.Current(x.workload)] != nil &&
		s.C.TracksCurrent(x.workload) {
		v = s.Current(x.workload)
	}
	return member{ordinal: x.first + i, class: x.classes[v][i]}
}

// processReplicas is processReplica for all replicas (runForAll); it reports whether the
// sync ends there.
func (y *statefulSync) processReplicas() (ends bool) {
	if y.rollout.parallel {
		return y.createBatches()
	}
	for i := range y.replicas {
		m := &y.replicas[i]
		if !m.created {
			y.create(m)
			return true
		}
		if m.terminating || !m.ready || !m.available {
			return true
		}
	}
	return false
}

// createBatches is slowStartBatch: a batch in which a creation fails is the last one.
func (y *statefulSync) createBatches() (failed bool) {
	done, remaining := 0, len(y.replicas)
	for batch := min(remaining, 1); batch > 0; batch = min(2*batch, remaining, burstReplicas) {
		for i := range y.replicas[done : done+batch] {
			if m := &y.replicas[done+i]; !m.created && !y.create(m) {
				failed = true
			}
		}
		if failed {
			return true
		}
		done, remaining = done+batch, remaining-batch
	}
	return false
}

// create asks for a pod, and reports whether the quotas have room beside those asked for before.
func (y *statefulSync) create(m *member) bool {
	before := len(y.creates)
	if y.set.quotas != nil && y.set.quotas.Room(y.s, m.class, before+1) <= before {
		return false
	}
	y.creates = append(y.creates, m.class)
	return true
}

// processCondemned is the function of that name for all condemned pods (runForAll); it
// reports whether the sync ends there.
func (y *statefulSync) processCondemned() (ends bool) {
	for i := range y.condemned {
		m := &y.condemned[i]
		if y.rollout.parallel {
			if !m.terminating {
				y.deletes = append(y.deletes, m.class)
			}
			continue
		}
		if m.terminating || (!m.ready || !m.available) && m.ordinal != y.firstUnavailable {
			return true
		}
		y.deletes = append(y.deletes, m.class)
		return true
	}
	return false
}

// update deletes the pod of the highest ordinal that is not updated, once those above
// it are available.
func (y *statefulSync) update() {
	for target := len(y.replicas) - 1; target >= y.rollout.partition; target-- {
		m := &y.replicas[target]
		if !y.updated(m) && !m.terminating {
			y.deletes = append(y.deletes, m.class)
			return
		}
		if m.unavailable() {
			return
		}
	}
}

// updateSome is updateStatefulSetAfterInvariantEstablished, for the feature gate MaxUnavailableStatefulSet: it deletes
// as many pods as may be unavailable beside those that are, the highest ordinals first, whatever state they are in.
func (y *statefulSync) updateSome() {
	unavailable := 0
	for i := range y.replicas {
		if y.replicas[i].unavailable() {
			unavailable++
		}
	}
	if y.rollout.repairs {
		y.updateUnavailable()
	}
	left := max(y.rollout.most.Of(y.s.Replicas(y.set.workload), false), 1) - unavailable
	for target := len(y.replicas) - 1; target >= y.rollout.partition && left > 0; target-- {
		if m := &y.replicas[target]; !y.updated(m) && !m.terminating && !(y.rollout.repairs && m.unavailable()) {
			y.deletes = append(y.deletes, m.class)
			left--
		}
	}
}

// updateUnavailable is what v1.37.2 does first for a Parallel set: old pods that are unavailable are deleted, however
// many there are.
func (y *statefulSync) updateUnavailable() {
	for target := len(y.replicas) - 1; target >= y.rollout.partition; target-- {
		if m := &y.replicas[target]; !y.updated(m) && m.created && !m.terminating && m.unavailable() {
			y.deletes = append(y.deletes, m.class)
		}
	}
}

// updated reports whether a pod is of the update revision.
func (y *statefulSync) updated(m *member) bool {
	return y.s.HasTemplate(m.class)
}

// complete is completeRollingUpdate, where the current revision is remembered. Upstream
// counts all pods, the condemned ones for the missing ones.
func (y *statefulSync) complete() bool {
	s := y.s
	if !s.C.TracksCurrent(y.set.workload) || s.Current(y.set.workload) == s.VersionOf(y.set.workload) {
		return false
	}
	created := 0
	for _, list := range [...][]member{y.replicas, y.condemned} {
		for i := range list {
			m := &list[i]
			switch {
			case !m.created:
			case m.terminating || !m.ready || !y.updated(m):
				return false
			default:
				created++
			}
		}
	}
	return created == len(y.replicas)
}
