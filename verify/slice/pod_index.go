package slice

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// anywhere stands for every namespace in an index.
const anywhere = "*"

// labelKey is a label of pods in a namespace, or [anywhere].
type labelKey struct{ namespace, key, value string }

// PodIndex narrows down whose pods a selector can match, so that in a large release not every selector is compared with
// every pod. Its candidates must still be compared with the selector.
type PodIndex struct {
	exact map[labelKey][]int // places of whose pods have a label, in order
	all   map[string][]int   // of whose pods are in a namespace
}

func NewPodIndex() *PodIndex {
	return &PodIndex{exact: map[labelKey][]int{}, all: map[string][]int{}}
}

// Add notes the labels of the pods at a place; a place may be added again, with other ones.
func (x *PodIndex) Add(place int, namespace string, set map[string]string) {
	for _, ns := range []string{namespace, anywhere} {
		x.all[ns] = appendPlace(x.all[ns], place)
		for k, v := range set {
			at := labelKey{ns, k, v}
			x.exact[at] = appendPlace(x.exact[at], place)
		}
	}
}

func appendPlace(list []int, place int) []int {
	if n := len(list); n > 0 && list[n-1] == place {
		return list
	}
	return append(list, place)
}

// Candidates are the places at which a selector can match in a namespace, in order.
func (x *PodIndex) Candidates(namespace string, sel labels.Selector) []int {
	keys, narrow := exactKeys(namespace, sel, func(k labelKey) int { return len(x.exact[k]) })
	switch {
	case !narrow:
		return x.all[namespace]
	case len(keys) == 1:
		return x.exact[keys[0]]
	}
	var out []int
	for _, k := range keys {
		out = append(out, x.exact[k]...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Having are the places of whose pods have a label.
func (x *PodIndex) Having(namespace, key, value string) []int {
	return x.exact[labelKey{namespace, key, value}]
}

// exactKeys are labels of which pods have one if a selector matches them: those of the
// requirement that costs least. narrow is false where it names none; a selector that
// matches nothing has none.
func exactKeys(namespace string, sel labels.Selector, cost func(labelKey) int) (keys []labelKey, narrow bool) {
	requirements, some := sel.Requirements()
	if !some {
		return nil, true
	}
	least := 0
	for _, r := range requirements {
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
		default:
			continue
		}
		var list []labelKey
		sum := 0
		for _, v := range slices.Sorted(maps.Keys(r.Values())) {
			k := labelKey{namespace, r.Key(), v}
			list = append(list, k)
			sum += cost(k)
		}
		if !narrow || sum < least {
			keys, least, narrow = list, sum, true
		}
	}
	return keys, narrow
}

// selectorIndex is the other way round: it narrows down which selectors can match a pod.
type selectorIndex struct {
	exact map[labelKey][]int
	any   map[string][]int // of those that name no label with its value, by namespace
}

func newSelectorIndex() *selectorIndex {
	return &selectorIndex{exact: map[labelKey][]int{}, any: map[string][]int{}}
}

// add notes a selector that looks at a namespace, or [anywhere]; one that cannot be read
// matches nothing.
func (x *selectorIndex) add(place int, namespace string, selector *metav1.LabelSelector) {
	sel, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return
	}
	keys, narrow := exactKeys(namespace, sel, func(labelKey) int { return 1 })
	if !narrow {
		x.any[namespace] = appendPlace(x.any[namespace], place)
	}
	for _, k := range keys {
		x.exact[k] = appendPlace(x.exact[k], place)
	}
}

// candidates are the places of the selectors that can match a pod, in order.
func (x *selectorIndex) candidates(namespace string, set map[string]string) []int {
	var out []int
	for _, k := range x.keys(namespace, set) {
		out = append(out, x.exact[k]...)
	}
	out = append(append(out, x.any[namespace]...), x.any[anywhere]...)
	slices.Sort(out)
	return slices.Compact(out)
}

// keys are those under which a selector is that matches a pod.
func (x *selectorIndex) keys(namespace string, set map[string]string) []labelKey {
	var out []labelKey
	for k, v := range set {
		out = append(out, labelKey{namespace, k, v}, labelKey{anywhere, k, v})
	}
	return out
}
