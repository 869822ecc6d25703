package workloads

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/state"
)

// daemonSet models the controller of one DaemonSet. It makes pods for one node each, which
// the scheduler binds there.
//
// Upstream: kubernetes v1.36.3, pkg/controller/daemon: updateDaemonSet, manage,
// podsShouldBeOnNode, NodeShouldRunDaemonPod, rollingUpdate, updatedDesiredNodeCounts,
// findUpdatedPodsOnNode; pkg/controller/daemon/util: SurgeCount, UnavailableCount, AllowsSurge.
type daemonSet struct {
	workload int
	name     string
	versions [2]daemonRollout
	quotas   *admission.Quotas
}

// daemonRollout is what one version declares of a DaemonSet, compiled. Slices are by node.
type daemonRollout struct {
	exists   bool
	class    int // of its pods
	old      int // the other class, or -1
	onDelete bool
	surge    state.Share
	allowed  state.Share // maxUnavailable
	surges   bool        // AllowsSurge
	puts     []bool
	keeps    []bool
	blocks   scheduler.Service // of a node out of service, what keeps new pods away
	expels   scheduler.Service // and what drives pods away
}

func NewDaemonSet(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if !c.PerNode(w) {
			continue
		}
		if c.Spec.ClusterAutoscaler {
			return nil, fmt.Errorf("%s: beside a cluster autoscaler: %w", wl.ID, actor.ErrUnmodeled)
		}
		d := &daemonSet{workload: w, name: "daemonset/" + objects.ShortName(wl), quotas: quotas}
		for v := range wl.Manifests {
			if wl.Manifests[v].DaemonSet == nil {
				continue
			}
			r, err := compileDaemon(c, w, state.Version(v))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", wl.ID, err)
			}
			d.versions[v] = r
		}
		out = append(out, d)
	}
	return out, nil
}

func compileDaemon(c *state.Config, w int, v state.Version) (daemonRollout, error) {
	d := c.Spec.Workloads[w].Manifests[v].DaemonSet
	r := daemonRollout{exists: true, class: c.ByVersion[w][v], old: -1}
	for _, p := range c.ClassesOf[w] {
		if p != r.class {
			r.old = p
		}
	}
	if len(c.Spec.Workloads[w].Sizes) > 0 {
		return r, fmt.Errorf("sized by a VerticalPodAutoscaler: %w", actor.ErrUnmodeled)
	}
	if d.Spec.Template.Spec.NodeName != "" {
		return r, fmt.Errorf("spec.template.spec.nodeName: a separate node: %w", actor.ErrUnmodeled)
	}
	m := state.Manifest{DaemonSet: d}
	pace := m.Pace()
	r.onDelete = pace.Awaits
	if t := d.Spec.UpdateStrategy.Type; !r.onDelete && t != appsv1.RollingUpdateDaemonSetStrategyType {
		return r, fmt.Errorf("spec.updateStrategy.type: %q: %w", t, actor.ErrUnmodeled)
	}
	if !r.onDelete {
		var err error
		if pace.Surge != nil {
			if r.surge, err = shareOf(pace.Surge); err != nil {
				return r, fmt.Errorf("%s: %w", pace.SurgeField(), err)
			}
		}
		if r.allowed, err = shareOf(pace.Unavailable); err != nil {
			return r, fmt.Errorf("%s: %w", pace.UnavailableField(), err)
		}
		r.surges = r.surge.Of(1, true) > 0
	}
	for n := range c.Nodes {
		puts, keeps := DaemonRuns(d, scheduler.NodeObject(c, n))
		r.puts, r.keeps = append(r.puts, puts), append(r.keeps, keeps)
	}
	spec := objects.Admitted(c, r.class).Spec
	for _, is := range scheduler.Tainting() {
		if untolerated(&spec, scheduler.ServiceTaints(is), "NoSchedule", "NoExecute") {
			r.blocks |= is
		}
		if untolerated(&spec, scheduler.ServiceTaints(is), "NoExecute") {
			r.expels |= is
		}
	}
	return r, nil
}

func (d *daemonSet) Name() string           { return d.name }
func (d *daemonSet) Latency() actor.Latency { return actor.Sync }

