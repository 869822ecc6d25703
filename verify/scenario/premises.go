package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/verify/control/admission"
	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// premiseStates bounds the search that tells whether a finding rests on the number of the
// assumed nodes.
const premiseStates = 30_000

// mostNodes is the most nodes of a class that such a cluster has.
const mostNodes = 40

// manyNodes gives a variant of an assumed cluster with a node of every class, and for pods that are kept apart by zone
// a zone, for every possible pod: no violation is then for lack of nodes. It is false where the cluster has as many
// already.
func (v Variant) manyNodes() (Variant, bool) {
	pods := 1
	for _, w := range v.Spec.Workloads {
		most := 0
		for _, m := range w.Manifests {
			if m.Exists() && m.Kind() != state.DaemonSet {
				n := mostReplicas(&m, &v.Spec.Events)
				most = max(most, n+m.Pace().SurgeOf(n))
			}
		}
		pods += most
	}
	apart := ApartBy(v.Spec.Workloads)
	if !slices.ContainsFunc(v.Spec.Classes, func(c state.NodeClass) bool { return c.Max < pods && len(c.Names) == 0 }) &&
		len(apart) == 0 {
		return v, false
	}
	pods = min(pods, mostNodes)
	classes := slices.Clone(v.Spec.Classes)
	for i := range classes {
		c := &classes[i]
		c.Pool, c.PoolMin, c.PoolMax, c.Shape = "", 0, 0, ""
		if len(c.Names) == 0 {
			c.Min, c.Max = pods, pods
		}
	}
	if len(apart) > 0 {
		classes = append(classes, domains(classes[0], apart, pods)...)
	}
	v.Spec.Classes = classes
	return v, true
}

// domains gives classes of one node, each with different values of the given labels.
func domains(like state.NodeClass, keys []string, count int) []state.NodeClass {
	out := make([]state.NodeClass, count)
	for i := range out {
		c := like
		c.Node = like.Node.DeepCopy()
		c.Name = fmt.Sprintf("%s.%d", like.Name, i+1)
		c.Node.Name, c.Node.Labels[corev1.LabelHostname] = c.Name, c.Name
		for _, key := range keys {
			c.Node.Labels[key] = c.Name
		}
		c.Min, c.Max = 1, 1
		out[i] = c
	}
	return out
}

