package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubesettle/kubesettle/render/object"
)

// Limits on one file of YAML; the alias limits are the YAML library's own.
const (
	MaxDocuments = 10_000 // that hold anything
	maxDepth     = 200
)

// Document is one YAML or JSON document, decoded.
type Document struct {
	Content map[string]any
	File    string // repository path it was read from or rendered by
	Line    int    // line of File at which it begins; 0: unknown
	Doc     int    // its place among the documents of File, from 0
	Items   []int  // place in a List, from the outermost
	Hook    bool
	// NoHook is the type of its hook that Helm does not know, which leaves the document out; "": none.
	NoHook string `json:",omitempty"`
	// Volatile are the values that differ at every render.
	Volatile []VolatileLeaf
	// Open are the fields that depend on values which were not given.
	Open []string
	// Twice are the fields that stand twice with two values, of which the last one counts.
	Twice []string `json:",omitempty"`
	// Origin is where Kustomize took it from: a file, or a generator's kustomization.
	Origin    string
	Generated bool
}

// Raw is the text of one document of a stream.
type Raw struct {
	Text []byte
	line int // of the stream, from 1, at which text begins
}

// Split cuts a stream where kubectl does: at lines of three dashes, and after each of several objects of JSON.
func Split(b []byte) []Raw {
	var docs []Raw
	for _, d := range splitYAML(b) {
		docs = append(docs, d.values()...)
	}
	return docs
}

// values cuts a text of several objects of JSON, one after another; any other text is one.
func (d Raw) values() []Raw {
	if t := bytes.TrimSpace(d.Text); len(t) == 0 || t[0] != '{' || bytes.IndexByte(t, '}') == len(t)-1 {
		return []Raw{d}
	}
	var docs []Raw
	for dec := json.NewDecoder(bytes.NewReader(d.Text)); ; {
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil || one[0] != '{' {
			return []Raw{d}
		}
		end := int(dec.InputOffset())
		start := end - len(one)
		docs = append(docs, Raw{d.Text[start:end], d.line + bytes.Count(d.Text[:start], []byte("\n"))})
		if len(bytes.TrimSpace(d.Text[end:])) == 0 {
			if len(docs) == 1 {
				return []Raw{d} // with the space around it
			}
			return docs
		}
	}
}

func splitYAML(b []byte) []Raw {
	var docs []Raw
	start, startLine := 0, 1
	for at, line := 0, 1; at < len(b); line++ {
		end := bytes.IndexByte(b[at:], '\n')
		next := len(b)
		if end >= 0 {
			next = at + end + 1
		}
		if isSeparator(b[at:next]) {
			docs = append(docs, Raw{b[start:at], startLine})
			start, startLine = next, line+1
		}
		at = next
	}
	return append(docs, Raw{b[start:], startLine})
}

func isSeparator(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	if !ok {
		return false
	}
	rest = bytes.TrimSpace(rest)
	return len(rest) == 0 || rest[0] == '#'
}

// Blank reports whether a document holds comments at most, as what follows a separator at the end of a file does.
func Blank(text []byte) bool {
	for rest := text; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return false
		}
		rest = after
	}
	return true
}

// TooMany says how many of a stream's n documents hold anything, where those are more than [MaxDocuments].
func TooMany(n int, text func(i int) []byte) error {
	held := n
	for i := 0; i < n && held > MaxDocuments; i++ {
		if Blank(text(i)) {
			held--
		}
	}
	if held <= MaxDocuments {
		return nil
	}
	return fmt.Errorf("%d documents, the limit is %d", held, MaxDocuments)
}

// firstLine is the line of a stream at which the content of a document begins.
func (d Raw) firstLine() int {
	line := d.line
	for _, l := range bytes.Split(d.Text, []byte("\n")) {
		if t := bytes.TrimSpace(l); len(t) > 0 && t[0] != '#' && t[0] != '%' {
			return line
		}
		line++
	}
	return d.line
}

// textAfterDashes is the line of a separator with more than a comment after it, or 0. The YAML library would take no
// notice of the document that begins there.
//
// Upstream: apimachinery v0.36.3, pkg/util/yaml: (*YAMLReader).Read.
func (d Raw) textAfterDashes() int {
	for at, text := 0, d.Text; ; {
		i := bytes.Index(text[at:], []byte("---"))
		if i < 0 {
			return 0
		}
		if at += i; at == 0 || text[at-1] == '\n' {
			return d.line + bytes.Count(text[:at], []byte("\n"))
		}
		at += len("---")
	}
}

