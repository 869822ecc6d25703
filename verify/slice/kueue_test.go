package slice

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Whether a Job that waits in a queue starts is for Kueue to say, unless the queue is stopped; another Job's suspend
// stands, and so does the object that was read.
func TestSuspendIsKueues(t *testing.T) {
	for _, c := range []struct {
		name, label, cluster, local string
		want                        bool
	}{
		{"in a queue", "team", "", "", false},
		{"in none", "", "", "", true},
		{"in one that is not declared", "other", "", "", true},
		{"the queue has None", "team", "None", "None", false},
		{"the ClusterQueue holds", "team", "Hold", "", true},
		{"the LocalQueue drains", "team", "", "HoldAndDrain", true},
	} {
		made := func(group, kind, name string, spec map[string]any) *object.Object {
			return &object.Object{ID: object.ID{Group: group, Kind: kind, Namespace: "shop", Name: name},
				Content: map[string]any{"spec": spec}}
		}
		var k kueue
		k.add(made(KueueGroup, "ClusterQueue", "all", map[string]any{"stopPolicy": c.cluster}))
		k.add(made(KueueGroup, "LocalQueue", "team", map[string]any{"clusterQueue": "all", "stopPolicy": c.local}))
		job := made("batch", "Job", "train", nil)
		job.Content["metadata"] = map[string]any{"labels": map[string]any{queueLabel: c.label}}
		typed := &batchv1.Job{Spec: batchv1.JobSpec{Suspend: new(bool)}}
		*typed.Spec.Suspend = true
		job.Typed = typed
		m, _ := state.ManifestOf(typed)
		sl := &Slice{Objects: map[string]*[2]*object.Object{}}
		sl.enqueue(0, job, side{kueue: k}, &m)
		if m.Suspended() != c.want || !*typed.Spec.Suspend {
			t.Errorf("%s: suspended %v, want %v; the object has %v", c.name, m.Suspended(), c.want, *typed.Spec.Suspend)
		}
	}
}
