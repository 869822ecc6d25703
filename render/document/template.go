package document

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/kubesettle/kubesettle/render/fieldpath"
)

// templateObjects gives the objects of an OpenShift Template, with the values of its parameters; false of anything
// else. A parameter without a value is filled in when the template is processed, and stays as it is written.
//
// Upstream: openshift/library-go, pkg/template/templateprocessing: (*Processor).Process and
// EvaluateParameterSubstitution.
func templateObjects(content map[string]any) ([]any, bool) {
	gvk := GVK(content)
	objects, ok := content["objects"].([]any)
	if !ok || gvk.Kind != "Template" || gvk.Group != "template.openshift.io" && gvk.Group != "" {
		return nil, false
	}
	values := map[string]string{}
	for _, p := range Items(content, "parameters") {
		m, _ := p.(map[string]any)
		name, _ := m["name"].(string)
		if v, given := m["value"]; given && name != "" {
			values[name] = fmt.Sprint(v)
		}
	}
	labels, _ := content["labels"].(map[string]any)
	var out []any
	for _, o := range objects {
		m, ok := o.(map[string]any)
		if !ok {
			continue
		}
		m = fieldpath.DeepCopy(m).(map[string]any)
		if len(labels) > 0 {
			meta, _ := m["metadata"].(map[string]any)
			if meta == nil {
				meta = map[string]any{}
				m["metadata"] = meta
			}
			own, _ := meta["labels"].(map[string]any)
			if own == nil {
				own = map[string]any{}
				meta["labels"] = own
			}
			for k, v := range labels {
				own[k] = v
			}
		}
		out = append(out, processed(m, values))
	}
	return out, true
}

// Parametrize gives parameters of an OpenShift Template values, as `oc process -p` does.
func Parametrize(content map[string]any, values map[string]string) {
	for _, p := range Items(content, "parameters") {
		m, _ := p.(map[string]any)
		name, _ := m["name"].(string)
		if v, given := values[name]; given {
			m["value"] = v
		}
	}
}

var (
	parameter = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
	// bareParameter is a whole text that is replaced by its value in JSON: a number, a boolean, a mapping.
	bareParameter = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

func processed(v any, values map[string]string) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[filledIn(k, values)] = processed(e, values)
		}
		return out
	case []any:
		for i, e := range x {
			x[i] = processed(e, values)
		}
	case string:
		if m := bareParameter.FindStringSubmatch(x); m != nil {
			text, ok := values[m[1]]
			if !ok {
				return x
			}
			if value, err := DecodeYAML([]byte(text)); err == nil {
				return value
			}
			return text
		}
		return filledIn(x, values)
	}
	return v
}

func filledIn(text string, values map[string]string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return parameter.ReplaceAllStringFunc(text, func(m string) string {
		if v, ok := values[m[2:len(m)-1]]; ok {
			return v
		}
		return m
	})
}
