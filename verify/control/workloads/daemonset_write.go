package workloads

import (
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// lacks reports whether some node is to have a pod, or one beside the old one, and has none.
func (x *daemonSync) lacks() bool {
	for n := range x.s.C.Nodes {
		young, old := x.live(n, x.class), x.live(n, x.old)
		if x.runsOn(n) && young == 0 && (old == 0 && !x.onDeletion(n) || old > 0 && x.surges) {
			return true
		}
	}
	return false
}

// emit gives a successor for every choice of the pods that the API server refuses: upstream asks
// for all that it wants, and goes on with what it gets.
func (x *daemonSync) emit() {
	wants := 0
	for _, what := range x.does {
		if what&makePod != 0 {
			wants++
		}
	}
	x.refuse(0, wants-x.quotas.Room(x.s, x.class, wants))
}

// refuse takes so many pods that are wanted from node n on back; of nodes with equal records that of
// the earlier before that of the later.
func (x *daemonSync) refuse(n, left int) {
	if left <= 0 {
		x.put()
		return
	}
	for ; n < len(x.does); n++ {
		if x.does[n]&makePod == 0 || x.s.Twin(n) && x.does[n-1]&makePod != 0 {
			continue
		}
		x.does[n] &^= makePod
		x.refuse(n+1, left-1)
		x.does[n] |= makePod
	}
}

// put writes the actions of a sync, if there are any.
func (x *daemonSync) put() {
	const writes = makePod | dropOld | dropNew
	if !slices.ContainsFunc(x.does, func(what int) bool { return what&writes != 0 }) {
		return
	}
	if x.breaks {
		x.breakOff()
		return
	}
	t := x.next.Copy(x.s)
	for n, what := range x.does {
		if what&makePod != 0 {
			t.Await(n, x.class, 1)
		}
		x.drop(t, n, what)
	}
	x.next.Move(objects.Done)
}

// drop deletes the pods of a node that a sync deletes.
func (x *daemonSync) drop(t state.State, n, what int) {
	if what&dropNew != 0 {
		dropDaemon(t, n, x.class)
	}
	if what&dropOld != 0 && x.old >= 0 {
		dropDaemon(t, n, x.old)
	}
}

// dropDaemon deletes the pods of class p that node n has or is to have.
func dropDaemon(t state.State, n, p int) {
	t.Await(n, p, -t.Awaited(n, p))
	if t.C.Preempts(p) {
		t.Nominate(n, p, -t.Nominated(n, p))
	}
	for _, ph := range state.LivePhases {
		k := t.On(n, p, ph)
		t.Add(n, p, ph, -k)
		t.Add(n, p, state.Terminating, k)
	}
}
