package static

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// mostCompared bounds the workloads of a namespace that an object's aim is compared with by
// spelling; where there are more, a misspelt aim is not looked for.
const mostCompared = 500

// misspelt is the workload that an object would act on if it were spelt otherwise; nil: there is none, or there are
// several, which would have it spelt each in its own way.
func (x *aimIndex) misspelt(o *object.Object) *object.Object {
	list := x.running[o.ID.Namespace]
	if len(list) > mostCompared {
		return nil
	}
	var found *object.Object
	for _, i := range list {
		t := x.objects[i]
		if t.Hook || !nearlyAimed(o, t) {
			continue
		}
		sel := selectorOf(o)
		switch {
		case found == nil:
			found = t
		case sel == nil || !sameUnder(sel, podLabels(found), podLabels(t)):
			return nil
		}
	}
	return found
}

// sameUnder reports whether two sets of labels have the same under the keys of a selector.
func sameUnder(sel, a, b map[string]string) bool {
	for k := range sel {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// nearlyAimed reports whether an object misses a workload by the spelling of its name, or of
// the values of labels that the workload's pods have all of.
func nearlyAimed(o, t *object.Object) bool {
	if sel := selectorOf(o); sel != nil {
		pod := podLabels(t)
		for k, v := range sel {
			if have, ok := pod[k]; !ok || have != v && !slip(v, have) {
				return false
			}
		}
		return true
	}
	ref := slice.Scaled(o)
	return ref.Kind == t.ID.Kind &&
		(slip(ref.Name, t.ID.Name) || leavesOut(ref.Name, t.ID.Name) || leavesOut(t.ID.Name, ref.Name))
}

// meantOwn reports whether a placement rule was written for the pods that have it and misses them by the spelling of a
// value or of a key, or by another key for the name of the program; at is the first such field, below the selector.
func meantOwn(sel *metav1.LabelSelector, pod map[string]string) (at string, ok bool) {
	type term struct{ key, value, at string }
	var terms []term
	for _, k := range slices.Sorted(maps.Keys(sel.MatchLabels)) {
		terms = append(terms, term{k, sel.MatchLabels[k], ".matchLabels[" + k + "]"})
	}
	for i, e := range sel.MatchExpressions {
		if e.Operator != metav1.LabelSelectorOpIn || len(e.Values) != 1 {
			return "", false
		}
		terms = append(terms, term{e.Key, e.Values[0], fmt.Sprintf(".matchExpressions[%d]", i)})
	}
	for _, t := range terms {
		have, known := pod[t.key]
		switch {
		case known && have == t.value:
			continue
		case known && (slip(t.value, have) || strings.EqualFold(t.value, have)) && !lettered(t.value, have):
		case !known && otherKey(t.key, t.value, pod):
		default:
			return "", false
		}
		if at == "" {
			at = t.at
		}
	}
	return at, at != ""
}

// otherKey reports whether pods have a value under a key that is spelt alike, or that tells the program as well.
func otherKey(key, value string, pod map[string]string) bool {
	for k, v := range pod {
		if v == value && (slip(k, key) || strings.EqualFold(k, key) ||
			slices.Contains(identifying, k) && slices.Contains(identifying, key)) {
			return true
		}
	}
	return false
}

// lettered reports whether two names differ in a part of one or two letters, by which they are told apart on purpose:
// web-a and web-b. A dash that stands twice parts nothing.
func lettered(a, b string) bool {
	dash := func(r rune) bool { return r == '-' }
	x, y := strings.FieldsFunc(a, dash), strings.FieldsFunc(b, dash)
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] && (len(x[i]) <= 2 || len(y[i]) <= 2) {
			return true
		}
	}
	return len(x) != len(y)
}

// leavesOut reports whether a name is another one without some of the parts between its dashes.
func leavesOut(short, long string) bool {
	left := strings.Split(short, "-")
	for _, part := range strings.Split(long, "-") {
		if len(left) > 0 && left[0] == part {
			left = left[1:]
		}
	}
	return len(left) == 0 && len(short) < len(long)
}

// slip reports whether two names differ by a slip of the pen: in at most two letters, each of
// four, two that changed places being one, and not in a number, by which names are distinguished on purpose.
func slip(a, b string) bool {
	most := min(max(len(a), len(b))/4, 2)
	if n := utf8.RuneCountInString(a) - utf8.RuneCountInString(b); n > most || -n > most {
		return false // as many letters are to be added
	}
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	return digits(a) == digits(b) && typos(a, b) <= most
}

// typos is how many letters of a name are to be set, added, left out or put in the place of the next one to make it
// another, where at most one pair changed places.
func typos(a, b string) int {
	least := levenshtein.Distance(a, b, nil)
	for i := 0; i+1 < len(a) && least > 1; i++ { // one pair in the wrong order is two letters
		if a[i] != a[i+1] {
			swapped := a[:i] + string(a[i+1]) + string(a[i]) + a[i+2:]
			least = min(least, 1+levenshtein.Distance(swapped, b, nil))
		}
	}
	return least
}
