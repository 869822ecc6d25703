package certificate

// A step of an actor in counters: where all of its guards are at least 0, its effect replaces counters. The amount K is
// at least 1, and any within the guards: the actor's choice is one of them.
type step struct {
	name   string
	guards []Sum
	effect map[string]Sum
	// can are sums that are all at least 0 only where the actor has such a step to take; nil: they are not given.
	can []Sum
}

// K is the amount of a step.
const k = "k"

// Counters of a rollout: sizes of the old and of the new ReplicaSet, their pods by phase, and pods on deletion. Unready
// pods of the old one have yet to be placed or to start.
const (
	created     = "newExists"
	oldSize     = "oldSize"
	oldUnready  = "oldUnready"
	oldReady    = "oldReady"
	newSize     = "newSize"
	newPending  = "newPending"
	newStarting = "newStarting"
	newReady    = "newReady"
	stopping    = "stopping"
	replicas    = "replicas"
	surge       = "surge"
	unavailable = "unavailable"
)

// counters are those that a step may change; no one is ever less than 0.
var counters = []string{created, oldSize, oldUnready, oldReady, newSize, newPending, newStarting, newReady, stopping}

// sum adds names, "-name" subtracts one, and n is the constant.
func sum(n int64, names ...string) Sum {
	out := Sum{One: n}
	for _, name := range names {
		if name[0] == '-' {
			out[name[1:]]--
		} else {
			out[name]++
		}
	}
	return out
}

// parameters is what holds of any number of replicas, and of the surge and the unavailable pods that any maxSurge and
// maxUnavailable come to for it: a percentage of the surge is rounded up, of the unavailable ones down, at most all
// are, and where both are 0 one pod is.
//
// Upstream: pkg/controller/deployment/util: ResolveFenceposts, MaxUnavailable.
func parameters() []Sum {
	return []Sum{
		sum(-1, replicas), sum(0, surge), sum(0, unavailable), sum(0, replicas, "-"+unavailable),
		sum(-1, surge, unavailable),
	}
}

// start is a Deployment at rest, all pods ready, as another template is applied: these sums are 0.
func start() []Sum {
	return []Sum{
		sum(0, created), sum(0, oldSize, "-"+replicas), sum(0, oldUnready), sum(0, oldReady, "-"+replicas), sum(0, newSize),
		sum(0, newPending), sum(0, newStarting), sum(0, newReady), sum(0, stopping),
	}
}

// done is the end of the rollout: these sums are 0.
func done() []Sum {
	return []Sum{
		sum(0, newSize, "-"+replicas), sum(0, newReady, "-"+replicas), sum(0, oldSize), sum(0, oldUnready, oldReady),
	}
}

// floor is at least 0 where as many pods are ready as the rollout promises.
func floor() Sum { return sum(0, oldReady, newReady, "-"+replicas, unavailable) }

// shifted is the effect of moving k from one counter to another; "" is none.
func shifted(from, to string) map[string]Sum {
	out := map[string]Sum{}
	if from != "" {
		out[from] = sum(0, from, "-"+k)
	}
	if to != "" {
		out[to] = sum(0, to, k)
	}
	return out
}

// rolling are the steps of a rollout by RollingUpdate, while only the loops move: the Deployment, its two
// ReplicaSets, the scheduler, which finds a node for every pod, and the kubelet, under which pods get ready.
//
// Upstream, v1.36: pkg/controller/deployment: rolloutRolling, reconcileNewReplicaSet, cleanupUnhealthyReplicas,
// scaleDownOldReplicaSetsForRollingUpdate; deployment/util: NewRSNewReplicas; pkg/controller/replicaset:
// manageReplicas, getPodsToDelete.
func rolling() []step {
	room := sum(0, replicas, surge, "-"+oldSize, "-"+newSize)                 // that the surge leaves
	spare := sum(0, oldSize, newReady, "-"+replicas, unavailable)             // cleanup: maxScaledDown
	above := sum(0, oldReady, newReady, "-"+replicas, unavailable)            // available pods above the least
	surplus := sum(0, oldUnready, oldReady, "-"+oldSize)                      // pods that the old ReplicaSet is to delete
	missing := sum(0, newSize, "-"+newPending, "-"+newStarting, "-"+newReady) // that the new one is to create
	atLeastOne := func(s Sum) Sum { return s.plus(1, Sum{One: -1}) }
	most := func(s Sum) Sum { return s.plus(-1, Sum{k: 1}) }
	return []step{
		{name: "create the new ReplicaSet", guards: []Sum{sum(0, "-"+created)}, effect: map[string]Sum{created: sum(1)},
			can: []Sum{sum(0, "-"+created)}},
		{name: "raise the new ReplicaSet", guards: []Sum{most(sum(0, replicas, "-"+newSize)), most(room)},
			effect: shifted("", newSize), can: []Sum{atLeastOne(sum(0, replicas, "-"+newSize)), atLeastOne(room)}},
		{name: "lower the new ReplicaSet", guards: []Sum{most(sum(0, newSize, "-"+replicas))}, effect: shifted(newSize, "")},
		{name: "lower the old ReplicaSet by unready pods",
			guards: []Sum{most(sum(0, oldSize, "-"+oldReady)), most(spare)}, effect: shifted(oldSize, ""),
			can: []Sum{atLeastOne(sum(0, oldSize, "-"+oldReady)), atLeastOne(spare)}},
		{name: "lower the old ReplicaSet by ready pods",
			guards: []Sum{most(sum(0, oldSize)), most(above), sum(0, oldSize, "-"+oldReady)}, effect: shifted(oldSize, ""),
			can: []Sum{sum(-1, oldSize), atLeastOne(above), sum(0, oldSize, "-"+oldReady), atLeastOne(spare)}},
		{name: "delete old pods that are not ready", guards: []Sum{most(sum(0, oldUnready)), most(surplus)},
			effect: shifted(oldUnready, stopping), can: []Sum{atLeastOne(surplus)}},
		{name: "delete old pods, ready ones too", guards: []Sum{most(sum(0, oldReady, "-"+oldSize))},
			effect: map[string]Sum{oldUnready: sum(0), oldReady: sum(0, oldReady, "-"+k),
				stopping: sum(0, stopping, oldUnready, k)}},
		{name: "create old pods", guards: []Sum{most(surplus.plus(-2, surplus))}, effect: shifted("", oldUnready)},
		{name: "create new pods", guards: []Sum{most(missing)}, effect: shifted("", newPending),
			can: []Sum{atLeastOne(missing)}},
		{name: "delete new pods", guards: []Sum{most(missing.plus(-2, missing))}, effect: shifted(newReady, stopping)},
		{name: "place new pods", guards: []Sum{most(sum(0, newPending))}, effect: shifted(newPending, newStarting),
			can: []Sum{sum(-1, newPending)}},
		{name: "a new pod gets ready", guards: []Sum{most(sum(0, newStarting))}, effect: shifted(newStarting, newReady),
			can: []Sum{sum(-1, newStarting)}},
		{name: "an old pod gets ready", guards: []Sum{most(sum(0, oldUnready))}, effect: shifted(oldUnready, oldReady),
			can: []Sum{sum(-1, oldUnready)}},
		{name: "pods stop", guards: []Sum{most(sum(0, stopping))}, effect: shifted(stopping, ""),
			can: []Sum{sum(-1, stopping)}},
	}
}
