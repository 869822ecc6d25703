package render

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// maxGenerated bounds what one ApplicationSet generates.
const maxGenerated = 1000

// applicationSet adds the applications of an ApplicationSet: of list and git generators
// and matrices of them. Others ask a cluster or a host.
func (d *declared) applicationSet(set map[string]any, by Location) {
	name := "ApplicationSet " + objectName(set, "argocd")
	generators, _ := value(set, "spec", "generators").([]any)
	tmpl, ok := value(set, "spec", "template").(map[string]any)
	if !ok {
		return
	}
	goTemplate := value(set, "spec", "goTemplate") == true
	for _, g := range generators {
		params, unknown := d.generate(g, goTemplate)
		if unknown != "" {
			d.ignore(by, "%s: generator %s is not known from the repository", name, unknown)
			continue
		}
		if len(params) > maxGenerated {
			d.ignore(by, "%s: %d applications, the limit is %d", name, len(params), maxGenerated)
			continue
		}
		for _, p := range params {
			app, err := substitute(deepCopy(tmpl), p, goTemplate)
			if err != nil {
				d.ignore(by, "%s: its template: %v", name, err)
				continue
			}
			if m, ok := app.(map[string]any); ok {
				if text(m, "metadata", "namespace") == "" {
					if meta, ok := m["metadata"].(map[string]any); ok {
						meta["namespace"] = text(set, "metadata", "namespace")
					}
				}
				d.application(m, by)
			}
		}
	}
}

// generate gives the parameters of a generator, or the name of one that is not known.
func (d *declared) generate(g any, goTemplate bool) (params []map[string]any, unknown string) {
	m, _ := g.(map[string]any)
	switch {
	case m["list"] != nil:
		elements, _ := value(m, "list", "elements").([]any)
		for _, e := range elements {
			if p, ok := e.(map[string]any); ok {
				params = append(params, p)
			}
		}
		return params, ""
	case m["git"] != nil:
		return d.gitGenerator(m["git"], goTemplate), ""
	case m["matrix"] != nil:
		inner, _ := value(m, "matrix", "generators").([]any)
		params = []map[string]any{{}}
		for _, g := range inner {
			next, unknown := d.generate(g, goTemplate)
			if unknown != "" {
				return nil, unknown
			}
			var product []map[string]any
			for _, a := range params {
				for _, b := range next {
					if len(product) <= maxGenerated {
						product = append(product, mergeValues(a, b))
					}
				}
			}
			params = product
		}
		return params, ""
	}
	var names []string
	for k := range m {
		names = append(names, k)
	}
	sort.Strings(names)
	return nil, strings.Join(names, ", ")
}

// gitGenerator lists folders or files that match its globs.
func (d *declared) gitGenerator(g any, goTemplate bool) []map[string]any {
	var params []map[string]any
	if list, ok := value(g, "directories").([]any); ok {
		dirs := make([]string, 0, len(d.src.dirs))
		for dir := range d.src.dirs {
			dirs = append(dirs, dir)
		}
		sort.Strings(dirs)
		for _, dir := range dirs {
			if dir != "." && matchesGlobs(list, dir) {
				params = append(params, pathParams(dir, goTemplate))
			}
		}
	}
	if list, ok := value(g, "files").([]any); ok {
		for _, f := range d.src.files {
			if !matchesGlobs(list, f) {
				continue
			}
			b, err := d.src.read(f)
			if err != nil {
				continue
			}
			v, err := decodeYAML(b)
			content, ok := v.(map[string]any)
			if err != nil || !ok {
				continue
			}
			params = append(params, mergeValues(content, pathParams(path.Dir(f), goTemplate)))
		}
	}
	return params
}

func matchesGlobs(list []any, p string) bool {
	hit := false
	for _, e := range list {
		if !globMatch(text(e, "path"), p) {
			continue
		}
		if value(e, "exclude") == true {
			return false
		}
		hit = true
	}
	return hit
}

var globPart = regexp.MustCompile(`\*\*/?|\*|\?|[^*?]+`)

// globMatch matches * within a folder and ** across them.
func globMatch(glob, p string) bool {
	var re strings.Builder
	for _, part := range globPart.FindAllString(strings.TrimPrefix(glob, "./"), -1) {
		switch {
		case strings.HasPrefix(part, "**"):
			re.WriteString("(?:.*/)?")
			if part == "**" {
				re.WriteString(".*")
			}
		case part == "*":
			re.WriteString("[^/]*")
		case part == "?":
			re.WriteString("[^/]")
		default:
			re.WriteString(regexp.QuoteMeta(part))
		}
	}
	ok, err := regexp.MatchString("^"+re.String()+"$", p)
	return err == nil && ok
}

var notInName = regexp.MustCompile(`[^a-z0-9.-]+`)

// pathParams are the parameters of a folder, in the form of the template language.
func pathParams(dir string, goTemplate bool) map[string]any {
	base := path.Base(dir)
	normal := notInName.ReplaceAllString(strings.ToLower(base), "-")
	segments := strings.Split(dir, "/")
	if goTemplate {
		list := make([]any, len(segments))
		for i, s := range segments {
			list[i] = s
		}
		return map[string]any{"path": map[string]any{"path": dir, "basename": base, "basenameNormalized": normal, "segments": list}}
	}
	p := map[string]any{"path": dir, "path.basename": base, "path.basenameNormalized": normal}
	for i, s := range segments {
		p[fmt.Sprintf("path[%d]", i)] = s
	}
	return p
}

var fastParam = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)

// substitute fills parameters into every text of a template.
func substitute(v any, params map[string]any, goTemplate bool) (any, error) {
	var err error
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if x[k], err = substitute(e, params, goTemplate); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, e := range x {
			if x[i], err = substitute(e, params, goTemplate); err != nil {
				return nil, err
			}
		}
	case string:
		if !strings.Contains(x, "{{") {
			return x, nil
		}
		if goTemplate {
			return goSubstitute(x, params)
		}
		return fastParam.ReplaceAllStringFunc(x, func(m string) string {
			name := fastParam.FindStringSubmatch(m)[1]
			if got, ok := params[name]; ok {
				return fmt.Sprint(got)
			}
			if got, ok := parsePath(strings.TrimPrefix(name, "values.")).get(params); ok {
				return fmt.Sprint(got)
			}
			return m
		}), nil
	}
	return v, nil
}

// maxSubstituted bounds one text that a Go template gives.
const maxSubstituted = 1 << 20

var loops = regexp.MustCompile(`\{\{[^}]*\b(range|define|template|block)\b`)

// goSubstitute executes a Go template. Functions that read the machine, are random or
// can make a loop or a text of any length are not there.
func goSubstitute(text string, params map[string]any) (string, error) {
	funcs := sprig.HermeticTxtFuncMap()
	for _, f := range []string{"until", "untilStep", "seq", "repeat", "genPrivateKey", "derivePassword", "bcrypt", "htpasswd", "nindent", "indent"} {
		delete(funcs, f)
	}
	if loops.MatchString(text) {
		return "", fmt.Errorf("loops and templates inside it are not supported")
	}
	t, err := template.New("applicationset").Funcs(template.FuncMap(funcs)).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := t.Execute(&limited{&out, maxSubstituted}, params); err != nil {
		return "", err
	}
	return out.String(), nil
}

// limited is a writer that refuses more than a number of bytes.
type limited struct {
	buffer *bytes.Buffer
	left   int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("more than %d bytes", maxSubstituted)
	}
	return l.buffer.Write(p)
}
