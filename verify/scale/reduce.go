package scale

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// ErrRelations says that no smaller numbers keep the relations of the declared ones.
var ErrRelations = errors.New("cannot be scaled down")

// Reduce gives a spec at a reduced scale: replicas, the bounds of autoscalers, budgets,
// surge and skew smaller, with their relations kept as [Counts] has it. Percentages stay
// percentages, and stay the same where the reduced totals allow it. further numbers are
// compared with replicas as well, such as a floor that the user gave. Capacity does not
// shrink: what only a full node shows, a reduced scale may hide.
//
// Where pods are kept apart by node, the number of nodes matters: it takes part in the
// map, and the node classes come out as small as it says.
//
// The spec is not changed. Errors: [ErrRelations].
func Reduce(spec *state.Spec, gap int, further []int) (*state.Spec, Counts, error) {
	if updatesSome(spec) {
		return nil, Counts{}, fmt.Errorf("maxUnavailable of a StatefulSet: %w", ErrRelations)
	}
	if len(spec.Declared) > 0 {
		return nil, Counts{}, fmt.Errorf("expressions of declared controllers: %w", ErrRelations)
	}
	r := reducer{spec: spec, shared: sharedBudgets(spec)}
	apart := keptApart(spec)
	numbers := append(r.numbers(), further...)
	even := map[int]int{}
	if apart {
		for _, g := range nodeGroups(spec.Classes) {
			numbers = append(numbers, g.least, g.most)
			even[g.least], even[g.most] = g.parts(g.least), g.parts(g.most)
		}
	}
	r.counts = compress(numbers, even, zones(spec.Classes), gap)
	out := *spec
	out.Workloads = slices.Clone(spec.Workloads)
	for w := range out.Workloads {
		for v := range out.Workloads[w].Manifests {
			if err := r.manifest(&out.Workloads[w], v); err != nil {
				return nil, r.counts, fmt.Errorf("%s: %w", out.Workloads[w].ID, err)
			}
		}
	}
	if apart {
		out.Classes = reduceNodes(spec.Classes, r.counts)
	}
	out.Descheduler = r.descheduler()
	return &out, r.counts, nil
}

// updatesSome reports whether a StatefulSet may have several pods unavailable in an update.
func updatesSome(spec *state.Spec) bool {
	return slices.ContainsFunc(spec.Workloads, func(w state.Workload) bool {
		return w.Manifests[state.Base].MaxUnavailable || w.Manifests[state.Head].MaxUnavailable
	})
}

// reducer is one call of [Reduce].
type reducer struct {
	spec   *state.Spec
	counts Counts
	shared map[string][]int // by a budget's name and version: workloads, where several
}

// zones is the number of zones and other groups of nodes that placement sees.
func zones(classes []state.NodeClass) int {
	seen := map[string]bool{}
	for _, c := range classes {
		if z, ok := c.Node.Labels[corev1.LabelTopologyZone]; ok {
			seen[z] = true
		}
	}
	return len(seen)
}

// keptApart reports whether a hard rule counts the pods of a node against those of others.
func keptApart(spec *state.Spec) bool {
	for _, w := range spec.Workloads {
		for _, m := range w.Manifests {
			if m.Exists() && hardByNode(m.Pod()) {
				return true
			}
		}
	}
	return false
}

func hardByNode(p *corev1.PodSpec) bool {
	if slices.ContainsFunc(kube.Spreads(p), kube.Spread.Hard) {
		return true
	}
	for i := range p.Containers {
		for _, port := range p.Containers[i].Ports {
			if port.HostPort > 0 {
				return true
			}
		}
	}
	return kube.RepelsHard(p)
}

// sharedBudgets finds the budgets that count the pods of several workloads.
func sharedBudgets(spec *state.Spec) map[string][]int {
	out := map[string][]int{}
	for w := range spec.Workloads {
		for v, m := range spec.Workloads[w].Manifests {
			for _, b := range m.PDBs {
				id := budgetID(v, b)
				out[id] = append(out[id], w)
			}
		}
	}
	for id, ws := range out {
		if len(ws) < 2 {
			delete(out, id)
		}
	}
	return out
}

func budgetID(version int, b *policyv1.PodDisruptionBudget) string {
	return fmt.Sprint(version, " ", b.Namespace, "/", b.Name)
}

