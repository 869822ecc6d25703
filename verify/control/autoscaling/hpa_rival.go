package autoscaling

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// rivalHPA models one more HorizontalPodAutoscaler of a workload that has one. While there
// are pods neither computes a metric, but each keeps the count within its bounds.
//
// Upstream: kubernetes v1.36.3, pkg/controller/podautoscaler: reconcileAutoscaler.
type rivalHPA struct {
	workload int
	name     string // "default/web (web-memory)"
	versions [2]bounds
}

// bounds are those of an HPA in one version; exists is false where it has none.
type bounds struct {
	exists   bool
	min, max int32
	object   string // its ID
}

// newRivals makes the rivals of workload w's HPA.
func newRivals(c *state.Config, w int) []actor.Actor {
	wl := &c.Spec.Workloads[w]
	var out []actor.Actor
	byName := map[string]*rivalHPA{}
	for v := range wl.Manifests {
		for _, o := range wl.Manifests[v].Rivals {
			r := byName[o.Name]
			if r == nil {
				r = &rivalHPA{workload: w, name: objects.OwnName(wl) + " (" + o.Name + ")"}
				byName[o.Name] = r
				out = append(out, r)
			}
			r.versions[v] = bounds{exists: true, min: hpaMin(o), max: o.Spec.MaxReplicas,
				object: "autoscaling/HorizontalPodAutoscaler " + wl.Namespace + "/" + o.Name}
		}
	}
	return out
}

func (r *rivalHPA) Name() string           { return "hpa/" + r.name }
func (r *rivalHPA) Latency() actor.Latency { return actor.Periodic }

func (*rivalHPA) Traits(*state.Config) actor.Traits { return actor.Traits{Managed: true} }

func (r *rivalHPA) Step(s state.State, next *actor.Emit) {
	b, current := &r.versions[s.VersionOf(r.workload)], int32(s.Replicas(r.workload))
	if !b.exists || !s.Manifest(r.workload).Exists() || current == 0 || b.min <= current && current <= b.max {
		return
	}
	t := next.Copy(s)
	want := b.min
	if current > b.max {
		want = b.max
	}
	t.SetReplicas(r.workload, int(want))
	if s.C.Spec.Apply == state.ServerSide {
		t.Set(t.C.Workload[r.workload].Owners, int(state.Autoscaler))
	}
	next.Move(search.Move{})
}

func (r *rivalHPA) Describe(from, to state.State, _ search.Move) actor.Words {
	b := &r.versions[from.VersionOf(r.workload)]
	why, field := fmt.Sprintf("below minReplicas %d", b.min), "spec.minReplicas"
	if to.Replicas(r.workload) < from.Replicas(r.workload) {
		why, field = fmt.Sprintf("above maxReplicas %d", b.max), "spec.maxReplicas"
	}
	return actor.Words{
		Action: "scale", Object: from.C.Spec.Workloads[r.workload].ID,
		Text: fmt.Sprintf("HPA scales %s from %d to %d (%s)", r.name, from.Replicas(r.workload),
			to.Replicas(r.workload), why),
		Because: []actor.Ref{{Object: b.object, Version: from.VersionOf(r.workload), Field: field}},
	}
}

func (r *rivalHPA) Model() *actor.Model { return (&HPA{}).Model() }
