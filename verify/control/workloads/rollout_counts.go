package workloads

import "math"

// The numbers of pods of a canary, and of the other revisions.
//
// Upstream: argo-rollouts v1.10.1, utils/replicaset/canary.go; each function keeps its upstream name, except for
// capitals.

// CanarySet has the counts of one ReplicaSet; nil is none.
type CanarySet struct {
	Size      int32 // .spec.replicas
	Pods      int32 // .status.replicas
	Available int32 // .status.availableReplicas
}

// Canary is what the numbers of a canary are made of.
type Canary struct {
	Replicas         int32 // .spec.replicas
	Surge            int32 // maxSurge and maxUnavailable of these replicas
	Unavailable      int32
	MaxWeight        int32
	MinPods          int32 // minPodsPerReplicaSet; 0: none
	Routed, Dynamic  bool  // trafficRouting, dynamicStableScale
	AbortKeeps       bool  // abortScaleDownDelaySeconds is 0: the canary stays
	Steps            []CanaryStep
	Step             int  // status.currentStepIndex
	Abort            bool // status.abort
	Promoted         bool // there is no stable revision yet, or the current one is it
	New, Stable      *CanarySet
	Same             bool // New is Stable
	Others           CanarySet
	Weighed          bool // there are status.canary.weights
	CanaryWeight     int32
	StableWeightLess int32 // weight of destinations that are neither; always 0 without experiments
}

// CanaryStep is a step that has a say in numbers of pods, or in when there are others; -1: not set.
type CanaryStep struct {
	SetWeight                   int32
	ScaleWeight, ScaleReplicas  int32
	MatchesWeight, SetsScale    bool
	Pause, PauseEnds, Something bool // a pause; one with a duration; another kind, over at once
}

// BasicCounts is CalculateReplicaCountsForBasicCanary: without a traffic router requests follow the pods.
func (c *Canary) BasicCounts() (canary, stable int32) {
	_, weight := c.replicasOrWeight()
	wantNew, wantStable := approximateWeightedCanaryStableReplicaCounts(c.Replicas, weight, c.MaxWeight, c.Surge)
	if c.New != nil {
		canary = c.New.Size
	}
	scaleStable := c.stableExists()
	if scaleStable {
		stable = c.Stable.Size
	} else {
		wantNew, wantStable = c.Replicas, 0
	}
	most := c.Replicas + c.Surge
	up := most - c.Others.Size - canary - stable
	if scaleStable && c.Stable.Size < wantStable && up > 0 {
		if c.Stable.Size+up < wantStable {
			stable, up = c.Stable.Size+up, 0
		} else {
			stable, up = wantStable, up-(wantStable-c.Stable.Size)
		}
	}
	if c.New != nil && c.New.Size < wantNew && up > 0 {
		canary = min(c.New.Size+up, wantNew)
	}
	if c.Others.Size > 0 {
		return canary, stable // older ones go first
	}
	least := c.Replicas - c.Unavailable
	grows := c.New == nil || wantNew >= c.New.Size
	down := forScaleDown(c.New, !grows) + forScaleDown(c.Stable, grows) - least
	switch {
	case down <= 0:
	case !grows:
		canary = scaledDown(c.New, wantNew, down, canary)
		canary, stable = withinLimits(c.New, c.Stable, canary, stable, most, least)
	case scaleStable:
		stable = scaledDown(c.Stable, wantStable, down, stable)
		stable, canary = withinLimits(c.Stable, c.New, stable, canary, most, least)
	}
	return canary, stable
}

// stableExists is CheckStableRSExists.
func (c *Canary) stableExists() bool { return c.Stable != nil && (c.New == nil || !c.Same) }

// forScaleDown is GetReplicasForScaleDown.
func forScaleDown(rs *CanarySet, ready bool) int32 {
	switch {
	case rs == nil:
		return 0
	case rs.Size < rs.Available || ready:
		return rs.Size
	}
	return rs.Available
}

// scaledDown is calculateScaleDownReplicaCount.
func scaledDown(rs *CanarySet, want, down, n int32) int32 {
	if rs != nil && rs.Size > want {
		return max(want, rs.Size-down)
	}
	return n
}