// numbers lists the numbers of replicas that are compared with each other.
func (r *reducer) numbers() []int {
	var out []int
	for w := range r.spec.Workloads {
		replicas := replicaNumbers(&r.spec.Workloads[w])
		out = append(out, replicas...)
		for v, m := range r.spec.Workloads[w].Manifests {
			if !m.Exists() {
				continue
			}
			for _, c := range kube.Spreads(m.Pod()) {
				out = append(out, int(c.MaxSkew))
			}
			if m.Kind() == state.StatefulSet && m.Partition() > 0 {
				out = append(out, m.Partition())
			}
			for _, b := range m.PDBs {
				a := b.Spec.MinAvailable
				if a != nil && a.Type == intstr.Int && r.shared[budgetID(v, b)] == nil {
					out = append(out, a.IntValue())
				}
			}
		}
	}
	if d := r.spec.Descheduler; d != nil {
		for i := range d.Profiles {
			out = append(out, d.Profiles[i].Evictor.MinReplicas)
		}
	}
	return out
}

// descheduler gives the descheduler's policy with its threshold of replicas scaled.
func (r *reducer) descheduler() *state.Descheduler {
	if r.spec.Descheduler == nil {
		return nil
	}
	d := *r.spec.Descheduler
	d.Profiles = slices.Clone(d.Profiles)
	for i := range d.Profiles {
		d.Profiles[i].Evictor.MinReplicas = r.counts.Of(d.Profiles[i].Evictor.MinReplicas)
	}
	return &d
}

// replicaNumbers lists what both versions of a workload may set its replicas to.
func replicaNumbers(w *state.Workload) []int {
	var out []int
	for _, m := range w.Manifests {
		if !m.Exists() || m.ReplicasField() == nil {
			continue
		}
		out = append(out, m.Replicas())
		if m.HPA != nil {
			out = append(out, int(m.HPA.Spec.MaxReplicas))
			if m.HPA.Spec.MinReplicas != nil {
				out = append(out, int(*m.HPA.Spec.MinReplicas))
			}
		}
		for _, h := range m.Rivals {
			out = append(out, int(h.Spec.MaxReplicas))
			if h.Spec.MinReplicas != nil {
				out = append(out, int(*h.Spec.MinReplicas))
			}
		}
	}
	return out
}

// totals pairs the numbers of replicas of a workload with their images.
func (r *reducer) totals(w *state.Workload) []total {
	var out []total
	for _, n := range replicaNumbers(w) {
		out = append(out, total{n, r.counts.Of(n)})
	}
	return out
}

// manifest scales one version of a workload, on copies.
func (r *reducer) manifest(w *state.Workload, v int) error {
	m := &w.Manifests[v]
	if !m.Exists() {
		return nil
	}
	// Totals are those of the spec: w is being changed.
	at := slices.IndexFunc(r.spec.Workloads, func(o state.Workload) bool { return o.ID == w.ID })
	totals := r.totals(&r.spec.Workloads[at])
	m.OwnObject()
	if f := m.ReplicasField(); f != nil {
		n := int32(r.counts.Of(m.Replicas()))
		*f = &n
	}
	for _, c := range kube.Spreads(m.Pod()) {
		c.MaxSkew = int32(max(r.counts.Of(int(c.MaxSkew)), 1))
	}
	if err := r.strategy(m, totals); err != nil {
		return err
	}
	if m.HPA != nil {
		m.HPA = r.autoscaler(m.HPA)
	}
	m.Rivals = slices.Clone(m.Rivals)
	for i := range m.Rivals {
		m.Rivals[i] = r.autoscaler(m.Rivals[i])
	}
	m.PDBs = slices.Clone(m.PDBs)
	for i, b := range m.PDBs {
		scaled, err := r.budget(v, b, totals)
		if err != nil {
			return fmt.Errorf("PodDisruptionBudget %s: %w", b.Name, err)
		}
		m.PDBs[i] = scaled
	}
	return nil
}

