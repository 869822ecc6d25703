package scheduler

import (
	"maps"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/verify/kube"
	"github.com/kubesettle/kubesettle/verify/state"
)

// podTerm is one required term of inter-pod affinity or anti-affinity.
type podTerm struct {
	key   int   // in compiled.keys
	match []int // pod classes it counts; for repel the one class that owns it
	owner int   // pod class that declares it
	index int   // in the owner's list of required terms
}

// podPull is what the preferred terms on one topology key give to pods of a class.
type podPull struct {
	key    int
	weight []int64 // by pod class: what one pod of it adds to its domain's score
}

// parsedTerm is an affinity term as upstream's fwk.AffinityTerm.
type parsedTerm struct {
	key        string
	namespaces map[string]bool
	selector   labels.Selector
	nsSelector labels.Selector
	weight     int64
}

// matches is upstream's (*AffinityTerm).Matches.
func (t *parsedTerm) matches(pod *corev1.Pod, ns labels.Set) bool {
	return (t.namespaces[pod.Namespace] || t.nsSelector.Matches(ns)) && t.selector.Matches(labels.Set(pod.Labels))
}

// parsedTerms are all terms of one pod.
type parsedTerms struct {
	near, apart, preferNear, preferApart []parsedTerm
}

// parseTerms reads the terms of class p (framework: (*PodInfo).Update).
func (k *Compiled) parseTerms(p int) (parsedTerms, error) {
	var out parsedTerms
	pod := k.Classes[p].Pod
	for _, term := range kube.Terms(&pod.Spec) {
		t, err := parseTerm(pod, term.PodAffinityTerm)
		if err != nil {
			return out, k.unmodeled(p, "spec."+term.Place(), err.Error())
		}
		t.weight = int64(term.Weight)
		switch {
		case term.Required && term.Anti:
			out.apart = append(out.apart, t)
		case term.Required:
			out.near = append(out.near, t)
		case term.Anti:
			out.preferApart = append(out.preferApart, t)
		default:
			out.preferNear = append(out.preferNear, t)
		}
	}
	return out, nil
}

const (
	RequiredField  = "requiredDuringSchedulingIgnoredDuringExecution"
	PreferredField = "preferredDuringSchedulingIgnoredDuringExecution"
)

// parseTerm is upstream's newAffinityTerm.
func parseTerm(pod *corev1.Pod, term *corev1.PodAffinityTerm) (parsedTerm, error) {
	t := parsedTerm{key: term.TopologyKey, namespaces: map[string]bool{}}
	var err error
	if t.selector, err = metav1.LabelSelectorAsSelector(term.LabelSelector); err != nil {
		return t, err
	}
	if t.nsSelector, err = metav1.LabelSelectorAsSelector(term.NamespaceSelector); err != nil {
		return t, err
	}
	if len(term.Namespaces) == 0 && term.NamespaceSelector == nil {
		t.namespaces[pod.Namespace] = true
	}
	for _, ns := range term.Namespaces {
		t.namespaces[ns] = true
	}
	return t, nil
}

// widen adds the namespaces that the terms of an incoming pod select by label.
//
// Upstream: interpodaffinity: mergeAffinityTermNamespacesIfNotEmpty. It clears the
// selector on a copy only, so that one which matches no labels at all (NotIn,
// DoesNotExist) matches pods of every namespace; kept as it is.
func (k *Compiled) widen(terms []parsedTerm) []parsedTerm {
	terms = slices.Clone(terms)
	for i := range terms {
		t := &terms[i]
		if t.nsSelector.Empty() {
			continue
		}
		wide := map[string]bool{}
		for ns := range t.namespaces {
			wide[ns] = true
		}
		for q := range k.Classes {
			if ns := k.Classes[q].Pod.Namespace; t.nsSelector.Matches(k.namespaceLabels(ns)) {
				wide[ns] = true
			}
		}
		t.namespaces = wide
	}
	return terms
}

// compilePodAffinity reads the inter-pod affinity between class p, incoming, and every
// class on the nodes.
//
// Upstream: interpodaffinity: PreFilter, getExistingAntiAffinityCounts,
// getIncomingAffinityAntiAffinityCounts, processExistingPod.
func (k *Compiled) compilePodAffinity(p int) {
	own := k.declared[p]
	for _, list := range []*[]parsedTerm{&own.near, &own.apart, &own.preferNear, &own.preferApart} {
		*list = k.widen(*list)
	}
	class := &k.Classes[p]
	pod := class.Pod
	ns := k.namespaceLabels(pod.Namespace)
	pull := map[string][]int64{}
	add := func(t *parsedTerm, q int, weight int64) {
		if pull[t.key] == nil {
			pull[t.key] = make([]int64, len(k.Classes))
		}
		pull[t.key][q] += weight
	}
	class.near = k.terms(own.near, p)
	class.apart = k.terms(own.apart, p)
	class.nearOwn = matchesAll(own.near, pod)
	quiet := class.profile.IgnorePreferredTermsOfExistingPods && len(own.preferNear)+len(own.preferApart) == 0
	for q := range k.Classes {
		other := k.Classes[q].Pod
		if matchesAll(own.near, other) {
			class.nearAll = append(class.nearAll, q)
		}
		for i := range own.apart {
			if own.apart[i].matches(other, nil) {
				class.apart[i].match = append(class.apart[i].match, q)
			}
		}
		theirs := &k.declared[q]
		for i := range theirs.apart {
			if t := &theirs.apart[i]; t.matches(pod, ns) {
				class.repel = append(class.repel, podTerm{key: k.key(t.key), match: []int{q}, owner: q, index: i})
			}
		}
		if quiet {
			continue
		}
		k.pulls(&own, other, nil, 0, func(t *parsedTerm, w int64) { add(t, q, w) })
		k.pulls(theirs, pod, ns, class.profile.HardPodAffinityWeight, func(t *parsedTerm, w int64) { add(t, q, w) })
	}
	for _, key := range sortedKeys(pull) {
		class.pull = append(class.pull, podPull{key: k.key(key), weight: pull[key]})
	}
}

