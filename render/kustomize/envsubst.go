package kustomize

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

var (
	VariableName = regexp.MustCompile(`^[_[:alpha:]][_[:alpha:][:digit:]]*$`)
	bareVariable = regexp.MustCompile(`(^|[^$])\$\{([_[:alpha:]][_[:alpha:][:digit:]]*)\}`)
)

const substituteNote = "kustomize.toolkit.fluxcd.io/substitute"

// Substitute replaces variables in a release's documents.
//
// Upstream: fluxcd/pkg v1.7, kustomize: SubstituteVariables and varSubstitution.
func Substitute(s *release.Substitution, docs []document.Document) *object.Failure {
	if len(s.Vars) == 0 && !s.Always {
		return nil
	}
	for i := range docs {
		if err := replace(s, &docs[i]); err != nil {
			file, line := docs[i].File, docs[i].Line
			name := document.Text(docs[i].Content, "metadata", "name")
			return &object.Failure{
				Reason: fmt.Sprintf("%s: %s %s: %v", file, document.GVK(docs[i].Content).Kind, name, err),
				Where:  object.LineOf(file, line, "file"),
				Remedy: "correct the expression, or write $${ where the text is meant",
			}
		}
	}
	return nil
}

func replace(s *release.Substitution, d *document.Document) error {
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
		was = bareVariable.ReplaceAllStringFunc(was, func(m string) string {
			sub := bareVariable.FindStringSubmatch(m)
			if _, known := s.Vars[sub[2]]; known {
				return m
			}
			return sub[1] + "$${" + sub[2] + "}"
		})
	}
	now, err := envsubst.Eval(was, func(name string) (string, bool) { return s.Vars[name], true })
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
