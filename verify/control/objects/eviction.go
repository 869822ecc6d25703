package objects

import (
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubesettle/kubesettle/verify/control/actor"
	"github.com/kubesettle/kubesettle/verify/search"
	"github.com/kubesettle/kubesettle/verify/state"
)

// Disruptions is what a PodDisruptionBudget's status holds, in pods.
type Disruptions struct {
	Expected int // expectedPods
	Desired  int // desiredHealthy
	Healthy  int // currentHealthy
	Allowed  int // disruptionsAllowed
}

// CountDisruptions computes a budget's status from the pods it selects: how many there
// are, in any phase, the scale of the workloads that own them, and how many are ready
// and not on deletion.
//
// Upstream: kubernetes v1.36.3, pkg/controller/disruption: getExpectedPodCount,
// updatePdbStatus; failSafe for a percentage that cannot be read.
func CountDisruptions(spec *policyv1.PodDisruptionBudgetSpec, pods, scale, healthy int) Disruptions {
	d := Disruptions{Healthy: healthy}
	switch {
	case spec.MaxUnavailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MaxUnavailable, scale, true)
		if err != nil {
			return Disruptions{}
		}
		d.Expected, d.Desired = scale, max(scale-n, 0)
	case spec.MinAvailable != nil && spec.MinAvailable.Type == intstr.Int:
		d.Expected, d.Desired = pods, int(spec.MinAvailable.IntVal)
	case spec.MinAvailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, scale, true)
		if err != nil {
			return Disruptions{}
		}
		d.Expected, d.Desired = scale, n
	}
	if d.Expected > 0 {
		d.Allowed = max(d.Healthy-d.Desired, 0)
	}
	return d
}

// EvictionAnswer is the API server's answer to an eviction request. The zero value refuses.
type EvictionAnswer uint8

const (
	EvictionRefused   EvictionAnswer = iota
	EvictionGranted                  // the pod is deleted
	EvictionUncertain                // granted while the pod's containers wait to start, refused once they run unready
)

// Evictions answers eviction requests for every pod of a problem. It is read-only and
// safe for concurrent use; its methods that take a state do not allocate.
//
// Upstream: kubernetes v1.36.3, pkg/registry/core/pod/storage: (*EvictionREST).Create,
// canIgnorePDB, checkAndDecrement, getPodDisruptionBudgets; pkg/controller/disruption:
// trySync, getExpectedScale, countHealthyPods.
//
// Abstraction:
//   - exact: two budgets on one pod refuse, percentages round up, an unready pod goes
//     where unhealthyPodEvictionPolicy or a healthy budget lets it, and a pod whose
//     containers wait to start always does.
//   - exact: where the disruption controller is behind (timing.stale), each eviction lowers what the status allows.
//   - may hide: elsewhere the disruption controller is never behind: a budget's status is that of
//     the state, where upstream's may lag a few milliseconds.
type Evictions struct {
	cfg     *state.Config
	Budgets [2][]podBudget // by version, in the order of the workloads
	Of      [2][][]int     // by version and pod class: the budgets that select it
}

// podBudget is one PodDisruptionBudget with the pods it selects.
type podBudget struct {
	object    *policyv1.PodDisruptionBudget
	namespace string
	Selector  labels.Selector
	classes   []int   // pod classes, ascending
	workloads [][]int // the same by workload
	always    bool    // unhealthyPodEvictionPolicy is AlwaysAllow
}

// Name is "namespace/name".
func (b *podBudget) Name() string { return b.namespace + "/" + b.object.Name }

