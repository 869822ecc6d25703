package locate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
)

// Numbers are traced together: one render in which each has a different value shows which field holds which. If a
// number decides more than the field that shows it, a separate trial finds that.
const (
	firstMark = 20_011 // a port may have it, and a count
	mostMarks = 4_000
)

// marked reports whether a number among the values comes out at a field when all of them are
// replaced; leaves are those that can reach the chart of scope. No is not certain.
func (t *trials) marked(leaf valuesLeaf, scope fieldpath.Path, leaves func() []valuesLeaf, at string) bool {
	if !markable(leaf) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	name := scope.String()
	if _, ok := t.marks[name]; !ok {
		t.marks[name] = t.markAll(leaves())
	}
	return t.marks[name][leaf.path.String()][at]
}

// markable reports whether a leaf is a number in a values file, outside of lists.
func markable(leaf valuesLeaf) bool {
	switch leaf.value.(type) {
	case int64, float64:
	default:
		return false
	}
	for _, s := range leaf.path {
		if s.Index >= 0 {
			return false
		}
	}
	return leaf.file != "" && leaf.set == ""
}

// markAll renders with another number for every leaf that is one, and gives the fields
// in which each came out.
func (t *trials) markAll(leaves []valuesLeaf) map[string]map[string]bool {
	base := t.baselineLocked()
	if base == nil || t.runs >= t.allowance() || t.running.Clock.Over() {
		return nil
	}
	values, byMark := map[string]any{}, map[string]string{}
	for _, leaf := range leaves {
		if markable(leaf) && len(byMark) < mostMarks {
			n := firstMark + len(byMark)
			byMark[strconv.Itoa(n)] = leaf.path.String()
			values = helm.MergeValues(values, helm.Nested(leaf.path, float64(n), nil))
		}
	}
	t.runs++
	was := map[string]document.Document{}
	for _, d := range base {
		was[docName(d)] = d
	}
	out := map[string]map[string]bool{}
	for _, d := range t.renderWith(values) {
		b, ok := was[docName(d)]
		if !ok || document.GVK(b.Content) != document.GVK(d.Content) {
			continue
		}
		eachChanged(nil, b.Content, d.Content, func(p fieldpath.Path, before, after any) {
			for mark := range marksIn(after) {
				if leaf, ok := byMark[mark]; ok && !strings.Contains(fmt.Sprint(before), mark) {
					if out[leaf] == nil {
						out[leaf] = map[string]bool{}
					}
					out[leaf][docName(d)+" "+p.String()] = true
				}
			}
		})
	}
	return out
}

// marksIn gives the numbers of five digits in a scalar.
func marksIn(v any) func(func(string) bool) {
	return func(yield func(string) bool) {
		switch v.(type) {
		case int64, float64, string:
		default:
			return
		}
		for _, s := range strings.FieldsFunc(fmt.Sprint(v), func(r rune) bool { return r < '0' || r > '9' }) {
			if len(s) == 5 && !yield(s) {
				return
			}
		}
	}
}

// eachChanged calls f for the scalars that differ, where both objects have the field and
// every list on the way is as long.
func eachChanged(p fieldpath.Path, a, b any, f func(p fieldpath.Path, a, b any)) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return
		}
		for _, s := range fieldpath.Steps(x) {
			if other, ok := y[s.Key]; ok {
				eachChanged(p.With(s), x[s.Key], other, f)
			}
		}
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return
		}
		for i := range x {
			eachChanged(p.With(fieldpath.At(i)), x[i], y[i], f)
		}
	default:
		if fmt.Sprint(a) != fmt.Sprint(b) {
			f(p, a, b)
		}
	}
}
