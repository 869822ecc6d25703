package kustomize

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

var (
	VariableName = regexp.MustCompile(`^[_[:alpha:]][_[:alpha:][:digit:]]*$`)
	// expression is one without a default: the variable, its length, or a part of it, perhaps behind the sign that escapes
	// it.
	expression = regexp.MustCompile(
		`(\$?)\$\{(#?([_[:alpha:]][_[:alpha:][:digit:]]*)(?:[/%#^,][^{}]*|:[0-9][^{}]*)?)\}`)
)

const substituteNote = "kustomize.toolkit.fluxcd.io/substitute"

// Substitute replaces variables in a release's documents, and gives those that it uses and whose values are unknown.
//
// Upstream: fluxcd/pkg v1.7, kustomize: SubstituteVariables and varSubstitution.
func Substitute(s *release.Substitution, docs []document.Document) ([]object.Hole, *object.Failure) {
	if len(s.Vars) == 0 && !s.Always && len(s.Sources) == 0 {
		return nil, nil
	}
	used := map[string]bool{}
	for i := range docs {
		if err := replace(s, &docs[i], used); err != nil {
			file, line := docs[i].File, docs[i].Line
			name := document.Text(docs[i].Content, "metadata", "name")
			return nil, &object.Failure{
				Reason: fmt.Sprintf("%s: %s %s: %v", file, document.GVK(docs[i].Content).Kind, name, err),
				Where:  object.LineOf(file, line, "file"),
				Remedy: "correct the expression, or write $${ where the text is meant",
			}
		}
	}
	var out []object.Hole
	elsewhere := false
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if h, locked := s.Locked[name]; locked {
			out = append(out, h)
		}
		_, known := s.Vars[name]
		elsewhere = elsewhere || !known
	}
	if elsewhere {
		out = append(out, s.Sources...)
	}
	return out, nil
}

// replace replaces the variables of one document, and adds their names to those used.
func replace(s *release.Substitution, d *document.Document, used map[string]bool) error {
	for _, field := range []string{"annotations", "labels"} {
		if document.Text(d.Content, "metadata", field, substituteNote) == "disabled" {
			return nil
		}
	}
	if !hasVariable(d.Content) {
		return nil
	}
	b, err := yaml.Marshal(d.Content)
	if err != nil {
		return err
	}
	was := string(b)
	if s.Open {
		was = expression.ReplaceAllStringFunc(was, func(m string) string {
			sub := expression.FindStringSubmatch(m)
			if sub[1] != "" {
				return m
			}
			used[sub[3]] = true
			if _, known := s.Vars[sub[3]]; known {
				return m
			}
			return "$${" + sub[2] + "}"
		})
	}
	if len(s.Vars) == 0 && !s.Always {
		return nil // with no variable at all nothing is evaluated
	}
	now, err := envsubst.Eval(was, func(name string) (string, bool) {
		used[name] = true
		return s.Vars[name], true
	})
	if err != nil {
		return fmt.Errorf("its variables cannot be replaced: %w", err)
	}
	v, err := document.DecodeYAML([]byte(now))
	if err != nil {
		return fmt.Errorf("with its variables replaced it is %s", document.ErrorText(err))
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("with its variables replaced it is not an object")
	}
	d.Content = m
	return nil
}

func hasVariable(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if strings.Contains(k, "$") || hasVariable(e) {
				return true
			}
		}
	case []any:
		for _, e := range x {
			if hasVariable(e) {
				return true
			}
		}
	case string:
		return strings.Contains(x, "$")
	}
	return false
}
