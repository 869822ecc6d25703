package workloads

import (
	"fmt"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/control/scheduler"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// creation models the creation of a Pod that no controller owns, by whoever applies it. That is all: nothing watches
// over the Pod, and it is not replaced.
//
// Upstream: kubernetes v1.36.3, pkg/registry/core/pod: (podStrategy).PrepareForCreate, with the admission that
// every pod meets.
type creation struct {
	workload int
	name     string
	quotas   *admission.Quotas
}

// NewPod builds the creation of each Pod that is a workload itself.
func NewPod(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	var out []actor.Actor
	quotas := admission.NewQuotas(c)
	for w := range c.Spec.Workloads {
		wl := &c.Spec.Workloads[w]
		if !wl.Kind().Bare() {
			continue
		}
		for _, p := range c.ClassesOf[w] {
			if node, err := scheduler.FixedNode(c, p); err != nil || node >= 0 {
				return nil, fmt.Errorf("%s: spec.nodeName: a pod on one node that the kubelet may refuse: %w", wl.ID, actor.ErrUnmodeled)
			}
		}
		out = append(out, &creation{workload: w, name: "pod/" + objects.ShortName(wl), quotas: quotas})
	}
	return out, nil
}

func (c *creation) Name() string           { return c.name }
func (c *creation) Latency() actor.Latency { return actor.Sync }

// Traits implements [actor.Declarer]: it looks at no pods; a webhook's server answers where it is ready.
func (*creation) Traits(c *state.Config) actor.Traits {
	return actor.Traits{
		Lumps: func(k actor.Likeness) bool {
			return k.Kind == actor.StoppingAs || len(c.Spec.Admission.Webhooks) == 0
		},
	}
}

// Step implements [actor.Actor]: the API server takes the Pod, as soon as quotas and webhooks let it.
func (c *creation) Step(s state.State, next *actor.Emit) {
	p := s.NewClass(c.workload)
	if !s.Owed(c.workload) || p < 0 || c.quotas.Room(s, p, 1) < 1 {
		return
	}
	t := next.Copy(s)
	f := &t.C.Class[p]
	t.Set(f.Size, 0)
	t.Set(f.Pending, t.Get(f.Pending)+1)
	next.Move(objects.Done)
}

func (c *creation) Describe(from, to state.State, _ search.Move) actor.Words {
	p := to.NewClass(c.workload)
	return actor.Words{
		Action: "create-pod", Object: objects.PodObject(to.C, p),
		Text: "the API server creates " + objects.OnePod(to.C, p, ""),
		Because: []actor.Ref{{
			Object: to.C.Spec.Workloads[c.workload].ID, Version: to.VersionOf(c.workload), Field: "spec.template",
		}},
	}
}

func (c *creation) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", pkg/registry/core/pod: podStrategy; pkg/kubelet/kuberuntime: computePodActions",
		Exact: []string{
			"an evicted, deleted, preempted or lost pod is not replaced until it is applied again",
			"an update in place: another image restarts a container in place; a pod that has failed is not created again",
		},
		MayInvent: []string{"who applies a pod that a quota or a webhook refuses asks again"},
		MayHide: []string{
			"a pod that ends by itself (restartPolicy, activeDeadlineSeconds) runs on",
			"a failed pod stays also when its node is removed; static pods of a kubelet, and pods of hooks and tests, are not there",
		},
		Refused: []string{"spec.nodeName of a pod without a controller"},
	}
}
