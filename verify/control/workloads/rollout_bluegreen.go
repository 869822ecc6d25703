package workloads

import "github.com/kubesettle/kubesettle/verify/state"

// rolloutBlueGreen is the function of that name.
func (y *rolloutSync) rolloutBlueGreen() {
	if y.templateChanged() {
		y.resetStatus()
		y.resumed = true
		y.syncStatusBlueGreen(false)
		return
	}
	y.blueGreenSets()
	added := y.reconcileBlueGreenPause()
	y.reconcileActiveService(added)
	y.syncStatusBlueGreen(added)
}

// blueGreenSets is reconcileBlueGreenReplicaSets.
func (y *rolloutSync) blueGreenSets() {
	y.removeScaleDownDeadlines()
	if rs := y.stableRS(); rs != nil {
		y.scale(rs, y.replicas)
	}
	y.reconcileNewReplicaSet()
	// scaleDownOldReplicaSetsForBlueGreen
	if rs := y.other(); rs != nil && rs.Size > 0 && !y.referenced(rs) {
		if n := y.scaleDownDelayed(rs, y.replicas); n != rs.Size {
			y.scale(rs, n)
		}
	}
}

// readyForPause is replicasetutil.ReadyForPause.
func (y *rolloutSync) readyForPause() bool {
	n := y.newRSNewReplicas(false, 0)
	return y.newRS().Size == n && y.newRS().Available == n
}

// reconcileBlueGreenPause is the function of that name; it reports whether it begins a pause.
func (y *rolloutSync) reconcileBlueGreenPause() bool {
	if y.old.abort || !y.readyForPause() || y.paused {
		return false
	}
	if y.fastTracked() || y.old.checked || !y.waits {
		y.now.pause = state.NotPaused
		return false
	}
	switch y.old.pause {
	case state.NotPaused:
		y.now.pause = state.PausedNow
		return true
	case state.PauseEnded:
		y.now.pause = state.NotPaused
	}
	return false
}

// fastTracked is isBlueGreenFastTracked: the new revision is the stable one, or its predecessor is not known.
func (y *rolloutSync) fastTracked() bool {
	within := y.newRS().due == state.Ahead && y.newSlot < y.old.stable // isFastRollback
	return y.newSlot == y.old.stable || within || y.old.active < 0 || y.old.active == y.newSlot
}

// completedPause is CompletedBlueGreenPause.
func (y *rolloutSync) completedPause(added bool) bool {
	switch {
	case added:
		return false
	case y.old.checked, !y.byHand && !y.waitsFor:
		return true
	}
	return y.old.pause == state.PauseEnded
}

// reconcileActiveService is the function of that name.
func (y *rolloutSync) reconcileActiveService(added bool) {
	rs := y.newRS()
	if y.paused || !y.readyForPause() || rs.Size != y.replicas || rs.desired != y.replicas || rs.Available != y.replicas {
		return
	}
	if y.fastTracked() || y.completedPause(added) {
		y.now.active = y.newSlot
	}
	if y.old.abort {
		y.now.active = y.old.stable
	}
}

// syncStatusBlueGreen is syncRolloutStatusBlueGreen.
func (y *rolloutSync) syncStatusBlueGreen(added bool) {
	y.now.current = y.newSlot
	if y.aborted() {
		y.now.pause = state.NotPaused
	}
	if y.promotesBlueGreen() {
		y.promoteStable()
		return
	}
	y.now.checked = y.scaleUpPreviewCheckPoint(added)
}

// promotesBlueGreen is shouldFullPromote.
func (y *rolloutSync) promotesBlueGreen() bool {
	switch {
	case y.stableRS() == nil, y.now.active < 0, y.now.active == y.newSlot && y.old.stable == y.newSlot:
		return true
	}
	return y.now.active == y.newSlot && !y.aborted()
}

// scaleUpPreviewCheckPoint is calculateScaleUpPreviewCheckPoint: once set it stays, whatever the template is.
func (y *rolloutSync) scaleUpPreviewCheckPoint(added bool) bool {
	return y.preview >= 0 && (y.old.checked || y.completedPause(added) && y.newRS().Available == y.preview)
}