// withinLimits is adjustReplicaWithinLimits.
func withinLimits(drain, adjust *CanarySet, drained, adjusted, most, least int32) (int32, int32) {
	if adjust == nil {
		return drained, adjusted
	}
	over, available := max(0, adjusted+drained-most), int32(0)
	if drain != nil {
		available = min(drain.Available, drained)
	}
	adjusted -= over
	available += min(adjust.Available, adjusted)
	adjusted += min(max(0, adjust.Available-adjusted), max(0, least-available))
	return drained - max(0, adjusted+drained-most), adjusted
}

// approximateWeightedCanaryStableReplicaCounts is the function of that name.
func approximateWeightedCanaryStableReplicaCounts(replicas, weight, maxWeight, surge int32) (canary, stable int32) {
	if replicas == 0 {
		return 0, 0
	}
	exact := float64(replicas*weight) / float64(maxWeight)
	up, down := int32(math.Ceil(exact)), int32(math.Floor(exact))
	zero := weight == maxWeight || weight == 0 || replicas == 1 && surge == 0
	type option struct{ canary, total int32 }
	var options [4]option
	n := 0
	add := func(ok bool, o option) {
		if ok {
			options[n] = o
			n++
		}
	}
	add(up < replicas || zero, option{up, replicas})
	add(!tied(weight, maxWeight, replicas) && (down != 0 || zero), option{down, replicas})
	if surge > 0 {
		add(true, option{up, replicas + 1})
		add(!tied(weight, maxWeight, replicas+1) && (down != 0 || zero), option{down, replicas + 1})
	}
	if n == 0 {
		return 0, replicas
	}
	best := options[0]
	for _, o := range options[1:n] {
		if weightDelta(weight, maxWeight, o.canary, o.total) < weightDelta(weight, maxWeight, best.canary, best.total) {
			best = o
		}
	}
	return best.canary, best.total - best.canary
}

// tied is floorCeilingTied.
func tied(weight, maxWeight, total int32) bool {
	_, frac := math.Modf(float64(total) * (float64(weight) / float64(maxWeight)))
	return frac == 0.5
}

// weightDelta is the function of that name.
func weightDelta(weight, maxWeight, canary, total int32) float64 {
	return math.Abs(float64(canary*maxWeight)/float64(total) - float64(weight))
}

// RoutedCounts is CalculateReplicaCountsForTrafficRoutedCanary; weighed says that it knows the weights.
func (c *Canary) RoutedCounts(weighed bool, weight int32) (canary, stable int32) {
	set, want := c.replicasOrWeight()
	if set >= 0 {
		canary = set
	} else {
		canary = c.minPods(c.forWeight(want))
	}
	if !c.Dynamic {
		return canary, c.Replicas
	}
	stable = c.forWeight(c.MaxWeight - want)
	if weighed {
		stable = max(stable, c.forWeight(c.MaxWeight-weight-c.StableWeightLess))
		if c.Abort {
			canary = max(c.forWeight(weight), canary)
		}
	}
	return c.minPods(canary), c.minPods(stable)
}

// minPods is CheckMinPodsPerReplicaSet.
func (c *Canary) minPods(n int32) int32 {
	if n == 0 || !c.Routed {
		return n
	}
	return max(n, min(c.MinPods, c.Replicas))
}

// forWeight is trafficWeightToReplicas.
func (c *Canary) forWeight(weight int32) int32 {
	return int32(math.Ceil(float64(weight) * float64(c.Replicas) / float64(c.MaxWeight)))
}

// replicasOrWeight is GetCanaryReplicasOrWeight; -1: no number is set.
func (c *Canary) replicasOrWeight() (replicas, weight int32) {
	if c.Promoted {
		return -1, c.MaxWeight
	}
	if s := c.canaryScale(); s != nil {
		switch {
		case s.ScaleReplicas >= 0:
			return s.ScaleReplicas, 0
		case s.ScaleWeight >= 0:
			return -1, s.ScaleWeight
		}
	}
	return -1, c.desiredWeight()
}