// NewEvictions reads the PodDisruptionBudgets of a problem. A budget whose selector
// cannot be read selects nothing, as upstream's.
func NewEvictions(c *state.Config) *Evictions {
	e := &Evictions{cfg: c}
	pods := make([]labels.Set, len(c.Pods))
	for p := range c.Pods {
		pods[p] = Admitted(c, p).Labels
	}
	for v := range e.Budgets {
		e.collect(state.Version(v))
		e.Of[v] = make([][]int, len(c.Pods))
		for i := range e.Budgets[v] {
			b := &e.Budgets[v][i]
			for w := range c.Spec.Workloads {
				var own []int
				for _, p := range c.ClassesOf[w] {
					if c.Pods[p].Namespace == b.namespace && b.Selector.Matches(pods[p]) {
						own = append(own, p)
						e.Of[v][p] = append(e.Of[v][p], i)
					}
				}
				if len(own) > 0 {
					b.classes, b.workloads = append(b.classes, own...), append(b.workloads, own)
				}
			}
		}
	}
	return e
}

// collect finds the distinct budgets of one version: several workloads may name one.
func (e *Evictions) collect(v state.Version) {
	seen := map[string]bool{}
	for w := range e.cfg.Spec.Workloads {
		wl := &e.cfg.Spec.Workloads[w]
		for _, pdb := range wl.Manifests[v].PDBs {
			ns := pdb.Namespace
			if ns == "" {
				ns = wl.Namespace
			}
			id := ns + "/" + pdb.Name
			selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
			if seen[id] || err != nil {
				continue
			}
			seen[id] = true
			policy := pdb.Spec.UnhealthyPodEvictionPolicy
			e.Budgets[v] = append(e.Budgets[v], podBudget{
				object: pdb, namespace: ns, Selector: selector,
				always: policy != nil && *policy == policyv1.AlwaysAllow,
			})
		}
	}
}

// Status is a budget's status in s.
func (e *Evictions) Status(s state.State, b *podBudget) Disruptions {
	pods, scale, healthy, failed := 0, 0, 0, false
	for _, classes := range b.workloads {
		existing := 0
		for _, p := range classes {
			existing += s.CountedExisting(p)
			healthy += s.CountedReady(p)
		}
		kind := e.cfg.Spec.Workloads[e.cfg.Pods[classes[0]].Workload].Kind()
		pods += existing
		if existing > 0 && !kind.Bare() { // getExpectedScale asks the owners of existing pods only
			scale += s.Replicas(e.cfg.Pods[classes[0]].Workload)
			failed = failed || kind.Ends()
		}
	}
	d := CountDisruptions(&b.object.Spec, pods, scale, healthy)
	if m := b.object.Spec.MinAvailable; failed && (m == nil || m.Type != intstr.Int) {
		d.Allowed = 0 // Jobs have no scale subresource: getExpectedScale fails, and failSafe follows
	}
	return d
}

// Covered reports whether a budget selects the pods of class p.
func (e *Evictions) Covered(s state.State, p int) bool { return len(e.Of[s.VersionOfClass(p)][p]) > 0 }

// Bare is said behind the eviction of a pod of class p where no budget has a say in it; "" where one has.
func (e *Evictions) Bare(s state.State, p int) string {
	if e.Covered(s, p) {
		return ""
	}
	return " (no PodDisruptionBudget declared)"
}

// Share reports whether some budget selects the pods of both classes.
func (e *Evictions) Share(s state.State, p, q int) bool {
	v := s.VersionOfClass(p)
	if v != s.VersionOfClass(q) {
		return false
	}
	for _, i := range e.Of[v][p] {
		if slices.Contains(e.Of[v][q], i) {
			return true
		}
	}
	return false
}

// Ask says what the API server answers to the eviction of a pod of class p in a phase.
// The pods of a bad revision run.
func (e *Evictions) Ask(s state.State, p int, ph state.Phase) EvictionAnswer {
	v := s.VersionOfClass(p)
	of := e.Of[v][p]
	running := EvictionGranted
	switch {
	case ph == state.Terminating || len(of) == 0:
	case len(of) > 1:
		running = EvictionRefused
	default:
		b := &e.Budgets[v][of[0]]
		d := e.Status(s, b)
		spare := b.always || (d.Healthy >= d.Desired && d.Desired > 0)
		if d.Allowed == 0 && (ph != state.Starting || !spare) {
			running = EvictionRefused
		}
	}
	if ph == state.Starting && running == EvictionRefused && !s.Bad(p) {
		return EvictionUncertain // canIgnorePDB: the pod may still be Pending
	}
	return running
}

