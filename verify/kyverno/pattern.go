package kyverno

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// anchorOf takes the anchor off a key: "+" adds a field that is missing, "?" is a condition, "" is none, and "!" is
// another anchor, which is not run.
func anchorOf(key string) (anchor, name string) {
	open := strings.IndexByte(key, '(')
	if open < 0 || !strings.HasSuffix(key, ")") {
		return "", key
	}
	name = key[open+1 : len(key)-1]
	switch key[:open] {
	case "+":
		return "+", name
	case "":
		return "?", name
	case "=", "X", "^", "<":
		return "!", name
	}
	return "", key
}

// oddAnchors is why a pattern cannot be run; "": it can.
func oddAnchors(v any) string {
	switch t := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			anchor, _ := anchorOf(key)
			_, compared := plainValue(t[key])
			if anchor == "!" || anchor == "?" && !compared {
				return "its patch has the anchor " + key
			}
			if strings.HasPrefix(key, "$") {
				return "its patch has the directive " + key
			}
			if why := oddAnchors(t[key]); why != "" {
				return why
			}
		}
	case []any:
		anchored := 0
		for _, x := range t {
			if why := oddAnchors(x); why != "" {
				return why
			}
			if hasAnchors(x) {
				anchored++
			}
		}
		if anchored > 1 {
			return "its patch has a list with several conditional elements"
		}
	}
	return ""
}

// plainValue is the text of a condition's value that wildcards alone compare with; false: it is a map, a list or has
// operators.
func plainValue(v any) (string, bool) {
	switch t := v.(type) {
	case string:
		return t, !strings.ContainsAny(t, "|&<>!") && !between(t)
	case bool, float64, int64:
		return fmt.Sprint(t), true
	}
	return "", false
}

// between reports whether a text may be a range, such as "1-5".
func between(text string) bool {
	return text != "" && text[0] >= '0' && text[0] <= '9' && strings.Contains(text, "-")
}

func hasAnchors(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		for key, x := range t {
			if anchor, _ := anchorOf(key); anchor != "" || hasAnchors(x) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(t, hasAnchors)
	}
	return false
}

// merged is an object with a strategic merge patch, or why that is not known.
func merged(pattern, content map[string]any) (map[string]any, string) {
	own, _ := fieldpath.DeepCopy(pattern).(map[string]any)
	holds, why := process(own, content)
	if why != "" || !holds || prune(own) {
		return content, why
	}
	out, _ := fieldpath.DeepCopy(content).(map[string]any)
	return out, merge(out, own)
}

// process settles the anchors of a pattern for an object, nil for none; false: a condition does not hold.
//
// Upstream: pkg/engine/mutate/patch: walkMap, handleAddIfNotPresentAnchor, validateConditions.
func process(pattern, object map[string]any) (holds bool, why string) {
	for _, key := range slices.Sorted(maps.Keys(pattern)) {
		if anchor, name := anchorOf(key); anchor == "+" {
			value := pattern[key]
			delete(pattern, key)
			if _, there := object[name]; !there {
				pattern[name] = value
			}
		}
	}
	for key, v := range pattern {
		if anchor, name := anchorOf(key); anchor == "?" {
			want, _ := plainValue(v)
			is, scalar := scalarText(object[name])
			if _, there := object[name]; !there || !scalar || !wild(want, is) {
				return false, ""
			}
		}
	}
	for key, v := range pattern {
		if anchor, _ := anchorOf(key); anchor != "" {
			continue
		}
		switch t := v.(type) {
		case map[string]any:
			below, _ := object[key].(map[string]any)
			if holds, why := process(t, below); !holds || why != "" {
				return holds, why
			}
		case []any:
			below, _ := object[key].([]any)
			list, why := processList(t, below)
			if why != "" {
				return false, why
			}
			pattern[key] = list
		}
	}
	return true, ""
}

// processList puts, for an element with anchors, one for each element of the object for which its conditions hold.
// Upstream settles the anchors of one copy for all of these, so that a field that the first lacks is set in others that
// have it: where that matters, it is not run.
//
// Upstream: pkg/engine/mutate/patch: processListOfMaps, handlePatternName, deleteAnchorsInList.
func processList(pattern, object []any) ([]any, string) {
	out := []any{}
	for _, p := range pattern {
		if !hasAnchors(p) {
			out = append(out, p)
		}
	}
	for _, p := range pattern {
		of, isMap := p.(map[string]any)
		if !hasAnchors(p) || !isMap {
			continue
		}
		var first map[string]any // as the first element that it meets leaves it
		for _, x := range object {
			element, _ := x.(map[string]any)
			one, _ := fieldpath.DeepCopy(of).(map[string]any)
			holds, why := process(one, element)
			if why != "" {
				return nil, why
			}
			if first != nil {
				again, _ := fieldpath.DeepCopy(first).(map[string]any)
				same, _ := process(again, element)
				if same != holds || holds && !reflect.DeepEqual(again, one) {
					return nil, "its patch adds to one element of a list what another one has"
				}
			} else {
				first, _ = fieldpath.DeepCopy(one).(map[string]any)
			}
			name, named := element["name"]
			if !holds || !named || prune(one) {
				continue
			}
			one["name"] = name
			out = append(out, one)
		}
	}
	return out, ""
}

// prune deletes conditions, and what is empty without them; true: nothing is left. Upstream takes a map that was empty
// for one that became so.
//
// Upstream: pkg/engine/mutate/patch: deleteConditionElements, deleteAnchors.
func prune(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		for key, x := range t {
			anchor, _ := anchorOf(key)
			if list, isList := x.([]any); isList {
				t[key] = slices.DeleteFunc(list, func(e any) bool { return prune(e) })
				if len(list) > 0 && len(t[key].([]any)) == 0 {
					delete(t, key)
				}
				continue
			}
			if anchor == "?" || prune(x) {
				delete(t, key)
			}
		}
		return len(t) == 0
	}
	return false
}

func scalarText(v any) (string, bool) {
	switch t := v.(type) {
	case string:
		return t, true
	case bool, float64, int64:
		return fmt.Sprint(t), true
	}
	return "", false
}
