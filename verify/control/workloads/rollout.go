package workloads

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Rollout models the controller of one Rollout of Argo Rollouts.
//
// Upstream: argo-rollouts v1.10.1, rollout: newRolloutContext, reconcile, isScalingEvent, syncReplicasOnly,
// scaleReplicaSetAndRecordEvent, shouldFullPromote, promoteStable (this file), rolloutCanary and what it calls
// (rollout_canary.go), rolloutBlueGreen and what it calls (rollout_bluegreen.go); utils/replicaset (rollout_counts.go).
type Rollout struct {
	Workload int
	name     string // "default/web"
	versions [2]rolloutPlan
}

// rolloutStatus has the fields of a Rollout's status that are read and written. A revision is a slot of the sync; -1:
// none.
type rolloutStatus struct {
	stable, current, weighed, active int
	steps, step                      int
	pause                            state.RolloutPause
	abort, checked, weights          bool
	weight                           int32
}

// rolloutSet is one ReplicaSet of a Rollout.
type rolloutSet struct {
	CanarySet
	class   int
	exists  bool
	desired int32 // rollout.argoproj.io/desired-replicas
	due     state.Deadline
}

// rolloutSync is one call of reconcile. Slots are those of [state.Config.ClassesOf], the older revision first.
type rolloutSync struct {
	*rolloutPlan
	replicas int32
	old, now rolloutStatus
	sets     [setsPerWorkload]rolloutSet
	newSlot  int // of the ReplicaSet of the current template, -1: there is no template
	created  bool
	resumed  bool // the abort condition is removed (pauseContext.RemoveAbort)
	changed  bool // some ReplicaSet is
	// canaryNow is the memory of counts.
	canaryNow Canary
}

// NewRollout builds the controllers of the slice's Rollouts, with the clocks that they wait for.
func NewRollout(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if wl.Kind() != state.Rollout {
			continue
		}
		r := &Rollout{Workload: w, name: objects.ShortName(wl)}
		steps, weight, blueGreen := 0, int32(0), false
		for v := range wl.Manifests {
			m := &wl.Manifests[v]
			if !m.Exists() {
				continue
			}
			p, err := compileRolloutPlan(m)
			if err != nil {
				return nil, fmt.Errorf("rollout %s: %w", r.name, err)
			}
			p.steps = 1
			if base := &wl.Manifests[state.Base]; v == int(state.Head) && base.Exists() && !sameSteps(base, m) {
				p.steps = 2
			}
			steps = max(steps, len(p.canary.Steps))
			blueGreen = blueGreen || p.blueGreen
			if p.canary.Routed {
				weight = max(weight, p.canary.MaxWeight)
			}
			r.versions[v] = p
		}
		b.AddRollout(w, steps, weight, blueGreen)
		out = append(append(out, r), newRolloutClock(b, r)...)
	}
	return out, nil
}

// Traits implements [actor.Declarer]: it counts pods of a class on all nodes, and none on deletion.
func (r *Rollout) Traits(*state.Config) actor.Traits {
	return actor.Traits{Lumps: actor.AnyLikeness, Alone: true, Of: r.Workload}
}

// Name implements [actor.Actor].
func (r *Rollout) Name() string { return "rollout/" + r.name }

// Latency implements [actor.Actor].
func (r *Rollout) Latency() actor.Latency { return actor.Sync }

// Step implements [actor.Actor]: one sync with all that it writes.
func (r *Rollout) Step(s state.State, next *actor.Emit) {
	y := actor.Own[rolloutSync](next.Scratch)
	*y = rolloutSync{rolloutPlan: &r.versions[s.VersionOf(r.Workload)]}
	if !y.exists {
		return
	}
	y.read(s, r.Workload)
	if y.newSlot < 0 {
		return
	}
	y.reconcile()
	if !y.changed && !y.created && y.now == y.old {
		return
	}
	t := next.Copy(s)
	y.write(t, r.Workload)
	next.Move(objects.Done)
}

