package policies

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"go.yaml.in/yaml/v3"
)

// Limits of a policy file, so that a hostile one costs little.
const (
	maxFileBytes = 1 << 20
	maxValues    = 50_000 // read values, each alias counted as often as it is used
	maxItems     = 1000   // of one list
)

// fileLimits of one file.
type fileLimits struct{ bytes, values, items int }

// decoder reads a policy file strictly and collects every problem, each with its place.
type decoder struct {
	file     string // the name of the file
	problems []Problem
	values   int                   // read so far
	spent    bool                  // the file has used up its values; nothing more is said
	set      map[string]*yaml.Node // each key that the file gives, by path
	later    []func()              // checks that need the whole file
	within   *Policy               // of the folder above; nil: it is the first
	env      *cel.Env              // of custom intents; nil until the first one
	loops    *cel.Env              // of declared controllers; as env
	most     fileLimits
	shipped  bool // the file is one of [Operators]: its expressions compile, and do so when they are asked for
}

func newDecoder() *decoder {
	return &decoder{set: map[string]*yaml.Node{}, most: fileLimits{maxFileBytes, maxValues, maxItems}}
}

// read takes over one value; path is where it stands in the file.
type read func(n *yaml.Node, path string)

// fields of a mapping, by key.
type fields map[string]read

func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) {
	if d.spent {
		return
	}
	d.problems = append(d.problems, Problem{
		Line: max(n.Line, 1), Column: max(n.Column, 1), Field: path, Text: oneLine(fmt.Sprintf(format, args...)),
	})
}