// Room is how many ready pods of class p the API server lets go one after the other,
// at most limit.
func (e *Evictions) Room(s state.State, p, limit int) int {
	v := s.VersionOfClass(p)
	switch of := e.Of[v][p]; len(of) {
	case 0:
		return limit
	case 1:
		return min(e.Status(s, &e.Budgets[v][of[0]]).Allowed, limit)
	}
	return 0
}

// Refusal words why a running pod of class p may not be evicted in s, and names the
// budgets; it gives "" where it may. It runs for words only.
func (e *Evictions) Refusal(s state.State, p int) (string, []actor.Ref) {
	v := s.VersionOfClass(p)
	var refs []actor.Ref
	var names []string
	for _, i := range e.Of[v][p] {
		b := &e.Budgets[v][i]
		field := "spec.minAvailable"
		if b.object.Spec.MaxUnavailable != nil {
			field = "spec.maxUnavailable"
		}
		name := b.namespace + "/" + b.object.Name
		names = append(names, name)
		refs = append(refs, actor.Ref{Object: "policy/PodDisruptionBudget " + name, Version: v, Field: field})
	}
	switch {
	case e.Ask(s, p, state.Ready) == EvictionGranted:
		return "", nil
	case len(names) > 1:
		return "the pod has more than one PodDisruptionBudget: " + strings.Join(names, ", "), refs
	}
	d := e.Status(s, &e.Budgets[v][e.Of[v][p][0]])
	if d.Expected == 0 && s.C.Spec.Workloads[s.C.Pods[p].Workload].Kind().Bare() {
		return "the PodDisruptionBudget " + names[0] + " asks the controllers of its pods how many there should be, and no controller owns them: it lets none go", refs
	}
	return "the PodDisruptionBudget " + names[0] + " needs " + english.Plural(d.Desired, "healthy pod", "") +
		" and has " + english.Plural(d.Healthy, "pod", ""), refs
}

// EvictPod is the kind of the moves of [Clearing.Offer]; their arguments are the node, the
// pod class and the phase.
const EvictPod uint16 = 0

// Clearing empties nodes, through the eviction API or, with force, by deleting pods.
type Clearing struct {
	Evictions *Evictions
	Force     bool // pods are deleted; budgets are not asked
}

// Offer emits the eviction of every pod on node n that may go, and reports whether there is
// no pod, and whether one may not go.
func (c Clearing) Offer(s state.State, n int, next *actor.Emit) (empty, refused bool) {
	empty = true
	for p := range s.C.Pods {
		if s.C.Pods[p].PerNode { // kubectl drain --ignore-daemonsets
			continue
		}
		empty = empty && s.On(n, p, state.Terminating) == 0
		for _, ph := range state.LivePhases {
			if s.On(n, p, ph) == 0 {
				continue
			}
			empty = false
			if !c.Force && c.Evictions.Ask(s, p, ph) == EvictionRefused {
				refused = true
				continue
			}
			t := next.Copy(s)
			if c.Force {
				Evict(t, n, p, ph)
			} else {
				Disrupt(t, n, p, ph)
			}
			next.Move(search.Move{Kind: EvictPod, Args: [3]int32{int32(n), int32(p), int32(ph)}})
		}
	}
	return empty, refused
}

// Evict moves one pod of class p on node n onto deletion, in a state to be offered.
func Evict(t state.State, n, p int, ph state.Phase) {
	t.Add(n, p, ph, -1)
	t.Add(n, p, state.Terminating, 1)
}

// Disrupt is [Evict] through the eviction API, which notes it in the budget's status.
func Disrupt(t state.State, n, p int, ph state.Phase) {
	t.Disrupts(n, p, ph)
	Evict(t, n, p, ph)
}
