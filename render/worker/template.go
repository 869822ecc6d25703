package worker

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/helm"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/release"
)

// fillTemplate gives one document for each set of parameters.
func fillTemplate(t *release.Template) release.Output {
	var out release.Output
	fill := fillFast
	if t.GoTemplate {
		funcs, taken := setFunctions(), 0
		funcs["countSteps"] = func(n int) (string, error) {
			if taken += n; taken > helm.MaxSteps {
				return "", helm.ErrSteps
			}
			return "", nil
		}
		base := template.New("applicationset").Funcs(funcs)
		for _, o := range t.Options {
			if o != "missingkey=default" && o != "missingkey=invalid" && o != "missingkey=zero" && o != "missingkey=error" {
				return failedTemplate(fmt.Errorf("goTemplateOptions: %q is not known", o))
			}
			base = base.Option(o)
		}
		fill = func(text string, params map[string]any) (string, error) { return goTemplate(base, text, params) }
	}
	for _, params := range t.Params {
		v, err := fillTexts(fieldpath.DeepCopy(t.Value), params, fill)
		if err != nil {
			return failedTemplate(err)
		}
		if t.Patch != "" {
			text, err := fill(t.Patch, params)
			if err != nil {
				return failedTemplate(fmt.Errorf("templatePatch: %w", err))
			}
			patch, err := document.DecodeYAML([]byte(text))
			if err != nil {
				return failedTemplate(fmt.Errorf("templatePatch: %s", document.ErrorText(err)))
			}
			if patch != nil {
				v = document.MergePatch(v, patch)
			}
		}
		out.Docs = append(out.Docs, document.Document{Content: map[string]any{"value": v}})
	}
	return out
}

func failedTemplate(err error) release.Output {
	return release.Output{Err: &object.Failure{Reason: document.Shorten(strings.Join(strings.Fields(err.Error()), " "),
		400)}}
}

// fillTexts fills every text of a value, keys too.
func fillTexts(v any, params map[string]any, fill func(string, map[string]any) (string, error)) (any, error) {
	switch x := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(x))
		for _, s := range fieldpath.Steps(x) {
			k, err := fill(s.Key, params)
			if err != nil {
				return nil, err
			}
			if m[k], err = fillTexts(x[s.Key], params, fill); err != nil {
				return nil, err
			}
		}
		return m, nil
	case []any:
		for i, e := range x {
			var err error
			if x[i], err = fillTexts(e, params, fill); err != nil {
				return nil, err
			}
		}
	case string:
		return fill(x, params)
	}
	return v, nil
}

var fastParam = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// fillFast replaces {{name}}; a name that is not known stays.
func fillFast(text string, params map[string]any) (string, error) {
	return fastParam.ReplaceAllStringFunc(text, func(m string) string {
		if got, ok := params[strings.TrimSpace(m[2:len(m)-2])].(string); ok {
			return got
		}
		return m
	}), nil
}

// setFunctions are Argo CD's, without those that read the machine or the clock or are random: their results are not
// known from the repository.
func setFunctions() template.FuncMap {
	funcs := template.FuncMap(sprig.HermeticTxtFuncMap())
	for _, f := range []string{"genPrivateKey", "genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
		"genSignedCert", "genSignedCertWithKey", "bcrypt", "htpasswd", "derivePassword", "randInt", "shuffle"} {
		delete(funcs, f)
	}
	funcs["normalize"] = NormalName
	funcs["slugify"] = slugify
	funcs["toYaml"] = func(v any) (string, error) {
		b, err := yaml.Marshal(v)
		return strings.TrimSuffix(string(b), "\n"), err
	}
	funcs["fromYaml"] = func(text string) (map[string]any, error) {
		m := map[string]any{}
		return m, yaml.Unmarshal([]byte(text), &m)
	}
	funcs["fromYamlArray"] = func(text string) ([]any, error) {
		var l []any
		return l, yaml.Unmarshal([]byte(text), &l)
	}
	return funcs
}

func goTemplate(base *template.Template, text string, params map[string]any) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := base.Clone()
	if err == nil {
		t, err = t.Parse(string(helm.WithSteps([]byte(text), "countSteps %d")))
	}
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := t.Execute(&limited{&out, maxSubstituted}, params); err != nil {
		return "", err
	}
	return out.String(), nil
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slugify makes a name of a text: slugify [LENGTH [SMART]] TEXT. Upstream:
// utils.SlugifyName.
func slugify(args ...any) string {
	size, smart, text := 50, true, ""
	for _, a := range args {
		switch x := a.(type) {
		case int:
			size = x
		case bool:
			smart = x
		case string:
			text = x
		}
	}
	text = strings.Trim(notInSlug.ReplaceAllString(NormalName(text), "-"), "-")
	if len(text) > size && size > 0 {
		if i := strings.LastIndexByte(text[:size+1], '-'); smart && i > 0 {
			text = text[:i]
		} else {
			text = text[:size]
		}
	}
	return strings.Trim(text, "-")
}

// maxSubstituted bounds one text that a Go template gives, in bytes.
const maxSubstituted = 1 << 20

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

var notInName = regexp.MustCompile(`[^-a-z0-9.]`)

// NormalName is a name as Kubernetes takes it. Upstream: utils.SanitizeName.
func NormalName(name string) string {
	name = notInName.ReplaceAllString(strings.ToLower(name), "-")
	return strings.Trim(name[:min(len(name), 253)], "-.")
}