// Decode decodes every document of a file that is not empty.
func Decode(file string, b []byte) ([]Document, *object.Failure) {
	b = UTF8(b)
	raws := Split(b)
	if err := TooMany(len(raws), func(i int) []byte { return raws[i].Text }); err != nil {
		return nil, &object.Failure{Reason: fmt.Sprintf("%s: %s", file, err),
			Where: object.FileStart(file), Remedy: "split the file"}
	}
	var docs []Document
	for i, raw := range raws {
		if Blank(raw.Text) {
			continue
		}
		v, twice, err := decode(raw.Text)
		line := raw.textAfterDashes()
		if err != nil {
			line = raw.line - 1 + ErrorLine(err)
		} else if line > 0 {
			err = errors.New("yaml: text after the separator ---, which kubectl refuses")
		}
		if err != nil {
			return nil, &object.Failure{
				Reason: fmt.Sprintf("%s:%d: %s", file, line, ErrorText(err)),
				Where:  object.LineOf(file, line, "file"), Remedy: "correct the YAML",
			}
		}
		if v == nil {
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			line := raw.firstLine()
			return nil, &object.Failure{
				Reason: fmt.Sprintf("%s:%d: the document is not an object", file, line),
				Where:  object.LineOf(file, line, "file"), Remedy: "correct the YAML",
			}
		}
		docs = append(docs, Document{Content: m, File: file, Line: raw.firstLine(), Doc: i, Twice: twice})
	}
	return docs, nil
}

// DecodeYAML decodes one document as kubectl and Helm do: YAML 1.1 scalars, the last of
// two equal keys wins, integers are int64 or float64.
func DecodeYAML(b []byte) (v any, err error) {
	v, _, err = decode(b)
	return v, err
}

// decode is [DecodeYAML], which lists the fields that stand twice with two values as well.
func decode(b []byte) (v any, twice []string, err error) {
	defer func() { // the library panics on some inputs that it should refuse
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	raw, twice, err := strictly(b)
	if err != nil {
		return nil, nil, err
	}
	v, err = ToJSON(raw, 0)
	return v, twice, err
}

// ToJSON turns the YAML library's values into those of JSON.
func ToJSON(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("yaml: nested deeper than %d", maxDepth)
	}
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			var err error
			if x[k], err = ToJSON(e, depth+1); err != nil {
				return nil, err
			}
		}
		return x, nil
	case time.Time:
		return x.Format(time.RFC3339Nano), nil
	case map[any]any:
		m := make(map[string]any, len(x))
		for k, e := range x {
			key, err := keyText(k)
			if err != nil {
				return nil, err
			}
			if m[key], err = ToJSON(e, depth+1); err != nil {
				return nil, err
			}
		}
		return m, nil
	case []any:
		l := make([]any, len(x))
		for i, e := range x {
			var err error
			if l[i], err = ToJSON(e, depth+1); err != nil {
				return nil, err
			}
		}
		return l, nil
	case int:
		return int64(x), nil
	case uint64:
		return float64(x), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("yaml: %v is no JSON number", x)
		}
		return x, nil
	case nil, bool, string, int64:
		return x, nil
	}
	return fmt.Sprint(v), nil
}

// keyText is a map key as JSON has it, as sigs.k8s.io/yaml does it.
func keyText(k any) (string, error) {
	switch x := k.(type) {
	case string:
		return x, nil
	case int:
		return strconv.Itoa(x), nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case uint64:
		return strconv.FormatUint(x, 10), nil
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64), nil
	case bool:
		return strconv.FormatBool(x), nil
	case nil:
		return "null", nil
	}
	return "", fmt.Errorf("yaml: a key is not a scalar")
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

// ErrorLine is the line an error of the YAML library names, or 1.
func ErrorLine(err error) int {
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 {
			return n
		}
	}
	return 1
}

var (
	yamlPrefix = regexp.MustCompile(`^(error converting YAML to JSON: )?(yaml: )?(unmarshal errors:\s*)?(line \d+: )?`)
	Backquoted = regexp.MustCompile("`[^`]*`")
)

// ErrorText is such an error without its line, and without the values it quotes:
// they may be secret.
func ErrorText(err error) string {
	text := yamlPrefix.ReplaceAllString(err.Error(), "")
	text = Backquoted.ReplaceAllString(strings.TrimSpace(text), "a value")
	return "broken YAML: " + strings.Join(strings.Fields(text), " ")
}

// GVK reads apiVersion and kind.
func GVK(content map[string]any) schema.GroupVersionKind {
	apiVersion, _ := content["apiVersion"].(string)
	kind, _ := content["kind"].(string)
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return schema.GroupVersionKind{Version: apiVersion, Kind: kind}
	}
	return gv.WithKind(kind)
}