// canaryScale is UseSetCanaryScale.
func (c *Canary) canaryScale() *CanaryStep {
	if !c.Routed || c.Abort && !c.AbortKeeps || c.current() == nil {
		return nil
	}
	for i := c.Step; i >= 0; i-- {
		s := &c.Steps[i]
		switch {
		case !s.SetsScale:
		case s.MatchesWeight:
			return nil
		default:
			return s
		}
	}
	return nil
}

// current is GetCurrentCanaryStep.
func (c *Canary) current() *CanaryStep {
	if c.Step >= len(c.Steps) {
		return nil
	}
	return &c.Steps[c.Step]
}

// desiredWeight is GetDesiredCanaryWeight: an aborted canary with dynamicStableScale goes back through the weights.
func (c *Canary) desiredWeight() int32 {
	if !c.Abort || !c.Dynamic || c.New == nil || c.Stable == nil {
		return c.setWeight()
	}
	pods := max(c.Replicas-c.Stable.Available, c.New.Available)
	for i := len(c.Steps) - 1; i >= 0; i-- {
		if w := c.Steps[i].SetWeight; w >= 0 && c.forWeight(w) < pods {
			return w
		}
	}
	return 0
}

// setWeight is GetCurrentSetWeight.
func (c *Canary) setWeight() int32 {
	switch {
	case c.Abort:
		return 0
	case c.current() == nil:
		return c.MaxWeight
	}
	return c.weightBefore(c.Step)
}

// weightBefore is the weight that the steps up to one of them set.
func (c *Canary) weightBefore(step int) int32 {
	for i := step; i >= 0; i-- {
		if w := c.Steps[i].SetWeight; w >= 0 {
			return w
		}
	}
	return 0
}

// AtDesired is AtDesiredReplicaCountsForCanary.
func (c *Canary) AtDesired(weighed bool, weight int32) bool {
	canary, stable := c.RoutedCounts(weighed, weight)
	if !c.Routed {
		canary, stable = c.BasicCounts()
	}
	if c.New == nil || c.New.Size != canary || c.New.Available != canary {
		return false
	}
	if (!c.Routed || !c.Dynamic) && (c.Stable == nil || c.Stable.Size != stable || c.Stable.Pods != stable) {
		return false
	}
	return c.Routed || c.Others.Available == 0
}

// DesiredWeight is what reconcileTrafficRouting sets, without experiments and full promotion by hand; back says that
// the stable revision is wanted again while the canary still gets requests (IsDynamicallyRollingBackToStable).
func (c *Canary) DesiredWeight(back, promoted, aborted bool) int32 {
	switch {
	case back:
		return c.weightBack()
	case promoted:
		return 0
	case aborted:
		return c.weightBack()
	case c.New == nil || c.New.Available == 0, len(c.Steps) == 0:
		return 0
	case !c.AtDesired(false, 0):
		return c.weightBefore(c.Step - 1)
	case c.Step != len(c.Steps):
		return c.setWeight()
	}
	return c.MaxWeight
}

// weightBack is calculateDesiredWeightOnAbortOrStableRollback.
func (c *Canary) weightBack() int32 {
	if !c.Dynamic || c.Stable == nil || c.New == nil || c.Replicas == 0 {
		return 0
	}
	want := c.desiredWeight()
	serves := (c.MaxWeight * c.Stable.Available) / c.Replicas
	expected := max(0, c.MaxWeight-serves)
	switch {
	case !c.Weighed:
		return max(expected, want)
	case want <= 0:
		return min(expected, c.CanaryWeight)
	case serves < c.MaxWeight-want:
		return c.CanaryWeight
	}
	return min(want, c.CanaryWeight)
}

// Serves is checkReplicasAvailable for the stable ReplicaSet: it can take what a weight leaves to it.
func (c *Canary) Serves(weight int32) bool {
	if c.Stable == nil {
		return false
	}
	n := ((c.MaxWeight - weight) * c.Replicas) / c.MaxWeight
	return c.Stable.Available >= n || c.Stable.Size == n && c.Stable.Available == n
}
