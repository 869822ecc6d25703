package fieldpath

import (
	"sort"
	"strconv"
	"strings"
)

// Step is one step of a path: a key of a map, or an index of a list.
type Step struct {
	Key   string
	Index int // -1 for a key
}

// Name is the step as a key: a map may have one that is a number.
func (s Step) Name() string {
	if s.Index >= 0 {
		return strconv.Itoa(s.Index)
	}
	return s.Key
}

// Path is a path into an object's content.
type Path []Step

func Key(k string) Step { return Step{k, -1} }
func At(i int) Step     { return Step{"", i} }

// PlainKey reports whether a key needs no brackets: a letter or _, and after it more of them, digits and -.
func PlainKey(k string) bool {
	for i := range len(k) {
		switch c := k[i]; {
		case c == '_', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		case i > 0 && (c == '-' || '0' <= c && c <= '9'):
		default:
			return false
		}
	}
	return k != ""
}

// keyed are the maps whose keys are data and not field names: field.Path writes them
// in brackets.
var keyed = map[string]bool{
	"labels": true, "annotations": true, "matchLabels": true, "nodeSelector": true, "requests": true,
	"limits": true, "hard": true, "data": true, "stringData": true, "binaryData": true, "allocatable": true,
	"capacity": true, "default": true, "defaultRequest": true, "overhead": true,
}

// String writes a path as field.Path does: spec.containers[0].resources.requests[cpu].
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Index >= 0:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case (i > 0 && p[i-1].Index < 0 && keyed[p[i-1].Key]) || !PlainKey(s.Key):
			b.WriteString("[" + s.Key + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Key)
		}
	}
	return b.String()
}

// Parse reads field.Path's notation, or dots. A number in brackets is an index, a
// text in brackets a key that may hold dots.
func Parse(text string) Path {
	var p Path
	for text != "" {
		if text[0] == '[' {
			end := strings.IndexByte(text, ']')
			if end < 0 {
				return append(p, Key(text[1:]))
			}
			inner := strings.Trim(text[1:end], `"'`)
			if n, err := strconv.Atoi(inner); err == nil && n >= 0 && strconv.Itoa(n) == text[1:end] {
				p = append(p, At(n))
			} else {
				p = append(p, Key(inner))
			}
			text = strings.TrimPrefix(text[end+1:], ".")
			continue
		}
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			return append(p, Key(text))
		}
		if end > 0 {
			p = append(p, Key(text[:end]))
		}
		if text[end] == '.' {
			end++
		}
		text = text[end:]
	}
	return p
}

// Get reads the value at a path. A key step into a list takes the index it spells, so
// that dotted notation works.
func (p Path) Get(v any) (any, bool) {
	for _, s := range p {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[s.Name()]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i := s.Index
			if i < 0 {
				n, err := strconv.Atoi(s.Key)
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

// Blank removes the value at a path: a map loses the key, a list keeps a nil.
func (p Path) Blank(root any) {
	if len(p) == 0 {
		return
	}
	last := p[len(p)-1]
	parent, ok := p[:len(p)-1].Get(root)
	if !ok {
		return
	}
	switch x := parent.(type) {
	case map[string]any:
		delete(x, last.Name())
	case []any:
		if last.Index >= 0 && last.Index < len(x) {
			x[last.Index] = nil
		}
	}
}

// Set replaces a value that exists.
func (p Path) Set(root, value any) {
	if len(p) == 0 {
		return
	}
	last := p[len(p)-1]
	parent, ok := p[:len(p)-1].Get(root)
	if !ok {
		return
	}
	switch x := parent.(type) {
	case map[string]any:
		x[last.Name()] = value
	case []any:
		if last.Index >= 0 && last.Index < len(x) {
			x[last.Index] = value
		}
	}
}

// With is a path one step longer, in separate memory.
func (p Path) With(s Step) Path {
	return append(append(make(Path, 0, len(p)+1), p...), s)
}

// Steps lists the steps into a value, sorted.
func Steps(v any) []Step {
	var steps []Step
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			steps = append(steps, Key(k))
		}
		sort.Slice(steps, func(i, j int) bool { return steps[i].Key < steps[j].Key })
	case []any:
		for i := range x {
			steps = append(steps, At(i))
		}
	}
	return steps
}

// Leaves calls f for every scalar and every empty map or list of a value, in order.
func Leaves(v any, p Path, f func(Path, any)) {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 {
			f(p, v)
		}
		for _, s := range Steps(x) {
			Leaves(x[s.Key], p.With(s), f)
		}
	case []any:
		if len(x) == 0 {
			f(p, v)
		}
		for i, e := range x {
			Leaves(e, p.With(At(i)), f)
		}
	default:
		f(p, v)
	}
}

// DeepCopy copies maps and lists.
func DeepCopy(v any) any {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			m[k] = DeepCopy(e)
		}
		return m
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			l[i] = DeepCopy(e)
		}
		return l
	}
	return v
}

// Put sets or takes out the value at a path, and makes the maps that lead to it; false
// where a list on the way is too short, or something else stands there.
func (p Path) Put(root map[string]any, value any) bool {
	var at any = root
	for i, s := range p {
		last := i == len(p)-1
		switch x := at.(type) {
		case map[string]any:
			switch next, ok := x[s.Name()]; {
			case last && value == nil:
				delete(x, s.Name())
				return true
			case last:
				x[s.Name()] = DeepCopy(value)
				return true
			case !ok || next == nil:
				x[s.Name()] = map[string]any{}
			}
			at = x[s.Name()]
		case []any:
			if s.Index < 0 || s.Index >= len(x) || last && value == nil {
				return false
			}
			if last {
				x[s.Index] = DeepCopy(value)
			}
			at = x[s.Index]
		default:
			return false
		}
	}
	return true
}
