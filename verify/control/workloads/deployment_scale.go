package workloads

import "math"

// scale is the function of that name: it keeps proportions while two ReplicaSets have pods.
func (y *deploymentSync) scale() {
	if only, ok := y.activeOrLatest(); ok {
		if only != nil {
			y.scaleReplicaSet(only, y.replicas, false)
		}
		return
	}
	if n := y.newRS; n.size == y.replicas && n.desired == y.replicas && n.available == y.replicas { // IsSaturated
		y.scaleReplicaSet(y.oldRS, 0, false)
		return
	}
	if !y.recreate {
		y.scaleProportionally()
	}
}

// activeOrLatest is deploymentutil.FindActiveOrLatest, and false where it gives nil
// because two ReplicaSets are active.
func (y *deploymentSync) activeOrLatest() (*replicaSet, bool) {
	switch {
	case y.newRS.active() && y.oldRS.active():
		return nil, false
	case y.newRS.active():
		return y.newRS, true
	case y.oldRS.active():
		return y.oldRS, true
	case y.newRS != nil:
		return y.newRS, true
	default:
		return y.oldRS, true
	}
}

// scaleProportionally is the last part of scale; both ReplicaSets are active.
func (y *deploymentSync) scaleProportionally() {
	allowed := int32(0)
	if y.replicas > 0 {
		allowed = y.replicas + y.maxSurge(y.replicas)
	}
	toAdd := allowed - y.allPods()
	sets := [...]*replicaSet{y.oldRS, y.newRS}
	older := sets[0].age < sets[1].age
	switch first := sets[0].size - sets[1].size; { // ReplicaSetsBySizeNewer, ReplicaSetsBySizeOlder
	case first < 0, first == 0 && toAdd > 0 && older, first == 0 && toAdd < 0 && !older:
		sets[0], sets[1] = sets[1], sets[0]
	}
	added := int32(0)
	var sizes [len(sets)]int32
	for i, rs := range sets {
		sizes[i] = rs.size
		if toAdd != 0 {
			part := y.proportion(rs, toAdd, added)
			sizes[i] += part
			added += part
		}
	}
	if toAdd != 0 {
		sizes[0] = max(sizes[0]+toAdd-added, 0)
	}
	for i, rs := range sets {
		y.scaleReplicaSet(rs, sizes[i], true)
	}
}

// proportion is deploymentutil.GetReplicaSetProportion.
func (y *deploymentSync) proportion(rs *replicaSet, toAdd, added int32) int32 {
	if rs.size == 0 || toAdd == 0 || toAdd == added {
		return 0
	}
	fraction, allowed := y.fraction(rs), toAdd-added
	if toAdd > 0 {
		return min(fraction, allowed)
	}
	return max(fraction, allowed)
}

// fraction is deploymentutil.getReplicaSetFraction.
func (y *deploymentSync) fraction(rs *replicaSet) int32 {
	if y.replicas == 0 {
		return -rs.size
	}
	most, before := y.replicas+y.maxSurge(y.replicas), rs.max
	if before == 0 {
		for _, x := range [...]*replicaSet{y.newRS, y.oldRS} {
			if x != nil {
				before += x.pods // the Deployment's .status.replicas
			}
		}
		if before == 0 {
			return 0
		}
	}
	return int32(math.Round(float64(rs.size*most)/float64(before))) - rs.size
}