func (d *daemonSet) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Managed: true, Interrupt: d.interrupt,
		// SatisfiedExpectations, before updateDaemonSet and once more before rollingUpdate.
		Lag: &actor.Lag{Sees: c.ClassesOf[d.workload], Expects: true, Conflicts: d.conflicts},
	}
}

// Step implements [actor.Actor]: one sync: the creations and deletions of manage or, if there are none, those of
// rollingUpdate. Upstream goes through the nodes in the order of a map, so that every choice of those that are to be
// updated next is a successor.
func (d *daemonSet) Step(s state.State, next *actor.Emit) { d.sync(s, next, false) }

// sync emits what one sync leads to or, where it breaks off, what it may leave.
func (d *daemonSet) sync(s state.State, next *actor.Emit, breaks bool) {
	r := &d.versions[s.VersionOf(d.workload)]
	x := daemonSync{daemonRollout: r, s: s, next: next, quotas: d.quotas, breaks: breaks,
		does: zeroed(&next.Scratch.Counts, len(s.C.Nodes))}
	if !r.exists {
		if !breaks { // it is the garbage collector's
			x.sweep(d.workload)
		}
		return
	}
	if x.manage() || r.onDelete || r.old < 0 {
		return
	}
	desired := int32(0)
	for n := range s.C.Nodes {
		if x.runsOn(n) {
			desired++
		}
	}
	surge, unavailable := int32(r.surge.Of(int(desired), true)), int32(r.allowed.Of(int(desired), true))
	if desired > 0 && unavailable == 0 && surge == 0 {
		unavailable = 1
	}
	if surge == 0 {
		x.replace(int(unavailable))
	} else {
		x.surgeOn(int(surge))
	}
}

// daemonSync is one sync: its actions on each node, as a set of the constants below.
type daemonSync struct {
	*daemonRollout
	s      state.State
	next   *actor.Emit
	quotas *admission.Quotas
	does   []int
	any    bool
	breaks bool // between two of its writes
}

const (
	makePod   = 1 << iota // a pod of the current template
	dropOld               // the pod of the other template
	dropNew               // the pod of the current one
	candidate             // may be updated next; see [daemonSync.choose]
	leaving               // is not meant any more, and goes once others make up for it
)

func (x *daemonSync) do(n, what int) { x.does[n], x.any = x.does[n]|what, true }

// live is the number of pods of class p on node n, or made for it, that are not on
// deletion; p may be -1.
func (x *daemonSync) live(n, p int) int {
	if p < 0 {
		return 0
	}
	return x.s.Awaited(n, p) + x.s.LiveOn(n, p)
}

// available reports whether node n has an available pod of class p.
func (x *daemonSync) available(n, p int) bool {
	return x.s.On(n, p, state.Ready) > 0 || !x.s.C.Ripens(p) && x.s.On(n, p, state.Warming) > 0
}

// onDeletion reports whether a pod of the DaemonSet on node n has not stopped yet.
func (x *daemonSync) onDeletion(n int) bool {
	return x.s.On(n, x.class, state.Terminating) > 0 || x.old >= 0 && x.s.On(n, x.old, state.Terminating) > 0
}

// runsOn and keepsOn report the results of NodeShouldRunDaemonPod.
func (x *daemonSync) runsOn(n int) bool {
	return !x.s.Gone(n) && x.puts[n] && scheduler.ServiceOf(x.s, n)&x.blocks == 0
}

func (x *daemonSync) keepsOn(n int) bool {
	return !x.s.Gone(n) && x.keeps[n] && scheduler.ServiceOf(x.s, n)&x.expels == 0
}

// sweep deletes the pods of a DaemonSet that is gone.
func (x *daemonSync) sweep(w int) {
	any := false
	for _, p := range x.s.C.ClassesOf[w] {
		for n := range x.s.C.Nodes {
			any = any || x.live(n, p) > 0
		}
	}
	if !any {
		return
	}
	t := x.next.Copy(x.s)
	for _, p := range x.s.C.ClassesOf[w] {
		for n := range x.s.C.Nodes {
			dropDaemon(t, n, p)
		}
	}
	x.next.Move(objects.Done)
}