// strategy scales what paces a rollout, in place.
func (r *reducer) strategy(m *state.Manifest, totals []total) error {
	if m.Kind() == state.StatefulSet {
		return r.partition(m)
	}
	if m.ReplicasField() == nil {
		return nil // its pods are counted by nodes, or run to completion
	}
	for _, n := range m.StepCounts() {
		*n = int32(r.counts.share(int(*n), totals))
	}
	pace := m.Pace()
	if err := r.scale(pace.Surge, true, totals); err != nil {
		return fmt.Errorf("%s: %w", pace.SurgeField(), err)
	}
	if err := r.scale(pace.Unavailable, pace.RoundsUp, totals); err != nil {
		return fmt.Errorf("%s: %w", pace.UnavailableField(), err)
	}
	return nil
}

// partition scales the partition of a StatefulSet, which is compared with its replicas, in
// place. Where its ordinals begin is no number of replicas, and stays.
func (r *reducer) partition(m *state.Manifest) error {
	if n := m.Partition(); n > 0 {
		scaled := int32(r.counts.Of(n))
		m.StatefulSet.Spec.UpdateStrategy.RollingUpdate.Partition = &scaled
	}
	return nil
}

// scale changes a number or percentage of replicas in place.
func (r *reducer) scale(v *intstr.IntOrString, up bool, totals []total) error {
	if v == nil {
		return nil
	}
	if v.Type == intstr.Int {
		*v = intstr.FromInt32(int32(r.counts.share(v.IntValue(), totals)))
		return nil
	}
	p, err := strconv.Atoi(strings.TrimSuffix(v.StrVal, "%"))
	if err != nil {
		return fmt.Errorf("%q is not a percentage: %w", v.StrVal, ErrRelations)
	}
	q, ok := percent(p, up, totals)
	if !ok {
		return fmt.Errorf("%s: %w", v.StrVal, ErrRelations)
	}
	*v = intstr.FromString(fmt.Sprint(q, "%"))
	return nil
}

// autoscaler scales the bounds of an autoscaler, and how many pods it may add or remove
// at a time.
func (r *reducer) autoscaler(h *autoscalingv2.HorizontalPodAutoscaler) *autoscalingv2.HorizontalPodAutoscaler {
	h = h.DeepCopy()
	h.Spec.MaxReplicas = int32(r.counts.Of(int(h.Spec.MaxReplicas)))
	if h.Spec.MinReplicas != nil {
		*h.Spec.MinReplicas = int32(r.counts.Of(int(*h.Spec.MinReplicas)))
	}
	if b := h.Spec.Behavior; b != nil {
		for _, rules := range []*autoscalingv2.HPAScalingRules{b.ScaleUp, b.ScaleDown} {
			if rules == nil {
				continue
			}
			for i := range rules.Policies {
				if p := &rules.Policies[i]; p.Type == autoscalingv2.PodsScalingPolicy {
					p.Value = int32(r.counts.share(int(p.Value), nil))
				}
			}
		}
	}
	return h
}

// budget scales a PodDisruptionBudget. One that counts the pods of several workloads is
// compared with their sum.
func (r *reducer) budget(v int, b *policyv1.PodDisruptionBudget,
	totals []total) (*policyv1.PodDisruptionBudget, error) {
	b = b.DeepCopy()
	workloads := r.shared[budgetID(v, b)]
	if workloads != nil {
		totals = []total{r.sum(v, workloads)}
	}
	if a := b.Spec.MinAvailable; a != nil && a.Type == intstr.Int {
		n := r.counts.Of(a.IntValue())
		if workloads != nil {
			n = r.counts.against(a.IntValue(), totals[0])
		}
		*a = intstr.FromInt32(int32(n))
		return b, nil
	}
	for _, f := range []*intstr.IntOrString{b.Spec.MinAvailable, b.Spec.MaxUnavailable} {
		if err := r.scale(f, true, totals); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// sum is the replicas that a version declares of several workloads.
func (r *reducer) sum(v int, workloads []int) total {
	var sum total
	for _, w := range workloads {
		if m := &r.spec.Workloads[w].Manifests[v]; m.Exists() {
			sum.declared += m.Replicas()
			sum.reduced += r.counts.Of(m.Replicas())
		}
	}
	return sum
}

// Pods is the most pods that a spec's manifests ask for at once, without surge.
func Pods(spec *state.Spec) int {
	sum := 0
	for w := range spec.Workloads {
		sum += slices.Max(append(replicaNumbers(&spec.Workloads[w]), 0))
	}
	return sum
}
