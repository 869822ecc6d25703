package helm

import (
	"bytes"
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// A text for tpl is a template that cannot be read before it is rendered: values, files and printf may put it together.
// So lookup hands each one through on its way to tpl: it is seen, and it counts its steps like a template.

// textVersion is the API version by which a chart's template hands a text to tpl, see [stepVersion].
const textVersion = "texts.kubesettle.invalid/v1"

// Around the first argument of tpl.
const (
	beforeText = `(index (lookup "` + textVersion + `" "t" "" `
	afterText  = `) "text")`
)

// withTexts gives a template that hands each text through lookup before tpl gets it, on the same lines.
func withTexts(text []byte) []byte {
	if !bytes.Contains(text, []byte("tpl")) {
		return text
	}
	var out bytes.Buffer
	eachAction(text, &out, func(action, _ []byte) { out.WriteString(handThrough(string(action))) })
	return out.Bytes()
}

// handThrough is [withTexts] of one action, or of the text in its parentheses.
func handThrough(action string) string {
	if strings.HasPrefix(strings.TrimLeft(action, "{- \t\r\n"), "/*") || !strings.Contains(action, "tpl") {
		return action
	}
	var out strings.Builder
	for i := 0; i < len(action); {
		n := operand(action[i:])
		word := action[i : i+max(n, 1)]
		i += len(word)
		switch {
		case strings.HasPrefix(word, "("):
			out.WriteString(handThrough(word[:1]) + handThrough(word[1:]))
		case word != "tpl":
			out.WriteString(word)
		default:
			from := i + len(action[i:]) - len(strings.TrimLeft(action[i:], " \t\r\n"))
			size := operand(action[from:])
			out.WriteString(word + action[i:from])
			if i = from; size > 0 {
				arg := action[from : from+size]
				if arg[0] == '(' {
					arg = "(" + handThrough(arg[1:])
				}
				out.WriteString(beforeText + arg + afterText)
				i += size
			}
		}
	}
	return out.String()
}

// operand is the length of the operand that an action begins with: a text, a name with its fields, or parentheses
// with their fields; 0: it begins with something else.
func operand(text string) int {
	const ends = " \t\r\n()|,{}=:\"`'"
	word := func(from int) int {
		if n := strings.IndexAny(text[from:], ends); n >= 0 {
			return from + n
		}
		return len(text)
	}
	if text == "" || text[0] != '(' {
		if n := quoted(text); n > 0 {
			return n
		}
		return word(0)
	}
	for i, depth := 0, 0; i < len(text); i++ {
		if n := quoted(text[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth > 0 {
				continue
			}
			if strings.HasPrefix(text[i+1:], ".") {
				return word(i + 1)
			}
			return i + 1
		}
	}
	return 0
}

// quoted is the length of the text in quotes that a text begins with; 0: there is none.
func quoted(text string) int {
	if text == "" || !strings.Contains("\"`'", text[:1]) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] != '`':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return 0
}

// handed hands through the text for tpl: it comes back as the key by which it is looked up.
type handed struct {
	nothing
	to *steps
}

// Get implements [dynamic.ResourceInterface].
func (t handed) Get(_ context.Context, text string, _ metav1.GetOptions, _ ...string) (
	*unstructured.Unstructured, error) {
	b := []byte(text)
	if Calls(b, isRandom) {
		t.to.draws = true
		t.to.decides = t.to.decides || decidesByText(b)
	}
	if strings.Contains(text, "{{") {
		text = string(WithSteps(withTexts(b), byLookup))
	}
	return &unstructured.Unstructured{Object: map[string]any{"text": text}}, nil
}

// List implements [dynamic.ResourceInterface]: of an empty text.
func (t handed) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return &unstructured.UnstructuredList{Object: map[string]any{"text": ""}}, nil
}

var _ dynamic.ResourceInterface = handed{}