func (y *rolloutSync) read(s state.State, w int) {
	c, f := s.C, &s.C.Workload[w].Rollout
	y.replicas = int32(s.Replicas(w))
	slot := func(x state.Field) int { return slices.Index(c.ClassesOf[w], s.RevisionOf(w, x)) }
	get := func(x state.Field) int {
		if !x.Laid() {
			return 0
		}
		return s.Get(x)
	}
	y.old = rolloutStatus{
		stable: slot(f.Stable), current: slot(f.Current), weighed: slot(f.Weighed), active: slot(f.Active),
		steps: get(f.Steps), step: get(f.Step), pause: state.RolloutPause(get(f.Pause)),
		abort: get(f.Abort) == 1, checked: get(f.Checked) == 1, weights: get(f.Weight) > 0,
		weight: int32(max(get(f.Weight)-1, 0)),
	}
	y.now = y.old
	y.newSlot = slices.Index(c.ClassesOf[w], s.NewClass(w))
	for i, p := range c.ClassesOf[w] {
		g := &c.Class[p]
		y.sets[i] = rolloutSet{class: p, exists: s.Get(g.Exists) == 1, desired: int32(s.Get(g.Desired)),
			due: state.Deadline(get(f.Due[i]))}
		if y.sets[i].exists {
			y.sets[i].CanarySet = CanarySet{Size: int32(s.Get(g.Size)), Pods: int32(s.ActiveIn(p)),
				Available: int32(s.AvailableIn(p))}
		}
	}
}

func (y *rolloutSync) write(t state.State, w int) {
	c, f := t.C, &t.C.Workload[w].Rollout
	set := func(x state.Field, n int) {
		if x.Laid() {
			t.Set(x, n)
		}
	}
	bit := func(x state.Field, on bool) {
		n := 0
		if on {
			n = 1
		}
		set(x, n)
	}
	set(f.Stable, y.now.stable+1)
	set(f.Current, y.now.current+1)
	set(f.Weighed, y.now.weighed+1)
	set(f.Active, y.now.active+1)
	set(f.Steps, y.now.steps)
	set(f.Step, y.now.step)
	set(f.Pause, int(y.now.pause))
	bit(f.Abort, y.now.abort)
	bit(f.Checked, y.now.checked)
	set(f.Weight, 0)
	if y.now.weights {
		set(f.Weight, int(y.now.weight)+1)
	}
	for i := range c.ClassesOf[w] {
		rs := &y.sets[i]
		g := &c.Class[rs.class]
		bit(g.Exists, rs.exists)
		t.Set(g.Size, int(rs.Size))
		t.Set(g.Desired, int(rs.desired))
		set(f.Due[i], int(rs.due))
	}
}

// at gives the ReplicaSet of a slot; nil where there is none.
func (y *rolloutSync) at(slot int) *rolloutSet {
	if slot < 0 || !y.sets[slot].exists {
		return nil
	}
	return &y.sets[slot]
}

func (y *rolloutSync) newRS() *rolloutSet    { return y.at(y.newSlot) }
func (y *rolloutSync) stableRS() *rolloutSet { return y.at(y.old.stable) }

// other is otherRSs, of which two revisions have at most one.
func (y *rolloutSync) other() *rolloutSet {
	for i := range y.sets {
		if y.sets[i].exists && i != y.newSlot && i != y.old.stable {
			return &y.sets[i]
		}
	}
	return nil
}

// reconcile is newRolloutContext and reconcile.
func (y *rolloutSync) reconcile() {
	if rs := &y.sets[y.newSlot]; !rs.exists { // createDesiredReplicaSet
		rs.exists, rs.desired, y.created = true, y.replicas, true
		rs.CanarySet, rs.due = CanarySet{}, state.NoDeadline
	}
	y.resumed = y.old.stable == y.old.current && y.old.abort
	switch {
	case y.isScalingEvent():
		if y.blueGreen {
			y.blueGreenSets()
		} else {
			y.canarySets()
		}
	case y.blueGreen:
		y.rolloutBlueGreen()
	default:
		y.rolloutCanary()
	}
	if y.resumed {
		y.now.abort = false
	}
}

// aborted is (*pauseContext).IsAborted.
func (y *rolloutSync) aborted() bool { return y.old.abort && !y.resumed }

// isScalingEvent is the function of that name.
func (y *rolloutSync) isScalingEvent() bool {
	for _, rs := range [...]*rolloutSet{y.newRS(), y.stableRS()} {
		if rs != nil && rs.Size > 0 && rs.desired != y.replicas {
			return true
		}
	}
	return false
}

// scale is scaleReplicaSetAndRecordEvent; it reports whether the size changed.
func (y *rolloutSync) scale(rs *rolloutSet, size int32) bool {
	if rs.Size == size && rs.desired == y.replicas && (y.replicas != 0 || rs.due == state.NoDeadline) {
		return false
	}
	resized := rs.Size != size
	if size == 0 && !y.shouldDelayScaleDownOnAbort() {
		rs.due = state.NoDeadline
	}
	rs.Size, rs.desired, y.changed = size, y.replicas, true
	return resized
}

