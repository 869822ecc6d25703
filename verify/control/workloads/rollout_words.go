package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Describe implements [actor.Actor]: one sync from what it changed.
func (r *Rollout) Describe(from, to state.State, _ search.Move) actor.Words {
	c, v := from.C, from.VersionOf(r.Workload)
	p := &r.versions[v]
	id := c.Spec.Workloads[r.Workload].ID
	w := actor.Words{Action: "scale-replicaset", Object: id}
	var parts []string
	for _, class := range c.ClassesOf[r.Workload] {
		f := &c.Class[class]
		old, now := from.Get(f.Size), to.Get(f.Size)
		set := "the " + objects.Revised(c, class, "ReplicaSet")
		switch {
		case from.Get(f.Exists) < to.Get(f.Exists):
			w.Action = "create-replicaset"
			parts = slices.Insert(parts, 0, fmt.Sprintf("creates %s with %s", set, english.Plural(now, "replica", "")))
		case old < now:
			parts = append(parts, fmt.Sprintf("raises %s from %d to %d", set, old, now))
		case old > now:
			parts = append(parts, fmt.Sprintf("lowers %s from %d to %d", set, old, now))
		}
	}
	told := r.told(from, to)
	if len(parts) == 0 && len(told) > 0 {
		w.Action = "sync-status"
	}
	if parts = append(parts, told...); len(parts) == 0 {
		w.Action = "annotate-replicaset"
		parts = append(parts, "records numbers and deadlines on its ReplicaSets")
	}
	w.Text = "Rollout " + r.name + " " + english.OxfordWordSeries(parts, "and")
	ref := func(field string) { w.Because = append(w.Because, actor.Ref{Object: id, Version: v, Field: field}) }
	switch {
	case p.paused:
		w.Text += " (paused)"
		ref("spec.paused")
	case p.blueGreen:
		ref("spec.strategy.blueGreen")
	default:
		ref("spec.strategy.canary")
	}
	ref("spec.replicas")
	return w
}

// told words a sync's changes of the status.
func (r *Rollout) told(from, to state.State) []string {
	c := from.C
	f := &c.Workload[r.Workload].Rollout
	plan := &r.versions[from.VersionOf(r.Workload)]
	old, now := rolloutSync{rolloutPlan: plan}, rolloutSync{rolloutPlan: plan}
	old.read(from, r.Workload)
	now.read(to, r.Workload)
	x, y := &old.old, &now.old
	var out []string
	say := func(ok bool, format string, args ...any) {
		if ok {
			out = append(out, strings.TrimSpace(fmt.Sprintf(format, args...)))
		}
	}
	set := func(field state.Field) string {
		if class := to.RevisionOf(r.Workload, field); class >= 0 {
			return "the " + objects.Revised(c, class, "ReplicaSet")
		}
		return "no ReplicaSet"
	}
	say(y.weights && y.weight != x.weight, "sends %d%% of the requests to the canary",
		y.weight*100/max(old.canary.MaxWeight, 1))
	say(x.active != y.active, "points the active Service to %s", set(f.Active))
	say(x.stable != y.stable, "takes %s for the stable one", set(f.Stable))
	say(y.checked && !x.checked, "has seen enough of the preview")
	say(y.pause == state.PausedNow && x.pause != y.pause, "pauses")
	say(x.stable == y.stable && x.current == y.current && x.step != y.step && !y.abort, "goes to step %d of %d",
		y.step, len(old.canary.Steps))
	say(x.abort && !y.abort, "forgets that it was aborted")
	say(x.current != y.current && len(out) == 0, "begins the update")
	return out
}
