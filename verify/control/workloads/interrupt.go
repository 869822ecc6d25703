package workloads

import (
	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// broken is the memory of a worker for a state in which the manager is down.
type broken struct{ b []byte }

// stopped is s with the manager down, until the next call.
func stopped(s state.State, next *actor.Emit) state.State {
	own := actor.Own[broken](next.Scratch)
	own.b = append(own.b[:0], s.B...)
	t := state.State{C: s.C, B: own.b}
	t.StopManager()
	return t
}

// interrupt: of the pods that one sync creates, or deletes, any number are there, or gone,
// of those that it deletes the first in upstream's ranking. slowStartBatch makes 1, 2, 4, … at a time, and waits for
// none of a batch before the next of it; deletePods has one goroutine a pod.
func (r *ReplicaSetLoop) interrupt(s state.State, next *actor.Emit) {
	active, size := s.ActiveIn(r.Class), s.Get(s.C.Class[r.Class].Size)
	if active > size {
		if len(s.C.Members(r.Class)) == 1 {
			r.breakOff(s, min(active-size, burstReplicas), next)
		}
		return
	}
	create, class := r.creates(s)
	for some := 1; some < create; some++ {
		t := next.Copy(s)
		t.StopManager()
		r.add(t, class, some)
		next.Move(objects.Done)
	}
}

// breakOff deletes some of the surplus pods, and not all.
func (r *ReplicaSetLoop) breakOff(s state.State, surplus int, next *actor.Emit) {
	down := stopped(s, next)
	for some := 1; some < surplus; some++ {
		r.deleteSurplus(down, some, next)
	}
}

// interrupt, as of a ReplicaSet: manageJob creates in batches, and deleteActivePods has
// one goroutine a pod.
func (j *jobLoop) interrupt(s state.State, next *actor.Emit) {
	active, want := s.Active(j.class), wantedByJobs(s, j.class)
	if active > want {
		j.loop.breakOff(s, min(active-want, burstReplicas), next)
		return
	}
	create := j.creates(s, want-active)
	for some := 1; some < create; some++ {
		t := next.Copy(s)
		t.StopManager()
		j.add(t, some)
		next.Move(objects.Done)
	}
}

// interrupt: one pod after the other is created, then deleted, and the status is written
// last.
func (x *statefulSet) interrupt(s state.State, next *actor.Emit) {
	y := actor.Own[statefulSync](next.Scratch)
	y.sync(x, s)
	creates, all := len(y.creates), len(y.creates)+len(y.deletes)
	if !y.completes {
		all--
	}
	for some := 1; some <= all; some++ {
		t := next.Copy(s)
		t.StopManager()
		x.write(t, y.creates[:min(some, creates)], y.deletes[:max(some-creates, 0)])
		next.Move(objects.Done)
	}
}

// interrupt: syncNodes creates pods on nodes in no order, and deletes others, in no order,
// once all of these are there.
func (d *daemonSet) interrupt(s state.State, next *actor.Emit) { d.sync(s, next, true) }

// fewWrites is up to how many like writes of one sync any part may be there; of more, the first by their nodes.
const fewWrites = 4

// someOf calls visit with every part of k writes, as bits, except the empty one.
func someOf(k int, visit func(part uint64)) {
	if k <= fewWrites {
		for part := uint64(1); part < 1<<k; part++ {
			visit(part)
		}
		return
	}
	for some := 1; some <= min(k, 63); some++ {
		visit(1<<some - 1)
	}
}

// breakOff writes some writes of a sync, and not all.
func (x *daemonSync) breakOff() {
	makes, drops := 0, 0
	for _, what := range x.does {
		if what&makePod != 0 {
			makes++
		}
		if what&(dropOld|dropNew) != 0 {
			drops++
		}
	}
	someOf(makes, func(part uint64) {
		if drops > 0 || part != 1<<makes-1 {
			x.writePart(part, 0)
		}
	})
	someOf(drops, func(part uint64) {
		if part != 1<<drops-1 {
			x.writePart(^uint64(0), part)
		}
	})
}

// writePart creates the pods, and deletes those, of which the bits are set, in the order of their nodes.
func (x *daemonSync) writePart(makes, drops uint64) {
	t := x.next.Copy(x.s)
	t.StopManager()
	for n, what := range x.does {
		if what&makePod != 0 {
			if makes&1 != 0 {
				t.Await(n, x.class, 1)
			}
			makes >>= 1
		}
		if what&(dropOld|dropNew) != 0 {
			if drops&1 != 0 {
				x.drop(t, n, what)
			}
			drops >>= 1
		}
	}
	x.next.Move(objects.Done)
}
