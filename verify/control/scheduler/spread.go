package scheduler

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubesettle/kubesettle/verify/control/objects"
	"github.com/kubesettle/kubesettle/verify/state"
)

// spreadTerm is one topology spread constraint of a pod class.
type spreadTerm struct {
	index      int // in spec.topologySpreadConstraints, or -1 for a default constraint
	key        int // in compiled.keys
	maxSkew    int32
	minDomains int
	match      []int // pod classes that the selector counts
	moves      []int // pod classes that count when preemption tries to add or remove their pods
	self       int   // 1 if the pod matches its own selector
	hostname   bool
	// honorTaints is nodeTaintsPolicy Honor, or that nodes come and go: either way, whether
	// a node counts depends on the state. With ignoresTaints it is the latter only.
	honorTaints, ignoresTaints bool
	eligible                   []bool  // by node: has the keys and passes the inclusion policies
	domains                    []int32 // domains with an eligible node, ascending
}

// compileSpread reads the topology spread constraints of class p.
//
// Upstream: podtopologyspread: filterTopologySpreadConstraints, buildDefaultConstraints,
// initPreScoreState, calPreFilterState.
// Errors: [actor.ErrUnmodeled] for a selector the API server would refuse.
func (k *Compiled) compileSpread(p int) error {
	class := &k.Classes[p]
	declared := class.Pod.Spec.TopologySpreadConstraints
	class.requireAll = len(declared) > 0 || !class.profile.SystemDefaulting
	list, selector := declared, labels.Selector(nil)
	if len(declared) == 0 {
		list, selector = class.profile.DefaultConstraints, k.ownSelector(p)
	}
	for i := range list {
		c := &list[i]
		index, s := i, selector
		if len(declared) == 0 {
			if index = -1; selector.Empty() {
				continue
			}
		} else {
			var err error
			if s, err = metav1.LabelSelectorAsSelector(c.LabelSelector); err != nil {
				return k.unmodeled(p, fmt.Sprintf("spec.topologySpreadConstraints[%d].labelSelector", i), err.Error())
			}
		}
		term := k.spreadTerm(p, c, s)
		term.index = index
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			class.hard = append(class.hard, term)
		} else {
			class.soft = append(class.soft, term)
		}
	}
	k.include(p, list, class.hard, true)
	k.include(p, list, class.soft, class.requireAll)
	return nil
}

// ownSelector is the selector of the ReplicaSet or StatefulSet that owns class p's pods. Services that
// match the pods only repeat labels that the ReplicaSet's selector and hash fix already.
//
// Upstream: plugins/helper: DefaultSelector; util/labels: CloneSelectorAndAddLabel.
func (k *Compiled) ownSelector(p int) labels.Selector {
	s, err := metav1.LabelSelectorAsSelector(k.manifest(p).Selector())
	if err != nil {
		return labels.Nothing()
	}
	if !k.workload(p).Kind().OwnsSets() { // the controller itself owns its pods
		return s
	}
	key := objects.PodTemplateHash
	if k.workload(p).Kind() == state.Rollout {
		key = state.RolloutsHash
	}
	hash := labels.Set{key: k.Classes[p].Pod.Labels[key]}
	more, _ := hash.AsSelector().Requirements()
	return s.Add(more...)
}

// manifest is the oldest manifest whose template class p is.
func (k *Compiled) manifest(p int) *state.Manifest {
	m := &k.workload(p).Manifests
	if k.Cfg.Pods[p].InBase {
		return &m[0]
	}
	return &m[1]
}

