package static

import (
	"strings"
	"unicode"

	"github.com/agext/levenshtein"

	"github.com/kubesettle/kubesettle/render"
	"github.com/kubesettle/kubesettle/verify/slice"
)

// mostCompared bounds the workloads of a namespace that an object's aim is compared with by
// spelling; where there are more, a misspelt aim is not looked for.
const mostCompared = 500

// misspelt is the one workload that an object would act on if it were spelt otherwise; nil:
// there is none, or several.
func (x *aimIndex) misspelt(o *render.Object) *render.Object {
	list := x.running[o.ID.Namespace]
	if len(list) > mostCompared {
		return nil
	}
	var found *render.Object
	for _, i := range list {
		t := x.objects[i]
		if t.Hook || !nearlyAimed(o, t) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// nearlyAimed reports whether an object misses a workload by the spelling of its name, or of
// the values of labels that the workload's pods have all of.
func nearlyAimed(o, t *render.Object) bool {
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
// four, and not in a number, by which names are told apart on purpose.
func slip(a, b string) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	return digits(a) == digits(b) && levenshtein.Distance(a, b, nil) <= min(max(len(a), len(b))/4, 2)
}
