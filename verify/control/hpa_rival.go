package control

import (
	"fmt"

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
func newRivals(c *state.Config, w int) []Actor {
	wl := &c.Spec.Workloads[w]
	var out []Actor
	byName := map[string]*rivalHPA{}
	for v := range wl.Manifests {
		for _, o := range wl.Manifests[v].Rivals {
			r := byName[o.Name]
			if r == nil {
				r = &rivalHPA{workload: w, name: shortName(wl) + " (" + o.Name + ")"}
				byName[o.Name] = r
				out = append(out, r)
			}
			r.versions[v] = bounds{exists: true, min: hpaMin(o), max: o.Spec.MaxReplicas,
				object: "autoscaling/HorizontalPodAutoscaler " + wl.Namespace + "/" + o.Name}
		}
	}
	return out
}

// Name implements [Actor].
func (r *rivalHPA) Name() string { return "hpa/" + r.name }

// Latency implements [Actor].
func (r *rivalHPA) Latency() Latency { return Periodic }

// Step implements [Actor].
func (r *rivalHPA) Step(s state.State, next *Emit) {
	b, current := &r.versions[s.Version()], int32(s.Replicas(r.workload))
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

// Describe implements [Actor].
func (r *rivalHPA) Describe(from, to state.State, _ search.Move) Words {
	b := &r.versions[from.Version()]
	why, field := fmt.Sprintf("below minReplicas %d", b.min), "spec.minReplicas"
	if to.Replicas(r.workload) < from.Replicas(r.workload) {
		why, field = fmt.Sprintf("above maxReplicas %d", b.max), "spec.maxReplicas"
	}
	return Words{
		Action: "scale", Object: from.C.Spec.Workloads[r.workload].ID,
		Text:    fmt.Sprintf("HPA scales %s from %d to %d (%s)", r.name, from.Replicas(r.workload), to.Replicas(r.workload), why),
		Because: []Ref{{Object: b.object, Version: from.Version(), Field: field}},
	}
}

// Model implements [Actor].
func (r *rivalHPA) Model() *Model { return (&hpa{}).Model() }