func (k *Compiled) spreadTerm(p int, c *corev1.TopologySpreadConstraint, s labels.Selector) spreadTerm {
	pod := k.Classes[p].Pod
	t := spreadTerm{
		key: k.key(c.TopologyKey), maxSkew: c.MaxSkew, minDomains: 1,
		hostname: c.TopologyKey == corev1.LabelHostname,
	}
	if c.MinDomains != nil {
		t.minDomains = int(*c.MinDomains)
	}
	if s.Matches(labels.Set(pod.Labels)) {
		t.self = 1
	}
	for q := range k.Classes { // countPodsMatchSelector
		other := k.Classes[q].Pod
		if !s.Empty() && other.Namespace == pod.Namespace && s.Matches(labels.Set(other.Labels)) {
			t.match = append(t.match, q)
		}
		if other.Namespace == pod.Namespace && s.Matches(labels.Set(other.Labels)) { // updateWithPod
			t.moves = append(t.moves, q)
		}
	}
	return t
}

// include finds the nodes and domains that each of some constraints looks at.
//
// Upstream: podtopologyspread: nodeLabelsMatchSpreadConstraints, matchNodeInclusionPolicies.
func (k *Compiled) include(p int, list []corev1.TopologySpreadConstraint, terms []spreadTerm, all bool) {
	pod := k.Classes[p].Pod
	required := nodeaffinity.GetRequiredNodeAffinity(pod)
	for i := range terms {
		t := &terms[i]
		affinity, taints := corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore
		if t.index >= 0 {
			affinity = OrPolicy(list[t.index].NodeAffinityPolicy, affinity)
			taints = OrPolicy(list[t.index].NodeTaintsPolicy, taints)
		}
		t.ignoresTaints = taints != corev1.NodeInclusionPolicyHonor
		t.honorTaints = !t.ignoresTaints || k.Cfg.NodesComeAndGo()
		present := make([]bool, k.keys[t.key].size)
		for n := range k.Nodes {
			ok := !all || k.hasKeys(terms, n)
			if ok && affinity == corev1.NodeInclusionPolicyHonor {
				ok, _ = required.Match(k.Nodes[n].object) // upstream ignores parsing errors, too
			}
			if ok && taints == corev1.NodeInclusionPolicyHonor {
				ok = !hasUntolerated(pod, k.Nodes[n].object)
			}
			t.eligible = append(t.eligible, ok)
			if ok {
				present[k.keys[t.key].domain[n]] = true
			}
		}
		for d, ok := range present {
			if ok {
				t.domains = append(t.domains, int32(d))
			}
		}
	}
}

func OrPolicy(p *corev1.NodeInclusionPolicy, def corev1.NodeInclusionPolicy) corev1.NodeInclusionPolicy {
	if p == nil {
		return def
	}
	return *p
}

func (k *Compiled) hasKeys(terms []spreadTerm, n int) bool {
	for i := range terms {
		if !k.keys[terms[i].key].has[n] {
			return false
		}
	}
	return true
}

// tallySpread counts a term's pods by domain.
func (k *Compiled) tallySpread(v *View, p int, t *spreadTerm) []int64 {
	key := &k.keys[t.key]
	counts := v.take(key.size)
	for n, ok := range t.eligible {
		if ok && !k.honors(v, p, t, n) {
			counts[key.domain[n]] += v.countLive(n, t.match)
		}
	}
	return counts
}

// spreadState is what one constraint's Filter needs in one state.
type spreadState struct {
	counts []int64
	least  int64 // minMatchNum
}

// preFilterSpread counts pods for class p's hard constraints.
//
// Upstream: podtopologyspread: calPreFilterState, minMatchNum.
func (k *Compiled) preFilterSpread(v *View, p int) {
	v.hard = v.hard[:0]
	if !k.Classes[p].profile.filters(state.PodTopologySpread) {
		return
	}
	hard := k.Classes[p].hard
	for i := range hard {
		t := &hard[i]
		counts := k.tallySpread(v, p, t)
		v.hard = append(v.hard, spreadState{counts: counts, least: k.leastOf(v, p, t, counts)})
	}
}

// leastOf is upstream's minMatchNum.
func (k *Compiled) leastOf(v *View, p int, t *spreadTerm, counts []int64) int64 {
	least, domains := int64(math.MaxInt32), len(t.domains)
	if k.moving && t.honorTaints {
		least, domains = k.leastInService(v, p, t, counts)
	} else {
		for _, d := range t.domains {
			least = min(least, counts[d])
		}
	}
	if domains < t.minDomains {
		return 0
	}
	return least
}