// err is every problem of the file, or nil.
func (d *decoder) err(file string) error {
	if len(d.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(d.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &FileError{File: file, Problems: d.problems}
}

// yaml.v3 tells the line of a syntax error in its text only.
var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// document parses the one document of a file; nil if it is empty.
func (d *decoder) document(data []byte) *yaml.Node {
	if len(data) > d.most.bytes {
		d.fail(&yaml.Node{}, "", "has %d bytes; it may have at most %d", len(data), d.most.bytes)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		if err = dec.Decode(&second); errors.Is(err, io.EOF) {
			return doc.Content[0]
		}
		if err == nil {
			d.fail(&second, "", "a second document: the file holds one; remove the \"---\" and what follows")
			return nil
		}
	}
	at := &yaml.Node{}
	if m := syntaxLine.FindStringSubmatch(err.Error()); m != nil {
		at.Line, _ = strconv.Atoi(m[1])
	}
	d.fail(at, "", "is not YAML: %s", syntaxLine.ReplaceAllString(err.Error(), ""))
	return nil
}

// follow resolves an alias. It gives nil once the file has used up its values.
func (d *decoder) follow(n *yaml.Node, path string) *yaml.Node {
	if d.values++; d.values > d.most.values {
		d.fail(n, path, "more than %d values, aliases counted as often as used; write a smaller file", d.most.values)
		d.spent = true
		return nil
	}
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// object reads a mapping that may have these keys and must have the required ones.
func (d *decoder) object(n *yaml.Node, path string, fs fields, required ...string) {
	known := make([]string, 0, len(fs))
	for k := range fs {
		known = append(known, k)
	}
	seen := d.entries(n, path, func(key *yaml.Node) read {
		if fs[key.Value] == nil {
			d.fail(key, join(path, key.Value), "unknown key; %s", hint(key.Value, known))
		}
		return fs[key.Value]
	})
	if seen == nil {
		return
	}
	for _, k := range required {
		if !seen[k] {
			d.fail(n, path, "%s is missing", k)
		}
	}
}

// entries reads a mapping key by key; of gives the reader of a key's value, or nil to
// skip it. The result holds the keys, or is nil where n is no mapping.
func (d *decoder) entries(n *yaml.Node, path string, of func(key *yaml.Node) read) map[string]bool {
	m := d.follow(n, path)
	if m == nil {
		return nil
	}
	if m.Kind != yaml.MappingNode {
		d.fail(n, path, "must be a mapping, not %s", kindOf(m))
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			d.fail(key, path, "a key must be a string, not %s", kindOf(key))
			continue
		}
		if seen[key.Value] {
			d.fail(key, join(path, key.Value), "the key appears here a second time; keep one of the two")
			continue
		}
		seen[key.Value] = true
		if r := of(key); r != nil {
			p := join(path, key.Value)
			d.set[p] = key
			r(value, p)
		}
	}
	return seen
}

// list reads a sequence item by item.
func (d *decoder) list(item read) read {
	return func(n *yaml.Node, path string) {
		l := d.follow(n, path)
		if l == nil {
			return
		}
		if l.Kind != yaml.SequenceNode {
			d.fail(n, path, "must be a list, not %s", kindOf(l))
			return
		}
		if len(l.Content) > d.most.items {
			d.fail(n, path, "has %d items, at most %d can be read", len(l.Content), d.most.items)
			return
		}
		for i, c := range l.Content {
			item(c, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

// scalar gives the text of a scalar of one of the tags; want words what should be there.
func (d *decoder) scalar(n *yaml.Node, path, want string, tags ...string) (string, bool) {
	s := d.follow(n, path)
	if s == nil {
		return "", false
	}
	if s.Kind == yaml.ScalarNode && slices.Contains(tags, s.ShortTag()) {
		return s.Value, true
	}
	remedy := ""
	if s.Kind == yaml.ScalarNode && want == "a string" && s.ShortTag() != "!!null" {
		remedy = "; put it in quotes"
	}
	d.fail(n, path, "must be %s, not %s%s", want, kindOf(s), remedy)
	return "", false
}

// text reads a string that is not empty; check may refuse it with a reason.
func (d *decoder) text(dst *string, check ...func(string) string) read {
	return func(n *yaml.Node, path string) {
		s, ok := d.scalar(n, path, "a string", "!!str")
		if !ok {
			return
		}
		if strings.TrimSpace(s) == "" {
			d.fail(n, path, "is empty; give a value or remove the key")
			return
		}
		for _, c := range check {
			if why := c(s); why != "" {
				d.fail(n, path, "%s", why)
				return
			}
		}
		*dst = s
	}
}

// texts reads a list of strings without repetition.
func (d *decoder) texts(dst *[]string, check ...func(string) string) read {
	var out []string
	items := d.list(func(n *yaml.Node, path string) {
		var s string
		d.text(&s, check...)(n, path)
		if s == "" {
			return
		}
		if slices.Contains(out, s) {
			d.fail(n, path, "%s appears twice in the list; keep one", quote(s))
			return
		}
		out = append(out, s)
	})
	return func(n *yaml.Node, path string) {
		items(n, path)
		*dst = out
	}
}

// number reads an integer from low to high.
func (d *decoder) number(dst *int, low, high int) read {
	return func(n *yaml.Node, path string) {
		if _, ok := d.scalar(n, path, "a whole number", "!!int"); !ok {
			return
		}
		var v int
		if err := n.Decode(&v); err != nil || v < low || v > high {
			d.fail(n, path, "must be a whole number from %d to %d", low, high)
			return
		}
		*dst = v
	}
}

// flag reads true or false.
func (d *decoder) flag(dst *bool) read {
	return func(n *yaml.Node, path string) {
		if _, ok := d.scalar(n, path, "true or false", "!!bool"); !ok {
			return
		}
		if err := n.Decode(dst); err != nil {
			d.fail(n, path, "must be true or false")
		}
	}
}

var percentage = regexp.MustCompile(`^[0-9]{1,5}%$`)

// percent reads a percentage such as 98%, as a number from low to high.
func (d *decoder) percent(dst *int, low, high int) read {
	return func(n *yaml.Node, path string) {
		want := fmt.Sprintf("a percentage from %d%% to %d%%, with its sign", low, high)
		s, ok := d.scalar(n, path, want, "!!str")
		if !ok {
			return
		}
		v, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
		if err != nil || !percentage.MatchString(s) || v < low || v > high {
			d.fail(n, path, "must be %s, not %s", want, quote(s))
			return
		}
		*dst = v
	}
}

// oneOf reads one of a few words.
func oneOf[T ~string](d *decoder, dst *T, words ...T) read {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return func(n *yaml.Node, path string) {
		s, ok := d.scalar(n, path, "one of "+strings.Join(known, ", "), "!!str")
		if !ok {
			return
		}
		if !slices.Contains(known, s) {
			d.fail(n, path, "%s is not known here; %s", quote(s), hint(s, known))
			return
		}
		*dst = T(s)
	}
}

func join(path, key string) string {
	if key == "" || len(key) > 60 || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// kindOf words the kind of a value in a file.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	}
	words := map[string]string{
		"!!str": "a string", "!!int": "a number", "!!float": "a number", "!!bool": "true or false",
		"!!null": "nothing", "!!timestamp": "a date", "!!merge": "a merge key",
	}
	if w := words[n.ShortTag()]; w != "" {
		return w
	}
	return "a value tagged " + quote(n.Tag)
}