// setDue writes or removes the annotation scale-down-deadline.
func (y *rolloutSync) setDue(rs *rolloutSet, d state.Deadline) {
	if rs != nil && rs.due != d {
		rs.due, y.changed = d, true
	}
}

// removeScaleDownDeadlines is the function of that name.
func (y *rolloutSync) removeScaleDownDeadlines() {
	if !y.shouldDelayScaleDownOnAbort() {
		y.setDue(y.newRS(), state.NoDeadline)
	}
	y.setDue(y.stableRS(), state.NoDeadline)
}

// shouldDelayScaleDownOnAbort is the function of that name.
func (y *rolloutSync) shouldDelayScaleDownOnAbort() bool {
	switch {
	case !y.aborted(), y.stableRS() == nil, !y.blueGreen && !y.canary.Routed, y.keepsAborted:
		return false
	}
	return !y.canary.Dynamic || y.setsAborted
}

// reconcileNewReplicaSet is the function of that name.
func (y *rolloutSync) reconcileNewReplicaSet() bool {
	rs := y.newRS()
	n := y.newRSNewReplicas(y.now.weights, y.now.weight)
	if y.shouldDelayScaleDownOnAbort() {
		switch rs.due {
		case state.Passed:
			n = 0
		case state.Ahead:
			y.scale(rs, rs.Size)
			return false
		default:
			y.scale(rs, rs.Size)
			if y.stableRS().Available >= y.replicas {
				y.setDue(rs, state.Ahead)
			}
			return false
		}
	}
	return y.scale(rs, n)
}

// newRSNewReplicas is replicasetutil.NewRSNewReplicas.
func (y *rolloutSync) newRSNewReplicas(weights bool, weight int32) int32 {
	if !y.blueGreen {
		c := y.counts()
		n, _ := c.BasicCounts()
		if c.Routed {
			n, _ = c.RoutedCounts(weights, weight)
		}
		return n
	}
	active := y.at(y.old.active)
	switch {
	case y.preview < 0, active == nil, active == y.newRS():
		return y.replicas
	case y.newSlot == y.old.current && !y.paused && y.old.pause != state.PausedNow && y.old.checked:
		return y.replicas
	}
	return y.preview
}

// scaleDownDelayed is scaleDownDelayHelper for the one ReplicaSet that may be there; n is its size while it waits.
func (y *rolloutSync) scaleDownDelayed(rs *rolloutSet, n int32) int32 {
	switch {
	case !y.delays, rs.due == state.Passed:
		return 0
	case rs.due == state.NoDeadline:
		y.setDue(rs, state.Ahead)
		return rs.Size
	}
	return n
}

// promoteStable is the function of that name.
func (y *rolloutSync) promoteStable() {
	y.now.pause, y.now.checked = state.NotPaused, false
	y.now.abort = false
	y.now.step = len(y.canary.Steps)
	y.now.stable = y.now.current
}

// resetStatus is resetRolloutStatus.
func (y *rolloutSync) resetStatus() {
	y.now.pause, y.now.abort, y.now.checked, y.now.step = state.NotPaused, false, false, 0
}

// Model implements [actor.Actor].
func (r *Rollout) Model() *actor.Model {
	return &actor.Model{
		Upstream: "argo-rollouts v1.10.1, rollout: reconcile, syncReplicasOnly, rolloutCanary, rolloutBlueGreen, reconcileTrafficRouting; utils/replicaset",
		Exact: []string{
			"sizes of the canary and the stable ReplicaSet of a Rollout, with and without a traffic router, and of a preview",
			"steps, weights, promotion, aborts and the deadlines of a Rollout's ReplicaSets, with replicas that change meanwhile",
		},
		MayInvent: []string{
			"base's ReplicaSet of a Rollout counts as older than head's",
		},
		MayHide: []string{
			"analyses of a Rollout succeed, experiments and step plugins are over at once, and no rollout is promoted in full by hand",
			"a traffic router applies a weight at once, and the Services of a Rollout are there",
			"scaleDownDelaySeconds: 0 takes the pods away at once",
			"what one sync of a Rollout writes is one step; a change of its steps alone is seen when it is applied",
		},
		Refused: []string{"a Rollout's maxTrafficWeight above 10000, or a weight above it"},
	}
}