// filterSpread is PodTopologySpread's Filter; it gives the constraint that fails, too.
func (k *Compiled) filterSpread(v *View, p, n int) (reasonCode, int) {
	for i := range v.hard {
		t := &k.Classes[p].hard[i]
		key := &k.keys[t.key]
		if !key.has[n] {
			return reasonSpreadLabel, i
		}
		skew := v.hard[i].counts[key.domain[n]] + int64(t.self) - v.hard[i].least
		if skew > int64(t.maxSkew) {
			return reasonSpread, i
		}
	}
	return reasonNone, 0
}

// softState is what one constraint's Score needs in one state.
type softState struct {
	counts []int64
	weight float64 // topologyNormalizingWeight
}

// scoreSpread is PodTopologySpread's PreScore, Score and NormalizeScore over the
// feasible nodes. It writes raw and final scores.
//
// Upstream: podtopologyspread: initPreScoreState, PreScore, Score, scoreForCount,
// NormalizeScore.
func (k *Compiled) scoreSpread(v *View, p int) {
	raw, final := v.raw[scoreSpread], v.final[scoreSpread]
	soft := k.Classes[p].soft
	if len(soft) == 0 {
		return // Skip
	}
	k.preScoreSpread(v, p)
	least, most := int64(math.MaxInt64), int64(0)
	for i, n := range v.Feasible {
		if k.ignoredBySpread(p, n) {
			raw[i] = 0
			continue
		}
		var score float64
		for j := range soft {
			t := &soft[j]
			key := &k.keys[t.key]
			if !key.has[n] {
				continue
			}
			count := v.soft[j].counts[key.domain[n]]
			if t.hostname {
				count = v.countLive(n, t.match)
			}
			score += float64(count)*v.soft[j].weight + float64(t.maxSkew-1)
		}
		raw[i] = int64(math.Round(score))
		least, most = min(least, raw[i]), max(most, raw[i])
	}
	for i, n := range v.Feasible {
		switch {
		case k.ignoredBySpread(p, n):
			final[i] = 0
		case most == 0:
			final[i] = maxNodeScore
		default:
			final[i] = maxNodeScore * (most + least - raw[i]) / most
		}
	}
}

func (k *Compiled) ignoredBySpread(p, n int) bool {
	return k.Classes[p].requireAll && !k.hasKeys(k.Classes[p].soft, n)
}

// preScoreSpread counts pods and domains for class p's soft constraints. A domain
// counts for the weight if a feasible node lies in it, with the missing label as one.
func (k *Compiled) preScoreSpread(v *View, p int) {
	soft := k.Classes[p].soft
	v.soft = v.soft[:0]
	scored := 0
	for _, n := range v.Feasible {
		if !k.ignoredBySpread(p, n) {
			scored++
		}
	}
	for j := range soft {
		t := &soft[j]
		key := &k.keys[t.key]
		s := softState{weight: k.log[scored]}
		if !t.hostname {
			s.counts = k.tallySpread(v, p, t)
			s.weight = k.log[k.domainsOf(v, p, key)]
		} else {
			s.counts = v.take(key.size)
		}
		v.soft = append(v.soft, s)
	}
}

// mark starts a new set of domains in v.seen.
func (v *View) mark() {
	if v.epoch++; v.epoch == 0 { // wrapped around: no mark is older than the next epoch
		clear(v.seen)
		v.epoch = 1
	}
}

// domainsOf counts the domains of key among the feasible nodes that are scored.
func (k *Compiled) domainsOf(v *View, p int, key *topologyKey) int {
	v.mark()
	size := 0
	for _, n := range v.Feasible {
		if d := key.domain[n]; !k.ignoredBySpread(p, n) && v.seen[d] != v.epoch {
			v.seen[d] = v.epoch
			size++
		}
	}
	return size
}
