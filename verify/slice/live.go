package slice

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/verify/snapshot"
	"github.com/kubesettle/kubesettle/verify/state"
)

// StartLive takes the live state of the slice's workloads as a start of the change, or says why it cannot.
func (sl *Slice) StartLive(shot *snapshot.Snapshot) (why string) {
	live := make([]*snapshot.Workload, len(sl.Spec.Workloads))
	any := false
	for i := range sl.Spec.Workloads {
		w := &sl.Spec.Workloads[i]
		m := &w.Manifests[state.Base]
		if !m.Exists() {
			continue
		}
		any = true
		switch live[i] = liveOf(shot, w.ID); {
		case m.Kind().Ends():
			return fmt.Sprintf("%s runs to completion", w.ID)
		case m.Kind() != state.Deployment && m.Kind() != state.StatefulSet && m.Kind() != state.DaemonSet:
			return fmt.Sprintf("%s is of a kind that has none", w.ID)
		case live[i] == nil:
			return fmt.Sprintf("the cluster does not have %s", w.ID)
		case len(w.Sizes) > 0 || m.VPA != nil:
			return fmt.Sprintf("a vertical autoscaler sets the size of the pods of %s", w.ID)
		case m.ReplicasField() != nil && live[i].Replicas == nil:
			return fmt.Sprintf("how many replicas %s has is not in the snapshot", w.ID)
		case len(revisionsOf(live[i])) > 1:
			return fmt.Sprintf("%s was in the middle of a rollout", w.ID)
		}
	}
	switch {
	case !any:
		return ""
	case shot.Missing("pods") != "":
		return "not all pods are in the snapshot"
	case len(sl.Spec.Claims) > 0:
		return "where the volumes of its pods are is not followed"
	}
	sl.Live = live
	return ""
}

// revisionsOf are the revisions of which a workload has pods that are not on deletion.
func revisionsOf(w *snapshot.Workload) []string {
	var out []string
	for _, p := range w.Pods {
		running := p.Pending > 0
		for _, on := range p.On {
			running = running || on.Ready+on.Starting > 0
		}
		if running && !slices.Contains(out, p.Revision) {
			out = append(out, p.Revision)
		}
	}
	return out
}
