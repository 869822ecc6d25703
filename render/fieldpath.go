package render

import (
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// step is one step of a path: a key of a map, or an index of a list.
type step struct {
	key   string
	index int // -1 for a key
}

// name is the step as a key: a map may have one that is a number.
func (s step) name() string {
	if s.index >= 0 {
		return strconv.Itoa(s.index)
	}
	return s.key
}

// fieldPath is a path into an object's content.
type fieldPath []step

func key(k string) step { return step{k, -1} }
func at(i int) step     { return step{"", i} }

var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// keyed are the maps whose keys are data and not field names: field.Path writes them
// in brackets.
var keyed = map[string]bool{
	"labels": true, "annotations": true, "matchLabels": true, "nodeSelector": true, "requests": true,
	"limits": true, "hard": true, "data": true, "stringData": true, "binaryData": true, "allocatable": true,
	"capacity": true, "default": true, "defaultRequest": true, "overhead": true,
}

// String writes a path as field.Path does: spec.containers[0].resources.requests[cpu].
func (p fieldPath) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case (i > 0 && p[i-1].index < 0 && keyed[p[i-1].key]) || !plainKey.MatchString(s.key):
			b.WriteString("[" + s.key + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// parsePath reads field.Path's notation, or dots. A number in brackets is an index, a
// text in brackets a key that may hold dots.
func parsePath(text string) fieldPath {
	var p fieldPath
	for text != "" {
		if text[0] == '[' {
			end := strings.IndexByte(text, ']')
			if end < 0 {
				return append(p, key(text[1:]))
			}
			inner := strings.Trim(text[1:end], `"'`)
			if n, err := strconv.Atoi(inner); err == nil && n >= 0 && strconv.Itoa(n) == text[1:end] {
				p = append(p, at(n))
			} else {
				p = append(p, key(inner))
			}
			text = strings.TrimPrefix(text[end+1:], ".")
			continue
		}
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			return append(p, key(text))
		}
		if end > 0 {
			p = append(p, key(text[:end]))
		}
		if text[end] == '.' {
			end++
		}
		text = text[end:]
	}
	return p
}

// get reads the value at a path. A key step into a list takes the index it spells, so
// that dotted notation works.
func (p fieldPath) get(v any) (any, bool) {
	for _, s := range p {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[s.name()]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i := s.index
			if i < 0 {
				n, err := strconv.Atoi(s.key)
				if err != nil {
					return nil, false
				}
				i = n
			}
			if i < 0 || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// blank removes the value at a path: a map loses the key, a list keeps a nil.
func (p fieldPath) blank(root any) {
	if len(p) == 0 {
		return
	}
	last := p[len(p)-1]
	parent, ok := p[:len(p)-1].get(root)
	if !ok {
		return
	}
	switch x := parent.(type) {
	case map[string]any:
		delete(x, last.name())
	case []any:
		if last.index >= 0 && last.index < len(x) {
			x[last.index] = nil
		}
	}
}

// set replaces a value that exists.
func (p fieldPath) set(root, value any) {
	if len(p) == 0 {
		return
	}
	last := p[len(p)-1]
	parent, ok := p[:len(p)-1].get(root)
	if !ok {
		return
	}
	switch x := parent.(type) {
	case map[string]any:
		x[last.name()] = value
	case []any:
		if last.index >= 0 && last.index < len(x) {
			x[last.index] = value
		}
	}
}

// with is a path one step longer, in memory of its own.
func (p fieldPath) with(s step) fieldPath {
	return append(append(make(fieldPath, 0, len(p)+1), p...), s)
}

// stepsOf lists the steps into a value, sorted.
func stepsOf(v any) []step {
	var steps []step
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			steps = append(steps, key(k))
		}
		sort.Slice(steps, func(i, j int) bool { return steps[i].key < steps[j].key })
	case []any:
		for i := range x {
			steps = append(steps, at(i))
		}
	}
	return steps
}

// leaves calls f for every scalar and every empty map or list of a value, in order.
func leaves(v any, p fieldPath, f func(fieldPath, any)) {
	steps := stepsOf(v)
	if len(steps) == 0 {
		f(p, v)
		return
	}
	for _, s := range steps {
		next := p.with(s)
		child, _ := fieldPath{s}.get(v)
		leaves(child, next, f)
	}
}

// deepCopy copies maps and lists.
func deepCopy(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = deepCopy(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = deepCopy(e)
		}
		return l
	}
	return v
}
