package workloads

import "github.com/kubesettle/kubesettle/verify/state"

// counts fills in what moves of the numbers of a canary.
func (y *rolloutSync) counts() *Canary {
	c := &y.canaryNow
	*c = y.canary
	c.Replicas = y.replicas
	c.Surge, c.Unavailable = y.fenceposts()
	c.Step, c.Abort = y.old.step, y.old.abort
	c.Promoted = y.old.stable < 0 || y.old.stable == y.old.current
	if rs := y.newRS(); rs != nil {
		c.New = &rs.CanarySet
	}
	if rs := y.stableRS(); rs != nil {
		c.Stable = &rs.CanarySet
	}
	c.Same = y.newSlot == y.old.stable
	if rs := y.other(); rs != nil {
		c.Others = rs.CanarySet
	}
	c.Weighed, c.CanaryWeight = y.old.weights, y.old.weight
	return c
}

// fenceposts is replicasetutil.MaxSurge and MaxUnavailable.
func (y *rolloutSync) fenceposts() (surge, unavailable int32) {
	surge, unavailable = int32(y.surge.Of(int(y.replicas), true)), int32(y.unavailable.Of(int(y.replicas), false))
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	if y.replicas == 0 {
		return surge, 0
	}
	return surge, min(unavailable, y.replicas)
}

// rolloutCanary is the function of that name.
func (y *rolloutSync) rolloutCanary() {
	if y.templateOrStepsChanged() {
		y.syncStatusCanary()
		return
	}
	if y.canary.Routed {
		y.reconcileTrafficRouting()
	}
	if !y.canarySets() {
		y.reconcileCanaryPause()
	}
	y.syncStatusCanary()
}

// templateOrStepsChanged is PodTemplateOrStepsChanged.
func (y *rolloutSync) templateOrStepsChanged() bool {
	return y.old.steps != y.steps || y.templateChanged()
}

// templateChanged is CheckPodSpecChange.
func (y *rolloutSync) templateChanged() bool {
	return y.old.current >= 0 && y.old.current != y.newSlot
}

// reconcileTrafficRouting is the function of that name, for one router that does its work.
func (y *rolloutSync) reconcileTrafficRouting() {
	c := y.counts()
	canary, promoted := y.newSlot, y.old.stable == y.old.current
	back := promoted && c.Dynamic && y.old.weights && y.old.weighed != y.newSlot && c.New.Available < y.replicas
	if back {
		canary = y.old.weighed
	}
	weight := c.DesiredWeight(back, promoted, y.aborted())
	if c.Serves(weight) {
		y.now.weights, y.now.weight, y.now.weighed = true, weight, canary
	}
}

// canarySets is reconcileCanaryReplicaSets.
func (y *rolloutSync) canarySets() bool {
	if y.paused {
		return false
	}
	y.removeScaleDownDeadlines()
	if c := y.counts(); c.stableExists() {
		_, n := c.BasicCounts()
		if c.Routed {
			_, n = c.RoutedCounts(y.old.weights, y.old.weight)
		}
		if y.scale(y.stableRS(), n) {
			return true
		}
	}
	return y.reconcileNewReplicaSet() || y.reconcileOthers()
}

// reconcileOthers is reconcileOtherReplicaSets with scaleDownOldReplicaSetsForCanary, for one ReplicaSet.
func (y *rolloutSync) reconcileOthers() bool {
	rs := y.other()
	if rs == nil || rs.Size == 0 {
		return false
	}
	scaled := false
	if rs.Size != rs.Available { // cleanupUnhealthyReplicas
		if rs.Available > rs.Size {
			return false
		}
		y.scale(rs, rs.Available)
		scaled = true
	}
	available := int32(0)
	for i := range y.sets {
		available += y.sets[i].Available
	}
	_, unavailable := y.fenceposts()
	down := available - (y.replicas - unavailable)
	if down <= 0 {
		return false
	}
	if y.canary.Routed && y.referenced(rs) || rs.Size == 0 {
		return scaled
	}
	n := int32(0)
	switch {
	case !y.canary.Routed:
		n = max(rs.Size-down, 0)
	case y.old.stable == y.old.current || rs.due != state.NoDeadline:
		if !y.canary.Dynamic {
			n = y.scaleDownDelayed(rs, rs.Size)
		}
	}
	if rs.Size == n {
		return scaled
	}
	y.scale(rs, n)
	return true
}

// referenced is isReplicaSetReferenced for a ReplicaSet that is neither the new nor the stable one; its Services go
// with the weights.
func (y *rolloutSync) referenced(rs *rolloutSet) bool {
	return rs == y.at(y.old.current) || rs == y.at(y.old.active) || y.old.weights && rs == y.at(y.old.weighed)
}

// reconcileCanaryPause is the function of that name: it begins a pause.
func (y *rolloutSync) reconcileCanaryPause() {
	if y.paused || y.old.step >= len(y.canary.Steps) || !y.canary.Steps[y.old.step].Pause {
		return
	}
	if y.old.pause == state.NotPaused {
		y.now.pause = state.PausedNow
	}
}

// syncStatusCanary is syncRolloutStatusCanary.
func (y *rolloutSync) syncStatusCanary() {
	y.now.current, y.now.steps = y.newSlot, y.steps
	if y.templateOrStepsChanged() {
		y.resetStatus()
		if y.old.stable == y.newSlot {
			y.now.step = len(y.canary.Steps)
		}
		return
	}
	if y.promotesCanary() {
		y.promoteStable()
		return
	}
	if y.aborted() {
		y.now.step, y.now.pause = 0, state.NotPaused
		if y.now.stable == y.now.current {
			y.now.step = len(y.canary.Steps)
		}
		return
	}
	if y.completedStep() {
		y.now.step++
		y.now.pause = state.NotPaused
	}
}

// promotesCanary is shouldFullPromote.
func (y *rolloutSync) promotesCanary() bool {
	if y.stableRS() == nil {
		return true
	}
	if y.aborted() || y.newRS().Available < y.replicas {
		return false
	}
	return y.old.stable == y.newSlot || y.old.step >= len(y.canary.Steps)
}

// completedStep is completedCurrentCanaryStep.
func (y *rolloutSync) completedStep() bool {
	if y.paused || y.old.step >= len(y.canary.Steps) {
		return false
	}
	switch s := &y.canary.Steps[y.old.step]; {
	case s.Pause:
		return y.old.pause == state.PauseEnded
	case s.Something:
		return true
	}
	return y.counts().AtDesired(y.now.weights, y.now.weight)
}
