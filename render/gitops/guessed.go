package gitops

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/source"
)

// guessed gives the parameters that the template of a generator asks for placeholders, where the repository does not
// answer the generator: of all that it makes, one application stands for the others. false if its sources depend on
// them, as their content is unknown.
func (s *applicationSet) guessed(generator any) ([]map[string]any, bool) {
	t := s.templateOf(generator)
	params := map[string]any{}
	read := func(text string) {
		for _, path := range references(text, t.GoTemplate) {
			put(params, path, t.GoTemplate)
		}
	}
	fieldpath.Leaves(t.Value, nil, func(_ fieldpath.Path, v any) {
		if text, ok := v.(string); ok {
			read(text)
		}
	})
	read(t.Patch)
	list := []map[string]any{params}
	apps, err := s.expand(t, list)
	if err != nil {
		return nil, false
	}
	for _, app := range apps {
		b, err := json.Marshal(sourcesOf(app))
		if err != nil || strings.Contains(string(b), standIn) {
			return nil, false
		}
	}
	return list, true
}

// regenerates reports whether the change edits the generators of a set.
func (s *applicationSet) regenerates() bool {
	base := s.onBase()
	return base != nil && !reflect.DeepEqual(document.Items(base, "spec", "generators"),
		document.Items(s.content, "spec", "generators"))
}

var fastReference = regexp.MustCompile(`\{\{\s*([A-Za-z_][\w./\[\]-]*)\s*\}\}`)

// references are the parameters that a text names.
func references(text string, goTemplate bool) [][]string {
	var out [][]string
	if !goTemplate {
		for _, m := range fastReference.FindAllStringSubmatch(text, -1) {
			out = append(out, []string{m[1]})
		}
		return out
	}
	tree, set := parse.New(""), map[string]*parse.Tree{}
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", set); err != nil {
		return nil
	}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer:
			if v.IsNil() {
				return
			}
			switch n := v.Interface().(type) {
			case *parse.FieldNode:
				out = append(out, n.Ident)
				return
			case *parse.CommandNode:
				if path := entryOf(n); path != nil {
					out = append(out, path)
					return
				}
			}
			if _, ok := v.Interface().(*parse.Tree); !ok {
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(tree.Root))
	return out
}

// entryOf is the parameter that a command reads by the texts of its keys, as `index .metadata.labels "owner"` does; nil
// for another command.
func entryOf(n *parse.CommandNode) []string {
	if len(n.Args) < 3 {
		return nil
	}
	name, isName := n.Args[0].(*parse.IdentifierNode)
	of, isField := n.Args[1].(*parse.FieldNode)
	if !isName || !isField || name.Ident != "index" && name.Ident != "get" {
		return nil
	}
	path := slices.Clone(of.Ident)
	for _, arg := range n.Args[2:] {
		key, ok := arg.(*parse.StringNode)
		if !ok {
			return nil
		}
		path = append(path, key.Text)
	}
	return path
}

// standIn begins a placeholder: it is one wherever Argo CD applies it, and YAML in any style.
const standIn = "$ARGOCD_ENV_"

var odd = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// put gives a parameter a placeholder.
func put(params map[string]any, path []string, nested bool) {
	name := standIn + strings.ToUpper(odd.ReplaceAllString(strings.Join(path, "_"), "_"))
	for ; nested && len(path) > 1; path = path[1:] {
		inner, ok := params[path[0]].(map[string]any)
		if !ok {
			inner = map[string]any{}
			params[path[0]] = inner
		}
		params = inner
	}
	if _, deeper := params[path[0]].(map[string]any); !deeper {
		params[path[0]] = name
	}
}

// readsChanged reports whether a file of the repository that a set names for its applications differs on base: values,
// or a folder. A parameter in its path may stand for anything.
func (s *applicationSet) readsChanged() bool {
	base := s.Src.Twin
	var named []*regexp.Regexp
	fieldpath.Leaves(document.Value(s.content, "spec"), nil, func(_ fieldpath.Path, v any) {
		text, _ := v.(string)
		if strings.HasPrefix(text, "$") {
			_, text, _ = strings.Cut(text, "/")
		}
		text = strings.TrimLeft(text, "./")
		if text = anyTemplate.ReplaceAllString(text, "\x00"); !strings.Contains(text, "/") || len(text) > 200 ||
			strings.ContainsAny(text, ":\n ") || strings.HasPrefix(text, "\x00") {
			return
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(text, "/")), "\x00", ".*")
		named = append(named, regexp.MustCompile(`(^|/)`+pattern+`(/|$)`))
	})
	differs := func(here, there *source.Source) bool {
		return slices.ContainsFunc(here.Files, func(f string) bool {
			return slices.ContainsFunc(named, func(r *regexp.Regexp) bool { return r.MatchString(f) }) &&
				(!there.HasFile(f) || there.Digest(f) != here.Digest(f))
		})
	}
	return len(named) > 0 && (differs(s.Src, base) || differs(base, s.Src))
}

var anyTemplate = regexp.MustCompile(`\{\{[^{}]*\}\}`)