// ApartBy are the node labels, except for the hostname, by which pods are kept apart.
func ApartBy(workloads []state.Workload) []string {
	var out []string
	for _, w := range workloads {
		for _, m := range w.Manifests {
			if !m.Exists() {
				continue
			}
			for _, t := range kube.Terms(m.Pod()) {
				if t.Anti && t.Required && t.TopologyKey != corev1.LabelHostname && !slices.Contains(out, t.TopologyKey) {
					out = append(out, t.TopologyKey)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// mostReplicas is the most that a manifest asks for.
func mostReplicas(m *state.Manifest, e *state.Events) int {
	return max(m.MostReplicas(), m.JobPods(e))
}

// In reports whether a list has a violation with the events of v or fewer: another one of its rule and object, which
// takes a failure more, says nothing of it.
func (v Violation) In(list []Violation) bool {
	return slices.ContainsFunc(list, func(x Violation) bool { return x.Key() == v.Key() && fewer(x.Kinds(), v.Kinds()) })
}

// Anywhere reports whether a violation that the largest assumed cluster shows is there on
// one with many nodes as well.
func (c *Checker) Anywhere(ctx context.Context, found Violation) Answer {
	v, larger := found.Variant.manyNodes()
	if !larger {
		return Yes
	}
	return c.shows(ctx, Task{Variant: v, Topology: scale.Largest(v.Spec.Classes)}, found)
}

// HoldsElsewhere reports whether a violation is there, too, wherever else the pods of other workloads can stand, at the
// declared size.
func (c *Checker) HoldsElsewhere(ctx context.Context, found Violation) Answer {
	out := Yes
	for _, classes := range found.Variant.Slice.Elsewhere {
		v := found.Variant
		sl := *v.Slice
		sl.BaseNodes = nil // they are of other classes
		if sl.Before != nil {
			before := *sl.Before
			before.Classes = nil
			sl.Before = &before
		}
		v.Slice, v.Spec.Classes = &sl, classes
		switch c.shows(ctx, Task{Variant: v, Topology: scale.Largest(v.Spec.Classes)}, found) {
		case No:
			return No
		case Undecided:
			out = Undecided
		}
	}
	return out
}

// WithRoom reports whether a violation is seen where every request fits, too: it does not rest on room.
func (c *Checker) WithRoom(ctx context.Context, found Violation) Answer {
	v := found.Variant
	v.Spec.Classes = slices.Clone(v.Spec.Classes)
	for i := range v.Spec.Classes {
		v.Spec.Classes[i].Elastic, v.Spec.Classes[i].Beside = true, nil
	}
	return c.shows(ctx, Task{Variant: v, Topology: found.Topology()}, found)
}

// OnAssumed names the claim that a violation's pods wait for where it is not among the objects, so
// that how many nodes can use its volume is assumed; nil: there is none.
func (v Violation) OnAssumed() *state.Claim {
	return v.claimWhich(func(c *state.Claim) bool { return c.Assumed })
}

// claim names a claim that a violation's pods wait for; nil: there is none.
func (v Violation) claim() *state.Claim { return v.claimWhich(func(*state.Claim) bool { return true }) }

func (v Violation) claimWhich(is func(*state.Claim) bool) *state.Claim {
	s := state.State{C: v.Problem.Cfg, B: v.last()}
	for _, p := range s.C.ClassesOf[v.Bound.Workload] {
		if s.Waiting(p) == 0 {
			continue
		}
		for _, k := range s.C.Uses[p] {
			if c := &s.C.Spec.Claims[k]; is(c) {
				return c
			}
		}
	}
	return nil
}

// RestsOnCohort is the cohort of Kueue with whose members lending without end a violation is not seen, or the budget
// does not last to tell; "": it hangs on none.
func (c *Checker) RestsOnCohort(ctx context.Context, found Violation) (cohort string) {
	return c.restsOnQueue(ctx, found, func(q *state.Queue, own bool, _ *corev1.Pod) string {
		if !q.Borrows() {
			return ""
		}
		if q.Endless = true; own {
			return q.Cohort
		}
		return ""
	})
}

// RestsOnUncovered is the extended resource that a violation's ClusterQueue of Kueue does not cover and without which
// it is not seen, or the budget does not last to tell; "": it hangs on none.
func (c *Checker) RestsOnUncovered(ctx context.Context, found Violation) (name string) {
	return c.restsOnQueue(ctx, found, func(q *state.Queue, own bool, pod *corev1.Pod) (name string) {
		if !own {
			return ""
		}
		for _, r := range slices.Sorted(maps.Keys(admission.QueueUse(pod))) {
			if q.Limit(r) == nil && Translated(r) {
				name = string(r)
				q.Limits = append(slices.Clip(q.Limits), state.QueueLimit{Resource: r, Nominal: 1 << 60})
			}
		}
		return name
	})
}

// Translated reports whether Kueue's own configuration may make other resources of one, or leave it out, which it does
// to those of devices.
//
// Upstream: kueue v0.19.2, apis/config/v1beta2: Resources.Transformations and ExcludeResourcePrefixes.
func Translated(name corev1.ResourceName) bool { return strings.Contains(string(name), "/") }

// restsOnQueue is the premise that eased gives for the ClusterQueue that a violation's pods wait in, if the violation
// is not seen where the ClusterQueues are as eased leaves them; own says that a queue is this one, of which pod is one
// of the pods.
func (c *Checker) restsOnQueue(ctx context.Context, found Violation,
	eased func(q *state.Queue, own bool, pod *corev1.Pod) string) (what string) {
	v, w := found.Variant, &found.Problem.Cfg.Spec.Workloads[found.Bound.Workload]
	v.Spec.Quotas = slices.Clone(v.Spec.Quotas)
	for i := range v.Spec.Quotas {
		q := &v.Spec.Quotas[i]
		for version, queue := range q.Queues {
			if queue == nil {
				continue
			}
			m, own := &w.Manifests[version], *queue
			pod := &corev1.Pod{}
			if m.Exists() {
				pod.Spec = *m.Pod()
			}
			if say := eased(&own, m.Exists() && m.Queue == q.Name, pod); say != "" {
				what = say
			}
			q.Queues[version] = &own
		}
	}
	if what == "" {
		return ""
	}
	if _, ok := c.directedAt(ctx, v, found); ok {
		return ""
	}
	o := c.Within(premiseStates).Both(ctx, Task{Variant: v, Topology: found.Topology()})
	if o.Err == nil && slices.ContainsFunc(o.Head, func(x Violation) bool { return x.Key() == found.Key() }) {
		return ""
	}
	return what
}
