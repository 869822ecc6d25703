package verify

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/verify/scale"
	"github.com/kubesettle/kubesettle/verify/state"
)

// roomyStates bounds the search that tells whether a finding rests on the number of the
// assumed nodes.
const roomyStates = 30_000

// mostRoom is the most pods, of one slice at once, for which a roomy cluster is searched.
const mostRoom = 40

// roomy gives a variant of an assumed cluster with a node of every class, and for what is
// kept apart by zone a zone, for every pod that there can be: nothing is for want of them.
// It is false where the cluster is roomy already.
func (v variant) roomy() (variant, bool) {
	pods := 1
	for _, w := range v.spec.Workloads {
		most := 0
		for _, m := range w.Manifests {
			if m.Exists() && m.Kind() != state.DaemonSet {
				n := mostReplicas(&m, &v.spec.Events)
				most = max(most, n+surge(m.Deployment, n))
			}
		}
		pods += most
	}
	apart := apartBy(v.spec.Workloads)
	if !slices.ContainsFunc(v.spec.Classes, func(c state.NodeClass) bool { return c.Max < pods && len(c.Names) == 0 }) && len(apart) == 0 {
		return v, false
	}
	pods = min(pods, mostRoom)
	classes := slices.Clone(v.spec.Classes)
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
	v.spec.Classes = classes
	return v, true
}

// domains gives classes of one node, each with values of its own of the given labels.
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

// apartBy are the node labels, but for the hostname, by which pods are kept apart.
func apartBy(workloads []state.Workload) []string {
	var out []string
	for _, w := range workloads {
		for _, m := range w.Manifests {
			if !m.Exists() || m.Pod().Affinity == nil || m.Pod().Affinity.PodAntiAffinity == nil {
				continue
			}
			for _, t := range m.Pod().Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
				if t.TopologyKey != corev1.LabelHostname && !slices.Contains(out, t.TopologyKey) {
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
	n := max(m.Replicas(), m.JobPods(e))
	if m.HPA != nil {
		n = max(n, int(m.HPA.Spec.MaxReplicas))
	}
	for _, h := range m.Rivals {
		n = max(n, int(h.Spec.MaxReplicas))
	}
	return n
}

// anywhere says whether a violation that the largest assumed cluster shows is there on a
// roomy one as well. Where the budget does not last to tell, it is not.
func (c *checker) anywhere(ctx context.Context, found violation) bool {
	v, larger := found.variant.roomy()
	if !larger {
		return true
	}
	if _, ok := c.directedAt(ctx, v, found); ok {
		return true
	}
	t := scale.Largest(v.spec.Classes)
	o := c.within(roomyStates).both(ctx, job{variant: v, topology: t})
	return o.err == nil && slices.ContainsFunc(o.head, func(x violation) bool { return x.key() == found.key() })
}

// hedge words a finding that rests on how many nodes were assumed: it names the clusters
// that it holds for, those of at most so many nodes, and is not inevitable.
func (f *Finding) hedge(v variant, nodes int) {
	f.Certainty = "possible"
	f.Message += fmt.Sprintf(" (while at most %d nodes", nodes)
	if len(apartBy(v.spec.Workloads)) > 0 {
		f.Message += fmt.Sprintf(" in %d zones", zonesIn(v.spec.Classes))
	}
	f.Message += " fit)"
}

func zonesIn(classes []state.NodeClass) int {
	seen := map[string]bool{}
	for _, c := range classes {
		seen[c.Node.Labels[corev1.LabelTopologyZone]] = true
	}
	return len(seen)
}

// atMostWarning is the severity of a finding that rests on what nobody declared.
func atMostWarning(s rules.Severity) rules.Severity {
	if s == rules.Error {
		return rules.Warning
	}
	return s
}
