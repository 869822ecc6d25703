package admission

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// webhookLoop models that an admission webhook takes effect once its server answers: the
// first time that one of its pods is ready. From then on pods that it guards are created
// only while somebody answers; whoever creates pods asks [Quotas.Room].
//
// Upstream: kubernetes v1.36.3, staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic:
// (*Webhook).ShouldCallHook; validating and mutating dispatcher: Dispatch (failurePolicy).
type webhookLoop struct {
	index int
	name  string
}

// NewAdmission notes which pods are refused whatever else there is, by LimitRanges last, and gives the webhooks.
func NewAdmission(b *state.Builder) ([]actor.Actor, error) {
	c := b.Config()
	for v := range c.Refusals {
		for p := range c.Pods {
			if r := c.Spec.Admission.Refusal(state.Version(v), &c.Pods[p]); r != nil {
				c.Refuse(state.Version(v), p, r)
			}
		}
	}
	for v, ranges := range c.Spec.Admission.LimitRanges {
		for p := range c.Pods {
			own := InNamespace(ranges, c.Pods[p].Namespace)
			if len(own) == 0 {
				continue
			}
			pod := c.Pods[p].Template.Spec.DeepCopy()
			ApplyLimitRanges(pod, own)
			if refusal := LimitRefusal(pod, own); refusal != nil {
				c.Refuse(state.Version(v), p, refusal)
			}
		}
	}
	var out []actor.Actor
	for i := range c.Spec.Admission.Webhooks {
		out = append(out, &webhookLoop{index: i, name: "webhook/" + c.Spec.Admission.Webhooks[i].Name})
	}
	return out, nil
}

// InNamespace lists the LimitRanges of a namespace.
func InNamespace(ranges []*corev1.LimitRange, namespace string) []*corev1.LimitRange {
	var out []*corev1.LimitRange
	for _, r := range ranges {
		if r.Namespace == namespace {
			out = append(out, r)
		}
	}
	return out
}

func (a *webhookLoop) Name() string           { return a.name }
func (a *webhookLoop) Latency() actor.Latency { return actor.Sync }

func (a *webhookLoop) Step(s state.State, next *actor.Emit) {
	armed, h := s.C.Armed[a.index], &s.C.Spec.Admission.Webhooks[a.index]
	if s.Get(armed) == 1 || h.Guards[s.Version()] == nil || !s.Answers(h) {
		return
	}
	t := next.Copy(s)
	t.Set(armed, 1)
	next.Move(objects.Done)
}

func (a *webhookLoop) Describe(from, _ state.State, _ search.Move) actor.Words {
	h := &from.C.Spec.Admission.Webhooks[a.index]
	return actor.Words{
		Action: "guard-pods", Object: h.Object, Text: "the webhook " + h.Name + " is answered, and takes effect",
		Because: []actor.Ref{{Object: h.Object, Version: from.Version(), Field: h.Field}},
	}
}

func (a *webhookLoop) Model() *actor.Model {
	return &actor.Model{
		Upstream: objects.Upstream + ", staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook: ShouldCallHook, Dispatch",
		Exact:    []string{"whether a webhook with failurePolicy Fail is asked about a pod: rules, namespaceSelector, objectSelector"},
		MayInvent: []string{
			"a Namespace that is not among the objects has only the labels that every one has",
		},
		MayHide: []string{
			"a webhook always answers and admits if its server is outside the slice or no Service, or it has matchConditions",
			"a webhook takes effect once its server was ready: an installation that waits for itself is missed",
			"a server that answers admits every pod; pods that stop still answer",
		},
	}
}

// Forbidden words why a pod of class p may not be created, for other reasons than a quota,
// and names the fields; "" where it may.
func Forbidden(s state.State, p int) (string, []actor.Ref) {
	v := s.VersionOfClass(p)
	own := actor.Ref{Object: s.C.Spec.Workloads[s.C.Pods[p].Workload].ID, Version: v}
	if r := s.Refused(p); r != nil {
		own.Field = cmp.Or(r.Own, "spec.template.spec")
		refs := []actor.Ref{own}
		if r.Object != "" {
			refs = append(refs, actor.Ref{Object: r.Object, Version: v, Field: r.Field})
		}
		return r.Text, refs
	}
	if h := s.Guard(p); h != nil {
		return fmt.Sprintf("failed calling webhook %q: no pod that serves it is ready",
			h.Name), []actor.Ref{{Object: h.Object, Version: v, Field: h.Field}}
	}
	return "", nil
}
