package policies

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// strictly reads a value into one of upstream's own types, as upstream's strict decoder
// does: names in the right case, no key twice, and none that the type does not have.
func (d *decoder) strictly(n *yaml.Node, path string, into any) bool {
	before := len(d.problems)
	data, err := json.Marshal(d.plain(n, path, maxDepth))
	if err != nil {
		d.fail(n, path, "cannot be read: %v", err)
	}
	if len(d.problems) > before {
		return false
	}
	strict, err := kjson.UnmarshalStrict(data, into)
	for _, e := range strict {
		d.unknown(n, path, e)
	}
	if err != nil {
		d.mistyped(n, path, err)
	}
	return len(d.problems) == before
}

// maxDepth bounds lists and mappings within each other; upstream's types need far less.
const maxDepth = 50

// plain turns a value into one of JSON's types, each alias as often as it is used.
func (d *decoder) plain(n *yaml.Node, path string, depth int) any {
	m := d.follow(n, path)
	if m == nil || d.spent {
		return nil
	}
	if depth == 0 {
		d.fail(n, path, "is nested in more than %d lists and mappings; flatten it", maxDepth)
		d.spent = true
		return nil
	}
	switch m.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		d.entries(n, path, func(key *yaml.Node) read {
			return func(v *yaml.Node, at string) { out[key.Value] = d.plain(v, at, depth-1) }
		})
		return out
	case yaml.SequenceNode:
		out := []any{}
		d.list(func(v *yaml.Node, at string) { out = append(out, d.plain(v, at, depth-1)) })(n, path)
		return out
	}
	if tag := m.ShortTag(); tag != "!!int" && tag != "!!float" && tag != "!!bool" && tag != "!!null" {
		return m.Value
	}
	var v any
	if err := m.Decode(&v); err != nil {
		d.fail(n, path, "cannot be read: %v", err)
	}
	return v
}

var strictField = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)

// unknown words an error of the strict decoder.
func (d *decoder) unknown(n *yaml.Node, path string, err error) {
	m := strictField.FindStringSubmatch(err.Error())
	if m == nil {
		d.fail(n, path, "%v", err)
		return
	}
	at, _ := locate(n, m[2])
	d.fail(at, below(path, m[2]), "unknown key; remove it, or correct its spelling and place")
}

// mistyped words a value of the wrong type. The decoder gives its path without the
// indices of lists: of several such values the first that is not of the wanted type is meant.
func (d *decoder) mistyped(n *yaml.Node, path string, err error) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		d.fail(n, path, "cannot be read: %v", err)
		return
	}
	value, _, _ := strings.Cut(wrong.Value, " ") // "number 1.5"
	at, full := n, path
	every(n, path, func(v *yaml.Node, where string) bool {
		if strings.TrimPrefix(withoutIndices(strings.TrimPrefix(where, path)), ".") != wrong.Field || jsonKind(v) != value {
			return true
		}
		at, full = v, where
		return false
	})
	d.fail(at, full, "must be a value of type %s, not %s", wrong.Type, kindOf(at))
}

// below puts the path of a value before that of a part of it.
func below(path, rest string) string {
	if path == "" || rest == "" || rest[0] == '[' {
		return path + rest
	}
	return path + "." + rest
}

var listIndex = regexp.MustCompile(`\[[0-9]+\]`)

func withoutIndices(path string) string { return listIndex.ReplaceAllString(path, "") }

// jsonKind is a value's kind as encoding/json words it.
func jsonKind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "object"
	case yaml.SequenceNode:
		return "array"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "bool"
	}
	return "string"
}

// every visits a value and its parts, in the order of the file, until visit says false.
func every(n *yaml.Node, path string, visit func(*yaml.Node, string) bool) bool {
	if !visit(n, path) {
		return false
	}
	for i := 0; i < len(n.Content); i++ {
		at := fmt.Sprintf("%s[%d]", path, i)
		if n.Kind == yaml.MappingNode {
			i++
			at = below(path, n.Content[i-1].Value)
		}
		if !every(n.Content[i], at, visit) {
			return false
		}
	}
	return true
}

// locate finds the part of a value that stands at a path below it: the key of a field,
// the item of a list; where it is not there, the nearest part around it, and false.
func locate(n *yaml.Node, path string) (*yaml.Node, bool) {
	for path != "" {
		v := n
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		if rest, ok := strings.CutPrefix(path, "["); ok {
			number, after, _ := strings.Cut(rest, "]")
			i, err := strconv.Atoi(number)
			if err != nil || v.Kind != yaml.SequenceNode || i >= len(v.Content) {
				return n, false
			}
			n, path = v.Content[i], strings.TrimPrefix(after, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		name, rest := path, ""
		if end >= 0 {
			name, rest = path[:end], strings.TrimPrefix(path[end:], ".")
		}
		i := keyIndex(v, name)
		if i < 0 {
			return n, false
		}
		if rest == "" {
			return v.Content[i], true
		}
		n, path = v.Content[i+1], rest
	}
	return n, true
}

// keyIndex is where a mapping has a key, or -1.
func keyIndex(n *yaml.Node, name string) int {
	if n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func item(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

// set adds a member to a set that may be nil.
func set(s *map[string]bool, member string) {
	if *s == nil {
		*s = map[string]bool{}
	}
	(*s)[member] = true
}
