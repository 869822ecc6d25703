package autoscaling

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// keda models the replicas of a ScaledObject that KEDA itself writes: from one to none and back. Between one and many
// it leaves them to the HorizontalPodAutoscaler that it makes.
//
// Upstream: kedacore/keda v2, pkg/scaling/executor: RequestScale, scaleToZeroOrIdle,
// scaleFromZeroOrIdle.
type keda struct {
	workload int
	name     string // "default/web"
	acts     [2]bool
}

func NewKEDA(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		k := &keda{workload: w, name: objects.OwnName(wl)}
		for v := range wl.Manifests {
			o := wl.Manifests[v].KEDA
			if o == nil {
				continue
			}
			if o.Err != nil {
				return nil, fmt.Errorf("scaledobject %s/%s: %w", wl.Namespace, o.Name, o.Err)
			}
			k.acts[v] = o.ToZero
		}
		if k.acts[state.Base] || k.acts[state.Head] {
			out = append(out, k)
		}
	}
	return out, nil
}

// Traits implements [actor.Declarer]: it looks at no pods.
func (*keda) Traits(*state.Config) actor.Traits { return actor.Traits{Lumps: actor.AnyLikeness} }

func (k *keda) Name() string           { return "keda/" + k.name }
func (k *keda) Latency() actor.Latency { return actor.Periodic }

func (k *keda) Step(s state.State, next *actor.Emit) {
	if !k.acts[s.VersionOf(k.workload)] || !s.Manifest(k.workload).Exists() {
		return
	}
	idle, none := s.Load(k.workload) == state.Idle, s.Replicas(k.workload) == 0
	if idle == none {
		return
	}
	t := next.Copy(s)
	to := 1
	if idle {
		to = 0
	}
	t.SetReplicas(k.workload, to)
	if s.C.Spec.Apply == state.ServerSide {
		t.Set(t.C.Workload[k.workload].Owners, int(state.Autoscaler))
	}
	next.Move(objects.Done)
}

func (k *keda) Describe(from, to state.State, _ search.Move) actor.Words {
	wl := &from.C.Spec.Workloads[k.workload]
	why := "the load is idle"
	if to.Replicas(k.workload) > 0 {
		why = "the load is " + from.Load(k.workload).String()
	}
	return actor.Words{
		Action: "scale", Object: wl.ID,
		Text: fmt.Sprintf("KEDA scales %s from %d to %d (%s)", k.name, from.Replicas(k.workload),
			to.Replicas(k.workload), why),
		Because: []actor.Ref{{Object: "keda.sh/ScaledObject " + wl.Namespace + "/" +
			wl.Manifests[from.VersionOf(k.workload)].KEDA.Name,
			Version: from.VersionOf(k.workload), Field: "spec.minReplicaCount"}},
	}
}

func (k *keda) Model() *actor.Model {
	return &actor.Model{
		Upstream: "kedacore/keda v2, pkg/scaling/executor: RequestScale, scaleToZeroOrIdle, scaleFromZeroOrIdle; controllers/keda: newHPAForScaledObject, getHPAMetricSpecs",
		Exact: []string{
			"with minReplicaCount 0 and a trigger other than cpu and memory: none without load, one again with any; the rest is the HPA's",
		},
		MayInvent: []string{"cooldownPeriod and pollingInterval may have passed at any moment"},
		MayHide: []string{
			"all triggers are active under any load, none without; each counts units per pod with a target of one",
			"fallback is not modeled",
		},
		Refused: []string{"targets other than Deployments",
			"paused ScaledObjects, idleReplicaCount, scalingModifiers, metricType Value"},
	}
}
