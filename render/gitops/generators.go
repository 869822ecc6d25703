package gitops

import (
	"fmt"
	"path"
	"strings"

	v1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/source"
)

// listGenerator gives the elements of a list.
func (s *applicationSet) listGenerator(g any) ([]map[string]any, error) {
	elements := document.Items(g, "elements")
	if block := document.Text(g, "elementsYaml"); block != "" {
		v, err := document.DecodeYAML([]byte(block))
		list, ok := v.([]any)
		if err != nil || !ok {
			return nil, fmt.Errorf("elementsYaml is not a list")
		}
		elements = append(append([]any(nil), elements...), list...)
	}
	var out []map[string]any
	for _, e := range elements {
		m, ok := e.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("an element of a list generator is not a map")
		}
		if s.template.GoTemplate {
			out = append(out, m)
			continue
		}
		flat := map[string]any{}
		for k, v := range m {
			if inner, ok := v.(map[string]any); ok && k == "values" {
				for name, v := range inner {
					flat["values."+name] = fmt.Sprint(v)
				}
				continue
			}
			flat[k] = fmt.Sprint(v)
		}
		out = append(out, flat)
	}
	return out, nil
}

// gitGenerator lists folders or files that match its patterns.
//
// Upstream: argo-cd, applicationset/generators: (*GitGenerator).GenerateParams.
func (s *applicationSet) gitGenerator(g any, field string) ([]map[string]any, error) {
	prefix := document.Text(g, "pathParamPrefix")
	var out []map[string]any
	if list := document.Items(g, "directories"); len(list) > 0 {
		for _, dir := range s.folders() {
			if !chosen(list, dir, func(pattern string) bool { ok, err := path.Match(pattern, dir); return err == nil && ok }) {
				continue
			}
			p := s.pathParams(dir, "", prefix)
			if err := s.addValues(g, p); err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		return out, nil
	}
	list := document.Items(g, "files")
	for _, f := range s.Src.Files {
		if !chosen(list, f, func(pattern string) bool { return source.Match(pattern, f) }) {
			continue
		}
		objects, err := s.paramsFile(f)
		if err != nil {
			return nil, err
		}
		for _, m := range objects {
			p := helm.MergeValues(m, s.pathParams(path.Dir(f), f, prefix))
			if err := s.addValues(g, p); err != nil {
				return nil, err
			}
			out = append(out, p)
		}
		if len(out) > maxGenerated {
			break
		}
	}
	return out, nil
}

// folders lists the folders that are not hidden, sorted.
func (s *applicationSet) folders() []string {
	var out []string
	for _, dir := range s.Src.Folders() {
		if dir != "." && !strings.HasPrefix(dir, ".") && !strings.Contains(dir, "/.") {
			out = append(out, dir)
		}
	}
	return out
}

// chosen reports whether an entry matches, and none that excludes.
func chosen(list []any, p string, match func(string) bool) bool {
	hit := false
	for _, e := range list {
		if !match(strings.TrimPrefix(document.Text(e, "path"), "./")) {
			continue
		}
		if document.Value(e, "exclude") == true {
			return false
		}
		hit = true
	}
	return hit
}

// paramsFile reads the parameters of a file: an object or a list of them.
func (s *applicationSet) paramsFile(f string) ([]map[string]any, error) {
	b, err := s.Src.Read(f)
	if err != nil {
		return nil, err
	}
	v, err := document.DecodeYAML(b)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s", f, document.ErrorLine(err), document.ErrorText(err))
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []map[string]any
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok && e != nil {
			return nil, fmt.Errorf("%s: it is neither an object nor a list of objects", f)
		}
		if !s.template.GoTemplate {
			flat := map[string]any{}
			fieldpath.Leaves(m, nil, func(p fieldpath.Path, v any) {
				names := make([]string, len(p))
				for i, st := range p {
					names[i] = st.Name()
				}
				flat[strings.Join(names, ".")] = fmt.Sprint(v)
			})
			m = flat
		}
		out = append(out, helm.MergeValues(map[string]any{}, m))
	}
	return out, nil
}

// fillGenerator fills the parameters of a matrix's first generator into the second one. Values that name the second
// generator's parameters stay. Upstream: RenderGeneratorParams.
func (s *applicationSet) fillGenerator(g any, outer map[string]any) (any, error) {
	t := s.template
	t.Patch = ""
	g = fieldpath.DeepCopy(g)
	own, hasOwn := document.Value(g, "git", "values").(map[string]any)
	if hasOwn {
		delete(document.Value(g, "git").(map[string]any), "values")
	}
	t.Value = g
	filled, err := s.expand(t, []map[string]any{outer})
	if err != nil {
		return nil, err
	}
	if !hasOwn {
		return filled[0], nil
	}
	t.Options = append(append([]string(nil), t.Options...), "missingkey=error")
	for k, v := range own {
		t.Value = v
		if list, err := s.expand(t, []map[string]any{outer}); err == nil {
			own[k] = list[0]
		}
	}
	document.Value(filled[0], "git").(map[string]any)["values"] = own
	return filled[0], nil
}

// addValues fills the parameters into the generator's own values and adds them.
func (s *applicationSet) addValues(g any, params map[string]any) error {
	own, ok := document.Value(g, "values").(map[string]any)
	if !ok {
		return nil
	}
	t := s.template
	t.Value, t.Patch = own, ""
	filled, err := s.expand(t, []map[string]any{params})
	if err != nil {
		return err
	}
	m, _ := filled[0].(map[string]any)
	if s.template.GoTemplate {
		params["values"] = m
		return nil
	}
	for k, v := range m {
		params["values."+k] = fmt.Sprint(v)
	}
	return nil
}

// selectParams applies a generator's selector, whose labels are the parameters.
func selectParams(params []map[string]any, selector any) ([]map[string]any, error) {
	if selector == nil {
		return params, nil
	}
	var ls v1.LabelSelector
	if err := convert(selector, &ls); err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	sel, err := v1.LabelSelectorAsSelector(&ls)
	if err != nil {
		return nil, fmt.Errorf("selector: %w", err)
	}
	var out []map[string]any
	for _, p := range params {
		set := labels.Set{}
		fieldpath.Leaves(p, nil, func(at fieldpath.Path, v any) {
			names := make([]string, len(at))
			for i, st := range at {
				names[i] = st.Name()
			}
			set[strings.Join(names, ".")] = fmt.Sprint(v)
		})
		if sel.Matches(set) {
			out = append(out, p)
		}
	}
	return out, nil
}

func splitPath(dir string) []any {
	var out []any
	for _, s := range strings.Split(dir, "/") {
		out = append(out, s)
	}
	return out
}