// pulls gives the weights that the terms of one pod put on another. Required affinity
// counts with the weight hard, which is 0 for the terms of the incoming pod.
func (k *Compiled) pulls(terms *parsedTerms, pod *corev1.Pod, ns labels.Set, hard int64, add func(*parsedTerm, int64)) {
	for i := range terms.preferNear {
		if t := &terms.preferNear[i]; t.matches(pod, ns) {
			add(t, t.weight)
		}
	}
	for i := range terms.preferApart {
		if t := &terms.preferApart[i]; t.matches(pod, ns) {
			add(t, -t.weight)
		}
	}
	if hard <= 0 {
		return
	}
	for i := range terms.near {
		if t := &terms.near[i]; t.matches(pod, ns) {
			add(t, hard)
		}
	}
}

func (k *Compiled) terms(list []parsedTerm, p int) []podTerm {
	var out []podTerm
	for i := range list {
		out = append(out, podTerm{key: k.key(list[i].key), owner: p, index: i})
	}
	return out
}

// matchesAll is upstream's podMatchesAllAffinityTerms.
func matchesAll(terms []parsedTerm, pod *corev1.Pod) bool {
	for i := range terms {
		if !terms[i].matches(pod, nil) {
			return false
		}
	}
	return len(terms) > 0
}

// tallyPods counts pods of some classes by domain of a key.
func (k *Compiled) tallyPods(v *View, key int, classes []int) (counts []int64, found bool) {
	t := &k.keys[key]
	counts = v.take(t.size)
	for n := range k.Nodes {
		if t.has[n] {
			c := v.CountAll(n, classes)
			counts[t.domain[n]] += c
			found = found || c > 0
		}
	}
	return counts, found
}

// preFilterPods counts pods for class p's required terms and those that name it.
func (k *Compiled) preFilterPods(v *View, p int) {
	v.near, v.apart, v.repel = v.near[:0], v.apart[:0], v.repel[:0]
	v.podsSkip = true
	if !k.Classes[p].profile.filters(state.InterPodAffinity) {
		return
	}
	class := &k.Classes[p]
	v.nearSeen = false
	for i := range class.near {
		counts, found := k.tallyPods(v, class.near[i].key, class.nearAll)
		v.near = append(v.near, counts)
		v.nearSeen = v.nearSeen || found
	}
	for i := range class.apart {
		counts, _ := k.tallyPods(v, class.apart[i].key, class.apart[i].match)
		v.apart = append(v.apart, counts)
	}
	for i := range class.repel {
		counts, found := k.tallyPods(v, class.repel[i].key, class.repel[i].match)
		v.repel = append(v.repel, counts)
		v.podsSkip = v.podsSkip && !found
	}
	v.podsSkip = v.podsSkip && len(class.near)+len(class.apart) == 0
}

// filterPods is InterPodAffinity's Filter; it gives the term that fails, too.
//
// Upstream: interpodaffinity: satisfyPodAffinity, satisfyPodAntiAffinity,
// satisfyExistingPodsAntiAffinity.
func (k *Compiled) filterPods(v *View, p, n int) (reasonCode, int) {
	class := &k.Classes[p]
	missing := -1
	for i := range v.near {
		key := &k.keys[class.near[i].key]
		if !key.has[n] {
			return reasonPodAffinity, i
		}
		if missing < 0 && v.near[i][key.domain[n]] <= 0 {
			missing = i
		}
	}
	// The first pod of a series that wants to be near itself may go anywhere.
	if missing >= 0 && (v.nearSeen || !class.nearOwn) {
		return reasonPodAffinity, missing
	}
	if i := k.crowded(class.apart[:len(v.apart)], v.apart, n); i >= 0 {
		return reasonPodAntiAffinity, i
	}
	if i := k.crowded(class.repel[:len(v.repel)], v.repel, n); i >= 0 {
		return reasonExistingAntiAffinity, i
	}
	return reasonNone, 0
}

// crowded gives the first term with a pod in node n's domain, or -1.
func (k *Compiled) crowded(terms []podTerm, counts [][]int64, n int) int {
	for i := range terms {
		key := &k.keys[terms[i].key]
		if key.has[n] && counts[i][key.domain[n]] > 0 {
			return i
		}
	}
	return -1
}

// scorePods is InterPodAffinity's PreScore, Score and NormalizeScore.
func (k *Compiled) scorePods(v *View, p int) {
	raw, final := v.raw[scorePodAffinity], v.final[scorePodAffinity]
	for j := range k.Classes[p].pull {
		pull := &k.Classes[p].pull[j]
		key := &k.keys[pull.key]
		counts := v.take(key.size)
		for n := range k.Nodes {
			if key.has[n] {
				counts[key.domain[n]] += v.weigh(n, pull.weight)
			}
		}
		for i, n := range v.Feasible {
			if key.has[n] {
				raw[i] += counts[key.domain[n]]
			}
		}
	}
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range v.Feasible {
		least, most = min(least, raw[i]), max(most, raw[i])
	}
	diff := most - least
	for i := range v.Feasible {
		score := float64(0)
		if diff > 0 {
			score = float64(maxNodeScore) * (float64(raw[i]-least) / float64(diff))
		}
		final[i] = int64(score)
	}
}

func sortedKeys(m map[string][]int64) []string { return slices.Sorted(maps.Keys(m)) }