// manage is podsShouldBeOnNode of every node; it reports whether there was something to do.
func (x *daemonSync) manage() bool {
	for n := range x.s.C.Nodes {
		if x.s.Gone(n) {
			continue
		}
		young, old := x.live(n, x.class), x.live(n, x.old)
		runs := x.runsOn(n)
		switch {
		case runs && young+old == 0 && !x.onDeletion(n):
			x.do(n, makePod)
		case x.keepsOn(n):
			x.prune(n, young, old, runs)
		case young+old > 0:
			x.do(n, dropOld|dropNew)
		}
	}
	if x.any {
		x.emit()
	}
	return x.any
}

// prune is podsShouldBeOnNode of a node where pods may stay. With surge, two of them do as
// long as the older one is ready and the newer one not available yet.
func (x *daemonSync) prune(n, young, old int, runs bool) {
	switch {
	case x.surges && young+old == 0 && runs:
		x.do(n, makePod)
	case young+old <= 1:
	case !x.surges && (x.s.Awaited(n, x.old) == 0 || x.s.Awaited(n, x.class) > 0): // the oldest one stays
		x.do(n, dropNew)
	case !x.surges, x.s.ReadyOn(n, x.old) == 0, x.available(n, x.class):
		x.do(n, dropOld)
	}
}

// replace is rollingUpdate without surge: old pods go, as many as may be unavailable.
func (x *daemonSync) replace(most int) {
	unavailable, candidates := 0, 0
	for n := range x.s.C.Nodes {
		young, old := x.live(n, x.class), x.live(n, x.old)
		switch {
		case young+old == 0:
			if x.onDeletion(n) || x.runsOn(n) {
				unavailable++
			}
		case young > 0 && old > 0:
			unavailable++
		case young > 0:
			if !x.available(n, x.class) {
				unavailable++
			}
		case !x.available(n, x.old):
			x.do(n, dropOld)
			unavailable++
		default:
			x.does[n] |= candidate
			candidates++
		}
	}
	x.choose(0, choice{marked: candidate, what: dropOld, left: min(max(most-unavailable, 0), candidates)}, choice{})
}

// surgeOn is rollingUpdate with surge: new pods come beside old ones.
func (x *daemonSync) surgeOn(most int) {
	surging, candidates, available, desired, sunset := 0, 0, 0, 0, 0
	for n := range x.s.C.Nodes {
		young, old := x.live(n, x.class), x.live(n, x.old)
		if x.runsOn(n) {
			desired++
		}
		if old > 0 && x.available(n, x.old) || old == 0 && young > 0 && x.available(n, x.class) {
			available++
		}
		switch {
		case old == 0:
		case young > 0 && !x.available(n, x.class):
			surging++
		case young > 0:
			x.do(n, dropOld)
		case !x.available(n, x.old) && x.runsOn(n):
			x.do(n, makePod)
		case !x.available(n, x.old):
			x.do(n, dropOld)
		case x.runsOn(n):
			x.does[n] |= candidate
			candidates++
		default: // it is no longer meant, and goes once others make up for it
			x.does[n] |= leaving
			sunset++
		}
	}
	x.choose(0, choice{marked: leaving, what: dropOld, left: min(max(available-desired, 0), sunset)},
		choice{marked: candidate, what: makePod, left: min(max(most-surging, 0), candidates)})
}

// choice is how many of the nodes with a mark are yet to be chosen, and for what.
type choice struct{ marked, what, left int }

// choose emits a successor for every choice of nodes from n on, and then for every one of
// the next choice; of nodes with equal records the earlier is taken before the later.
func (x *daemonSync) choose(n int, c, then choice) {
	switch {
	case c.left == 0 && then.left > 0:
		x.choose(0, then, choice{})
		return
	case c.left == 0:
		if x.any {
			x.emit()
		}
		return
	case n == len(x.does):
		return
	}
	if x.does[n]&c.marked != 0 && (!x.s.Twin(n) || x.does[n-1]&c.what != 0) {
		was := x.any
		x.do(n, c.what)
		rest := c
		rest.left--
		x.choose(n+1, rest, then)
		x.does[n] &^= c.what
		x.any = was
	}
	x.choose(n+1, c, then)
}
