package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// The work of templates is bounded by a count, which is the same on every machine, and not by a clock alone: a chart
// that a change makes loop is refused wherever it is rendered. A step is one turn of a range or one call of a named
// template. A function that makes a key or a hash counts as many, as it takes as long.

// MaxSteps is how many a chart may take; the most of 1,473 renders of public charts are 142,000.
const MaxSteps = 2_000_000

// What one key or hash counts for, and one text that is parsed.
const (
	slowSteps  = 20_000
	parseSteps = 50
)

// ErrSteps says that templates take more.
var ErrSteps = fmt.Errorf("the templates take more than %s steps", humanize.Comma(MaxSteps))

// stepVersion is the API version by which a template counts a step: lookup is the one function of Helm's that asks
// somebody.
const stepVersion = "steps.kubesettle.invalid/v1"

var (
	counted   = regexp.MustCompile(`^\{\{(?:- )?\s*(range|define|block)\b`)
	tplCall   = regexp.MustCompile(`\btpl\b`)
	slowCall  = regexp.MustCompile(`\b(?:gen(?:PrivateKey|CA|SelfSignedCert|SignedCert)(?:WithKey)?|derivePassword|bcrypt|htpasswd)\b`)
	emptyBody = regexp.MustCompile(`^\s*(?:\{\{(?:- )?\s*/\*(?s:.*?)\*/\s*-?\}\}\s*)*\{\{(?:- )?\s*end\b`)
)

// byLookup is the action by which a chart's template counts, with how many steps it takes.
const byLookup = "if lookup \"" + stepVersion + "\" \"%d\" \"\" \"\"}}{{end"

// WithSteps gives a template that counts its steps by an action, on the same lines.
func WithSteps(text []byte, action string) []byte {
	var out bytes.Buffer
	eachAction(text, &out, func(at, rest []byte) {
		if n := steep(at); n > 0 {
			fmt.Fprintf(&out, "{{%s"+action+"}}", trimMark(bytes.HasPrefix(at, []byte("{{- ")), "- "), n)
		}
		out.Write(at)
		// A template without a body does not replace another one of its name.
		if m := counted.FindSubmatch(at); m != nil && (string(m[1]) == "range" || !emptyBody.Match(rest)) {
			fmt.Fprintf(&out, "{{"+action+"%s}}", 1, trimMark(bytes.HasSuffix(at, []byte("-}}")), " -"))
		}
	})
	return out.Bytes()
}

// eachAction gives write each action of a template, and what comes after it, and writes what stands between them.
func eachAction(text []byte, out *bytes.Buffer, write func(action, rest []byte)) {
	for {
		i := bytes.Index(text, []byte("{{"))
		if i < 0 {
			break
		}
		end := actionEnd(text[i:])
		if end < 0 {
			break // not a template: the engine says why
		}
		out.Write(text[:i])
		write(text[i:i+end], text[i+end:])
		text = text[i+end:]
	}
	out.Write(text)
}

// steep is how many steps an action takes beyond those that it repeats.
func steep(action []byte) int {
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(action, "{- \t\r\n"), []byte("/*")):
		return 0
	case slowCall.Match(action):
		return slowSteps
	case tplCall.Match(action):
		return parseSteps
	}
	return 0
}

func trimMark(is bool, mark string) string {
	if is {
		return mark
	}
	return ""
}

// actionEnd is where the action ends that a text begins with; negative: nowhere.
func actionEnd(text []byte) int {
	if c := bytes.TrimLeft(bytes.TrimPrefix(text[2:], []byte("- ")), " \t\r\n"); bytes.HasPrefix(c, []byte("/*")) {
		from := len(text) - len(c)
		if i := bytes.Index(c, []byte("*/")); i >= 0 {
			if end := bytes.Index(text[from+i:], []byte("}}")); end >= 0 {
				return from + i + end + 2
			}
		}
		return -1
	}
	for i := 2; i < len(text); i++ {
		switch text[i] {
		case '}':
			if i+1 < len(text) && text[i+1] == '}' {
				return i + 2
			}
		case '`':
			n := bytes.IndexByte(text[i+1:], '`')
			if n < 0 {
				return -1
			}
			i += n + 1
		case '"', '\'':
			for quote := text[i]; ; {
				if i++; i >= len(text) || text[i] == '\n' {
					return -1
				}
				if text[i] == '\\' {
					i++
				} else if text[i] == quote {
					break
				}
			}
		}
	}
	return -1
}

// steps counts the steps of templates, sees the texts that they give tpl, and passes on all other lookups.
type steps struct {
	taken int
	most  int
	found engine.ClientProvider // nil: nothing is found

	draws   bool // a text that tpl was given draws, or asks for the time
	decides bool // and by a function that gives few results, or others tomorrow
}

// GetClientFor implements [engine.ClientProvider].
func (s *steps) GetClientFor(apiVersion, kind string) (dynamic.NamespaceableResourceInterface, bool, error) {
	switch {
	case apiVersion == textVersion:
		return handed{to: s}, false, nil
	case apiVersion != stepVersion:
		if s.found == nil {
			return nothing{}, false, nil
		}
		return s.found.GetClientFor(apiVersion, kind)
	}
	n, err := strconv.Atoi(kind)
	if s.taken += n; err != nil || n < 1 || s.taken > s.most {
		return nil, false, ErrSteps
	}
	return nothing{}, false, nil
}

// renderCounted renders a chart, with its steps counted.
func renderCounted(ch *chart.Chart, vals chartutil.Values, s *steps) (map[string]string, error) {
	plain := map[*chart.File][]byte{}
	count(ch, plain)
	texts, err := engine.RenderWithClientProvider(ch, vals, s)
	for t, text := range plain {
		t.Data = text
	}
	switch {
	case err == nil:
		return texts, nil
	case strings.Contains(err.Error(), ErrSteps.Error()):
		return nil, ErrSteps
	case s.found == nil: // as the chart's author sees it: with the columns of the template as it is
		_, err = engine.Engine{}.Render(ch, vals)
	default:
		_, err = engine.RenderWithClientProvider(ch, vals, s.found)
	}
	if err == nil {
		err = errors.New("its templates fail at random")
	}
	return nil, err
}

// count has the templates of a chart count, and remembers the originals.
func count(ch *chart.Chart, plain map[*chart.File][]byte) {
	for _, t := range ch.Templates {
		plain[t] = t.Data
		t.Data = WithSteps(withTexts(t.Data), byLookup)
	}
	for _, d := range ch.Dependencies() {
		count(d, plain)
	}
}

// nothing is a cluster without any object.
type nothing struct {
	dynamic.NamespaceableResourceInterface // a template asks for one object, or for all
}

var errNotFound = apierrors.NewNotFound(schema.GroupResource{}, "")

func (nothing) Namespace(string) dynamic.ResourceInterface { return nothing{} }

func (nothing) Get(context.Context, string, metav1.GetOptions, ...string) (*unstructured.Unstructured, error) {
	return nil, errNotFound
}

func (nothing) List(context.Context, metav1.ListOptions) (*unstructured.UnstructuredList, error) {
	return nil, errNotFound
}
