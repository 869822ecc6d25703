package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rolloutRolling is the function of that name: at most one ReplicaSet grows a sync, and
// old ones shrink only in a sync in which the new one did not.
func (y *deploymentSync) rolloutRolling() {
	if y.newRS == nil {
		y.createNewReplicaSet()
	}
	if y.reconcileNewReplicaSet() {
		return
	}
	if y.oldRS.active() {
		y.reconcileOldReplicaSets()
	}
}

func (y *deploymentSync) reconcileNewReplicaSet() bool {
	rs := y.newRS
	switch {
	case rs.size == y.replicas:
		return false
	case rs.size > y.replicas:
		return y.scaleReplicaSet(rs, y.replicas, false)
	default:
		return y.scaleReplicaSet(rs, y.newRSNewReplicas(rs), false)
	}
}

// reconcileOldReplicaSets is the function of that name, with cleanupUnhealthyReplicas
// and scaleDownOldReplicaSetsForRollingUpdate, for one old ReplicaSet.
func (y *deploymentSync) reconcileOldReplicaSets() {
	minAvailable := y.replicas - y.maxUnavailable(y.replicas)
	newUnavailable := y.newRS.size - y.newRS.available
	maxScaledDown := y.allPods() - minAvailable - newUnavailable
	if maxScaledDown <= 0 {
		return
	}
	old := y.oldRS
	if old.size != old.available {
		cleanup := min(maxScaledDown, old.size-old.available)
		if cleanup < 0 {
			return // upstream: "got invalid request to scale down", more are available than asked for
		}
		y.scaleReplicaSet(old, old.size-cleanup, false)
	}
	available := y.newRS.available + old.available
	if available <= minAvailable || old.size == 0 {
		return
	}
	y.scaleReplicaSet(old, old.size-min(old.size, available-minAvailable), false)
}

// rolloutRecreate is the function of that name: all old pods go, and are gone, before
// the first new one comes.
func (y *deploymentSync) rolloutRecreate() {
	if y.oldRS.active() {
		y.scaleReplicaSet(y.oldRS, 0, false)
		return
	}
	if y.oldRuns { // oldPodsRunning: terminating pods count
		return
	}
	if y.newRS == nil {
		y.createNewReplicaSet()
	}
	y.scaleReplicaSet(y.newRS, y.replicas, false)
}

// describe words one sync from what it changed.
func (d *Deployment) describe(from, to state.State) actor.Words {
	c, v := from.C, from.VersionOf(d.Workload)
	r := &d.versions[v]
	id := c.Spec.Workloads[d.Workload].ID
	w := actor.Words{Action: "scale-replicaset", Object: id}
	var parts []string
	grows, scaled := false, -1
	for _, p := range c.ClassesOf[d.Workload] {
		if c.Pods[p].Set != p {
			continue
		}
		f := &c.Class[p]
		old, now := from.Get(f.Size), to.Get(f.Size)
		if desired := from.Get(f.Desired); old > 0 && desired != from.Replicas(d.Workload) { // isScalingEvent
			scaled = desired
		}
		set := "the " + objects.Revised(c, p, "ReplicaSet")
		switch {
		case from.Get(f.Exists) < to.Get(f.Exists):
			w.Action = "create-replicaset"
			parts = slices.Insert(parts, 0, fmt.Sprintf("creates %s with %s", set, english.Plural(now, "replica", "")))
			grows = grows || now > 0
		case old < now:
			parts = append(parts, fmt.Sprintf("raises %s from %d to %d", set, old, now))
			grows = true
		case old > now:
			parts = append(parts, fmt.Sprintf("lowers %s from %d to %d", set, old, now))
		}
	}
	if len(parts) == 0 {
		w.Action = "annotate-replicaset"
		parts = append(parts, "records the new number of replicas on its ReplicaSets")
	}
	w.Text = "Deployment " + d.name + " " + strings.Join(parts, " and ")
	ref := func(field string) { w.Because = append(w.Because, actor.Ref{Object: id, Version: v, Field: field}) }
	replicas := int32(from.Replicas(d.Workload))
	switch {
	case r.paused:
		w.Text += " (paused)"
		ref("spec.paused")
	case scaled >= 0:
		w.Text += fmt.Sprintf(" (replicas %d -> %d)", scaled, replicas)
	case r.recreate:
		w.Text += " (Recreate)"
		ref("spec.strategy.type")
	case c.Revisions(d.Workload) > 1:
		w.Text += fmt.Sprintf(" (replicas %d, surge %d, unavailable %d)", replicas, r.maxSurge(replicas),
			r.maxUnavailable(replicas))
		first, second := "spec.strategy.rollingUpdate.maxUnavailable", "spec.strategy.rollingUpdate.maxSurge"
		if grows {
			first, second = second, first
		}
		ref(first)
		ref(second)
	}
	ref("spec.replicas")
	return w
}
